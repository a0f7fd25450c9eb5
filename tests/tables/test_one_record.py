"""One record moves one row, whatever it holds and whatever the source is.

docs/proofs/one-record-one-row.md says what a record is. Adjacent files differ in one record, which
may hold anything at all; what is counted differs in that record's row, and in nothing else.
"""

import csv
import io
import json
import os
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import apsw
import duckdb
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as parquet_file
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.tables import TABLE, Key, Source, open_table, pinning, read_dataset, readers
from discreet.tables.dialect import LineEnding, Quoting, Splitting
from discreet.tables.readers.reader import LONGEST
from discreet.tables.readers.text_files import _run, cut, tally
from small_survey import CLINIC, MOOD, SMOKES, dataset_text

MANY = 10_000 if os.environ.get("DISCREET_SOAK") else 40
KEY = Key.random()
NAMES = ("pid", "mood", "clinic", "smokes", "note")
ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
PERSON = 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 100'


def declared(folder, path, source="", privacy="size_at_most = 100"):
    """A dataset whose columns are all but the note, which nobody declared."""
    text = dataset_text(
        privacy, columns=f"{MOOD}{CLINIC}{SMOKES}", source=f"path = {path!r}\n{source}"
    )
    (folder / "t.toml").write_text(text, encoding="utf-8")
    return read_dataset(folder / "t.toml")


def pinned(dataset):
    """The same, with the digest that a custodian would have been told to add."""
    told = pinning(dataset.source, KEY)
    digest = told.split('digest = "')[1].rstrip('"')
    return replace(dataset, source=replace(dataset.source, digest=digest))


def rows(dataset):
    with open_table(dataset, KEY) as table:
        names = [exp.column(name, quoted=True) for name in NAMES[1:4]]
        return table.rows(exp.select(*names).from_(TABLE))


hostile = st.lists(
    st.one_of(
        st.sampled_from(
            [b'"', b'"', b'""', b"'", b",", b";", b"\t", b"|", b"\\", b"\r", b"\n", b"\0", b"\x0b",
             b"\x0c", b"\x1a", b"\x1c", b"\x85", b"\xff", b"\xfe\xff", b"\xe2\x82", b"\xf0\x9f",
             b"\xef\xbb\xbf", "\u2028".encode(), "\u2029".encode(), "\x85".encode(), b"p1", b"p2",
             b"3", b"A", b"yes", b"\r3,A,yes", b"\np2,3,A,yes,", b"#", b" "]
        ),
        st.binary(max_size=4),
    ),
    max_size=12,
).map(b"".join)  # fmt: skip
honest = st.tuples(
    st.sampled_from([b"p1", b"p2", b"p3"]), st.sampled_from([b"1", b"2", b"4", b"5"]),
    st.sampled_from([b"A", b"B"]), st.sampled_from([b"yes", b"no"]), st.just(b"fine"),
)  # fmt: skip


@st.composite
def adjacentcut(draw):
    """A dialect, the records of a file, and another record for one of them."""
    mark = draw(st.sampled_from([b",", b";", b"\t", b"|"]))
    quoting, ending = draw(st.sampled_from(["line", "none"])), draw(st.sampled_from(list(ENDS)))
    end = ENDS[ending]
    plain = st.one_of(honest.map(mark.join), hostile)
    # A line cannot hold what ends lines: in a file, that would be two records.
    line = plain.map(lambda record: record.replace(end, b"").replace(end, b""))
    records = draw(st.lists(line, min_size=1, max_size=6))
    place = draw(st.integers(0, len(records) - 1))
    others = [*records[:place], draw(line), *records[place + 1 :]]
    said = {"delimiter": mark.decode(), "quoting": quoting, "line_ending": ending}
    source = "\n".join(f"{key} = {json.dumps(value)}" for key, value in said.items())
    header = mark.join(name.encode() for name in NAMES)
    contents = [end.join([header, *lines]) + end for lines in (records, others)]
    return source, contents, place, len(records)


