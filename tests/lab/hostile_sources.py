"""Sources of every kind whose cells are hostile, and in which one record after another changes.

A chain is a small source that is written again and again, each time with one other record: each
step is a pair of neighbours. A record is whatever the kind calls one.
"""

import bz2
import datetime
import gzip
import json
import lzma
import zipfile
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape

import apsw
import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
from pyarrow import parquet

from discreet.tables import handed_over

NAMES = ("pid", "mood", "clinic", "smokes", "note")
_HONEST = (("p1", "p2", "p3"), ("1", "2", "4", "5"), ("A", "B"), ("yes", "no"), ("fine",))
_BYTES = (
    b'"', b'""', b"'", b",", b";", b"\t", b"|", b"\\", b"\r", b"\n", b"\0", b"\x0b", b"\x0c",
    b"\x1a",
    b"\x1c", b"\x85", b"\xff", b"\xfe\xff", b"\xe2\x82", b"\xf0\x9f", b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xc2\x85", b"p1", b"3", b"A", b"yes", b"\r3,A,yes", b"\np2,3,A,yes,", b"#", b" ", b"NULL",
    b"1e400",
    b"-", b"\xed\xa0\x80", b"x" * 300,
)  # fmt: skip
_LINES = (
    b"{", b"[1]", b"3", b"null", b'"x"', b"{}", b'{"mood":', b'{"mood": 3}}', b'{"mood": NaN}',
    b'{"mood": 1e999}', b'{"mood": [3]}', b'{"mood": {"mood": 3}}', b'{"mood":3,"mood":4}',
    b'{"clinic": "\\ud800"}', b'{"clinic": "\\u0000A"}', b"[" * 3000, b'{"a":' * 2000,
    b'{"mood": 3}{"mood": 4}', b'{"mood": 3} x', b"\xef\xbb\xbf{}", b'{"mood": 12e400000}', b"",
    b" ",
)  # fmt: skip
_OBJECTS = (
    None, 0, -1, 3, 2**63 - 1, -(2**63), 0.5, 5e-324, 1e308, float("nan"), float("inf"), True,
    b"\xff",
    "A", "yes", "3", "", "\0", "a\nb", '"', "\u2028", "9" * 400, "é", "\ufffd", "NULL", " A ",
)  # fmt: skip
_ODD = (
    *_OBJECTS, "\ud800", pandas.NA, pandas.NaT, [], {}, object(), 10**5000, Decimal("sNaN"),
    Decimal("1e999999"), np.float32(3), np.int8(4), np.datetime64("NaT"), datetime.time(3), 3 + 0j,
    datetime.timedelta(3), datetime.date(1, 1, 1), np.datetime64(2**62, "s"),
)  # fmt: skip
_TYPED = {
    pa.string(): ("A", "yes", "", None, "\0", "9" * 300, "é", "3"),
    pa.int64(): (0, 3, None, 2**63 - 1, -(2**63)),
    pa.float64(): (3.0, None, float("nan"), float("inf"), -0.0, 5e-324, 1e308),
    pa.bool_(): (True, False, None),
    pa.date32(): (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
    pa.decimal128(9, 2): (Decimal("1.50"), Decimal("-9999999.99"), None),
    pa.int16(): (-(2**15), 3, None),
}  # fmt: skip
_EXCEL = (
    "<c/>", "<c><v>3</v></c>", "<c><v>x</v></c>", '<c t="s"><v>99999</v></c>',
    '<c t="s"><v>-x</v></c>',
    '<c t="e"><v>#REF!</v></c>', '<c t="b"><v>maybe</v></c>', '<c t="b"><v>1</v></c>', "<odd/>",
    '<c t="d"><v>not a day</v></c>', '<c s="x"><v>1</v></c>', '<c s="1"><v>1e300</v></c>',
    '<c t="?"><v>1</v></c>', "<c><f>1/0</f></c>", '<c t="inlineStr"/>', "<c><v>1e999</v></c>",
    '<c t="inlineStr"><is><t>A</t></is></c>', "<c><v>nan</v></c>", '<c t="str"><v>_x0041_</v></c>',
)  # fmt: skip
_SHEET = "xl/worksheets/sheet1.xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKED = {
    "gz": lambda told: gzip.compress(told, 1), "bz2": bz2.compress,
    "xz": lambda told: lzma.compress(told, preset=0),
    "zst": lambda told: pa.compress(told, "zstd", asbytes=True),
}  # fmt: skip


