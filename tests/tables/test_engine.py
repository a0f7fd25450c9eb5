"""Rows become indices by total functions: no cell can fail, and no row touches another."""

import math
import random

import apsw
import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.tables import TABLE, Source, open_table, read_dataset
from discreet.tables.dialect import separator
from discreet.tables.key import Key
from discreet.tables.readers import column_names
from discreet.tables.readers.text_files import check_encoding
from small_survey import CLINIC, HEADER, HEAVY, MOOD, SMOKES, dataset_text, with_gaps

COLUMNS = with_gaps(MOOD) + "missing = 2\n" + with_gaps(HEAVY + CLINIC + SMOKES)
GAP = -1
NAMES = tuple(HEADER.split(","))


def dataset_of(folder, path="t.csv", table="", privacy="size_at_most = 100"):
    file = folder / "t.toml"
    source = f'path = "{path}"\n{table}'
    file.write_text(dataset_text(privacy, columns=COLUMNS, source=source))
    return read_dataset(file)


def cleaned(dataset, key=None):
    with open_table(dataset, key) as table:
        select = exp.select(*(exp.column(name, quoted=True) for name in NAMES)).from_(TABLE)
        return table.rows(select)


ROWS = [
    (("4", "22.3", "A", "yes"), (3, 25, 0, 1)),
    (("9", "nan", "B", "no"), (4, GAP, 1, 0)),
    (("-7", "inf", "b", "TRUE"), (0, 80, 2, 1)),
    (("", "-inf", "", ""), (1, 0, GAP, GAP)),
    (("abc", "1e999", " A ", "1"), (1, 80, 0, 1)),
    (("3.5", "27.25", "C", "maybe"), (3, 35, 2, GAP)),
    (("NA", "n/a", " None ", "-"), (1, GAP, GAP, GAP)),
    (("?", " ?", "?", "?"), (1, GAP, GAP, GAP)),
    (("3.49", "27.2499", "A'; DROP TABLE clean; --", "f"), (2, 34, 2, 0)),
]


def test_every_kind_of_cell_has_its_place(tmp_path):
    text = "\n".join(",".join(cells) for cells, _ in ROWS)
    (tmp_path / "t.csv").write_text("mood,weight,clinic,smokes\n" + text + "\n")
    assert cleaned(dataset_of(tmp_path)) == [indices for _, indices in ROWS]


