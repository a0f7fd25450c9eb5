"""Counts that hold one another are running totals, where that errs less."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.joint.inversion import WeightedNoises, mean_size
from discreet.joint.sums import sum_error
from discreet.model import Grid
from discreet.planning import Wishes, plan
from discreet.planning.joint import weighing
from discreet.planning.joint.nested import NESTED_COUNTS, NestedTogether
from discreet.planning.planner import whole_of
from discreet.statistics import Moments
from discreet.tables import NumberColumn
from planning.facts import asked, dataset
from statistics_bounds import tail_bound

X = (NumberColumn("x", Grid.between(0, 59), None, True, complete=True),)
MANY = 20


def _sql(ends):
    return f"SELECT {', '.join(f'COUNT(x <= {end})' for end in ends)}"


NESTED = _sql(range(2, 2 * MANY + 1, 2))


def _planned(sql, *, change=False, epsilon="0.5", **wished):
    facts = dataset(100_000, public=False, change=change, columns=X)
    return plan(asked(sql, facts), facts, epsilon=epsilon, wishes=Wishes.of(**wished), cache=None)


def _mean_loss(made):
    return np.mean([part.chosen.figures.loss for part in made.parts])


@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(1, 2), Fraction(2)])
@pytest.mark.parametrize(("many", "of"), [(1, None), (4, None), (1, 6), (3, 6)])
def test_mean_sizes_are_those_of_sums_of_noises_or_hardly_more(rate, many, of):
    weights = np.ones(many)
    if of is not None:
        weights = np.concatenate([weights, np.zeros(of - many)])
        weights -= weights.mean()
    found = mean_size([WeightedNoises(weights, rate, of is not None)])
    exact = sum_error(many, rate, of=of)
    assert exact * (1 - 1e-6) <= found <= exact * 1.001 + 0.02


@pytest.fixture(scope="module")
def made():
    """The plan of all of them."""
    return _planned(NESTED, unbiased=True)


def test_many_nested_counts_are_running_totals(made, monkeypatch):
    (joined,) = made.joined
    assert isinstance(joined.release, NestedTogether)
    assert joined.epsilon == Epsilon.of("0.5")
    assert joined.release.body["relation"] == "add-or-remove"
    assert made.cost.total == 500_000_000
    without = tuple(one for one in weighing.JOINERS if one is not NESTED_COUNTS)
    monkeypatch.setattr(weighing, "JOINERS", without)
    assert _mean_loss(made) < _mean_loss(_planned(NESTED, unbiased=True))


@pytest.mark.parametrize("sql", [
    _sql(range(2, 9)),  # too few
    f"{NESTED}, COUNT(x = 3)",  # one that holds no other
])  # fmt: skip
def test_others_are_answered_as_before(sql):
    facts = dataset(900, public=False, change=False, columns=X)
    assert NESTED_COUNTS.sets(whole_of(asked(sql, facts), facts, Wishes())) == []


def test_what_is_told_never_falls_in_whatever_order_it_was_asked():
    """Counts of a made-up table, asked from the largest to the smallest."""
    facts = dataset(100_000, public=False, change=False, columns=X)
    whole = whole_of(asked(_sql(range(2 * MANY, 0, -2)), facts), facts, Wishes())
    release = NESTED_COUNTS.make(whole, tuple(range(MANY)), Epsilon.of("0.5")).release
    tables = [[Moments(400, count)] for count in range(10 * MANY, 0, -10)]
    told = [one.draw().value for (one,) in release.ready(tables, Fraction(19, 20))]
    assert told == sorted(told, reverse=True)
    assert all(isinstance(one, int) and 0 <= one <= 100_000 for one in told)


def test_intervals_hold_as_often_as_they_say(made):
    true = list(range(300, 300 + 7 * MANY, 7))
    tables = [[Moments(5_000, count)] for count in true]
    draws, held, off = 150, np.zeros(MANY), np.zeros(MANY)
    for _ in range(draws):
        for place, (one,) in enumerate(made.ready(tables).draw()):
            low, high = one.interval
            held[place] += low <= true[place] <= high
            off[place] += abs(one.value - true[place]) / draws
    for times in held.astype(int).tolist():
        assert times >= 0.95 * draws or tail_bound(times, draws, 0.95) > 1e-9
    errors = np.array([part.chosen.figures.expected for part in made.parts])
    assert 0.6 < off.mean() / errors.mean() < 1.4


def test_no_distance_is_promised_of_what_is_made_to_fit():
    facts = dataset(900, public=False, change=False, columns=X)
    whole = whole_of(asked(NESTED, facts), facts, Wishes())
    (places,) = NESTED_COUNTS.sets(whole)
    assert NESTED_COUNTS.least(whole, places, Fraction(100)) == []
