"""Drafts: a file that can be read, that says false, and that names every line to confirm."""

import json
import re
import tomllib
from dataclasses import replace

import apsw
import duckdb
import pandas
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import DatasetError
from discreet.exact import Epsilon, rational
from discreet.planning import plan
from discreet.questions import parse_sql
from discreet.tables import (
    CategoryColumn,
    Key,
    NumberColumn,
    draft_dataset,
    examine_dataset,
    open_table,
    pinning,
    read_dataset,
)
from discreet.tables.cleaning import BLANKS
from discreet.tables.drafts.bounds import MOST_VALUES, MOST_WHOLE, propose
from discreet.tables.drafts.numbers import Numbers

ROWS = """\
patient_id,age,clinic,smokes,weight,note
1,34,North,yes,70.5,it hurts
2,55,South,no,81.25,
3,NA,North,no,nan,some words
4,41,North,yes,66,others
5,29,South,no,92.5,more
"""


@pytest.fixture
def drafted(tmp_path):
    def drafting(text=ROWS, name="survey.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        draft = draft_dataset(tmp_path / name)
        file = tmp_path / "survey.toml"
        file.write_text(draft.text, encoding="utf-8")
        return draft, file

    return drafting


def test_a_draft_is_a_dataset_file_that_is_not_confirmed(drafted):
    _, file = drafted()
    dataset, problems = examine_dataset(file)
    assert not problems
    assert dataset is not None
    assert not dataset.confirmed
    open_table(dataset).close()
    age, weight = dataset.column("age"), dataset.column("weight")
    assert isinstance(age, NumberColumn)
    assert (age.grid.start, age.grid.last, age.whole) == (0, 120, True)
    assert isinstance(weight, NumberColumn)
    assert weight.grid.start <= 66
    assert weight.grid.last >= 92.5
    clinic = dataset.column("clinic")
    assert isinstance(clinic, CategoryColumn)
    assert clinic.labels.names == ("North", "South")
    assert dataset.column("smokes").labels.names == ("false", "true")


def test_every_doubtful_line_is_named_once_in_words(drafted):
    draft, file = drafted()
    lines = file.read_text().splitlines()
    told = [one.text for one in draft.to_confirm]
    assert told == [
        "one person has only one row here",
        "everybody may know that there are 5 rows",
        "all questions together may cost ε = 3, for ever",
        "age: an age, whole numbers from 0 to 120",
        "clinic: 'North' or 'South', and no other word, never empty",
        "smokes: yes or no, never empty",
        "weight: numbers from 65 to 95 in steps of 0.01",
    ]
    for one in draft.to_confirm:
        assert lines[one.line - 1] == f"# CONFIRM {one.text}"
    assert sum("# CONFIRM" in line for line in lines) == len(told)
    assert "for the custodian alone" in lines[0]


def test_names_and_ids_are_left_out(drafted):
    draft, file = drafted()
    assert draft.left_out == (
        ("patient_id", "it numbers the rows"),
        ("note", "it holds free text"),
    )
    assert '# Column "patient_id" is left out' in file.read_text()


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        *((one, True) for one in ("idno", "idNum", "patient_no", "respid", "caseId", "ssn")),
        *((one, False) for one in ("paid", "bid", "number", "house_no_of_rooms", "covid")),
    ],
)
def test_numbers_are_ids_by_the_names_of_ids_alone(drafted, name, is_id):
    rows = "".join(f"{50_000 + 7919 * row % 9001},{row % 5}\n" for row in range(1, 60))
    draft, _ = drafted(f"{name},mood\n{rows}")
    assert (name in dict(draft.left_out)) is is_id


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("survey.xls", "x", "cannot tell what"),
        ("survey.csv.zip", "x", "is an archive, which cannot be read; unpack it, or compress"),
        ("survey.xlsx", "x", "it is not a workbook, despite its name; if it is text, rename it"),
        ("survey.parquet", "x", "'survey.parquet' is not a Parquet file"),
        ("survey.csv.gz", "x", "cannot unpack 'survey.csv.gz'"),
        ("survey.sqlite", "x", "is not a SQLite file"),
        ("survey.csv", "", "must name its columns"),
        ("survey.csv", "", "it is empty"),
        ("survey.csv", "a,b\n", "^'survey.csv' has no rows to draft from; give a table with some$"),
        (
            "survey.csv",
            "a,A\n1,2\n",
            "must name its columns, each once: columns 1 and 2 have the same name",
        ),
        ("survey.csv", "a, ,b\n1,2,3\n", "column 2 of 3 has no name"),
    ],
)
def test_what_cannot_be_drafted_is_one_line(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(DatasetError, match=says) as refused:
        draft_dataset(tmp_path / name)
    assert "\n" not in str(refused.value)


cells = st.one_of(
    st.sampled_from(["", "nan", "inf", "-1e300", "1e-300", "0.1", "yes", "1", "A B", '"', "\x7f"]),
    st.floats().map(repr),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters='"'), max_size=8),
)
names = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='",'), min_size=1,
            max_size=8),
    min_size=1, max_size=3, unique_by=str.lower,
)  # fmt: skip