class Chain:
    """A source of one kind; `source` is what a dataset file says of it."""

    def __init__(self, folder, dice):
        self.folder, self.dice = Path(folder), dice
        self.frame = None
        self._begin()
        self.records = [self._record() for _ in range(dice.randint(2, 6))]
        self._write(None)

    def step(self):
        """Put another record in some place; the place."""
        place = self.dice.randrange(len(self.records))
        self.records[place] = self._record()
        self._write(place)
        return place

    def _begin(self):
        """What is decided once: how the source is written."""

    def _cells(self, odd):
        """A record's cells, most of them honest."""
        dice = self.dice
        return [dice.choice(one) if dice.random() < 0.6 else odd() for one in _HONEST]


class Text(Chain):
    """Lines of csv and tsv, in every dialect, packed or not."""

    def _begin(self):
        dice = self.dice
        self.mark, self.end = dice.choice(",;\t|"), dice.choice((b"\n", b"\r\n", b"\r"))
        ending = {b"\n": "lf", b"\r\n": "crlf", b"\r": "cr"}[self.end]
        packed = dice.choice(("", "", "", *_PACKED))
        self.pack = _PACKED.get(packed, bytes)
        self.file = self.folder / f"t.{dice.choice(('csv', 'tsv'))}{packed and '.' + packed}"
        said = {
            "delimiter": self.mark,
            "quoting": dice.choice(("line", "none")),
            "line_ending": ending,
        }
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in said.items())
        self.source = f"path = {json.dumps(self.file.name)}\n{lines}"

    def _record(self):
        dice, mark = self.dice, self.mark.encode()

        def odd():
            pieces = (
                dice.choice(_BYTES) if dice.random() < 0.8 else dice.randbytes(3) for _ in range(3)
            )
            return b"".join(pieces)

        if dice.random() < 0.3:
            told = odd() + odd()
        else:
            told = mark.join(
                one if isinstance(one, bytes) else one.encode() for one in self._cells(odd)
            )
        while self.end in told:  # what ends lines would make two records of it
            told = told.replace(self.end, b"")
        # A return at the end of a line belongs to the end, where lines end in CR or CRLF.
        return told.strip(b"\r\n") if self.end != b"\n" else told

    def _write(self, place):
        header = self.mark.join(NAMES).encode()
        self.file.write_bytes(self.pack(self.end.join([header, *self.records]) + self.end))


class Lines(Chain):
    """Lines of JSON."""

    def _begin(self):
        self.pack = self.dice.choice((bytes, _PACKED["gz"]))
        self.file = self.folder / ("t.jsonl" if self.pack is bytes else "t.ndjson.gz")
        self.source = f"path = {json.dumps(self.file.name)}"

    def _record(self):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.3:
            return dice.choice(_LINES)
        if kind < 0.4:
            return dice.randbytes(12).replace(b"\n", b"")
        cells = self._cells(lambda: dice.choice(_OBJECTS))
        told = {
            name: cell for name, cell in zip(NAMES, cells, strict=True) if type(cell) is not bytes
        }
        return json.dumps(told).encode()

    def _write(self, place):
        self.file.write_bytes(self.pack(b"\n".join(self.records) + b"\n"))


class Typed(Chain):
    """Columns of a type each: Parquet, or a frame of Arrow, Polars or pandas."""

    def _begin(self):
        self.types = self.dice.choices(list(_TYPED), k=len(NAMES))
        self.as_frame = self.dice.choice((None, "pyarrow", "polars", "pandas"))
        self.file = self.folder / "t.parquet"
        self.source = 'path = "t.parquet"' if self.as_frame is None else 'kind = "frame"'

    def _record(self):
        return [self.dice.choice(_TYPED[kind]) for kind in self.types]

    def _write(self, place):
        columns = zip(*self.records, strict=True)
        made = [pa.array(cells, kind) for cells, kind in zip(columns, self.types, strict=True)]
        table = pa.table(dict(zip(NAMES, made, strict=True)))
        if self.as_frame is None:
            parquet.write_table(table, self.file, compression="none")
        elif self.as_frame == "polars":
            self.frame = handed_over(polars.from_arrow(table))
        else:
            as_arrow = self.as_frame == "pyarrow"
            self.frame = handed_over(
                table if as_arrow else table.to_pandas(types_mapper=pandas.ArrowDtype)
            )


