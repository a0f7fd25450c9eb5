"""Rows of cells that engines disagree about, what they mean in plain Python, and where they go.

The grids are drawn anew in every run, as are the rows.
"""

import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from plain_cells import day_index, index_of, number_index, truth_index, word_index

WORDS = ["A", "B", "7", "é", "it's", "a\\b", "${x}", "ann"]
ODD = [
    "", " ", "-", ".", "+", "1.", ".5", "1e5", "1E+05", "1e400", "-1e400", "1e-400", "0e999",
    "1_000", "0x10", "0x1p3", "nan", "-nan", "NaN", "inf", "+Inf", "-INFINITY", "1\n", "\n1",
    "\t2\r", "\u00a01", "1\u3000", "1\u200b", " A ", "a", "Ann", "ANN", "Yes", "tRuE", "f",
    "1d", "1e5d", "1f", "NULL", "\u212a", "É", "İ", "ΑΣ", "7", "7.0", "4.5", "4,5", "9" * 100,
    "9" * 101, "1" + "0" * 60 + "e99", "0." + "0" * 90 + "1e-99", "A\n", "it's", "a\\b", "${x}",
    "2024-02-29", "29.02.2024", "2024-02-30", "2024-02-29T23:59:60", "2024-02-29 23:59+02:00",
    "2024-12-31 23:00:00-05", "2024-02-29\n", "12345-01-01", "infinity", "-infinity",
    "0044-03-15 (BC)", "\ufffd", "1 2", "--1", "1e", "e5",
]  # fmt: skip
NAMES = ("rid", "told", "whole", "wide", "real", "exact", "word", "code", "truth", "said",
         "day", "dated", "moment", "timed", "mixed")  # fmt: skip
TYPES = {
    "pid": ("text", pa.string()), "rid": ("int", pa.int32()), "told": ("text", pa.string()),
    "whole": ("smallint", pa.int16()), "wide": ("bigint", pa.int64()),
    "real": ("double precision", pa.float64()), "exact": ("numeric", pa.decimal128(15, 9)),
    "word": ("text", pa.string()), "code": ("int", pa.int32()), "truth": ("boolean", pa.bool_()),
    "said": ("varchar", pa.string()), "day": ("date", pa.date32()), "dated": ("text", pa.string()),
    "moment": ("timestamp", pa.timestamp("us")), "timed": ("text", pa.string()),
    "mixed": ("int", pa.int32()),
}  # fmt: skip
"""The types of PostgreSQL, and of Parquet."""
LOW, HIGH = datetime(2023, 1, 1), datetime(2024, 12, 31, 23, 59, 59)
EXTREMES = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, float("inf"), float("-inf"), float("nan")]