@given(names, st.data())
@settings(max_examples=settings.default.max_examples // 3)
def test_any_table_has_a_draft_that_can_be_read(tmp_path_factory, header, data):
    width = len(header)
    rows = data.draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=5))
    folder = tmp_path_factory.mktemp("draft")
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in
             [header, *rows]]  # fmt: skip
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        draft = draft_dataset(folder / "t.csv")
    except DatasetError as problem:
        said = str(problem)
        assert "\n" not in said
        return
    assert tomllib.loads(draft.text)["confirmed"] is False
    (folder / "t.toml").write_text(draft.text, encoding="utf-8")
    dataset, problems = examine_dataset(folder / "t.toml")
    if len(draft.left_out) == width:
        assert [problem.text for problem in problems] == ["the file needs a section [columns]"]
    else:
        assert not problems
        assert dataset is not None
        key = Key.random()
        if dataset.source.is_pinned:
            told = tomllib.loads(pinning(dataset.source, key).split(" in [source], ")[1])
            source = replace(dataset.source, digest=told["digest"])
            dataset = replace(dataset, source=source)
            assert not pinning(source, key)
        open_table(dataset, key).close()


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_separators_make_the_same_draft(drafted, mark):
    comma, _ = drafted()
    other, _ = drafted(ROWS.replace(",", mark))
    said = f"delimiter = {json.dumps(mark)}"
    assert other.text.replace(said, 'delimiter = ","') == comma.text


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-16", "utf-16"), ("utf-16-le", "utf-16"), ("latin-1", "cp1252"), ("utf-8", None)],
)
def test_another_encoding_is_proposed_and_to_be_confirmed(tmp_path, encoding, told):
    (tmp_path / "survey.csv").write_bytes("größe,ward\n1,Süd\n2,Nord\n".encode(encoding))
    draft = draft_dataset(tmp_path / "survey.csv")
    assert tomllib.loads(draft.text)["source"].get("encoding") == told
    assert tomllib.loads(draft.text)["columns"]["ward"]["values"] == ["Nord", "Süd"]
    assert any(f"this file is {told}" in one.text for one in draft.to_confirm) == bool(told)


def test_whole_records_are_never_taken_for_words(drafted):
    with pytest.raises(DatasetError, match="a quote in it is not closed"):
        drafted('"ward\nname;age;weight\nA;30;72\nB;31;73\n')


