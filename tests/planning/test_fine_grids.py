"""Order statistics of very many values, of as many rows as may be declared."""

import math
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import Epsilon, enclosed, working_precision
from discreet.joint.magnitudes import power_table
from discreet.joint.quantile_law import chances
from discreet.joint.quantile_score import QuantileScore
from discreet.joint.quantiles import MOST_RUNS, QuantileChoice
from discreet.model import Grid, Relation
from discreet.planning import Wishes, plan
from discreet.planning.judging import judging_of
from discreet.planning.releases.quantiles import QuantileLaw
from discreet.planning.releases.rows_off import FarRuns
from discreet.planning.releases.thinned import by_run, thinned
from discreet.planning.subjects.subject import extremes
from discreet.statistics import Tally, ThinTally
from discreet.tables import NumberColumn
from discreet.tables.dataset_file import MOST_ROWS
from planning.facts import COLUMNS, asked, dataset

VALUES = 200_001
FINE = NumberColumn("income", Grid.between(0, VALUES - 1), Fraction(0), True, complete=True)
ASKS = (
    "SELECT MEDIAN(income)",
    "SELECT MAX(income) WHERE clinic = 'A'",
    "SELECT QUANTILE(income, 0.9) GROUP BY clinic",
    "SELECT MIN(income), MEDIAN(income), MAX(income)",
)


def facts(rows, **more):
    return dataset(rows, columns=(*COLUMNS, FINE), **more)


def drawn_at_the_ends(made, confidence=Fraction(19, 20)):
    """What is told of the extreme tables, statistic by statistic."""
    for part in made.parts:
        for counted in extremes(part.subject):
            if part.joined is None:
                yield part, counted, part.chosen.release.ready(counted, confidence).draw()


@pytest.mark.parametrize("rows", [1_000, MOST_ROWS])
@pytest.mark.parametrize("ask", ASKS)
def test_two_hundred_thousand_values_are_planned_and_answered(ask, rows):
    known = facts(rows, public="WHERE" not in ask)
    tracemalloc.start()
    try:
        made = plan(asked(ask, known), known, epsilon=1, cache=None)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 200 << 20
    for part, counted, told in drawn_at_the_ends(made):
        assert 0 <= told.value < VALUES
        if counted.rows == MOST_ROWS and 0 < part.subject.statistic.share < 1:  # none is near
            assert told.value == (VALUES - 1) * int(counted.counts[-1] > 0)
        assert part.chosen.figures.rows_off < rows


def test_bounds_of_every_table_hold_on_fine_grids_and_many_rows():
    known = facts(MOST_ROWS)
    wishes = Wishes.of(interval="every-table")
    made = plan(asked("SELECT MEDIAN(income)", known), known, epsilon=1, wishes=wishes, cache=None)
    for _, counted, told in drawn_at_the_ends(made):
        low, high = told.interval
        assert low <= (VALUES - 1) * int(counted.counts[-1] > 0) <= high


@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(10**9), Fraction(10**13, 3)])
def test_powers_far_below_all_floats_are_enclosed_in_words(rate):
    table = power_table(rate, 5)
    with working_precision(300):
        for k, word, power in zip(range(5), table.mantissas, table.exponents, strict=True):
            low = flint.arb(int(word)) * flint.arb(2) ** int(power)
            true = enclosed(-rate * k).exp()
            assert low <= true <= low * (1 + flint.arb(2) ** -59)


def calls_of(work):
    """How many functions are called, of Python and of C."""
    found = 0

    def count(_frame, event, _argument):
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    "ask",
    [
        "SELECT MEDIAN(income)",
        "SELECT AVG(mood) WHERE clinic = 'A'",
        "SELECT COUNT(*) GROUP BY clinic",
        "SELECT STDDEV(mood), COUNT(mood)",
        "SELECT QUANTILE(mood, 0.25), QUANTILE(mood, 0.75)",
    ],
)
def test_a_plan_does_no_work_that_grows_with_the_declared_rows(ask):
    """Searches over numbers of rows take a step more where these double, and nothing else does."""
    plan(asked(ask, facts(10**4)), facts(10**4), epsilon=1, cache=None)  # imports, and what is kept

    def calls(rows):
        known = facts(rows)
        question = asked(ask, known)
        return calls_of(lambda: plan(question, known, epsilon=1, cache=None))

    small, large = calls(10**6 + 7), calls(10**9 + 7)
    assert large <= 1.25 * small + 2_000


