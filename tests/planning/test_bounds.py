"""Bounds for every table: private and covering, by the exact law on every small table."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.errors import QuestionError
from discreet.exact import Epsilon
from discreet.model import Grid
from discreet.planning import Task, Wishes, choose, plan, subject_of
from discreet.planning.candidates.bounds import bounds_of, without_bounds
from discreet.planning.releases.bounds import Bound, BoundedRelease, Place, least_shift, rows_needed
from discreet.statistics import Rank, Tally
from discreet.tables import NumberColumn
from planning.facts import COLUMNS, asked, dataset
from statistics_bounds import misfits

VALUES = 4
TABLES = [np.array(line) for line in product(range(6), repeat=VALUES) if sum(line) <= 5]
SHARES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
RUNS = [(0, 1, 2, 3), (0, 2), (0, 1, 3), (0,)]
AGE = NumberColumn("age", Grid.between(0, 100), Fraction(0), True)


def bound_at(place, starts, rate, failure):
    shift = least_shift(len(starts), rate, failure, 1000)
    return Bound(place=place, starts=starts, values=VALUES, shift=shift, rate=rate)


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(4), Fraction(11)])
@pytest.mark.parametrize("from_above", [False, True])
@pytest.mark.parametrize("share", SHARES)
def test_a_bound_holds_in_every_table_as_often_as_is_said(share, from_above, rate):
    """Empty tables have no answer: then only the declared end bounds whatever is meant."""
    place = Place(share=share, from_above=from_above)
    for starts, failure in product(RUNS, (Fraction(1, 40), Fraction(1, 4))):
        bound = bound_at(place, starts, rate, failure)
        told = bound.told
        for counts in TABLES:
            end = VALUES - 1 if from_above else 0
            truth = int(Rank(share).places(counts)) if counts.any() else end
            wrong = told < truth if from_above else told > truth
            assert bound.chances(counts[None, :])[0][wrong].sum() <= float(failure) * (1 + 1e-9)


@pytest.mark.parametrize("sampling", [None, Fraction(1, 3)])
@pytest.mark.parametrize("from_above", [False, True])
@pytest.mark.parametrize("share", SHARES)
def test_a_row_that_comes_goes_or_changes_costs_a_bound_its_rate_at_most(
    share, from_above, sampling
):
    place = Place(share=share, from_above=from_above, sampling=sampling, public=False)
    rate, worst = Fraction(7, 10), 0.0
    for shift, starts in product((0, 2), RUNS):
        bound = Bound(place=place, starts=starts, values=VALUES, shift=shift, rate=rate)
        law = {
            tuple(counts.tolist()): np.log(bound.chances(counts[None, :])[0]) for counts in TABLES
        }
        for one, logs in law.items():
            more = [(*one[:at], one[at] + 1, *one[at + 1 :]) for at in range(VALUES)]
            fewer = [(*x[:at], x[at] - 1, *x[at + 1 :]) for x in more for at in range(VALUES)]
            for other in (*more, *fewer):
                if other in law:
                    worst = max(worst, float(np.abs(logs - law[other]).max()))
    assert 0.5 * float(rate) < worst <= float(rate) + 1e-9


def test_runs_are_drawn_by_their_law():
    place = Place(share=Fraction(1, 2), from_above=True)
    bound = Bound(place=place, starts=(0, 1, 3), values=4, shift=1, rate=Fraction(2))
    counts = np.array([1, 2, 0, 2])
    draw = bound.sampler(counts)
    assert misfits([draw() for _ in range(3000)], bound.chances(counts[None, :])[0].tolist()) == []


def median_of(rows, **given):
    facts = dataset(rows, columns=(AGE, COLUMNS[2]), **given)
    question = asked("SELECT MEDIAN(age)", facts)
    return subject_of(question.items[0], question, facts)


@pytest.mark.parametrize("ask", ["MEDIAN", "MIN", "MAX"])
@pytest.mark.parametrize("public", [True, False])
def test_estimate_and_bounds_cost_what_is_charged(ask, public):
    facts = dataset(500, public=public, columns=(AGE,))
    made = plan(
        asked(f"SELECT {ask}(age)", facts),
        facts,
        epsilon="1",
        wishes=Wishes.of(interval="every table"),
        cache=None,
    )
    part = made.parts[0]
    release = part.chosen.release
    assert isinstance(release, BoundedRelease)
    bought = sum(bound.rate for bound in (release.lower, release.upper) if bound is not None)
    assert bought == Fraction(1, 2)
    assert part.chosen.epsilon == Epsilon.of(1)
    half = choose(Task(part.subject, Wishes(), Epsilon.of("0.5"), cache=None)).best
    assert (release.within.certificate, half.name) == (half.certificate, part.chosen.name)
    assert made.cost.total == Epsilon.of(1).billionths


@pytest.mark.parametrize(
    "rows", [{30: 400}, {0: 200, 100: 200}, {0: 400}, dict.fromkeys(range(100), 4)]
)
def test_the_interval_holds_the_answer_and_the_estimate(rows):
    """Every pair of bounds, weighed by its chance, and widened by nothing."""
    subject = median_of(400)
    counts = Tally.of(rows, 101)
    lower, upper = bounds_of(subject, Wishes(), Epsilon.of(1))
    truth = int(Rank(Fraction(1, 2)).places(counts.counts))
    table = counts.counts[None, :]
    below, above = lower.told > truth, upper.told < truth
    missed = lower.chances(table)[0][below].sum() + upper.chances(table)[0][above].sum()
    assert missed <= 0.05
    made = choose(Task(subject, Wishes.of(interval="every-table"), Epsilon.of(1), cache=None)).best
    for _ in range(50):
        drawn = made.release.ready(counts, Fraction(19, 20)).draw()
        assert 0 <= drawn.interval[0] <= drawn.value <= drawn.interval[1] <= 100


def test_a_declared_end_costs_nothing_and_the_other_side_has_it_all():
    lowest = subject_of(
        asked("SELECT MIN(age)", facts := dataset(500, columns=(AGE,))).items[0],
        asked("SELECT MIN(age)", facts),
        facts,
    )
    lower, upper = bounds_of(lowest, Wishes(), Epsilon.of(1))
    assert lower is None
    assert upper.rate == Fraction(1, 2)
    both = least_shift(len(upper.starts), Fraction(1, 4), Fraction(1, 40), 500)
    assert upper.shift < both


@pytest.mark.parametrize("billionths", range(1, 12))
def test_of_few_billionths_bounds_and_estimate_cost_no_more_than_these(billionths):
    """Where many rows would let a bound be found at a billionth."""
    facts = dataset(10**12, columns=(AGE,))
    question = asked("SELECT MEDIAN(age)", facts)
    subject, epsilon = subject_of(question.items[0], question, facts), Epsilon(billionths)
    if billionths < 4:
        with pytest.raises(QuestionError, match="too small"):
            bounds_of(subject, Wishes(), epsilon)
        return
    bought = sum(bound.rate for bound in bounds_of(subject, Wishes(), epsilon))
    estimate = without_bounds(Task(subject, Wishes(), epsilon)).epsilon
    assert bought + estimate.value == epsilon.value


def test_an_epsilon_too_small_says_what_would_do():
    subject = median_of(20)
    with pytest.raises(QuestionError) as problem:
        bounds_of(subject, Wishes.of(interval="every-table"), Epsilon.of("0.5"))
    told = str(problem.value)
    assert "ε = 0.5 is too small" in told
    least = Epsilon.of(told.split("spend at least ε = ")[1].split(",", maxsplit=1)[0])
    assert any(bounds_of(subject, Wishes(), least))
    with pytest.raises(QuestionError):
        bounds_of(subject, Wishes(), Epsilon(math.floor(least.billionths * 0.9)))


def test_rows_needed_is_the_least_number_that_helps():
    lower, _ = bounds_of(median_of(4000, public=False, change=False), Wishes(), Epsilon.of(1))
    least = rows_needed(lower)
    assert lower.place.of(least) > lower.shift >= lower.place.of(least - 1)


@pytest.mark.parametrize("ask", ["MODE(clinic)", "TOP(clinic, 2)", "SPREAD(age)"])
def test_what_has_no_such_interval_says_what_has(ask):
    facts = dataset(200, columns=(AGE, COLUMNS[2]))
    for wish in ({"interval": "every-table"}, {"about": "population"}):
        with pytest.raises(QuestionError, match="is available for COUNT, SHARE, SUM, AVG, MIN"):
            plan(asked(f"SELECT {ask}", facts), facts, epsilon=1, wishes=Wishes.of(**wish))


def test_a_width_cannot_be_promised_before_the_rows_are_read():
    facts = dataset(200, columns=(AGE,))
    wishes = Wishes.of(interval="every-table")
    with pytest.raises(QuestionError, match="depends on the rows; use epsilon=1 instead"):
        plan(asked("SELECT MEDIAN(age)", facts), facts, within=3, wishes=wishes)
