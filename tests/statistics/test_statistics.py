"""Laws of every statistic: answers lie in their form, and one row moves them as it says."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import QuestionError
from discreet.model import Grid, Labels, Relation
from discreet.statistics import (
    HOLDS,
    NAMES,
    Added,
    Counts,
    Deviation,
    FromSums,
    Mean,
    Mode,
    Placed,
    Placing,
    QuartileRange,
    Range,
    Rank,
    Ratio,
    Rows,
    Sum,
    Takes,
    Tally,
    Top,
    check_column,
)

WORDS = Labels.of(["A", "B", "C"])
GRIDS = [Grid.between(0, 4), Grid.between("-1", "2", "0.5"), Grid.between("1/3", "7/3", "1/3")]


def made(words):
    """A statistic by its name, with the parameter of its example."""
    return words.make(words.parameter and words.parameter.read(words.parameter.example))


def spaces(words):
    """What it may be taken of."""
    if words.takes.of_rows:
        return [HOLDS]
    return [space for space in (*GRIDS, WORDS) if words.takes.suits(space)]


CASES = [(words.name, space) for words in NAMES.values() for space in spaces(words)]
rows_of = st.lists(st.integers(0, 1000), min_size=1, max_size=9)


@pytest.mark.parametrize(("name", "space"), CASES)
@given(rows_of, st.integers(0, 1000), st.sampled_from(Relation))
def test_one_row_moves_the_answer_as_the_form_says(name, space, some, another, how):
    statistic = made(NAMES[name])
    some = [one % len(space) for one in some]
    other = [*some[:-1], another % len(space)] if how is not Relation.ADD_OR_REMOVE else some[:-1]
    pair = NAMES[name].takes is Takes.PAIRS
    rows = Rows(values=space, most=len(some), relation=how, others=(space,) if pair else ())
    form = statistic.form(rows)
    if not isinstance(form, Added | Placed):
        assert isinstance(form, Ratio | Counts | FromSums)
        return
    one, two = (
        statistic.place(Tally.of(Counter(table), len(space)), form) for table in (some, other)
    )
    assert 0 <= one < form.size
    assert 0 <= two < form.size
    assert isinstance(form, Placed) or abs(one - two) <= form.steps


@pytest.mark.parametrize("grid", GRIDS)
@given(some=rows_of, relation=st.sampled_from(Relation))
def test_sums_and_means_are_told_at_their_place(grid, some, relation):
    some = [one % len(grid) for one in some]
    rows = Rows(values=grid, most=len(some), relation=relation)
    table = np.bincount(some, minlength=len(grid))[None, :]
    for statistic in (Sum(), Mean()):
        form = statistic.form(rows)
        if isinstance(form, Added):
            told = form.start + form.unit * statistic.place(Tally(table[0]), form)
            assert [told] == statistic.numbers(table, grid)


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(sum), min_size=1),
    st.fractions(0, 1, max_denominator=12),
)
def test_tables_together_are_as_tables_one_by_one(tables, share):
    together = np.array(tables)
    placed = Placed(Grid.between(0, 3))
    for statistic in (Rank(share), Mode(), Range(), QuartileRange()):
        distances = statistic.rows_away, statistic.rows_to_change, statistic.rows_to_add_or_remove
        for told in distances:
            assert told(together).tolist() == [told(np.array(one)).tolist() for one in tables]
        places = statistic.places(together).tolist()
        changes = statistic.rows_to_change(together)
        assert [changes[line, place] for line, place in enumerate(places)] == [0] * len(tables)
        if isinstance(statistic, Placing):
            assert places == [statistic.place(Tally(np.array(one)), placed) for one in tables]


def _tables(values, rows):
    """All tables of so many rows, as counts by value."""
    for chosen in combinations_with_replacement(range(values), rows):
        yield tuple(chosen.count(value) for value in range(values))


@pytest.mark.parametrize("rows", range(2, 8))
def test_so_many_rows_must_change_for_an_interquartile_range(rows):
    """By a walk over all tables, from those that have it."""
    values = 4
    tables = {one: np.array(one) for one in _tables(values, rows)}
    told = {one: QuartileRange().rows_to_change(table) for one, table in tables.items()}
    for width in range(values):
        steps = {one: 0 for one, table in tables.items() if QuartileRange().places(table) == width}
        waiting = list(steps)
        for one in waiting:
            for gone, comes in permutations(range(values), 2):
                moved = [
                    many - (place == gone) + (place == comes) for place, many in enumerate(one)
                ]
                if one[gone] and tuple(moved) not in steps:
                    steps[tuple(moved)] = steps[one] + 1
                    waiting.append(tuple(moved))
        assert steps == {one: away[width] for one, away in told.items()}


@pytest.mark.parametrize(
    "name", [words.name for words in NAMES.values() if isinstance(made(words), Placing)]
)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=6), st.data())
def test_one_row_moves_every_distance_by_one_at_most(name, table, data):
    places = st.integers(0, len(table) - 1)
    other = list(table)
    if any(table) and data.draw(st.booleans()):
        held = [place for place in range(len(table)) if table[place]]
        other[data.draw(st.sampled_from(held))] -= 1
    if other == table or data.draw(st.booleans()):
        other[data.draw(places)] += 1
    statistic, tables = made(NAMES[name]), np.array([table, other])
    for one, two in (statistic.rows_to_change(tables), statistic.rows_away(tables)):
        assert np.abs(one - two).max() <= 1


@pytest.mark.parametrize(
    ("statistic", "space", "message"),
    [
        (
            Sum(),
            WORDS,
            "sum needs numbers, but x holds words; "
            "ask for MODE, TOP, COUNT_DISTINCT or counts of it",
        ),
        (
            Mean(),
            Labels.of(["false", "true"]),
            "mean needs numbers, but x is true or false; ask for SHARE or COUNT of it",
        ),
        (Top(2), GRIDS[0], "TOP counts words, but x holds numbers; group by bins"),
        (Top(4), WORDS, "TOP(x, r) needs r from 1 to 3, a whole number, got 4"),
        (Top(True), WORDS, "TOP(x, r) needs r from 1 to 3, a whole number, got True"),
        (Rank(Fraction(2)), GRIDS[0], "QUANTILE(x, p) needs p from 0 to 1, got 2"),
        (
            Deviation(),
            Grid(Fraction(0), Fraction(1), 1),
            "STDDEV measures how values vary, but x has only one possible value; ask about a "
            "column with several",
        ),
    ],
)
def test_what_does_not_suit_a_column_is_refused_in_words(statistic, space, message):
    with pytest.raises(QuestionError) as caught:
        check_column(statistic, "x", space)
    assert str(caught.value) == message