def test_sqlite_parquet_duckdb_and_csv_say_the_same(tmp_path):
    text = "\n".join(",".join(cells) for cells, _ in ROWS)
    (tmp_path / "t.csv").write_text("mood,weight,clinic,smokes\n" + text + "\n")
    held = apsw.Connection(str(tmp_path / "t.sqlite"))
    held.execute("CREATE TABLE r (mood, weight, clinic, smokes)")
    held.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", [cells for cells, _ in ROWS])
    held.close()
    other = duckdb.connect(str(tmp_path / "t.duckdb"))
    other.execute("CREATE TABLE r (mood TEXT, weight TEXT, clinic TEXT, smokes TEXT)")
    other.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", [cells for cells, _ in ROWS])
    other.execute(f"COPY r TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    other.close()
    expected = [indices for _, indices in ROWS]
    for path, table in (("t.csv", ""), ("t.parquet", ""), ("t.sqlite", "r"), ("t.duckdb", "r")):
        named = f'table = "{table}"' if table else ""
        assert cleaned(dataset_of(tmp_path, path, named)) == expected, path


def test_typed_columns_are_read_as_what_they_show(tmp_path):
    held = duckdb.connect(":memory:")
    held.execute("CREATE TABLE r (mood INT, weight DOUBLE, clinic TEXT, smokes BOOLEAN)")
    held.execute("INSERT INTO r VALUES (4, 22.3, 'A', true), (NULL, 'NaN', NULL, NULL)")
    held.execute(f"COPY r TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    assert cleaned(dataset_of(tmp_path, "t.parquet")) == [(3, 25, 0, 1), (1, GAP, GAP, GAP)]


cells = st.one_of(
    st.sampled_from(
        ["", "NULL", "nan", "-inf", "1e999", "0x1F", "1_000", "３", "yes", "A", "\x00"]
    ),
    st.floats().map(repr),
    st.integers().map(str),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)


@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_no_cell_makes_a_table_fail_or_leave_its_bounds(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("cells")
    held = apsw.Connection(str(folder / "t.sqlite"))
    held.execute("CREATE TABLE r (mood, weight, clinic, smokes)")
    held.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", rows)
    held.close()
    found = cleaned(dataset_of(folder, "t.sqlite", 'table = "r"'))
    assert len(found) == len(rows)
    for row in found:
        assert row[0] != GAP
        assert all(GAP <= cell < size for cell, size in zip(row, (5, 81, 3, 2), strict=True))


@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=2, max_size=6), st.data())
@settings(max_examples=15, deadline=None)
def test_changing_one_row_changes_one_row(tmp_path_factory, rows, data):
    place = data.draw(st.integers(0, len(rows) - 1))
    other = list(rows)
    other[place] = data.draw(st.tuples(cells, cells, cells, cells))
    found = []
    for content in (rows, other):
        folder = tmp_path_factory.mktemp("pair")
        held = apsw.Connection(str(folder / "t.sqlite"))
        held.execute("CREATE TABLE r (mood, weight, clinic, smokes)")
        held.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", content)
        held.close()
        found.append(cleaned(dataset_of(folder, "t.sqlite", 'table = "r"')))
    assert sum(a != b for a, b in zip(*found, strict=True)) <= 1


def test_a_person_counts_at_most_so_often_whatever_others_do(tmp_path):
    privacy = 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 100'
    key = Key.random()
    head = "pid,mood,weight,clinic,smokes\n"
    mine = [f"1,{mood},20,A,no" for mood in (5, 1, 3)]
    others = ["2,4,20,A,no", "2,4,20,A,no", ",2,20,B,no", ",2,20,B,no", ",2,20,B,no"]
    (tmp_path / "t.csv").write_text(head + "\n".join([*mine, *others]) + "\n")
    both = cleaned(dataset_of(tmp_path, privacy=privacy), key)
    (tmp_path / "t.csv").write_text(head + "\n".join([*reversed(others), *reversed(mine)]) + "\n")
    assert sorted(cleaned(dataset_of(tmp_path, privacy=privacy), key)) == sorted(both)
    assert len(both) == 4, "rows without an id could push one another out: they are left out"
    (tmp_path / "t.csv").write_text(head + "\n".join(mine) + "\n")
    alone = sorted(cleaned(dataset_of(tmp_path, privacy=privacy), key))
    assert alone == sorted(row for row in both if row[0] != 3)
    assert len(alone) == 2


def test_of_each_value_one_row_of_a_person_counts_whatever_others_do(tmp_path):
    """Values are those that cells mean: words nobody declared are one, and so are gaps."""
    privacy = 'unit = "pid"\nmost_rows_per_unit = 3\nsize_at_most = 100\none_row_per = "clinic"'
    key, head = Key.random(), "pid,mood,weight,clinic,smokes\n"
    clinics = ("A", "A", "B", "C", "D", "B", "A")
    mine = [f"1,{1 + at % 5},20,{word},no" for at, word in enumerate(clinics)]
    others = [f"2,{mood},20,{word},no" for mood in (1, 2) for word in ("A", "B")]
    (tmp_path / "t.csv").write_text(head + "\n".join([*mine, *others]) + "\n")
    both = cleaned(dataset_of(tmp_path, privacy=privacy), key)
    (tmp_path / "t.csv").write_text(head + "\n".join(reversed([*mine, *others])) + "\n")
    assert sorted(cleaned(dataset_of(tmp_path, privacy=privacy), key)) == sorted(both)
    (tmp_path / "t.csv").write_text(head + "\n".join(mine) + "\n")
    alone = cleaned(dataset_of(tmp_path, privacy=privacy), key)
    assert sorted(row[2] for row in alone) == [0, 1, 2], "one row of A, of B, and of any other"
    assert not set(alone) - set(both)
    assert len(both) - len(alone) == 2, "two people, and nobody's rows push out another's"


def test_which_rows_of_a_person_are_kept_has_nothing_to_do_with_their_values(tmp_path):
    """A kept mood is uniform like the others: off by more than `far` once in ten million."""
    dice, people = random.SystemRandom(), 4000
    rows = [f"p{number % people},{dice.randint(1, 5)},20,A,no" for number in range(5 * people)]
    (tmp_path / "t.csv").write_text("\n".join(["id,mood,weight,clinic,smokes", *rows]) + "\n")
    privacy = 'size_at_most = 9000\nunit = "id"\nmost_rows_per_unit = 1'
    kept = cleaned(dataset_of(tmp_path, privacy=privacy))
    assert len(kept) == people
    far = 4 * math.sqrt(math.log(2e7) / (2 * people))
    assert sum(row[0] for row in kept) / people == pytest.approx(2, abs=far)


def test_a_row_whose_id_is_not_a_number_is_nobodys(tmp_path):
    held = duckdb.connect()
    held.execute("CREATE TABLE r (id DOUBLE, mood INT, weight INT, clinic TEXT, smokes TEXT)")
    held.execute("INSERT INTO r SELECT i % 10, 4, 20, 'A', 'no' FROM range(20) t(i)")
    held.execute("INSERT INTO r SELECT 'nan'::DOUBLE, 1, 20, 'A', 'no' FROM range(50)")
    held.execute(f"COPY r TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    held.close()
    privacy = 'size_at_most = 100\nunit = "id"\nmost_rows_per_unit = 3'
    kept = cleaned(dataset_of(tmp_path, "t.parquet", privacy=privacy))
    assert [row[0] for row in kept] == [3] * 20


def test_an_id_is_its_text_without_blanks_and_a_gap_is_nobodys(tmp_path):
    people = ["7", " 7", "7 ", "N/A", "na", "NULL", "None", "-", "NaN", " ", "8"]
    rows = [f"{person},4,20,A,no" for person in people]
    (tmp_path / "t.csv").write_text("\n".join(["id,mood,weight,clinic,smokes", *rows]) + "\n")
    privacy = 'size_at_most = 100\nunit = "id"\nmost_rows_per_unit = 2'
    assert len(cleaned(dataset_of(tmp_path, privacy=privacy))) == 3


def test_words_that_begin_like_a_boolean_are_words(tmp_path):
    (tmp_path / "t.csv").write_text("reply\n" + "\n".join(
        ["false", "true", "maybe", "unknown", "yes", "1", "TRUE"]) + "\n")  # fmt: skip
    (tmp_path / "t.toml").write_text(dataset_text("size_at_most = 9", columns=(
        '[columns.reply]\ntype = "category"\nvalues = ["false", "true", "maybe"]\n'
        'missing = "unknown"\n'), source='path = "t.csv"'))  # fmt: skip
    with open_table(read_dataset(tmp_path / "t.toml")) as table:
        assert table.columns["reply"].tolist() == [0, 1, 2, 3, 3, 3, 3]


def test_words_that_are_all_leave_others_out(tmp_path):
    """An undeclared word is a gap, or counts as one does; a word called other is like any other."""
    (tmp_path / "t.csv").write_text("reply\nyes\nother\nperhaps\n\nno\n")
    for said, expected in (
        ('values = ["yes", "no"]\nclosed = true', [0, GAP, GAP, GAP, 1]),
        ('values = ["yes", "no"]\nclosed = true\nmissing = "no"', [0, 1, 1, 1, 1]),
        ('values = ["yes", "other", "no"]\nclosed = true', [0, 1, GAP, GAP, 2]),
        ('values = ["yes", "no"]\nclosed = false', [0, 2, 2, GAP, 1]),
    ):
        columns = f'[columns.reply]\ntype = "category"\n{said}\n'
        text = dataset_text("size_at_most = 9", columns=columns, source='path = "t.csv"')
        (tmp_path / "t.toml").write_text(text)
        with open_table(read_dataset(tmp_path / "t.toml")) as table:
            assert table.columns["reply"].tolist() == expected


def test_a_public_size_must_be_true(tmp_path):
    (tmp_path / "t.csv").write_text("mood,weight,clinic,smokes\n1,2,A,no\n")
    assert len(cleaned(dataset_of(tmp_path, privacy="size = 1"))) == 1
    with pytest.raises(DatasetError, match="says 7 rows, but the table has another number"):
        open_table(dataset_of(tmp_path, privacy="size = 7"))


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"mood,weight\n1,2\n",
        b"mood,mood,weight,clinic,smokes\n",
        b"\x00\xff\xfe",
        b",,,\n",
    ],
)
def test_a_source_that_cannot_be_used_is_one_line(tmp_path, content):
    if content is not None:
        (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DatasetError) as refused:
        open_table(dataset_of(tmp_path))
    assert "\n" not in str(refused.value)


