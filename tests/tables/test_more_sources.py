"""One record moves one row in frames, workbooks, JSON lines, packed and many files.

The claim of docs/proofs/one-record-one-row.md, as in test_one_record.py: adjacent sources differ in
one record, which may hold anything at all.
"""

import bz2
import datetime
import gzip
import json
import lzma
import math
import os
import zipfile
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import openpyxl
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.tables import (
    TABLE,
    Source,
    handed_over,
    open_table,
    read_dataset,
    read_facts,
    readers,
)
from discreet.tables.dialect import ENCODINGS, Dialect
from discreet.tables.readers.frames import text_of
from small_survey import CLINIC, MOOD, SMOKES, dataset_text

MANY = 10_000 if os.environ.get("DISCREET_SOAK") else 24
NAMES = ("mood", "clinic", "smokes")
VISIT = """[columns.visit]
type = "timestamp"
low = 2020-01-01
high = 2020-12-31
resolution = "hour"
"""
COLUMNS = f"{MOOD}{CLINIC}{SMOKES}"
ENGINE = duckdb.connect(":memory:")
GAPS = (2, 2, 0)
"""What a record that holds nothing counts as."""


def declared(folder, source, privacy="size_at_most = 100"):
    (folder / "t.toml").write_text(dataset_text(privacy, columns=COLUMNS, source=source), "utf-8")
    return read_dataset(folder / "t.toml")


def rows(dataset, names=NAMES):
    with open_table(dataset) as table:
        return table.rows(
            exp.select(*(exp.column(name, quoted=True) for name in names)).from_(TABLE)
        )


def of_frame(frame, names=NAMES, columns=COLUMNS):
    text = dataset_text("size_at_most = 100", columns=columns, source='kind = "frame"')
    return rows(read_facts(text, handed_over(frame), Path("t.ledger")), names)


def texts(source, names=NAMES):
    """The cells as they are read, before they are cleaned: what is equal here stays so."""
    ENGINE.execute(f"DROP TABLE IF EXISTS {readers.RAW}")
    readers.load_texts(ENGINE, source, list(names))
    return ENGINE.execute(f"SELECT * FROM {readers.RAW}").fetchall()


def frame_texts(frame, names=NAMES):
    return texts(Source(path=Path("t"), kind="frame", frame=handed_over(frame)), names)


def differ_in_one_row(before, after, place, size):
    assert len(before) == len(after) == size
    assert before[:place] == after[:place]
    assert before[place + 1 :] == after[place + 1 :]


@st.composite
def adjacent(draw, record, most=5):
    """Records, the same with another one at a place, and the place."""
    records = draw(st.lists(record, min_size=1, max_size=most))
    place = draw(st.integers(0, len(records) - 1))
    return records, [*records[:place], draw(record), *records[place + 1 :]], place


# Frames

odd = st.one_of(
    st.none(), st.integers(), st.floats(), st.booleans(), st.binary(max_size=5), st.decimals(),
    st.sampled_from(["A", "yes", "3", "", "\0", "\ud800", "a\nb", pandas.NA, pandas.NaT, [], {},
                     object(), 10**5000, -(10**5000), Decimal("sNaN"), Decimal("1e999999"),
                     np.float32(3), np.int8(4), np.datetime64("NaT"), np.datetime64(2**62, "s"),
                     datetime.time(3), datetime.timedelta(3), 3 + 0j]),
    st.text(max_size=6), st.dates(), st.datetimes(timezones=st.none() | st.timezones()),
)  # fmt: skip


