"""Dataset files: what may be declared, and every mistake with its line."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DatasetError
from discreet.exact import Epsilon
from discreet.model import Relation
from discreet.tables import examine_dataset, imputes, read_dataset, skips_gaps

FUZZED = 100_000 if os.environ.get("DISCREET_SOAK") else 1_000

GOOD = """\
name = "clinic"
confirmed = true

[source]
path = "clinic.csv"

[privacy]
unit = "row"
neighbours = "change"
size = 100

[budget]
total = "3"

[budget.analysts]
ana = "1/2"

[columns.mood]
type = "integer"
low = 1
high = 5

[columns.clinic]
type = "category"
values = ["A", "B"]
"""


@pytest.fixture
def write(tmp_path):
    def writing(text):
        path = tmp_path / "clinic.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return writing


def test_a_good_file_is_read_exactly(write):
    dataset = read_dataset(write(GOOD))
    assert dataset.budget.total == Epsilon.of(3)
    assert dataset.budget.analysts == (("ana", Epsilon.of("1/2")),)
    assert (dataset.most_rows, dataset.size_is_public) == (100, True)
    assert dataset.relation is Relation.CHANGE
    assert dataset.column("MOOD").missing is None
    assert dataset.column("clinic").labels.names == ("A", "B", "other")


@pytest.mark.parametrize(
    ("said", "missing", "complete"),
    [
        ("", None, False),
        ("gaps = true", None, False),
        ("missing = 2", 2, False),
        ("gaps = true\nmissing = 2", 2, False),
        ("gaps = false\nmissing = 2", 2, True),
    ],
)
def test_gaps_are_skipped_unless_it_is_said_what_they_count_as(write, said, missing, complete):
    column = read_dataset(write(GOOD.replace("high = 5", f"high = 5\n{said}"))).column("mood")
    assert (column.missing, column.complete) == (missing, complete)
    assert skips_gaps(column) == (missing is None)
    assert imputes(column) == (missing is not None and not complete)


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("low = 1", "low = 9", 18, "mood: the range is reversed"),
        ("low = 1\n", "", 18, "mood: low is required"),
        ("high = 5", "high = 5.5", 18, "whole number of steps"),
        ("high = 5", 'high = "x"', 18, "mood: high must be a number"),
        ("high = 5", "high = 5\nstep = 0", 18, "mood: the step of a space must be positive"),
        ("high = 5", "high = 5\nmissing = true", 18, "mood: missing must be a number"),
        ("high = 5", "high = 5\ngaps = 0", 18, "mood: gaps must be true or false, got 0"),
        ("high = 5", "high = 5\ngaps = false", 18, "mood: gaps = false needs missing, which says"),
        ('values = ["A", "B"]', 'values = ["A"]\ngaps = false', 23, "for example a word"),
        ("[columns.clinic]", "[columns.Mood]", 23, "two columns have the name 'Mood'"),
        ('type = "integer"', 'type = "int"', 19, "type must be integer, number"),
        ('type = "integer"', 'type = "number"', 18, "step is required"),
        ("high = 5", "high = 5\nmissing = 7", 18, "mood: missing must be one of the numbers from"),
        (
            'type = "integer"\nlow = 1\nhigh = 5',
            'type = "number"\nlow = 1\nhigh = 5\nstep = 0.1\nmissing = 1.25',
            18,
            "the numbers from 1 to 5 in steps of 0.1, got 1.25",
        ),
        ("high = 5", "high = 5\nmaximum = 7", 22, "unknown key 'maximum'"),
        ('values = ["A", "B"]', 'values = "A"', 23, "clinic: list its values as words"),
        ('values = ["A", "B"]', 'values = ["A", "A"]', 23, "clinic: values: labels must differ"),
        ('values = ["A", "B"]', 'values = [" A"]', 23, "so no cell is ' A'; write 'A'"),
        ('values = ["A", "B"]', 'values = ["A\u3000"]', 23, "blanks around a cell are removed"),
        ('values = ["A", "B"]', 'values = ["A"]\nmissing = "B "', 23, "write 'B'"),
        ('values = ["A", "B"]', 'values = ["A"]\nclosed = 1', 23, "closed must be true or false"),
        ("high = 5", "high = 5\nclosed = true", 22, "unknown key 'closed'"),
        ('values = ["A", "B"]', 'values = ["A", ""]', 23, "needs no word; leave out ''"),
        ('values = ["A", "B"]', 'values = ["A", " "]', 23, "an empty cell is a gap"),
        ('total = "3"', 'total = "-3"', 13, "total: epsilon must be positive"),
        ('total = "3"', "", 12, "the total budget is required"),
        ('total = "3"\n\n[budget.analysts]\nana = "1/2"', "", 12, "the total budget is required"),
        ('ana = "1/2"', 'Total = "1/2"', 16, "cannot be called total"),
        ('ana = "1/2"', "ana = 0", 16, "ana: epsilon must be positive"),
        ("size = 100", "size = 0", 10, "size must be 1 to"),
        ("size = 100", "size = true", 10, "size must be 1 to"),
        ("size = 100", "", 7, "set either size"),
        ("size = 100", "size = 5\nsize_at_most = 6", 10, "set either size"),
        ('neighbours = "change"', 'neighbours = "swap"', 9, "must be 'change' or 'add-or-remove'"),
        (
            'neighbours = "change"',
            'neighbours = "add-or-remove"',
            10,
            "the number of rows is private",
        ),
        ('unit = "row"', 'unit = "person"', 10, "use size_at_most"),
        ('unit = "row"', "unit = 3", 8, "unit must be"),
        ('unit = "row"', "most_rows_per_unit = 0", 8, "must be 1 to 1000"),
        ('unit = "row"', 'one_row_per = "week"', 8, "must be a column under [columns]"),
        ('unit = "row"', "one_row_per = 3", 8, "must be a column under [columns], got 3"),
        ('unit = "row"', 'one_row_per = "mood"', 8, "set unit to their id column"),
        ('path = "clinic.csv"', 'path = "clinic.xyz"', 5, "cannot tell what"),
        ('path = "clinic.csv"', 'path = "clinic.sqlite"', 4, "needs table"),
        ('path = "clinic.csv"', "", 0, "say where the rows are"),
        ('path = "clinic.csv"', 'path = "clinic.csv"\nversion = 3', 6, "a few words in quotes"),
        ('path = "clinic.csv"', 'path = "clinic.csv"\nversion = ""', 6, "a few words in quotes"),
        ('name = "clinic"', 'name = ""', 1, "name is required"),
        ("confirmed = true", 'confirmed = "yes"', 2, "confirmed must be true or false"),
        ("confirmed = true", "confirm = true", 2, "unknown key 'confirm'"),
        ("[privacy]", "[private]", 7, "unknown key 'private'"),
        ("[columns.mood]", "[columns.mood", 0, "not a TOML file"),
        (
            "[privacy]",
            "[ledger]\nanchor = 3\n[privacy]",
            8,
            'anchor must be written as anchor = "…"',
        ),
        ("[privacy]", '[ledger]\nhead = "x"\n[privacy]', 8, "unknown key 'head' in [ledger]"),
        ("[privacy]", '[ledger]\nanchor_url = "ftp://x/y"\n[privacy]', 8, "use https://"),
        ("[privacy]", '[ledger]\nanchor_url = "vault"\n[privacy]', 8, "must start with https://"),
        ("[privacy]", '[ledger]\nanchor_command = "\'"\n[privacy]', 8, "is not a command"),
        (
            "[privacy]",
            '[ledger]\nanchor = "x"\nanchor_command = "y"\n[privacy]',
            7,
            "give one anchor: a file, a command or an address",
        ),
    ],
)
def test_every_mistake_is_named_with_its_line(write, before, after, line, says):
    assert before in GOOD
    dataset, problems = examine_dataset(write(GOOD.replace(before, after, 1)))
    assert dataset is None
    assert any(says in problem.text for problem in problems), problems
    if line:
        assert line in {problem.line for problem in problems}, problems
    assert all("\n" not in str(problem) for problem in problems)


def test_all_mistakes_are_found_at_once(write):
    broken = GOOD.replace("low = 1", "low = 9").replace('total = "3"', 'total = "x"')
    _, problems = examine_dataset(write(broken))
    assert len(problems) == 2
    with pytest.raises(DatasetError, match=r"\(and 1 more\)$") as refused:
        read_dataset(write(broken))
    assert refused.value.problems == tuple(map(str, problems))


def test_the_first_mistake_is_told_with_the_file(write):
    with pytest.raises(DatasetError) as refused:
        read_dataset(write(GOOD.replace('total = "3"', 'total = "1000"')))
    assert str(refused.value).startswith("'clinic.toml', line 13: total: epsilon must be at most")
    with pytest.raises(DatasetError, match=r"^'clinic.toml': not a TOML file: "):
        read_dataset(write("["))


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(DatasetError, match="there is no file"):
        read_dataset(tmp_path / "nothing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DatasetError, match="not a text file"):
        read_dataset(tmp_path / "binary.toml")


lines = GOOD.splitlines()


@given(
    st.lists(st.tuples(st.integers(0, len(lines) - 1), st.text(max_size=20)), max_size=4),
    st.sets(st.integers(0, len(lines) - 1), max_size=4),
)
@settings(max_examples=FUZZED, deadline=None)
def test_any_mangled_file_is_read_or_refused_in_lines(tmp_path_factory, inserted, removed):
    text = [line for place, line in enumerate(lines) if place not in removed]
    for place, line in inserted:
        text.insert(place, line)
    path = tmp_path_factory.getbasetemp() / "mangled.toml"
    path.write_text("\n".join(text), encoding="utf-8", errors="replace")
    dataset, problems = examine_dataset(path)
    assert (dataset is None) == bool(problems)
    assert all("\n" not in str(problem) for problem in problems)


@pytest.mark.parametrize("read", [read_dataset, examine_dataset])
def test_a_table_is_not_taken_for_the_file_that_describes_it(tmp_path, read):
    (tmp_path / "visits.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DatasetError) as refused:
        read(tmp_path / "visits.csv")
    assert str(refused.value) == (
        "'visits.csv' is a table; give the dataset file that describes it, such as 'visits.toml'"
    )