def both(folder, contents, name, source, privacy="size_at_most = 100"):
    for content in contents:
        (folder / name).write_bytes(content)
        yield rows(declared(folder, name, source, privacy))


@given(adjacentcut(), st.sampled_from(["t.csv", "t.tsv"]))
@settings(max_examples=MANY, deadline=None)
def test_one_line_moves_one_row(tmp_path_factory, made, name):
    source, contents, place, size = made
    before, after = both(tmp_path_factory.mktemp("pair"), contents, name, source, f"size = {size}")
    assert len(before) == len(after) == size
    assert before[:place] == after[:place]
    assert before[place + 1 :] == after[place + 1 :]


@given(adjacentcut())
@settings(max_examples=MANY // 2, deadline=None)
def test_one_line_moves_rows_of_the_two_people_it_names(tmp_path_factory, made):
    """One row of each may go and another one of theirs take its place."""
    source, contents, *_ = made
    before, after = map(
        Counter, both(tmp_path_factory.mktemp("people"), contents, "t.csv", source, PERSON)
    )
    assert (before - after).total() <= 2
    assert (after - before).total() <= 2


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
@pytest.mark.parametrize("record", [b'p1{0}3{0}A{0}no{0}"', b"p1{0}3{0}A\rp2{0}3{0}A{0}no{0}"])
def test_no_line_swallows_or_begets_others(tmp_path, name, record):
    mark = b"," if name.endswith("csv") else b"\t"
    lines = [mark.join((b"p%d" % place, b"4", b"B", b"yes", b"fine")) for place in range(2000)]
    header = mark.join(part.encode() for part in NAMES)
    lines[5] = record.replace(b"{0}", mark)
    (tmp_path / name).write_bytes(b"\n".join([header, *lines]) + b"\n")
    found = rows(declared(tmp_path, name, privacy="size = 2000"))
    assert [row for place, row in enumerate(found) if place != 5] == [(3, 1, 1)] * 1999


cells = st.one_of(
    st.sampled_from(['"', '""', "a\nb", "\r", "\r\n", ",", "p1", "3", "A", "yes", "\u2028", "\0"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)


@given(st.lists(st.tuples(cells, cells, cells, cells, cells), min_size=1, max_size=5), st.data())
@settings(max_examples=MANY // 2, deadline=None)
def test_one_record_over_many_lines_moves_one_row(tmp_path_factory, records, data):
    folder = tmp_path_factory.mktemp("spanning")
    place = data.draw(st.integers(0, len(records) - 1))
    other = data.draw(st.tuples(cells, cells, cells, cells, cells))
    found = []
    for content in (records, [*records[:place], other, *records[place + 1 :]]):
        text = io.StringIO(newline="")
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows([NAMES, *content])
        (folder / "t.csv").write_bytes(text.getvalue().encode())
        dataset = declared(folder, "t.csv", 'quoting = "multiline"', f"size = {len(records)}")
        with pytest.raises(DatasetError, match="is not pinned; check the dataset file"):
            open_table(dataset, KEY)
        found.append(rows(pinned(dataset)))
    before, after = found
    assert before[:place] == after[:place]
    assert before[place + 1 :] == after[place + 1 :]


def test_a_pinned_file_is_the_only_one_that_is_read(tmp_path):
    (tmp_path / "t.csv").write_bytes(b'pid,mood,clinic,smokes,note\np1,3,A,yes,"x\ny"\n')
    dataset = pinned(declared(tmp_path, "t.csv", 'quoting = "multiline"'))
    assert rows(dataset) == [(2, 0, 1)]
    assert not pinning(dataset.source, KEY)
    (tmp_path / "t.csv").write_bytes(b'pid,mood,clinic,smokes,note\np1,3,A,yes,"x\nz"\n')
    for key in (KEY, Key.random()):
        with pytest.raises(
            DatasetError, match=r"^'t.csv' is not the file that was pinned; check the"
        ):
            open_table(dataset, key)


@pytest.mark.parametrize(
    "content",
    [
        b'p1,3,A,yes,"open\n',
        b'p1,3,A,yes,"x"y\n',
        b'p1,3,A,yes,5" nail,"\n',
        b"p1,3,A,yes\n",
        b"p1,3,A,yes,fine,more\n",
        b"\n",
    ],
)
def test_a_file_that_is_not_well_formed_has_no_digest(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(b"pid,mood,clinic,smokes,note\n" + content)
    told = pinning(declared(tmp_path, "t.csv", 'quoting = "multiline"').source, KEY)
    assert told.startswith("of 1 records, ")
    assert "digest" not in told


values = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.binary(max_size=8),
    st.sampled_from(["A", "yes", "3", "p1", "p2", "\0A", "a\nb", '"']),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)  # fmt: skip


@given(
    st.sampled_from(["UTF-8", "UTF-16le", "UTF-16be"]),
    st.lists(st.tuples(*[values] * 5), min_size=1, max_size=5),
    st.tuples(*[values] * 5),
    st.booleans(),
    st.data(),
)
@settings(max_examples=MANY // 2, deadline=None)
def test_one_record_of_a_sqlite_table_moves_one_row(
    tmp_path_factory, encoding, content, other, as_text, data
):
    """Also where bytes are called text that are no text in the encoding of the file."""
    place = data.draw(st.integers(0, len(content) - 1))
    found = []
    for told in (content, [*content[:place], other, *content[place + 1 :]]):
        folder = tmp_path_factory.mktemp("sqlite")
        held = apsw.Connection(str(folder / "t.sqlite"))
        held.execute(f"PRAGMA encoding = '{encoding}'")
        held.execute(f"CREATE TABLE r ({', '.join(NAMES)})")
        cell = "CAST(? AS TEXT)" if as_text else "?"
        held.executemany(f"INSERT INTO r VALUES ({', '.join([cell] * 5)})", told)
        held.close()
        found.append(rows(declared(folder, "t.sqlite", 'table = "r"', f"size = {len(content)}")))
    before, after = found
    assert before[:place] == after[:place]
    assert before[place + 1 :] == after[place + 1 :]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_sqlite_text_is_read_in_its_encoding(tmp_path, encoding):
    held = apsw.Connection(str(tmp_path / "t.sqlite"))
    held.execute(f"PRAGMA encoding = '{encoding}'")
    held.execute(f"CREATE TABLE r ({', '.join(NAMES)})")
    held.execute("INSERT INTO r VALUES ('p1', 3, 'A', 'yes', ''), ('p2', '4', ' B', 'no', 'é')")
    held.close()
    assert rows(declared(tmp_path, "t.sqlite", 'table = "r"')) == [(2, 0, 1), (3, 1, 0)]


def parquet(path, records):
    """A Parquet file of cells that are bytes; one that is no UTF-8 is put in afterwards."""
    held = duckdb.connect(":memory:")
    held.execute(f"CREATE TABLE r ({', '.join(f'{name} TEXT' for name in NAMES)})")
    raw = {}
    for record in records:
        told = []
        for cell in record:
            try:
                told.append(cell.decode())
            except UnicodeDecodeError:
                mark = f"~{len(raw):03}".rjust(len(cell), "~")
                raw[mark.encode()] = cell
                told.append(mark)
        held.execute(f"INSERT INTO r VALUES ({', '.join('?' * 5)})", told)
    held.execute(f"COPY r TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
    held.close()
    content = path.read_bytes()
    for mark, cell in raw.items():
        content = content.replace(mark, cell)
    path.write_bytes(content)


bad = st.binary(min_size=4, max_size=9).map(lambda cell: b"\xff" + cell)
bits = st.one_of(bad, st.sampled_from([b"p1", b"3", b"A", b"yes", b"", b"\0", b'"']))


@given(
    st.lists(st.tuples(bits, bits, bits, bits, bits), min_size=1, max_size=4),
    st.tuples(bits, bits, bits, bits, bits),
    st.data(),
)
@settings(max_examples=MANY // 3, deadline=None)
def test_one_record_of_a_parquet_file_moves_one_row(tmp_path_factory, content, other, data):
    place = data.draw(st.integers(0, len(content) - 1))
    folder = tmp_path_factory.mktemp("parquet")
    found = []
    for told in (content, [*content[:place], other, *content[place + 1 :]]):
        parquet(folder / "t.parquet", told)
        found.append(rows(declared(folder, "t.parquet", privacy=f"size = {len(content)}")))
    before, after = found
    assert before[:place] == after[:place]
    assert before[place + 1 :] == after[place + 1 :]


@pytest.mark.parametrize(
    "kind",
    ["TIMESTAMP_MS", "TIME", "INT[]", "STRUCT(a INT)", "JSON",
     "DECIMAL(38,2)"],
)  # fmt: skip
@pytest.mark.parametrize("file", ["t.parquet", "t.duckdb"])
def test_columns_that_one_cell_could_spoil_are_refused_by_their_type(tmp_path, kind, file):
    """A time may be out of range, JSON may be broken: then no cell of the file could be read."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as held:
        held.execute(f"CREATE TABLE r (mood {kind}, clinic TEXT, smokes TEXT, pid TEXT)")
        held.execute(f"COPY r TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    table = 'table = "r"' if file == "t.duckdb" else ""
    with pytest.raises(DatasetError, match=rf"^column 'mood' of '{file}' is of type .+, and"):
        open_table(declared(tmp_path, file, table))


@pytest.mark.parametrize("digits", [4, 9, 18])
def test_decimals_in_more_bytes_than_their_digits_need_are_refused(tmp_path, digits):
    """The engine stops at a cell that needs those bytes, and reads no other."""
    file = tmp_path / "t.parquet"
    table = pyarrow.table({"mood": pyarrow.array([Decimal(5)], pyarrow.decimal128(38, 0))})
    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    parquet_file.write_table(table, file, store_schema=False, **plain)
    content = file.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    declared_as = bytes([2 * 38])  # as Thrift writes it, in the type and in the logical type
    assert content[start:-8].count(declared_as) == 2
    footer = content[start:].replace(declared_as, bytes([2 * digits]))
    file.write_bytes(content[:start] + footer)
    says = rf"^column 'mood' of 't.parquet' is of type DECIMAL\({digits},0\), and"
    with pytest.raises(DatasetError, match=says):
        readers.load_texts(duckdb.connect(":memory:"), Source(path=file, kind="parquet"), ["mood"])


@pytest.mark.parametrize(
    ("name", "decoy"),
    [("g[1]", "g1"), ("g*", "gg"), ("g?", "gg"), ("g'1", "g1"), ("{g,h}", "g"), ("year=9/g", "g")],
)
@pytest.mark.parametrize("kind", ["parquet", "csv", "sqlite", "duckdb"])
def test_a_path_names_one_file(tmp_path, name, decoy, kind):
    for path, mood in ((name, 5), (decoy, 1)):
        file = tmp_path / f"{path}.{kind}"
        file.parent.mkdir(exist_ok=True)
        made = f"SELECT {mood} AS mood, 'A' AS clinic, 'yes' AS smokes, 'p1' AS pid"
        if kind in {"sqlite", "duckdb"}:
            connect = apsw.Connection if kind == "sqlite" else duckdb.connect
            held = connect(str(file))
            held.execute(f"CREATE TABLE r AS {made}")
            held.close()
        else:
            with duckdb.connect() as held:
                held.execute(f"COPY ({made}) TO '{tmp_path / 'made'}' (FORMAT {kind})")
            (tmp_path / "made").rename(file)
    dataset = declared(tmp_path, decoy + f".{kind}", 'table = "r"' * (kind in {"sqlite", "duckdb"}))
    source = replace(dataset.source, path=tmp_path / f"{name}.{kind}")
    assert rows(replace(dataset, source=source)) == [(4, 0, 1)]


@given(st.lists(hostile, min_size=1, max_size=5), st.sampled_from(list(LineEnding)), st.data())
@settings(max_examples=200, deadline=None)
def test_lines_do_not_depend_on_how_a_file_is_cut_into_blocks(records, ending, data):
    end = ending.characters.encode()
    content = end.join(records)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
    blocks = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    found = [line for batch in cut(iter(blocks), ending) for line in batch]
    assert found == [line for batch in cut(iter([content]), ending) for line in batch]
    pieces = content.removesuffix(end).split(end) if content else []
    told = [piece.decode("utf-8", "replace") for piece in pieces]
    stripped = [line.removesuffix("\r") for line in told] if ending is LineEnding.LF else told
    assert found == stripped


@pytest.mark.parametrize("ending", list(LineEnding))
@pytest.mark.parametrize("filling", [b"x", b"\xff", b"\r", b"\n", b'"', b"\n\rx"])
def test_a_line_that_is_too_long_is_one_record_that_cannot_be_read(ending, filling):
    end = ending.characters.encode()
    if end in filling:
        return
    long = b"a" + end + filling * (9 * LONGEST // len(filling)) + b"z"
    content = long + end + b"b" + end
    for size in (LONGEST, 4 * LONGEST + 9, len(content), len(long) + 1, len(long) // 2 + 1):
        blocks = (content[start : start + size] for start in range(0, len(content), size))
        found = [line for batch in cut(blocks, ending) for line in batch]
        assert found == ["a", "\ufffd", "b"]


@given(
    st.lists(st.text(st.sampled_from("ab\",; \0é\r\n𝒳'\u2028\x85"), max_size=20), min_size=1),
    st.sampled_from(",;| ^]\\-"),
)
@settings(max_examples=MANY, deadline=None)
def test_cells_are_what_a_reader_of_one_line_finds(records, mark):
    records = [record.replace(",", mark) for record in records]
    splitting = Splitting(mark, Quoting.LINE)
    cells = ", ".join(splitting.cell(place) for place in range(22))
    with duckdb.connect() as connection:
        found = _run(connection, f"SELECT {cells}", splitting, records)
    for record, told in zip(records, found, strict=True):
        # Python's reader takes returns and feeds for ends of lines: let it see other characters.
        shown = record.replace("\r", "\ue000").replace("\n", "\ue001")
        expected = next(csv.reader([shown], delimiter=mark), None) or [""]
        expected = [cell.replace("\ue000", "\r").replace("\ue001", "\n") for cell in expected]
        assert list(told) == [*expected, *[None] * (22 - len(expected))]


def test_what_is_odd_about_lines_is_counted(tmp_path):
    content = b'pid,mood,clinic,smokes,note\np1,3,A,yes,"open\n\np1,3,A\rB,yes,x\np1\n'
    (tmp_path / "t.csv").write_bytes(content)
    found = tally(declared(tmp_path, "t.csv").source)
    assert (found.records, found.malformed, found.blank, found.returns) == (4, 1, 1, 1)
    assert found.uneven == 2


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (b"secret,secret,mood", "columns 1 and 2 have the same name"),
        (b"mood,,secret", "column 2 of 3 has no name"),
        (b'mood,"secret', "a quote in it is not closed"),
        (b"mood\rsecret", 'add line_ending = "cr"'),
        (b"secret", "'t.csv' has no column 'mood'"),
    ],
)
def test_a_first_line_that_is_no_header_is_not_shown(tmp_path, header, says):
    """It may be somebody's record."""
    (tmp_path / "t.csv").write_bytes(header + b"\n3,A\n")
    with pytest.raises(DatasetError) as refused:
        open_table(declared(tmp_path, "t.csv"))
    assert says in str(refused.value)
    assert "secret" not in str(refused.value)