class Hostile:
    """A cell that raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    __str__ = __eq__ = __hash__ = __len__ = __bool__ = None


@given(odd)
@settings(max_examples=MANY * 5, deadline=None)
def test_every_cell_is_a_text(cell):
    told = text_of(cell)
    assert isinstance(told, str)
    told.encode()


def test_a_cell_that_raises_cannot_be_read():
    assert text_of(Hostile()) == "\ufffd"
    assert [text_of(one) for one in (None, math.nan, pandas.NA, pandas.NaT)] == [""] * 4


@given(adjacent(st.tuples(odd, odd, odd)))
@settings(max_examples=MANY, deadline=None)
def test_one_record_of_a_frame_of_objects_moves_one_row(made):
    *frames, place = made
    found = []
    for records in frames:
        held = pandas.DataFrame(
            {
                name: pandas.Series([record[at] for record in records], dtype=object)
                for at, name in enumerate(NAMES)
            }
        )
        found.append(frame_texts(held))
    differ_in_one_row(*found, place, len(frames[0]))


DTYPES = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "Int64": st.none() | st.integers(-(2**63), 2**63 - 1),
    "uint8": st.integers(0, 255),
    "float64": st.floats(),
    "float32": st.floats(width=32),
    "float16": st.floats(width=16),
    ">f8": st.floats(),
    "longdouble": st.floats(),
    "bool": st.booleans(),
    "boolean": st.none() | st.booleans(),
    "str": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "category": st.none() | st.sampled_from(["A", "B", "yes", "3"]),
    "datetime64[s]": st.integers(-(2**55), 2**55),
    "datetime64[ns]": st.integers(-(2**63), 2**63 - 1),
    "datetime64[us, Europe/Berlin]": st.integers(-(2**60), 2**60),
    "int16[pyarrow]": st.none() | st.integers(-9, 9),
    "string[pyarrow]": st.none() | st.sampled_from(["A", "no", "2"]),
    "timestamp[ms][pyarrow]": st.integers(-(2**63) + 1, 2**63 - 1),
}


def typed(cells, dtype):
    if "[pyarrow]" in dtype and dtype.startswith("timestamp"):
        kind = pyarrow.timestamp("ms")
        return pandas.Series(
            pandas.arrays.ArrowExtensionArray(pyarrow.array(cells, pyarrow.int64()).view(kind))
        )
    if dtype.startswith("datetime64"):
        bare, _, zone = dtype[:-1].partition(", ")
        unit = bare.partition("[")[2]
        held = pandas.Series(np.array(cells, dtype="int64").view(f"datetime64[{unit}]"))
        return held.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else held
    return pandas.Series(cells, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
@settings(max_examples=max(8, MANY // 5), deadline=None)
def test_one_record_of_a_typed_frame_moves_one_row(dtype, data):
    *columns, place = data.draw(adjacent(DTYPES[dtype]))
    found = [
        frame_texts(pandas.DataFrame({"x": typed(cells[::-1], dtype)}).iloc[::-1], ["x"])
        for cells in columns
    ]
    differ_in_one_row(*found, place, len(columns[0]))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@given(adjacent(st.none() | st.integers(-(2**63), 2**63 - 1)))
@settings(max_examples=max(5, MANY // 8), deadline=None)
def test_one_moment_of_an_arrow_table_moves_one_row(unit, zone, made):
    *columns, place = made
    kind = pyarrow.timestamp(unit, zone)
    found = [
        frame_texts(pyarrow.table({"x": pyarrow.array(cells, pyarrow.int64()).view(kind)}), ["x"])
        for cells in columns
    ]
    differ_in_one_row(*found, place, len(columns[0]))


@given(adjacent(st.binary(max_size=5)))
@settings(max_examples=MANY, deadline=None)
def test_bytes_that_are_called_text_spoil_no_frame(made):
    """Arrow does not look whether texts are UTF-8, and the engine stops where they are not."""
    *columns, place = made
    found = []
    for cells in columns:
        ends = np.cumsum([0, *map(len, cells)], dtype=np.int32)
        buffers = [pyarrow.py_buffer(ends.tobytes()), pyarrow.py_buffer(b"".join(cells))]
        held = pyarrow.StringArray.from_buffers(len(cells), *buffers)
        found.append(frame_texts(pyarrow.table({"x": held}), ["x"]))
    differ_in_one_row(*found, place, len(columns[0]))


def test_a_decimal_of_more_digits_than_declared_is_itself():
    """The engine would put in its place what its memory held, another record's cell at times."""
    numbers = [1, 10**30, -(10**37), 5] * 1000
    content = b"".join(one.to_bytes(16, "little", signed=True) for one in numbers)
    buffers = [None, pyarrow.py_buffer(content)]
    column = pyarrow.Array.from_buffers(pyarrow.decimal128(4, 1), len(numbers), buffers)
    for frame in (
        pyarrow.table({"mood": column}),
        pandas.DataFrame({"mood": pandas.Series(pandas.arrays.ArrowExtensionArray(column))}),
    ):
        found = texts(Source(path=Path("t"), kind="frame", frame=frame), ["mood"])
        assert [Decimal(cell) * 10 for (cell,) in found] == numbers