def test_ragged_lines_are_rows_too(tmp_path):
    (tmp_path / "t.csv").write_text(
        "mood,weight,clinic,smokes\n3\n3,20,A,yes,extra,more\n\n3,20,A,yes\n"
    )
    found = cleaned(dataset_of(tmp_path))
    assert (2, GAP, GAP, GAP) in found
    assert found.count((2, 20, 0, 1)) == 2


def test_after_loading_the_engine_cannot_touch_files(tmp_path):
    (tmp_path / "t.csv").write_text("mood,weight,clinic,smokes\n1,2,A,no\n")
    with open_table(dataset_of(tmp_path)) as table, pytest.raises(duckdb.Error):
        table._connection.execute(f"SELECT * FROM '{tmp_path / 't.csv'}'")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_alone_says_what_separates_columns(tmp_path, mark):
    rows = [("mood", "weight", "clinic", "smokes"), *(cells for cells, _ in ROWS)]
    text = "\n".join(mark.join(f'"{cell}"' for cell in row) for row in rows)
    (tmp_path / "t.csv").write_text(text + "\n")
    assert cleaned(dataset_of(tmp_path)) == [indices for _, indices in ROWS]


@given(st.text(max_size=40), st.sampled_from(",;\t"))
@settings(max_examples=40, deadline=None)
def test_no_row_changes_what_separates_columns(tmp_path_factory, row, mark):
    folder = tmp_path_factory.mktemp("separators")
    names = ["mood", "weight, or; so", "clinic", "smokes"]
    header = mark.join(f'"{name}"' for name in names)
    content = header + "\n" + row
    (folder / "t.csv").write_text(content, encoding="utf-8", errors="replace", newline="")
    assert column_names(Source(path=folder / "t.csv", kind="csv")) == names


