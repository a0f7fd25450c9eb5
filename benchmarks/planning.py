"""`python -m benchmarks planning`: what a plan costs by declared rows and by values of a column.

Each plan is made in a process of its own: processor seconds, and the megabytes that its memory grew
by at most. No row is read: a plan knows public facts alone. Wanted: the same for a thousand rows
and for a billion, under a second and 300 MB; what is beyond is listed last. Names choose among the
questions (`python -m benchmarks planning quartiles`).
"""

import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from discreet.errors import DiscreetError
from discreet.planning import Wishes, plan
from discreet.questions import Question, parse_sql
from discreet.tables import Dataset, NumberColumn, read_dataset

ROWS = (10**3, 10**6, 10**9)
VALUES = (5, 121, 1_001, 10_001, 200_001)
RELATIONS = {"change": 'neighbours = "change"\nsize = {0}', "come and go": "size_at_most = {0}"}
"""What is public of the size, and so how neighbouring tables may differ."""
ASKS: dict[str, tuple[str, dict[str, str]]] = {
    "count": ("SELECT COUNT(*) WHERE g = 'a'", {}),
    "counts by group": ("SELECT g, COUNT(*) GROUP BY g", {}),
    "sum": ("SELECT SUM(x)", {}),
    "mean": ("SELECT AVG(x) WHERE g = 'a'", {}),
    "standard deviation": ("SELECT STDDEV(x)", {}),
    "correlation": ("SELECT CORR(x, y)", {}),
    "minimum": ("SELECT MIN(x)", {}),
    "range": ("SELECT SPREAD(x)", {}),
    "range between quartiles": ("SELECT IQR(x)", {}),
    "median": ("SELECT MEDIAN(x)", {}),
    "median, every table": ("SELECT MEDIAN(x)", {"interval": "every-table"}),
    "median by group": ("SELECT g, MEDIAN(x) GROUP BY g", {}),
    "median within": ("SELECT MEDIAN(x)", {"within": "{width}"}),
    "mean within": ("SELECT AVG(x)", {"within": "{width}"}),
    "quartiles": ("SELECT QUARTILES(x)", {}),
    "quartiles within": ("SELECT QUARTILES(x)", {"within": "{width}"}),
    "deciles": ("SELECT DECILES(x)", {}),
    "mode": ("SELECT MODE(x)", {}),
    "top words": ("SELECT TOP(g, 2)", {}),
    "several": ("SELECT COUNT(*), AVG(x), MEDIAN(x), MAX(x)", {}),
}
MOST_SECONDS, MOST_MEGABYTES = 1.0, 300.0


def main(chosen: list[str]) -> int:
    """Print the table."""
    table = Table(title="a plan at ε = 0.5: processor seconds / MB, by declared rows")
    for heading in ("question", "neighbours", "values", *(f"{rows:.0e}" for rows in ROWS)):
        left = heading in ("question", "neighbours")
        table.add_column(heading, justify="left" if left else "right")
    beyond = []
    with tempfile.TemporaryDirectory() as folder:
        for name, relation, values in product(chosen or ASKS, RELATIONS, VALUES):
            costs = [_cost(_facts(Path(folder), relation, rows, values), name) for rows in ROWS]
            table.add_row(name, relation, f"{values:,}", *map(str, costs))
            beyond += [
                f"{name}, {relation}, {values:,} values, {rows:.0e} rows: {cost}"
                for rows, cost in zip(ROWS, costs, strict=True)
                if cost.seconds > MOST_SECONDS or cost.megabytes > MOST_MEGABYTES
            ]
            print(".", end="", file=sys.stderr, flush=True)
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    print(f"beyond {MOST_SECONDS:g} s or {MOST_MEGABYTES:g} MB:", *beyond or ["none"], sep="\n")
    return 0


@dataclass(frozen=True)
class _Cost:
    """What one plan takes; or what was said where there is none."""

    seconds: float
    megabytes: float
    refusal: str = ""

    def __str__(self) -> str:
        return f"{self.refusal}{self.seconds:.2f} / {self.megabytes:.0f}"


def _facts(folder: Path, relation: str, rows: int, values: int) -> Dataset:
    file = folder / "facts.toml"
    file.write_text(
        'name = "t"\nconfirmed = true\n[source]\npath = "rows.csv"\n[privacy]\n'
        f'{RELATIONS[relation].format(rows)}\n[budget]\ntotal = "9"\n'
        f'[columns.x]\ntype = "integer"\nlow = 0\nhigh = {values - 1}\n'
        '[columns.y]\ntype = "integer"\nlow = 0\nhigh = 100\n'
        '[columns.g]\ntype = "category"\nvalues = ["a", "b", "c"]\n'
    )
    return read_dataset(file)


def _cost(known: Dataset, name: str) -> _Cost:
    """What one plan takes, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        question = parse_sql(ASKS[name][0], known)
        before, started, refusal = _most_kilobytes(), time.process_time(), ""
        try:
            _plan(question, known, name)
        except DiscreetError:
            refusal = "refused "
        seconds, grown = time.process_time() - started, _most_kilobytes() - before
        os.write(writing, f"{seconds}|{grown / 1000}|{refusal}".encode())
        os._exit(0)
    os.close(writing)
    told = os.read(reading, 100).decode()
    os.close(reading)
    os.waitpid(child, 0)
    seconds, megabytes, refusal = told.split("|") if told else ("inf", "inf", "failed ")
    return _Cost(float(seconds), float(megabytes), refusal)


def _plan(question: Question, known: Dataset, name: str) -> None:
    words = ASKS[name][1]
    column = known.column("x")
    assert isinstance(column, NumberColumn)
    told = {word: text.format(width=max(1, column.grid.size // 20)) for word, text in words.items()}
    within = told.pop("within", None)
    spent = {"within": within} if within else {"epsilon": "0.5"}
    plan(question, known, **spent, wishes=Wishes.of(**told), cache=None)


def _most_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