def test_frames_of_all_kinds_are_read_alike():
    plain = {"mood": [1, 3, None], "clinic": ["A", "?", None], "smokes": [True, False, None]}
    pandas_frame = pandas.DataFrame(plain)
    assert pandas_frame["mood"].dtype == "float64"
    frames = [
        pandas_frame,
        pandas_frame.convert_dtypes(),
        pandas_frame.convert_dtypes(dtype_backend="pyarrow"),
        pandas_frame.astype(object),
        polars.DataFrame(plain),
        polars.DataFrame(plain).with_columns(polars.col("clinic").cast(polars.Categorical)),
        pyarrow.table(plain),
        pyarrow.RecordBatchReader.from_stream(pyarrow.table(plain)),
    ]
    found = [of_frame(one) for one in frames]
    assert found == [found[0]] * len(frames)
    assert found[0] == [(0, 0, 1), (2, 2, 0), GAPS]


def test_a_gap_does_not_change_what_other_cells_are_called():
    """One gap makes whole numbers floats, and truth values objects: the words stay the same."""
    words = '[columns.code]\ntype = "category"\nvalues = ["1", "2"]\n'
    whole, gapped = pandas.DataFrame({"code": [1, 2, 2]}), pandas.DataFrame({"code": [1, 2, None]})
    assert of_frame(whole, ("code",), words)[:2] == of_frame(gapped, ("code",), words)[:2]
    assert of_frame(whole, ("code",), words) == [(0,), (1,), (1,)]


@given(st.floats())
@settings(max_examples=MANY, deadline=None)
def test_a_float_is_the_same_number_in_every_column(number):
    columns = [
        frame_texts(pandas.DataFrame({"x": pandas.Series([number], dtype=dtype)}), ["x"])
        for dtype in ("float64", "object", "float64[pyarrow]")
    ]
    values = [float(text or "nan") for ((text,),) in columns]
    assert len({repr(value) for value in values}) == 1
    if number == number and abs(number) <= 2**53 and number == int(number):
        assert {text for ((text,),) in columns} == {str(int(number))}


@pytest.mark.parametrize(
    "column",
    [
        polars.Series([[1]]), polars.Series([{"a": 1}]), polars.Series([datetime.time(1)]),
        polars.Series([Decimal("1.5")]).cast(polars.Decimal(38, 2)),
        polars.Series([datetime.timedelta(1)]), pandas.Series(pandas.to_timedelta([1])),
        pandas.Series(pandas.period_range("2020", periods=1)),
        pandas.Series([1 + 2j]), pandas.Series(pandas.interval_range(0, 1)),
    ],
)  # fmt: skip
def test_types_of_which_a_cell_could_be_unreadable_are_refused(column):
    make = polars.DataFrame if isinstance(column, polars.Series) else pandas.DataFrame
    with pytest.raises(DatasetError, match=r"^column 'mood' of the frame is of type .+, and cells"):
        of_frame(make({"mood": column}), ("mood",), MOOD)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pandas.DataFrame([[1, 2]], columns=["mood", "mood"]), "columns 1 and 2 have the same"),
        (pandas.DataFrame(), "the frame has no column 'mood'; it has none$"),
        (pandas.DataFrame({("a", "b"): [1]}), r"the name of column 1 of the frame is \('a', 'b'\)"),
        (pyarrow.table([[1], [2]], names=["mood", "mood"]), "have the same name"),
        (polars.DataFrame({"age": [1]}), "the frame has no column 'mood'; it has 'age'"),
    ],
)  # fmt: skip
def test_frames_that_lack_a_column_are_refused(frame, says):
    with pytest.raises(DatasetError, match=says):
        of_frame(frame, ("mood",), MOOD)


# JSON lines

jsonish = st.one_of(
    st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")),
    st.sampled_from(
        [b"{", b"[1]", b"3", b"null", b'"x"', b"{}", b'{"mood":', b'{"mood": 3}}', b'{"mood": NaN}',
         b'{"mood": 1e999}', b'{"mood": [3]}', b'{"mood": {"mood": 3}}', b'{"mood":3,"mood":4}',
         b'{"clinic": "\\ud800"}', b'{"clinic": "\\u0000A"}', b"[" * 3000, b'{"a":' * 2000,
         b'{"mood": 3}{"mood": 4}', b'{"mood": 3} x', b"\xef\xbb\xbf{}", b'{"mood": 12e400000}']
    ),
    st.fixed_dictionaries(
        {}, optional={name: st.one_of(st.none(), st.booleans(), st.integers(), st.floats(),
                                      st.text(max_size=4)) for name in NAMES}
    ).map(lambda record: json.dumps(record).encode()),
)  # fmt: skip