@given(
    held=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4),
    places=st.sets(st.integers(0, 11), min_size=3, max_size=3),
    run=st.integers(1, 5),
    starts=st.sets(st.integers(1, 11), max_size=4),
)
def test_thin_tables_say_what_full_ones_say(held, places, run, starts):
    where = np.array(sorted(places))
    thin = [ThinTally(where.copy(), np.array(line), 12) for line in held]
    full = [Tally(one.counts) for one in thin]
    assert [one.total for one in thin] == [one.total for one in full]
    cuts = (0, *sorted(starts))
    wanted = np.add.reduceat([one.counts for one in full], cuts, axis=1)
    assert by_run(thin, cuts).tolist() == by_run(full, cuts).tolist() == wanted.tolist()
    for tables in (thin, full):
        cells = thinned(tables, run)
        assert cells.ways.sum() == -(-12 // run)
        ends = np.append(0, np.cumsum(cells.ways)) * run
        counted = [
            [line[a:b].sum() for a, b in pairwise(ends)] for line in (one.counts for one in full)
        ]
        assert cells.counts.tolist() == counted


def test_the_law_of_runs_of_values_is_that_of_their_choice():
    """In cells, as plans work it out, and run by run, as it is drawn."""
    score = QuantileScore((Fraction(1, 4), Fraction(1, 2)), Relation.CHANGE)
    choice = QuantileChoice.of(score, Epsilon.of(1), values=2_002, most_rows=60)
    choice = replace(choice, run=2)
    dice = np.random.default_rng(7)
    where = np.sort(dice.choice(2_002, 30, replace=False))
    tables = [ThinTally(where, dice.multinomial(60, np.full(30, 1 / 30)), 2_002) for _ in range(3)]
    law = QuantileLaw.of(choice, tables)
    plain = chances(choice, [one.counts for one in tables])
    told = np.array([choice.place(run) for run in range(choice.runs)])
    assert law.likely.sum(axis=2) == pytest.approx(np.ones((2, 3)))
    means = (law.likely * law.places).sum(axis=2)
    assert means == pytest.approx((plain * told).sum(axis=2), rel=2e-3)


def test_so_many_values_together_are_told_in_runs():
    score = QuantileScore((Fraction(0), Fraction(1)), Relation.CHANGE)
    assert QuantileChoice.of(score, Epsilon.of(1), values=MOST_RUNS, most_rows=9).run == 1
    assert QuantileChoice.of(score, Epsilon.of(1), values=VALUES, most_rows=9).run == 4


@given(
    runs=st.integers(1, 40),
    rates=st.tuples(st.floats(0.01, 2), st.floats(0.01, 2)),
    firsts=st.tuples(st.floats(0.1, 2), st.floats(0.1, 2)),
    rows=st.tuples(st.integers(0, 30), st.integers(0, 30)),
)
def test_four_runs_say_how_far_all_are_where_none_is_favoured(runs, rates, firsts, rows):
    """Against every run that may be aimed at, by the definition of what is missed."""
    low, high = rows
    far = FarRuns(
        leanings=np.zeros(runs), up=rates[0], down=rates[1], first_low=firsts[0],
        first_high=firsts[1], slack=0.0, least=(0, 0), most=(100, 100),
    )  # fmt: skip
    below = math.exp(-rates[0] * (low + firsts[0]))
    above = math.exp(-rates[1] * (high + firsts[1]))
    worst = 0.0
    for place in range(runs):
        coins = [below] * place + [above] * (runs - 1 - place)
        if coins:
            largest, many = max(coins), 1 + sum(coins) / max(coins)
            hits = -math.expm1(many * math.log1p(-largest)) / (many * largest)
            worst = max(worst, 1 - hits)
    assert far.missed(low, high) == pytest.approx(worst, rel=1e-9, abs=1e-11)


def test_judged_tables_of_fine_grids_are_kept_thin():
    known = facts(1_000)
    made = plan(asked("SELECT MEDIAN(income)", known), known, epsilon=1, cache=None)
    assert all(isinstance(one, ThinTally) for one in judging_of(made.parts[0].subject).tables)
