"""The groups of a release that are put together have exactly the rows that are asked for."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator.stored.matching import Counted, portions
from discreet.errors import QuestionError
from discreet.planning.grouping import grouping_of
from discreet.planning.settling import settled
from discreet.questions import parse_sql
from discreet.questions.conditions import holds
from discreet.statistics import Count, Rank
from discreet.tables import read_dataset
from small_survey import CLINIC, MOOD, SMOKES, dataset_text, with_gaps


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "survey.toml"
    file.write_text(dataset_text(columns=with_gaps(MOOD) + CLINIC + SMOKES))
    return read_dataset(file)


ROWS = [
    {"mood": mood, "clinic": clinic, "smokes": smokes}
    for mood, clinic, smokes in product(range(-1, 5), range(3), range(2))
]
counted = st.sampled_from(["*", "smokes", "mood > 2", "clinic = 'A'", "mood IN (1, 2)"])
selected = st.sampled_from(
    ["", "WHERE smokes", "WHERE mood <= 2", "WHERE clinic IN ('A', 'B')",
     "WHERE mood = 3 OR smokes",
     "WHERE mood <= 4 AND NOT smokes", "WHERE clinic = 'A' AND mood > 2", "WHERE mood IS NULL"]
)  # fmt: skip
grouped = st.sampled_from(
    ["", "GROUP BY clinic", "GROUP BY mood", "GROUP BY BIN(mood, 2)", "GROUP BY smokes, clinic",
     "GROUP BY clinic, smokes", "GROUP BY mood, clinic", "GROUP BY BIN(mood, 2), smokes",
     "GROUP BY ROLLUP(clinic, smokes)", "GROUP BY CUMULATIVE(mood)"]
)  # fmt: skip
taken = st.one_of(
    counted.map(lambda what: f"COUNT({what})"),
    st.sampled_from(["MEDIAN(mood)", "QUANTILE(mood, 0.5)", "AVG(mood)", "SHARE(smokes)"]),
)
questions = st.builds(
    lambda what, where, by: f"SELECT {', '.join(what)} {where} {by}",
    st.lists(taken, min_size=1, max_size=2),
    selected,
    grouped,
)


def _told(question, dataset):
    """For every group and statistic, the rows that it is of: by trying all of them."""
    grouping, found = grouping_of(question, dataset), []
    cells = range(len(grouping.places))
    groups = [(cell,) for cell in cells] if grouping.totals is None else grouping.totals.members
    for members in groups:
        places = {grouping.places[member] for member in members}
        for item in question.items:
            rows = []
            for index, row in enumerate(ROWS):
                number = 0
                for axis in grouping.axes:
                    cell, width = row[axis.bins.column], axis.bins.width
                    number = number * axis.size + (cell // width if cell >= 0 else axis.size - 1)
                counts = isinstance(item.statistic, Count)
                met = holds(question.where, row) and (not counts or holds(item.condition, row))
                if met and number in places:
                    rows.append(index)
            found.append(set(rows))
    return found


@settings(max_examples=300, deadline=None)
@given(questions, questions)
def test_what_is_put_together_are_the_rows_that_were_asked_for(dataset, asked, stored):
    try:
        ours, theirs = (settled(parse_sql(one, dataset), dataset) for one in (asked, stored))
        for one in (ours, theirs):
            grouping_of(one, dataset)
    except QuestionError:
        return
    found = portions(ours, theirs, dataset)
    if found is None:
        assert asked != stored
        return
    rows, many = _told(theirs, dataset), len(theirs.items)
    wanted = _told(ours, dataset)
    assert len(found) == len(wanted)
    for portion, want, item in zip(found, wanted, ours.items * len(found), strict=False):
        if isinstance(portion, Counted):
            assert isinstance(item.statistic, Rank)
            continue
        parts = [rows[group * many + portion.statistic] for group in portion.groups]
        assert set().union(*parts) == want
        assert sum(map(len, parts)) == len(want)
        other = theirs.items[portion.statistic]
        assert type(other.statistic) is type(item.statistic)
        assert isinstance(item.statistic, Count) or len(parts) == 1


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("SELECT COUNT(*) GROUP BY clinic", "SELECT COUNT(*) GROUP BY smokes, clinic"),
        ("SELECT COUNT(smokes)", "SELECT COUNT(*) GROUP BY smokes, clinic"),
        ("SELECT COUNT(*) WHERE clinic = 'B'", "SELECT AVG(mood), COUNT(*) GROUP BY clinic"),
        ("SELECT AVG(mood) WHERE clinic = 'B'", "SELECT AVG(mood), COUNT(*) GROUP BY clinic"),
        ("SELECT MEDIAN(mood)", "SELECT QUANTILE(mood, 0.25), QUANTILE(mood, 0.5)"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, 4)", "SELECT COUNT(*) GROUP BY BIN(mood, 2)"),
        ("SELECT COUNT(mood <= 2)", "SELECT COUNT(*) GROUP BY mood"),
        ("SELECT COUNT(mood <= 2)", "SELECT COUNT(*) GROUP BY CUMULATIVE(mood)"),
        ("SELECT COUNT(*) GROUP BY CUMULATIVE(mood)", "SELECT COUNT(*) GROUP BY mood"),
        ("SELECT COUNT(*) GROUP BY clinic", "SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)"),
    ],
)
def test_what_is_a_part_is_found(dataset, asked, stored):
    ours, theirs = (settled(parse_sql(one, dataset), dataset) for one in (asked, stored))
    assert portions(ours, theirs, dataset)
    assert portions(theirs, ours, dataset) is None