def test_the_dialect_that_was_detected_is_written_down(drafted):
    def source(text, name="survey.csv"):
        return tomllib.loads(drafted(text, name)[0].text)["source"]

    plain = {"path": "survey.csv", "delimiter": ",", "quoting": "line", "line_ending": "lf"}
    assert source(ROWS) == plain
    assert source(ROWS.replace("\n", "\r\n")) == plain
    assert source(ROWS.replace("\n", "\r")) == {**plain, "line_ending": "cr"}
    tabs = {"path": "survey.tsv", "delimiter": "\t", "quoting": "none", "line_ending": "lf"}
    assert source(ROWS.replace(",", "\t"), "survey.tsv") == tabs
    spanning = ROWS.replace("some words", '"some\nwords"')
    assert source(spanning) == {**plain, "quoting": "multiline"}
    assert any("cells span lines" in one.text for one in drafted(spanning)[0].to_confirm)
    assert source(ROWS.replace("some words", '5" long')) == plain, "no cell is left open"
    assert source(ROWS.replace("some words", '"unclosed')) == plain, "not well-formed as a whole"


def _reasons(draft):
    return dict(draft.left_out)


def test_sentences_are_never_listed_as_public_words(drafted):
    told = "She said that it hurts at night; call her son"
    draft, file = drafted(f"ward,note\nA,{told} Tom\nB,{told} Tim\nA,{told} Tom\n")
    assert _reasons(draft) == {"note": "it holds free text"}
    assert "hurts" not in file.read_text()
    assert 'values = ["A", "B"]' in file.read_text()


@pytest.mark.parametrize(
    ("day", "kind", "order"),
    [
        ("2024-01-31", "date", ""),
        ("31.01.2024", "date", 'order = "dmy"\n'),
        ("1/31/2024", "date", 'order = "mdy"\n'),
        ("2024-01-31T10:00:00Z", "timestamp", ""),
    ],
)
def test_dates_are_drafted_by_whole_years(drafted, day, kind, order):
    draft, file = drafted(f"ward,admitted\nA,{day}\nB,{day}\n")
    assert not _reasons(draft)
    by = 'resolution = "hour"\n' if kind == "timestamp" else ""
    lines = f'type = "{kind}"\nlow = 2024-01-01\nhigh = 2024-12-31\n{by}{order}gaps = false\n'
    assert lines in file.read_text()
    assert "2024-01-31" not in file.read_text()
    assert all("the other way round" not in one.doubt for one in draft.to_confirm)


@pytest.mark.parametrize(("last", "told_to"), [(2024, "hour"), (2071, "hour"), (2099, "day")])
def test_times_are_drafted_as_finely_as_medians_can_tell(drafted, last, told_to):
    draft, file = drafted(f"ward,seen\nA,2024-03-01 10:00\nB,{last}-11-05 23:00\n")
    assert f'resolution = "{told_to}"' in file.read_text()
    assert f"times, to the {told_to}, from 2024-01-01" in draft.text
    assert ("medians have at most 500,001 values" in draft.text) == (told_to == "day")
    file.write_text(file.read_text().replace("confirmed = false", "confirmed = true"))
    facts = read_dataset(file)
    question = parse_sql("SELECT MEDIAN(seen)", facts)
    assert plan(question, facts, epsilon=1, cache=None).parts[0].chosen.epsilon == Epsilon.of(1)


def test_dates_that_may_be_read_in_two_ways_are_doubtful(drafted):
    draft, _ = drafted("admitted,ward\n1/2/2024,A\n3/4/2024,B\n")
    assert any("the other way round" in one.doubt for one in draft.to_confirm)


@pytest.mark.parametrize("day", ["1/31/24", "31 Jan 2024"])
def test_dates_that_cannot_be_read_are_named_as_such(drafted, day):
    draft, _ = drafted(f"ward,admitted\nA,{day}\nB,{day}\n")
    assert "write them as 2024-01-31" in _reasons(draft)["admitted"]


