"""Percentiles that are told hold in every table, by the exact law."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import Epsilon
from discreet.planning import Task, Wishes, choose, plan, subject_of
from discreet.planning.candidates.rank_rules import plain_rule
from discreet.planning.percentiles import percentile_range, percentiles_of, rows_behind
from discreet.planning.releases.choice import flipped
from discreet.planning.releases.ranks import RankRule, Target
from discreet.planning.releases.release import DrawnRows
from discreet.statistics import Rank, Tally
from planning.facts import asked, dataset

SHARES = [Fraction(one) for one in ("0", "0.1", "1/3", "1/2", "0.9", "1")]


def row_at(share, rows):
    """The place of a percentile among rows in order, from 1."""
    return Rank(share).of(rows)


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40),
    st.sampled_from(SHARES),
    st.integers(0, 40),
    st.integers(1, 40),
)
def test_a_value_so_many_rows_off_lies_between_the_percentiles(rows, share, off, fewer):
    """For the number of rows, and for any bound below it."""
    counts = np.bincount(rows, minlength=7)
    away, ordered = Rank(share).rows_to_change(counts), sorted(rows)
    for known in (len(rows), min(fewer, len(rows))):
        low, high = percentile_range(share, off, known)
        for value in np.flatnonzero(away <= off):
            assert low == 0 or value >= ordered[row_at(low, len(rows)) - 1]
            assert high == 1 or value <= ordered[row_at(high, len(rows)) - 1]


def test_of_no_rows_nothing_is_said():
    assert percentile_range(Fraction(1, 2), 0, 0) == (0, 1)


@pytest.mark.parametrize("ask", ["MIN(mood)", "MEDIAN(mood)", "QUANTILE(mood, 0.9)", "MAX(mood)"])
def test_the_percentiles_of_a_plan_hold_at_its_confidence(ask):
    """Rows spread in many ways: the law of what is told, summed over values outside."""
    facts = dataset(60)
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes.of(mechanism="by rank")
    best = choose(Task(subject, wishes, Epsilon.of("0.8"), cache=None)).best
    low, high = percentiles_of(subject, wishes, best)
    assert (low, high) != (0, 1)
    for counts in ([60, 0, 0, 0, 0], [12] * 5, [29, 1, 0, 1, 29], [1, 2, 4, 8, 45]):
        ordered = np.repeat(np.arange(5), counts)
        law = best.release.law(Tally(np.array(counts)))
        first = ordered[row_at(low, 60) - 1] if low > 0 else -1
        last = ordered[row_at(high, 60) - 1] if high < 1 else 5
        outside = sum(
            chance
            for value, chance in zip(law.answers, law.chances, strict=True)
            if not first <= value <= last
        )
        assert outside <= 0.05


@pytest.mark.parametrize("starts", [(0, 1, 2, 3), (0, 1, 3)])
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(-3, 4), Fraction(1)])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10)])
def test_each_side_of_a_tuned_choice_has_its_own_rows_off(share, shift, starts):
    """All tables of 12 rows, by the law: runs beyond a side are chosen no more than is said."""
    rule = RankRule(
        target=Target(share=share, shift=shift),
        starts=starts,
        told=starts,
        down=Fraction(7, 10),
        up=Fraction(13, 10),
        leanings=tuple(Fraction(-k, 10) for k in range(len(starts))),
    )
    tables = np.array([one for one in product(range(13), repeat=4) if sum(one) == 12])
    chances = flipped(rule.scores(tables))
    up_to, rank = np.cumsum(tables, axis=1), Rank(share).of(12)
    ends = np.array([*starts[1:], 4]) - 1
    reached, below = up_to[:, ends], (up_to - tables)[:, list(starts)]
    for failure in (0.05, 0.4):
        too_low, too_high = rule.rows_off_by_side(failure, 1000)
        far = (reached <= rank - 1 - too_low) | (below >= rank + too_high)
        assert (chances * far).sum(axis=1).max() <= failure
    assert max(rule.rows_off_by_side(0.05, 1000)) == rule.rows_off(0.05, 1000, maybe_none=False)


def test_no_fewer_rows_off_would_hold():
    """Of a maximum the worst table is known: a few rows at the top, the others at the bottom."""
    values, rows = 20, 200
    rule = plain_rule(Fraction(1), values, Fraction(1, 2), one_way=False)
    off, too_high = rule.rows_off_by_side(0.05, rows)
    assert (too_high, rule.rows_off(0.05, rows, maybe_none=False)) == (1, off)
    for at_the_top, holds in ((off + 1, True), (off, False)):
        table = np.zeros(values, dtype=np.int64)
        table[0], table[-1] = rows - at_the_top, at_the_top
        chances = flipped(rule.scores(table[None, :]))[0]
        assert (chances[:-1].sum() <= 0.05) == holds


def test_private_numbers_of_rows_have_no_percentiles_and_others_none_at_all():
    private = dataset(60, public=False)
    for ask in ("MEDIAN(mood)", "MODE(clinic)", "COUNT(*)"):
        made = plan(asked(f"SELECT {ask}", private), private, epsilon="0.8")
        part = made.parts[0]
        assert percentiles_of(part.subject, Wishes(), part.chosen) is None


@pytest.mark.parametrize("rows", [10, 200])
def test_as_many_rows_off_as_there_may_be_is_told_as_anywhere(rows):
    """Of fewer rows it says no more, so nothing need be known of how many there are."""
    facts = dataset(rows, public=False)
    question = asked("SELECT MEDIAN(mood)", facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes.of(mechanism="by rank")
    best = choose(Task(subject, wishes, Epsilon.of("0.2"), cache=None)).best
    off = best.figures.rows_off
    nothing = all(percentile_range(Fraction(1, 2), off, n) == (0, 1) for n in range(rows + 1))
    assert nothing == (rows == 10)
    assert percentiles_of(subject, wishes, best) == ((0, 1) if nothing else None)


def test_a_drawn_number_of_rows_divides_by_the_fewest_and_takes_half_of_the_failures():
    facts = dataset(400)
    question = asked("SELECT MEDIAN(mood) GROUP BY clinic", facts)
    part = plan(question, facts, epsilon=3).parts[0]
    near, far = (
        percentiles_of(part.subject, Wishes(), part.chosen, DrawnRows(200, fewest, False))
        for fewest in (180, 60)
    )
    assert far[0] < near[0] < Fraction(1, 2) < near[1] < far[1]
    share = Fraction(1, 2)
    bare = percentile_range(share, part.chosen.figures.rows_off, 180)
    assert near[0] < bare[0] < bare[1] < near[1]


def test_percentiles_of_a_population_are_wider():
    facts = dataset(400)
    question = asked("SELECT MEDIAN(mood)", facts)
    subject = subject_of(question.items[0], question, facts)
    spans = []
    for about in ("table", "population"):
        wishes = Wishes.of(mechanism="by rank", about=about)
        best = choose(Task(subject, wishes, Epsilon.of(1), cache=None)).best
        spans.append(percentiles_of(subject, wishes, best))
    (low, high), (lower, higher) = spans
    assert lower < low < high < higher


@pytest.mark.parametrize("where", ["", " WHERE mood > 1"])
@pytest.mark.parametrize("epsilon", ["0.5", "2", "5"])
def test_a_mode_by_database_is_no_further_behind_than_is_told(epsilon, where):
    """Every table, by its own column: one row less would be too few in some table."""
    facts = dataset(6)
    question = asked(f"SELECT MODE(clinic){where}", facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes.of(mechanism="by database")
    best = choose(Task(subject, wishes, Epsilon.of(epsilon), cache=None)).best
    told = rows_behind(subject, best.figures)
    worst = dict.fromkeys((told - 1, told), 0.0)
    for counts in product(range(7), repeat=3):
        if sum(counts) == 6 or (where and sum(counts) < 6):
            law = best.release.law(Tally(np.array(counts)))
            behind = max(counts) - np.array(counts)
            for most in worst:
                worst[most] = max(worst[most], float(np.array(law.chances)[behind > most].sum()))
    assert worst[told] <= 0.05
    assert told == 0 or worst[told - 1] > 0.05