@given(adjacent(jsonish), st.sampled_from(["t.jsonl", "t.ndjson.gz"]))
@settings(max_examples=MANY, deadline=None)
def test_one_line_of_json_moves_one_row(tmp_path_factory, made, name):
    *files, place = made
    folder, found = tmp_path_factory.mktemp("json"), []
    for lines in files:
        content = b"\n".join(lines) + b"\n"
        (folder / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
        found.append(texts(Source(path=folder / name, kind="jsonl")))
    differ_in_one_row(*found, place, len(files[0]))


def test_json_lines_are_read_by_their_keys(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"mood": 3, "clinic": "A", "smokes": true}\r\n{"smokes": "no", "mood": "4.0"}\nbroken\n'
    )
    assert rows(declared(tmp_path, 'path = "t.jsonl"')) == [(2, 0, 1), (3, 2, 0), GAPS]


# Encodings and archives

units = st.lists(
    st.one_of(
        st.integers(0, 0xFFFF),
        st.sampled_from([0xD800, 0xDC00, 0xDBFF, 0xFEFF, 0xFFFE, 0x0D, 0x22, 0x2C, 0x0A00, 0x0D00]),
    ),
    max_size=8,
).map(lambda found: b"".join(one.to_bytes(2, "little") for one in found if one != 0x0A))


@given(adjacent(units))
@settings(max_examples=MANY, deadline=None)
def test_one_line_of_utf_16_moves_one_row(tmp_path_factory, made):
    """A record is any string of 16-bit units but the line feed; half a character is one, too."""
    *files, place = made
    folder, found = tmp_path_factory.mktemp("wide"), []
    end, dialect = "\n".encode("utf-16-le"), Dialect(",", encoding="utf-16")
    for lines in files:
        header = ("\ufeff" + ",".join(NAMES)).encode("utf-16-le")
        (folder / "t.csv").write_bytes(end.join([header, *lines]) + end)
        found.append(texts(Source(path=folder / "t.csv", kind="csv", dialect=dialect)))
    differ_in_one_row(*found, place, len(files[0]))


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-16-be"])
def test_text_is_read_in_the_declared_encoding(tmp_path, encoding):
    words = '[columns.town]\ntype = "category"\nvalues = ["Köln"]\n'
    town = "Köln" if encoding != "cp1251" else "Киев"
    content = f"town;mood\r\n{town};3\r\n;4\r\n"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "t.csv").write_bytes((mark + content).encode(encoding))
    named = "utf-16" if encoding == "utf-16-be" else encoding
    source = f'path = "t.csv"\nencoding = "{named}"'
    text = dataset_text("size = 2", columns=words.replace("Köln", town) + MOOD, source=source)
    (tmp_path / "t.toml").write_text(text, "utf-8")
    assert rows(read_dataset(tmp_path / "t.toml"), ("town", "mood")) == [(0, 2), (-1, 3)]


@pytest.mark.parametrize("encoding", ENCODINGS.values())
def test_no_byte_takes_a_line_end_or_a_delimiter_along(encoding):
    """What the proof needs of an encoding: after any two bytes it reads ASCII as ASCII."""
    if encoding == "utf-16":
        return
    for first in range(256):
        for second in (first, 0xC3, 0xED, 0x41):
            if first > 0x7F or second > 0x7F:
                for mark in '\n\r,;\t"':
                    told = bytes([first, second]) + mark.encode()
                    assert told.decode(encoding, "replace").endswith(mark)


PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
          "zst": lambda content: pyarrow.compress(content, "zstd", asbytes=True)}  # fmt: skip