def test_ids_that_repeat_may_be_whom_to_protect(drafted):
    draft, file = drafted("Patient ID,mood\n1,3\n2,4\n3,4\n1,5\n")
    assert 'unit = "Patient ID"' in file.read_text()
    assert draft.to_confirm[0].doubt == "values of 'Patient ID' repeat: whose rows are they?"
    assert "repeats: perhaps your privacy unit" in _reasons(draft)["Patient ID"]
    draft, _ = drafted("patient_id,mood\n1,3\n2,4\n3,4\n4,5\n")
    assert "repeats" not in _reasons(draft)["patient_id"]
    rows = "".join(f"P{place % 40},3\n" for place in range(80))
    draft, _ = drafted("who,mood\n" + rows)
    assert "repeats: perhaps your privacy unit" in _reasons(draft)["who"]


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        (["70,5", "71", "-0,25"], -0.25, 71),
        (["1.234,5", "980,25", "12.000,0", "3"], 3, 12_000),
        (["0,125", "0,250", "0,375"], 0.125, 0.375),
        (["1234,125", "1300,250", "1400,500"], 1234.125, 1400.5),
    ],
)
def test_decimal_commas_are_drafted_as_they_are_read(drafted, cells, low, high):
    draft, file = drafted("ward;weight\n" + "".join(f"A;{cell}\n" for cell in cells))
    assert _reasons(draft) == {}
    assert ", with decimal commas" in draft.to_confirm[-1].text
    weight = read_dataset(file).column("weight")
    assert isinstance(weight, NumberColumn)
    assert weight.comma
    assert weight.grid.start <= low <= high <= weight.grid.last
    assert weight.grid.last - weight.grid.start <= 4 * (high - low)


def test_a_comma_that_may_separate_thousands_is_left_to_the_custodian(drafted):
    draft, file = drafted("ward;weight\nA;1,234\nB;71\nA;12,500\n")
    assert list(_reasons(draft)) == ["weight"]
    assert "thousands or decimals" in _reasons(draft)["weight"]
    assert "1,234" not in file.read_text()


def test_what_is_no_text_is_no_table(tmp_path):
    (tmp_path / "noise.csv").write_bytes(b"a,b\n1,2\n" + bytes(range(256)) * 40)
    with pytest.raises(DatasetError, match=r"^'noise.csv' is no text: it is full"):
        draft_dataset(tmp_path / "noise.csv")
    (tmp_path / "wide.csv").write_text("a,b\n" + "1,2\n" * 9, encoding="utf-16")
    assert draft_dataset(tmp_path / "wide.csv").text, "its zeros are how its letters are written"


def test_digits_that_are_filled_up_with_noughts_are_codes(drafted):
    """A postal code is no number: `01099` is not near `01100`."""
    postal = [f"{1067 + 32 * row % 90:05d}" for row in range(40)]
    draft, file = drafted("postal,month\n" + "".join(f"{one},{one[3:]}\n" for one in postal))
    dataset, _ = examine_dataset(file)
    assert _reasons(draft)["postal"] == "it looks like a name or an id"
    assert isinstance(dataset.column("month"), NumberColumn), "two digits may count something"
    few = "".join(f"{one}\n" for one in postal[:3] * 20)
    _, file = drafted(f"postal\n{few}")
    dataset, _ = examine_dataset(file)
    assert dataset.column("postal").labels.names[:3] == tuple(sorted(postal[:3]))


def test_words_that_begin_with_numbers_stand_in_their_order(drafted):
    words = ["<40", "40-79", "80-119", "120+"]
    _, file = drafted("grams\n" + "".join(f"{one}\n" for one in sorted(words) * 5))
    dataset, _ = examine_dataset(file)
    assert list(dataset.column("grams").labels.names)[:4] == words


def _held(path, tables):
    """A database file with tables of one column each."""
    connect = apsw.Connection if path.suffix == ".sqlite" else duckdb.connect
    held = connect(str(path))
    for table in tables:
        held.execute(f'CREATE TABLE "{table}" (mood INTEGER)')
        held.execute(f'INSERT INTO "{table}" VALUES (1), (4)')
    held.close()
    return path


