"""One person moves a statistic by no more than the planner says, alone and over groups."""

import math
from collections import Counter
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.exact import Epsilon
from discreet.planning import Sharing, grouping_of, subject_of, true_index
from discreet.planning.candidates.by_rank import rows_away
from discreet.planning.candidates.ratio import rates
from discreet.questions.conditions import holds
from discreet.statistics import Added, Counts, Mode, Placed, Ratio
from discreet.tables import GAP
from planning.facts import COLUMNS, EVERYTHING, GAPPY, asked, dataset, tallied


def any_row(least):
    """A row of any values, from this index on: from that of a gap, or from the first value."""
    return st.fixed_dictionaries(
        {
            "mood": st.integers(least, 4),
            "weight": st.integers(least, 6),
            "clinic": st.integers(least, 2),
        }
    )


def histogram(rows, subject):
    """The oracle of counting_select: a histogram of the rows that a statistic is taken of.

    Where people are counted, of these: 1 for whoever has a row that meets the condition.
    """
    found, item = Counter(), subject.item
    if item.statistic.by_person:
        taken = [row for row in rows if holds(subject.taken, row) is True]
        met = {row["person"] for row in taken if holds(item.condition, row) is True}
        return {0: len({row["person"] for row in taken} - met), 1: len(met)}
    for row in rows:
        if holds(subject.taken, row) is True:
            if item.column is None:
                found[int(holds(item.condition, row) is True)] += 1
            else:
                found[row[item.column]] += 1
    return dict(found)


@st.composite
def neighbours(draw, change, per_person, public, least):
    """The rows of others, and of one person before and after."""
    one_row = any_row(least)
    others = [
        {**row, "person": place // per_person}
        for place, row in enumerate(draw(st.lists(one_row, max_size=4)))
    ]
    before = _of_one(draw(st.lists(one_row, min_size=1, max_size=per_person)))
    if not change:
        return others, [], before
    size = len(before) if public else None
    after = draw(st.lists(one_row, min_size=size or 1, max_size=size or per_person))
    return others, before, _of_one(after)


def _of_one(rows):
    return [{**row, "person": -1} for row in rows]


def moved(subject, one, other):
    """How much of ε two neighbouring histograms cost, in units of the mechanism's ε."""
    if isinstance(subject.form, Added):
        places = [true_index(subject, tallied(subject, table)) for table in (one, other)]
        apart = abs(places[0] - places[1])
        return math.ceil(apart / subject.steps) if apart else 0
    if isinstance(subject.form, Counts):
        apart = sum(abs(one.get(k, 0) - other.get(k, 0)) for k in range(3))
        return apart / subject.steps
    if isinstance(subject.form, Ratio):
        a, b = rates(subject, Epsilon.of(1).value, Epsilon.of("0.3").value)
        far = subject.size - 1
        sums = [sum((2 * i - far) * m for i, m in h.items()) for h in (one, other)]
        rows = [sum(h.values()) for h in (one, other)]
        return a * abs(sums[0] - sums[1]) + b * abs(rows[0] - rows[1])
    return int(one != other)


def assert_counts_move_as_proved(subject, counts):
    """Every count by at most c rows; where it is said, all of them the same way."""
    shift = counts[1] - counts[0]
    assert np.abs(shift).max() <= subject.rows_per_unit
    assert subject.change_one or (shift >= 0).all() or (shift <= 0).all()


COLUMNS_FROM = {0: COLUMNS, GAP: GAPPY}


@pytest.mark.parametrize("least", COLUMNS_FROM)
@pytest.mark.parametrize("where", ["", " WHERE NOT clinic = 'A'"])
@pytest.mark.parametrize("sql", EVERYTHING)
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data())
def test_one_person_is_one_step(sql, where, least, data):
    change, per_person, public = data.draw(
        st.tuples(st.booleans(), st.integers(1, 3), st.booleans())
    )
    others, before, after = data.draw(neighbours(change, per_person, public, least))
    one, other = others + before, others + after
    facts = dataset(
        max(len(one), len(other)),
        public=public and change,
        change=change,
        per_person=per_person,
        columns=COLUMNS_FROM[least],
    )
    question = asked(sql + where, facts)
    item = question.items[0]
    subject = subject_of(item, question, facts)
    if subject.size == 1:
        return
    tables = [histogram(rows, subject) for rows in (one, other)]
    assert moved(subject, *tables) <= 1
    if isinstance(subject.form, Placed):
        counts = np.zeros((2, subject.size), dtype=np.int64)
        for line, table in enumerate(tables):
            for index, many in table.items():
                counts[line, index] = many
        if isinstance(item.statistic, Mode):
            assert_counts_move_as_proved(subject, counts)
        else:
            away = rows_away(subject, counts)
            assert np.abs(away[0] - away[1]).max() <= subject.rows_per_unit


@pytest.mark.parametrize("least", COLUMNS_FROM)
@pytest.mark.parametrize("sql", EVERYTHING)
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data())
def test_groups_cost_what_is_charged(sql, least, data):
    by = data.draw(st.sampled_from(["clinic", "clinic, mood", "mood, clinic"]))
    change, per_person = data.draw(st.tuples(st.booleans(), st.integers(1, 3)))
    others, before, after = data.draw(neighbours(change, per_person, False, least))
    facts = dataset(
        9, public=False, change=change, per_person=per_person, columns=COLUMNS_FROM[least]
    )
    question = asked(f"{sql} GROUP BY {by}", facts)
    item = question.items[0]
    axes = grouping_of(question, facts).axes
    groups = math.prod(axis.size for axis in axes)
    subject = subject_of(item, question, facts, groups)
    sharing = Sharing.of(subject, facts, groups)

    def number(row):
        """The group of a row, the last column running fastest and gaps coming last."""
        found = 0
        for axis in axes:
            found = found * axis.size + row[axis.bins.column] % axis.size
        return found

    spent = 0
    for group in range(groups):
        tables = [
            histogram([row for row in rows if number(row) == group], subject)
            for rows in (others + before, others + after)
        ]
        spent += moved(subject, *tables)
    assert spent <= sharing.factor
    assert sharing.cost(Epsilon.of(1)).total == sharing.factor * 10**9


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.integers(0, 4), st.integers(0, 100))
def test_rows_to_change_is_the_least_number(rows, wanted, percent):
    """Changing d rows to the value makes it the answer, and no fewer will do."""
    facts = dataset(len(rows))
    question = asked(f"SELECT QUANTILE(mood, {percent / 100})", facts)
    subject = subject_of(question.items[0], question, facts)
    counts = np.bincount(rows, minlength=5)[None, :]
    away = int(rows_away(subject, counts)[0, wanted])
    needed = max(0, away)

    def reachable(changes):
        """Whether replacing the lowest or the highest rows by `wanted` leads there."""
        ordered = sorted(rows)
        for low in range(changes + 1):
            kept = ordered[low : len(rows) - (changes - low)]
            table = Counter([*kept, *[wanted] * changes])
            if true_index(subject, tallied(subject, table)) == wanted:
                return True
        return False

    assert reachable(needed)
    assert needed == 0 or not reachable(needed - 1)
    assert away > 0 or stays(subject, rows, wanted, -away)


def stays(subject, rows, answer, changes):
    """Whether it is the answer still, whichever so many rows become whatever they like."""
    for left in combinations(range(len(rows)), max(0, len(rows) - changes)):
        for others in combinations_with_replacement(range(5), len(rows) - len(left)):
            table = Counter([*(rows[place] for place in left), *others])
            if true_index(subject, tallied(subject, table)) != answer:
                return False
    return True