class Grids:
    """What is declared of the numbers."""

    def __init__(self, dice: random.Random) -> None:
        step = dice.choice(["0.5", "0.1", "3", "0.01", "7"])
        low, size = dice.choice([0, dice.randint(-40, 5)]), dice.randint(2, 300)
        self.real = {"low": low, "step": float(step), "size": size}
        high = Decimal(low) + Decimal(step) * (size - 1)
        first, last = dice.randint(-(2**40), 0), dice.randint(1, 2**40)
        width = -(-(last - first) // dice.randint(1, 3000))
        self.wide = {"low": first, "step": width, "size": (last - first) // width + 1}
        number = f'type = "number"\nlow = {low}\nhigh = {high}\nstep = {step}\n'
        top = first + width * (self.wide["size"] - 1)
        words = ", ".join(f"'''{word}'''" for word in WORDS)
        self.columns = "".join(
            f"[columns.{name}]\n{told}"
            for name, told in {
                "rid": 'type = "integer"\nlow = 0\nhigh = 1999999\n',
                "told": number,
                "whole": 'type = "integer"\nlow = -100\nhigh = 100\n',
                "wide": f'type = "integer"\nlow = {first}\nhigh = {top}\nstep = {width}\n',
                "real": number,
                "exact": number,
                "word": f'type = "category"\nvalues = [{words}]\n',
                "code": 'type = "category"\nvalues = ["1", "7", "x"]\n',
                "truth": 'type = "boolean"\n',
                "said": 'type = "boolean"\n',
                "day": 'type = "date"\nlow = 2023-01-01\nhigh = 2024-12-31\n',
                "dated": 'type = "date"\nlow = 2023-01-01\nhigh = 2024-12-31\norder = "dmy"\n',
                "moment": 'type = "timestamp"\nresolution = "hour"\nlow = 2023-01-01\n'
                "high = 2024-12-31\n",
                "timed": 'type = "timestamp"\nresolution = "minute"\nlow = 2023-01-01\n'
                "high = 2024-12-31\n",
                "mixed": number,
            }.items()
        )

    def expected(self, row: dict) -> tuple[int, ...]:
        """The indices of a row."""
        exact = None if row["exact"] is None else float(row["exact"])
        moment = "" if row["moment"] is None else str(row["moment"])
        ends = {"low": LOW, "high": HIGH}
        return (
            row["rid"],
            number_index(row["told"], **self.real),
            number_index(row["whole"], low=-100, step=1, size=201),
            _whole_index(row["wide"], **self.wide),
            number_index(row["real"], **self.real),
            number_index(exact, **self.real),
            word_index(row["word"], WORDS),
            word_index(row["code"], ["1", "7", "x"]),
            -1 if row["truth"] is None else int(row["truth"]),
            truth_index(row["said"]),
            day_index(row["day"], low=LOW.date(), size=731),
            index_of(_trimmed(row["dated"]), **ends, order="dmy"),
            index_of(moment, **ends, resolution="hour"),
            index_of(_trimmed(row["timed"]), **ends, resolution="minute"),
            number_index(row["mixed"], **self.real),
        )


def _trimmed(cell):
    from plain_cells import BLANKS

    return "" if cell is None else cell.strip(BLANKS)


def _whole_index(cell, low, step, size):
    """In whole numbers, upwards from half way."""
    if cell is None:
        return -1
    far = min(max(cell, low), low + step * (size - 1)) - low
    return (2 * far + step) // (2 * step)


def hostile_rows(dice: random.Random, many: int) -> list[dict]:
    return [_row(dice, place) for place in range(many)]


def _row(dice: random.Random, place: int) -> dict:
    def odd(share=0.6):
        if dice.random() < share:
            return dice.choice(ODD)
        return dice.choice([repr(dice.uniform(-50, 50)), str(dice.randint(-60, 60)), _date(dice)])

    row = {
        "pid": dice.choice([f"p{place % 97}", f"P{place % 97}", f" p{place % 97}\u00a0", "", None]),
        "rid": place,
        "told": odd(),
        "whole": dice.randint(-(2**15), 2**15 - 1)
        if dice.random() < 0.5
        else dice.randint(-120, 120),
        "wide": dice.choice([dice.randint(-(2**63), 2**63 - 1), dice.randint(-(2**41), 2**41), 0]),
        "real": dice.choice(
            [dice.choice(EXTREMES), dice.uniform(-60, 60), dice.randint(-60, 60) / 4]
        ),
        "exact": Decimal(dice.randint(-(10**11), 10**11)).scaleb(-9),
        "word": dice.choice(WORDS) if dice.random() < 0.5 else odd(1),
        "code": dice.choice([1, 7, -1, 2**31 - 1, 0]),
        "truth": dice.random() < 0.5,
        "said": odd(1),
        "day": date(2022, 6, 1) + timedelta(days=dice.randrange(1200)),
        "dated": odd(0.3) if dice.random() < 0.5 else _date(dice),
        "moment": LOW + timedelta(microseconds=dice.randrange(-(10**13), 10**14)),
        "timed": odd(0.3) if dice.random() < 0.5 else f"{_date(dice)} {_time(dice)}",
        "mixed": dice.choice([dice.randint(-(2**31), 2**31 - 1), dice.randint(-60, 60)]),
    }
    kept = ("pid", "rid")
    return {
        name: None if name not in kept and dice.random() < 0.08 else cell
        for name, cell in row.items()
    }


def _date(dice: random.Random) -> str:
    day = date(2022, 11, 1) + timedelta(days=dice.randrange(900))
    return dice.choice([day.isoformat(), f"{day.day}.{day.month}.{day.year}", f"{day:%Y/%m/%d}"])


def _time(dice: random.Random) -> str:
    told = f"{dice.randrange(26):02}:{dice.randrange(62):02}"
    return told + dice.choice(["", ":59", ":59.999", "Z", "+05:30", "-0330", " UTC", ":7"])


def to_parquet(rows: list[dict], place) -> None:
    arrays = {
        name: pa.array([row[name] for row in rows], type=kind) for name, (_, kind) in TYPES.items()
    }
    pq.write_table(pa.table(arrays), place)


def to_postgresql(rows: list[dict], url: str, table: str) -> None:
    declared = ", ".join(f"{name} {kind}" for name, (kind, _) in TYPES.items())
    names = list(TYPES)
    with psycopg.connect(url) as held, held.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {table} ({declared})")
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row([row[name] for name in names])