class Objects(Chain):
    """A frame of pandas whose cells may be any object at all."""

    source = 'kind = "frame"'

    def _record(self):
        return self._cells(lambda: self.dice.choice(_ODD))

    def _write(self, place):
        columns = [
            pandas.Series([record[at] for record in self.records], dtype=object)
            for at in range(len(NAMES))
        ]
        self.frame = handed_over(pandas.DataFrame(dict(zip(NAMES, columns, strict=True))))


class Sqlite(Chain):
    """A table of SQLite: any cell of any type, text that is none in the file's encoding."""

    source = 'path = "t.sqlite"\ntable = "r"'

    def _begin(self):
        self.held = apsw.Connection(str(self.folder / "t.sqlite"))
        self.held.execute("PRAGMA synchronous = off; DROP TABLE IF EXISTS r")
        self.held.execute(f"CREATE TABLE r ({', '.join(NAMES)})")
        self.cell = self.dice.choice(("?", "CAST(? AS TEXT)"))

    def _record(self):
        return self._cells(lambda: self.dice.choice((*_OBJECTS, self.dice.randbytes(4))))

    def _write(self, place):
        cells = ", ".join([self.cell] * len(NAMES))
        if place is None:
            self.held.executemany(f"INSERT INTO r VALUES ({cells})", self.records)
        else:
            told = f"UPDATE r SET ({', '.join(NAMES)}) = ({cells}) WHERE rowid = {place + 1}"
            self.held.execute(told, self.records[place])


class DuckDb(Chain):
    """A table of a DuckDB file."""

    source = 'path = "t.duckdb"\ntable = "r"'

    def _begin(self):
        self.file = self.folder / "t.duckdb"
        self.types = self.dice.choices(("TEXT", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "BLOB"), k=5)

    def _record(self):
        odd = {
            "TEXT": ("A", "yes", "3", None, "", "a\nb", "é"), "BIGINT": (3, None, 2**63 - 1,
            -(2**63)),
            "DOUBLE": (3.0, None, float("nan"), float("inf"), 5e-324), "BOOLEAN": (True, False,
            None),
            "DATE": (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
            "BLOB": (b"A", b"\xff\0", None),
        }  # fmt: skip
        return [self.dice.choice(odd[kind]) for kind in self.types]

    def _write(self, place):
        with duckdb.connect(str(self.file), config={"threads": 1}) as held:
            if place is None:
                both = zip(NAMES, self.types, strict=True)
                declared = ", ".join(f"{name} {kind}" for name, kind in both)
                held.execute(f"CREATE OR REPLACE TABLE r (place INT, {declared})")
                for at, record in enumerate(self.records):
                    held.execute("INSERT INTO r VALUES (?, ?, ?, ?, ?, ?)", [at, *record])
            else:
                told = ", ".join(f"{name} = ?" for name in NAMES)
                held.execute(f"UPDATE r SET {told} WHERE place = {place}", self.records[place])


class Workbook(Chain):
    """A sheet of a workbook, written as XML, so that a cell may say what no program would write."""

    source = 'path = "t.xlsx"\nsheet = "Visits"'

    def _record(self):
        """The last cell is filled: an empty row is no record."""
        cells = self._cells(lambda: None)
        told = [self.dice.choice(_EXCEL) if one is None else _said(one) for one in cells[:-1]]
        return "".join((*told, _said("filled")))

    def _write(self, place):
        rows = ["".join(map(_said, NAMES)), *self.records]
        body = "".join(f'<row r="{at + 1}">{row}</row>' for at, row in enumerate(rows))
        with zipfile.ZipFile(self.folder / "t.xlsx", "w") as book:
            for name, content in _book().items():
                book.writestr(name, content)
            book.writestr(
                _SHEET, f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
            )


def _said(text):
    return f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def _book():
    """All of a workbook but its sheet."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    return {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{office}"><sheets>'
        '<sheet name="Visits" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
    }  # fmt: skip


KINDS = {
    "text": Text, "JSON lines": Lines, "Parquet and typed frames": Typed,
    "frames of objects": Objects,
    "SQLite": Sqlite, "DuckDB": DuckDb, "workbooks": Workbook,
}  # fmt: skip