@pytest.mark.parametrize(("suffix", "called"), [("sqlite", "SQLite"), ("duckdb", "DuckDB")])
def test_the_tables_of_a_database_file_are_known(tmp_path, suffix, called):
    one, two = (_held(tmp_path / f"{n}.{suffix}", ["visits", "wards"][:n]) for n in (1, 2))
    assert 'table = "visits"' in draft_dataset(one).text
    assert 'table = "wards"' in draft_dataset(two, "wards").text
    none = _held(tmp_path / f"0.{suffix}", [])
    text = tmp_path / f"text.{suffix}"
    text.write_text("mood\n1\n2\n")
    for path, table, says in [
        (two, None, f"'2.{suffix}' holds 2 tables; name the table: 'visits', 'wards'"),
        (two, "x", f"'2.{suffix}' has no table 'x'; it has 'visits', 'wards'"),
        (none, None, f"'0.{suffix}' holds no tables; there is nothing to draft"),
        (text, None, f"'text.{suffix}' is not a {called} file"),
        (text, "visits", f"'text.{suffix}' is not a {called} file"),
    ]:
        with pytest.raises(DatasetError) as refused:
            draft_dataset(path, table)
        assert str(refused.value) == says


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("34,name_", "'34' looks like a cell"),
        ("-1.5,ward", "'-1.5' looks like a cell"),
        ("1e3,NA", "'1e3' looks like a cell"),
        ("2024-01-02,ward", "'2024-01-02' looks like a cell"),
        ("1,2,3,4,5,6", "'1', '2', '3', '4', '5', ... look like cells"),
    ],
)
def test_a_first_row_that_became_names_is_told(drafted, header, named):
    draft, file = drafted(f"{header}\n41,North\n52,South\n")
    said = f"the first line of the file holds column names, although {named}"
    first = draft.to_confirm[0]
    assert first.text == said
    assert file.read_text().splitlines()[first.line - 1] == f"# CONFIRM {said}"
    assert tomllib.loads(draft.text)["confirmed"] is False


def test_words_alone_may_be_a_first_row(drafted):
    told = drafted("yes,North\nno,South\nyes,North\n")[0].to_confirm[0].text
    assert told.endswith("although 'yes', 'North' look like cells")


@pytest.mark.parametrize("header", ["age,ward", "x1,y", "age_2,t", "n,e", "age,North", "age,Yes"])
def test_names_are_names(drafted, header):
    """A name that is also a value raises no alarm where another column's name cannot be a cell."""
    assert "column names" not in drafted(f"{header}\n41,North\n52,South\n")[0].text


def _column(drafted, name, cells):
    """The keys that a draft proposes for a column of these cells, and its line to confirm."""
    draft, _ = drafted(f"{name},ward\n" + "".join(f"{cell},A\n" for cell in cells))
    facts = tomllib.loads(draft.text)["columns"].get(name)
    (line,) = [one for one in draft.to_confirm if one.text.startswith(f"{name}: ")] or [None]
    return facts, line


@pytest.mark.parametrize(
    ("name", "cells", "low", "high", "step"),
    [
        ("fage", ["34.0", "36.0", "NA", "15.0"], 0, 120, None),
        ("wage", [4, 7, 31], 0, 35, None),
        ("mood", [1, 2, 5, 4], 1, 5, None),
        ("pain", ["0.0", "7.0", "3.0"], 0, 7, None),
        ("pct_urban", [12, 47.5], 0, 100, 0.1),
        ("year", [2007, 2009], 2000, 2010, None),
        ("month", [2, 11], 1, 12, None),
        ("weeks", [21, 46, 39], 20, 50, None),
        ("income", [0, 450000, 1700, 60000], 0, 450000, 100),
        ("delay", [-21, 436, 3], -50, 450, None),
        ("waited", ["1.9", "2.4", "0.25"], 0, 2.5, 0.01),
        ("day", [2, 45], 0, 45, None),
    ],
)
def test_bounds_are_round_outward_and_fine_enough(drafted, name, cells, low, high, step):
    facts, _ = _column(drafted, name, cells)
    assert (facts["low"], facts["high"], facts.get("step")) == (low, high, step)
    assert facts["type"] == ("number" if step is not None and step < 1 else "integer")