@pytest.mark.parametrize("ending", PACKED)
def test_packed_files_are_read_as_what_is_packed(tmp_path, ending):
    content = b"mood,clinic,smokes\n" + b"3,A,yes\n" * 1000
    (tmp_path / f"t.csv.{ending}").write_bytes(PACKED[ending](content))
    dataset = declared(tmp_path, f'path = "t.csv.{ending}"', "size = 1000")
    assert rows(dataset) == [(2, 0, 1)] * 1000
    assert dataset.table_names >= {"t", "data"}


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("keep", [0.5, 0.97])
def test_a_broken_archive_is_refused(tmp_path, ending, keep):
    text = "".join(f"{place % 5 + 1},A,yes,{place * 7919 % 10007}\n" for place in range(50_000))
    whole = PACKED[ending](b"mood,clinic,smokes,note\n" + text.encode())
    (tmp_path / f"t.csv.{ending}").write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(DatasetError, match=r"^cannot unpack 't.csv.\w+': "):
        rows(declared(tmp_path, f'path = "t.csv.{ending}"', "size_at_most = 60000"))


# Many files


@given(adjacent(st.tuples(st.sampled_from("abc"), st.binary(max_size=9))))
@settings(max_examples=MANY // 2, deadline=None)
def test_one_record_of_many_files_moves_one_row(tmp_path_factory, made):
    """Also when it goes to another file; which files there are does not depend on the rows."""
    *contents, _ = made
    folder, found = tmp_path_factory.mktemp("many"), []
    for records in contents:
        for name in "abc":
            lines = [line.replace(b"\n", b"") for file, line in records if file == name]
            (folder / f"{name}.csv").write_bytes(b"\n".join([b"mood,clinic,smokes", *lines, b""]))
        found.append(texts(Source(path=folder, kind="csv", patterns=("*.csv",))))
    before, after = found
    kept = list(before)
    assert len(before) == len(after)
    assert sum(1 for row in after if not (row in kept and not kept.remove(row))) <= 1


def test_folders_tell_columns_only_where_it_is_declared(tmp_path):
    for clinic, mood in (("A", 1), ("B", 2), ("__HIVE_DEFAULT_PARTITION__", 3)):
        folder = tmp_path / f"clinic={clinic}"
        folder.mkdir()
        polars.DataFrame({"mood": [mood], "smokes": ["yes"], "clinic": ["B"]}).write_parquet(
            folder / "rows.parquet"
        )
    files = 'files = "clinic=*/*.parquet"\n'
    assert sorted(rows(declared(tmp_path, files))) == [(0, 1, 1), (1, 1, 1), (2, 1, 1)]
    told = declared(tmp_path, files + 'partitions = ["clinic"]')
    assert sorted(rows(told)) == [(0, 0, 1), (1, 1, 1), (2, 2, 1)]
    with pytest.raises(
        DatasetError, match=r"^partitions names 'year', but 'rows.parquet' is not in a"
    ):
        rows(declared(tmp_path, files + 'partitions = ["year"]'))


# Workbooks


def workbook(path, records):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Visits"
    sheet.append(NAMES)
    for record in records:
        sheet.append(record)
    book.create_sheet("Notes").append(["nothing"])
    book.save(path)


excel_cells = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9),
    st.sampled_from(["A", "yes", "#N/A", "#DIV/0!", "=1+1", '=CONCAT("A")', "_x0041_", " A ", "1"]),
    st.datetimes(datetime.datetime(1900, 3, 1), datetime.datetime(9999, 12, 31)),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5),
)  # fmt: skip


