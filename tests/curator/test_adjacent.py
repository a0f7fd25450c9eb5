"""Neighbouring tables look the same in everything but the values drawn.

Same plan, same status, same shape, same messages, same keys: whatever one person's row holds.
"""

import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator import open_dataset
from discreet.errors import DiscreetError
from discreet.planning import Reading
from discreet.planning.grouping import grouping_of
from discreet.planning.subjects.subject import subject_of
from discreet.questions import parse_sql
from discreet.tables import Key, open_table, read_dataset
from neighbouring import ADDED, CHANGED, KEY, PERSON, lines, rows, seen_of, write_table
from question_grammar import CONDITIONS, GROUPS, NUMBERS, row

PAIRS = 3_400 if os.environ.get("DISCREET_SOAK") else 15  # for each of three relations
COUNTED = 10_000 if os.environ.get("DISCREET_SOAK") else 40
REST = (b"2023-05-01", b"2023-05-01 12:00", b"2,5")
QUESTIONS = {
    "SELECT COUNT(*), AVG(mood) WHERE clinic = 'A'": 1,
    "SELECT MEDIAN(mood) GROUP BY clinic": 90,  # enough to show that a group has rows
    "SELECT SUM(weight), MODE(clinic), TOP(clinic, 2)": 1,
    "SELECT MAX(weight) WHERE smokes AND mood >= 4": 1,
    "SELECT COUNT(mood > 2) GROUP BY BIN(weight, 1)": 1,
    "SELECT MEDIAN(visit), COUNT(visit - DATE '2023-05-01' > 3 * mood)": 1,
    "SELECT COUNT(*), AVG(half) WHERE clinic LIKE 'A%' OR weight / (mood - 3) > 2": 1,
    "SELECT COUNT(*) GROUP BY QUARTER(visit), CASE WHEN smokes THEN 'yes' ELSE clinic END": 1,
    "SELECT AVG(seen), COUNT(*) WHERE COALESCE(region, 'south') = 'south' OR HOUR(seen) > 9": 1,
    "SELECT SUM(fee), COUNT(*) GROUP BY COALESCE(region, late), late": 1,
    "SELECT MIN(weight)": 1,
}
"""What is asked, and for how much."""


def _compare(folder, one, two, privacy):
    first = seen_of(write_table(folder / "one", one, privacy), QUESTIONS)
    second = seen_of(write_table(folder / "two", two, privacy), QUESTIONS)
    shutil.rmtree(folder)
    assert first == second


@given(
    st.sampled_from([1, 5]).flatmap(lambda size: st.lists(rows, min_size=size, max_size=size)),
    st.one_of(rows, lines),
    st.data(),
)
@settings(max_examples=PAIRS, deadline=None)
def test_one_row_changed(tmp_path_factory, content, other, data):
    place = data.draw(st.integers(0, len(content) - 1))
    changed = [*content[:place], other, *content[place + 1 :]]
    privacy = data.draw(st.sampled_from(CHANGED)).format(len(content))
    _compare(tmp_path_factory.mktemp("pair"), content, changed, privacy)


@given(st.lists(rows, max_size=8), st.one_of(rows, lines), st.data())
@settings(max_examples=PAIRS, deadline=None)
def test_one_row_added(tmp_path_factory, content, other, data):
    place = data.draw(st.integers(0, len(content)))
    longer = [*content[:place], other, *content[place:]]
    _compare(tmp_path_factory.mktemp("pair"), content, longer, ADDED)


@given(st.lists(rows, max_size=6), st.lists(rows, max_size=5), st.data())
@settings(max_examples=PAIRS, deadline=None)
def test_one_person_with_many_rows(tmp_path_factory, content, theirs, data):
    relation = data.draw(st.sampled_from(["change", "add-or-remove"]))
    person = [(b"somebody else", *row[1:]) for row in theirs]
    _compare(tmp_path_factory.mktemp("pair"), content, [*person, *content], PERSON.format(relation))


def test_the_budget_runs_out_for_both(tmp_path):
    """The test above would be weak if no question were ever refused: the sixth one is."""
    file = write_table(tmp_path / "one", [(b"p1", b"1", b"2", b"A", b"yes", *REST)], "size = 1")
    seen = seen_of(file, QUESTIONS)
    assert sum(line[0] == "refused" for line in seen) >= 1


@pytest.mark.parametrize("content", [b"\xff" * 9, b"x" * 12_000_000])
def test_a_record_that_the_engine_would_skip_is_a_row(tmp_path, content):
    whole = (b"p1", b"1", b"10", b"A", b"yes", *REST)
    torn = (b"p2", content, b"10", b"A", b"no", b"", b"", b"")
    file = write_table(tmp_path / "one", [whole, torn, whole], "size = 3")
    with open_dataset(file, analyst="ana") as survey:
        assert survey.count().ask(epsilon=1).value == 3


def _counted(file, sql):
    """What is counted of each group, and the span of what is summed; None where that is refused."""
    facts = read_dataset(file)
    try:
        question = parse_sql(sql, facts)
        grouping, item = grouping_of(question, facts), question.items[0]
        subject = subject_of(item, question, facts)
        reading = Reading.of(question, subject, grouping, facts=facts)
    except DiscreetError:
        return None
    with open_table(facts, Key(bytes.fromhex(KEY))) as table:
        counted = reading.counted(table)
    span = 1 if item.column is None else max(facts.column(item.column).size - 1, 1)
    return [(one.rows, one.total) for one in counted], span


groups = st.one_of(st.just(""), st.lists(GROUPS, min_size=1, max_size=2).map(", ".join))
plain = st.integers(0, 60).map(lambda place: b"p1," + row(place).encode())


@given(
    st.one_of(st.just("COUNT(*)"), NUMBERS.map(lambda number: f"SUM({number})")),
    st.one_of(st.just("TRUE"), CONDITIONS),
    groups,
    st.lists(plain, min_size=1, max_size=6),
    st.one_of(plain, rows, lines),
    st.data(),
)
@settings(max_examples=COUNTED, deadline=None)
def test_one_record_moves_counts_by_one_record_whatever_is_asked(
    tmp_path_factory, what, where, by, content, other, data
):
    """It leaves one group and comes to another, and adds no more to a sum than a row may hold."""
    place = data.draw(st.integers(0, len(content) - 1))
    changed = [*content[:place], other, *content[place + 1 :]]
    sql = f"SELECT {what} WHERE {where}" + (f" GROUP BY {by}" if by else "")
    folder = tmp_path_factory.getbasetemp() / "counted"
    folder.mkdir(exist_ok=True)
    told = [_counted(write_table(folder / name, table, f"size = {len(content)}"), sql)
            for name, table in (("one", content), ("two", changed))]  # fmt: skip
    if told[0] is None:
        assert told[1] is None
        return
    (before, span), (after, _) = told
    moved = [b[0] - a[0] for a, b in zip(before, after, strict=True)]
    if "ROLLUP" not in by and "CUBE" not in by and "SETS" not in by and "CUMULATIVE" not in by:
        assert sum(map(abs, moved)) <= 2
        assert abs(sum(moved)) <= 1
    assert all(abs(one) <= 1 for one in moved)
    assert all(abs(b[1] - a[1]) <= span for a, b in zip(before, after, strict=True))