def test_one_far_cell_decides_neither_bounds_nor_step(drafted):
    """With a step made for 61,400 hours, 1.9 hours would count as none."""
    cells = [f"{1 + place % 30 / 10:.1f}" for place in range(60)]
    facts, line = _column(drafted, "waited", [*cells, 61400])
    assert (facts["low"], facts["high"], facts["step"]) == (0, 4, 0.1)
    assert line.doubt.startswith("1 cell lies far from the others (61,400); ")
    assert "61400" not in line.text + str(facts), "the file tells nothing of that row"
    for more in ([], [61400] * 5):
        facts, line = _column(drafted, "waited", [*cells, *more])
        assert (facts["high"], line.doubt) == (70000 if more else 4, ""), "several are no accident"


@given(
    st.lists(st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 2)), min_size=1),
    st.booleans(),
)
@example([0.0, 5_001.0], True)
def test_proposed_bounds_hold_what_was_seen(values, whole):
    values = [float(round(value)) if whole else value for value in values]
    seen = Numbers(low=min(values), high=max(values), whole=whole, decimals=0 if whole else 2)
    made = propose("x", seen)
    assert made.low <= rational(min(values))
    assert rational(max(values)) <= made.high
    assert (made.high - made.low) % made.step == 0
    most = MOST_WHOLE if whole else MOST_VALUES
    assert 1 <= (made.high - made.low) / made.step <= most


def test_a_few_cells_below_nought_are_odd(drafted):
    cells = [place % 90 for place in range(200)]
    facts, line = _column(drafted, "waited", [*cells, -5])
    assert (facts["low"], line.doubt.split(";")[0]) == (0, "1 cell lies below 0 (−5)")
    facts, line = _column(drafted, "balance", [*cells, *[-5] * 20])
    assert (facts["low"], line.doubt) == (-10, "")


def test_a_tail_that_runs_through_nought_is_not_cut_there(drafted):
    """Three cold days of four years, by 0.5 degrees from one another and from 0.0, are days."""
    cold, mild = [-1.6, -1.1, -0.5], [0.0, 0.0, *[1.1] * 5]
    days = [5 + place % 300 / 10 for place in range(1400)]
    facts, line = _column(drafted, "temp_max", [*cold, *mild, *days])
    assert (facts["low"], facts["high"], line.doubt) == (-10, 35, "")
    for codes in ([-9] * 3, [-99, -98, -97], [-0.1] * 3):
        facts, line = _column(drafted, "temp_max", [*codes, *mild, *days])
        told = f"−{-codes[0]}" if len({*codes}) == 1 else "from −99 to −97"
        assert (facts["low"], line.doubt.split(";")[0]) == (0, f"3 cells lie below 0 ({told})")