@given(adjacent(st.tuples(excel_cells, excel_cells, excel_cells), most=4))
@settings(max_examples=MANY // 2, deadline=None)
def test_one_record_of_a_workbook_moves_one_row(tmp_path_factory, made):
    *books, place = made
    folder, found = tmp_path_factory.mktemp("book"), []
    for records in books:
        # Every record is filled: an empty row is none.
        workbook(folder / "t.xlsx", [(*record, "filled") for record in records])
        found.append(texts(Source(path=folder / "t.xlsx", kind="excel", table="visits")))
    differ_in_one_row(*found, place, len(books[0]))


def test_the_last_record_of_a_workbook_brings_no_empty_rows_along(tmp_path):
    """Nor does a record in their midst that is emptied take any of them away."""
    first, empty, last = (1, "A", "no"), (None, None, None), (3, "B", "yes")
    for records, many in (
        ([first, empty, empty, last], 2),
        ([first, empty, empty, empty], 1),
        ([empty, empty, last], 1),
        ([empty], 0),
    ):
        workbook(tmp_path / "t.xlsx", records)
        source = Source(path=tmp_path / "t.xlsx", kind="excel", table="visits")
        assert len(texts(source)) == many


SHEET = """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row r="1"><c t="inlineStr"><is><t>mood</t></is></c><c t="inlineStr"><is><t>clinic</t></is></c>
<c t="inlineStr"><is><t>smokes</t></is></c></row>
<row r="2"><c r="A2"><v>2</v></c>{cell}<c r="D2"><v>1</v></c></row>
<row r="4"><c r="A4"><v>4</v></c></row>
<row r="9"><c r="A9" s="1"/></row></sheetData></worksheet>"""


@pytest.mark.parametrize(
    "cell",
    ["", "<c><v>x</v></c>", '<c t="s"><v>99999</v></c>', '<c t="s"><v>-1</v></c>',
     '<c t="s"><v>-x</v></c>',
     '<c r="??"><v>1</v></c>', '<c t="e"><v>#REF!</v></c>', '<c t="b"><v>maybe</v></c>',
     '<c t="d"><v>not a day</v></c>', '<c s="x"><v>1</v></c>', '<c s="1"><v>1e300</v></c>',
     '<c r="ZZZZZZZZ2"><v>1</v></c>', '<c t="?"><v>1</v></c>', "<c><f>1/0</f></c>", "<odd/>",
     '<c t="inlineStr"/>', "<c><v>1e999</v></c>", '<c r="A2"><v>nan</v></c>'],
)  # fmt: skip
def test_no_cell_of_a_sheet_spoils_the_others(tmp_path, cell):
    """Row 3 is skipped, and row 9 holds nothing: there are two records."""
    workbook(tmp_path / "made.xlsx", [])
    with (
        zipfile.ZipFile(tmp_path / "made.xlsx") as made,
        zipfile.ZipFile(tmp_path / "t.xlsx", "w") as book,
    ):
        for name in made.namelist():
            own = name == "xl/worksheets/sheet1.xml"
            book.writestr(name, SHEET.format(cell=cell) if own else made.read(name))
    found = rows(declared(tmp_path, 'path = "t.xlsx"\nsheet = "Visits"'))
    assert len(found) == 2
    assert found[1:] == [(3, *GAPS[1:])]


def test_values_of_a_workbook_are_those_that_are_shown(tmp_path):
    day = datetime.datetime(2020, 5, 17, 13, 30)
    book = openpyxl.Workbook()
    for row in (["visit", "mood", "clinic"], [day, 3.0, "A"], [day.date(), "4", None]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    text = dataset_text("size = 2", columns=VISIT + MOOD, source='path = "t.xlsx"\nsheet = "Sheet"')
    (tmp_path / "t.toml").write_text(text, "utf-8")
    hours = 24 * (datetime.date(2020, 5, 17) - datetime.date(2020, 1, 1)).days
    found = rows(read_dataset(tmp_path / "t.toml"), ("visit", "mood"))
    assert found == [(hours + 13, 2), (hours, 3)]


# What is refused


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ('path = "t.xlsx"', 'a workbook needs sheet = "its sheet"'),
        ('path = "t.xlsx"\nsheet = "No"', "'t.xlsx' has no sheet 'No'; it has 'Visits', 'Notes'"),
        ('path = "bad.xlsx"\nsheet = "No"', "cannot read 'bad.xlsx' as a workbook: "),
        ('files = "none/*.csv"', "there is no file 'none/*.csv': nothing matches it; files in"),
        ('files = []', "say where the rows are"),
        ('files = [3]', 'files are named as'),
        ('files = "*.sqlite"', "rows can be read from many files only of kind"),
        ('path = "t.csv"\nfiles = "t.csv"', "say where the rows are"),
        ('path = "t.csv"\npartitions = ["year"]', "partitions are the columns that folders tell"),
        ('path = "t.csv"\nencoding = "utf-7"', "encoding: write one of utf-8, utf-16, latin-1"),
        ('path = "t.csv"\nencoding = "klingon"', "encoding: write one of"),
        ('path = "t.jsonl"\nencoding = "latin-1"', "encoding is only for csv and tsv files"),
        ('kind = "frame"', "the rows of this dataset are handed over in Python: open"),
        ('kind = "frame"\npath = "t.csv"', "the rows are those of a frame"),
    ],
)  # fmt: skip
def test_sources_that_cannot_be_are_refused_in_one_line(tmp_path, source, says):
    workbook(tmp_path / "t.xlsx", [])
    (tmp_path / "bad.xlsx").write_bytes(b"no archive")
    with pytest.raises(DatasetError) as refused:
        rows(declared(tmp_path, source))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