@pytest.mark.parametrize(
    ("header", "mark"),
    [
        ("a,b;c", ","),
        ("a;b;c,d", ";"),
        ('a,"b;c;d"', ","),
        ('"a","b;c;d"', ","),
        ('5" nail;b', ";"),
        ("a\tb", "\t"),
        ("a", ","),
        ("", ","),
    ],
)
def test_quoted_separators_do_not_count(header, mark):
    assert separator(header) == mark


def test_odd_bytes_in_rows_are_the_custodians_affair_alone(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"mood,weight,clinic,smokes\n3,20,\xff\xe9,yes\n")
    assert cleaned(dataset_of(tmp_path)) == [(2, 20, 2, 1)]
    with pytest.raises(DatasetError, match="not UTF-8; save it as UTF-8"):
        check_encoding(Source(path=tmp_path / "t.csv", kind="csv"))


def unreadable_parquet(folder, rows):
    """A Parquet file whose cells hold bytes that are no UTF-8 wherever a row says four hashes."""
    held = duckdb.connect(":memory:")
    held.execute("CREATE TABLE r (pid TEXT, mood INT, weight DOUBLE, clinic TEXT, smokes BOOLEAN)")
    held.executemany("INSERT INTO r VALUES (?, ?, ?, ?, ?)", rows)
    path = folder / "t.parquet"
    held.execute(f"COPY r TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
    held.close()
    path.write_bytes(path.read_bytes().replace(b"####", b"\xff\xfe\xfd\xfc"))


def test_a_parquet_cell_that_is_not_utf8_is_missing_and_its_row_counts(tmp_path):
    unreadable_parquet(tmp_path, [("p1", 4, 22.5, "A####", True), ("p2", 2, None, "A", None)])
    assert cleaned(dataset_of(tmp_path, "t.parquet")) == [(3, 25, 2, 1), (1, GAP, 0, GAP)]


def test_a_parquet_id_that_cannot_be_read_is_nobodys(tmp_path):
    """Were unreadable bytes told as question marks, p???? could push another's row out."""
    unreadable_parquet(
        tmp_path, [("p????", 5, 20.0, "A", True), ("p####", 1, 20.0, "A", True), ("", 1, 1, "A", 0)]
    )
    privacy = 'unit = "pid"\nmost_rows_per_unit = 1\nsize_at_most = 100'
    assert cleaned(dataset_of(tmp_path, "t.parquet", privacy=privacy)) == [(4, 20, 0, 1)]