@pytest.mark.parametrize("name", ["rownames", "anything"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_numbers_the_rows_is_left_out(drafted, name, first):
    draft, _ = drafted(f"{name},mood\n" + "".join(f"{n},3\n" for n in range(first, 9)))
    assert _reasons(draft) == {name: "it numbers the rows"}
    draft, _ = drafted(f"{name},mood\n" + "".join(f"{7 * n % 11},3\n" for n in range(1, 9)))
    assert bool(draft.left_out) == (name == "rownames")


def test_many_words_that_come_back_are_listed(drafted):
    rows = "".join(f"A{place % 40:02d},1\n" for place in range(440)) + "rare,1\n" * 4
    facts = tomllib.loads(drafted("dest,mood\n" + rows)[0].text)["columns"]["dest"]
    assert len(facts["values"]) == 40
    (line,) = [one for one in drafted("dest,mood\n" + rows)[0].to_confirm if "dest" in one.text]
    assert line.doubt == "1 word that occurs fewer than 5 times would count as other"
    assert "rare" not in str(facts)


def test_a_column_without_gaps_keeps_its_public_size(drafted):
    facts, line = _column(drafted, "waited", [7, 31, 20])
    assert (facts["gaps"], facts["missing"]) == (False, 17)
    assert line.text.endswith(", never empty")
    for cells in ([7, 31, "NA"], [*range(7, 31), "much"], ["yes", "no", ""], ["A", "B", "-"]):
        facts, line = _column(drafted, "waited", cells)
        assert facts.keys().isdisjoint({"gaps", "missing"})
        assert "empty" not in line.text


def test_words_that_are_probably_one_are_told(drafted):
    draft, _ = drafted("ward,mood\nNorth,1\nnorth,2\nSouth,3\n")
    (line,) = [one for one in draft.to_confirm if "ward" in one.text]
    assert line.doubt == "'North' and 'north' differ only in capitals"


def test_cells_that_say_none_are_told_for_it_may_be_an_answer(drafted):
    facts, line = _column(drafted, "hair", ["brown", "None", "none", "fair", ""] * 20)
    assert line.doubt == (
        "40 cells say 'none', which counts as a gap: list it among the values if it is an answer"
    )
    assert "none" not in str(facts["values"]).lower()


def test_a_word_for_the_rest_is_not_drafted_twice(drafted):
    facts, _ = _column(drafted, "state", ["QLD", "Other", "NSW"] * 20)
    assert (facts["closed"], facts["missing"]) == (True, "Other")
    facts, _ = _column(drafted, "state", ["QLD", "other", "NSW"] * 20)
    assert "closed" not in facts, "there it is the word for the rest"
    facts, _ = _column(drafted, "state", ["QLD", "VIC", "NSW"] * 20)
    assert "closed" not in facts


def test_one_of_two_words_leaves_nothing_for_other(drafted):
    facts, line = _column(drafted, "sex", ["M", "F"] * 20)
    assert (facts["closed"], facts["gaps"], facts["missing"]) == (True, False, "F")
    assert line.text == "sex: 'F' or 'M', and no other word, never empty"
    for cells in (["M", "F", ""] * 20, ["M", "m"] * 20, ["A", "B", "C"] * 20, ["A"] * 20):
        assert "closed" not in _column(drafted, "sex", cells)[0], cells


def test_other_tables_always_name_their_columns(tmp_path):
    with duckdb.connect() as connection:
        connection.execute(f"""COPY (SELECT 3 AS "34") TO '{tmp_path / "t.parquet"}'""")
    assert "column names" not in draft_dataset(tmp_path / "t.parquet").text


def test_blanks_are_what_trimming_takes_away():
    """Every character that the trimming of cells removes is a blank here, and no other."""
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT chr(code::INTEGER) FROM range(1, 1114112) AS codes(code) "
            "WHERE NOT code BETWEEN 55296 AND 57343 AND trim(chr(code::INTEGER)) = ''"
        ).fetchall()
    assert {row[0] for row in found} == set(BLANKS)


def test_many_words_are_listed_in_a_file_of_their_own(tmp_path):
    lines = [f"town {place % 70},{place}" for place in range(1400)]
    (tmp_path / "survey.csv").write_text("\n".join(["home town,age", *lines]) + "\n")
    draft = draft_dataset(tmp_path / "survey.csv")
    ((name, text),) = draft.lists.items()
    assert tomllib.loads(draft.text)["columns"]["home town"]["values_from"] == name
    assert sorted(text.splitlines()) == sorted({f"town {place}" for place in range(70)})
    (tmp_path / name).write_text(text)
    (tmp_path / "survey.toml").write_text(draft.text)
    assert read_dataset(tmp_path / "survey.toml").column("home town").size == 71
    assert any(
        "one of 70 words, those in home-town.words.txt" in one.text for one in draft.to_confirm
    )


@pytest.mark.parametrize("gap", [False, True])
def test_large_tables_are_sampled_and_counted(tmp_path, monkeypatch, gap):
    """Whether a column has a gap is asked of all rows, what it holds of some."""
    monkeypatch.setattr("discreet.tables.drafts.seen.MOST_LOOKED_AT", 100)
    lines = [f"{place + 1},{place % 90}" for place in range(3000)]
    lines[7] = "8," if gap else lines[7]
    (tmp_path / "survey.csv").write_text("\n".join(["row,age", *lines]) + "\n")
    draft = draft_dataset(tmp_path / "survey.csv")
    facts = tomllib.loads(draft.text)
    assert draft.sampled == "columns were judged by 100 of 3,000 rows"
    assert facts["privacy"]["size"] == 3000
    assert facts["columns"]["age"].get("gaps", True) is gap
    assert draft.left_out == (("row", "it numbers the rows"),)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet"])
def test_large_files_are_not_read_as_a_whole_and_counted_all_the_same(tmp_path, monkeypatch, kind):
    """Other lines are counted only; nothing is said of gaps that were not looked for."""
    monkeypatch.setattr("discreet.tables.drafts.sampling.LARGE", 1 << 16)
    monkeypatch.setattr("discreet.tables.drafts.seen.LARGE_PARQUET", 1)
    monkeypatch.setattr("discreet.tables.readers.text_files._BLOCK", 1 << 14)
    for place in ("draft", "seen"):
        monkeypatch.setattr(f"discreet.tables.drafts.{place}.MOST_LOOKED_AT", 500)
    monkeypatch.setattr("discreet.tables.readers.parquet._RUN", 50)
    rows = 20_001
    frame = pandas.DataFrame(
        {"age": [18 + place % 70 for place in range(rows)],
         "ward": [("A", "B, b")[place % 2] for place in range(rows)]}
    )  # fmt: skip
    path = tmp_path / f"survey.{kind}"
    if kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    draft = draft_dataset(path)
    facts = tomllib.loads(draft.text)
    looked, of_rows = re.findall(r"[\d,]+", draft.sampled)
    assert of_rows == "20,001"
    assert 300 <= int(looked.replace(",", "")) <= 1000
    assert facts["privacy"]["size"] == rows
    assert facts["source"]["path"] == path.name
    assert sorted(facts["columns"]["ward"]["values"]) == ["A", "B, b"]
    assert (facts["columns"]["age"]["low"], facts["columns"]["age"]["high"]) == (0, 120)
    assert "never empty" not in draft.text


def test_large_files_whose_cells_span_lines_are_read_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.tables.drafts.sampling.LARGE", 1 << 10)
    lines = [f'{place},"one\ntwo {place % 3}"' for place in range(400)]
    (tmp_path / "survey.csv").write_text("\n".join(["age,ward", *lines]) + "\n")
    draft = draft_dataset(tmp_path / "survey.csv")
    assert not draft.sampled
    assert tomllib.loads(draft.text)["privacy"]["size"] == 400


def test_every_kind_of_source_is_drafted_alike(tmp_path):
    frame = pandas.DataFrame({"age": [20, 30, 40, 50] * 5, "ward": ["A", "B", None, "A"] * 5})
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    frame.to_json(tmp_path / "b.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "c.parquet")
    frame.to_excel(tmp_path / "d.xlsx", index=False)
    drafts = [draft_dataset(path) for path in sorted(tmp_path.iterdir())]
    columns = [tomllib.loads(draft.text)["columns"] for draft in drafts]
    assert columns == [columns[0]] * 4
    assert columns[0]["ward"]["values"] == ["A", "B"]
    assert [tomllib.loads(draft.text)["name"] for draft in drafts] == ["a", "b", "c", "d"]
