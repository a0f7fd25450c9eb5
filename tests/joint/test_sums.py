"""Sums of noises: laws and bounds, against sums over all noises written out here."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.joint.sums import (
    sum_chances,
    sum_error,
    sum_reach,
    sum_reaches,
    sum_variance,
    weighted_reach,
)

SURE = Fraction(19, 20)


def _enumerated(many, rate, of, far):
    """The law of the sum of the first noises, by every noise there is near 0."""
    cells = many if of is None else of
    weights = {}
    for noise in itertools.product(range(-far, far + 1), repeat=cells - (of is not None)):
        full = noise if of is None else (*noise, -sum(noise))
        weight = math.exp(-rate * sum(map(abs, full)))
        told = sum(full[:many])
        weights[told] = weights.get(told, 0.0) + weight
    total = sum(weights.values())
    return {told: weight / total for told, weight in weights.items()}


@pytest.mark.parametrize(
    ("many", "rate", "of", "far"),
    [(1, 2, None, 12), (2, 2, None, 12), (3, 3, None, 8), (1, 2, 3, 12), (2, 2, 4, 10)],
)
def test_the_law_of_a_sum_is_that_of_all_noises_added_up(many, rate, of, far):
    law = _enumerated(many, rate, of, far)
    told = sum_chances(many, Fraction(rate), of=of)
    assert told[:4].tolist() == pytest.approx([law[t] for t in range(4)], rel=1e-5)
    assert told[:4].tolist() == pytest.approx([law[-t] for t in range(4)], rel=1e-5)
    error = sum(abs(t) * chance for t, chance in law.items())
    assert sum_error(many, Fraction(rate), of=of) == pytest.approx(error, rel=1e-4)
    variance = sum(t * t * chance for t, chance in law.items())
    assert sum_variance(many, Fraction(rate), of=of) == pytest.approx(variance, rel=1e-3)


@pytest.mark.parametrize("of", [None, 50])
@pytest.mark.parametrize("many", [1, 5, 25])
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 20)])
def test_a_reach_is_the_least_that_holds_as_often_as_said(many, rate, of):
    chances = sum_chances(many, rate, of=of)
    assert 2 * chances.sum() - chances[0] == pytest.approx(1, abs=1e-9)
    far = sum_reach(many, rate, SURE, of=of)
    within = [chances[0] + 2 * chances[1 : t + 1].sum() for t in (far - 1, far)]
    assert within[0] < 0.95 <= within[1]
    assert far <= weighted_reach([(np.ones(many), rate)], SURE)


@pytest.mark.parametrize("rate", [Fraction(3), Fraction(1, 2), Fraction(1, 20)])
@pytest.mark.parametrize("of", [None, 12, 41])
def test_the_sum_of_more_noises_is_further_off(rate, of):
    """Up to half of those that cancel; Claim 9, by laws that are worked out one by one."""
    laws = [sum_chances(many, rate, of=of) for many in range(1, 9 if of is None else of // 2 + 1)]
    length = min(map(len, laws))
    within = [2 * np.cumsum(law[:length]) - law[0] for law in laws]
    for fewer, more in itertools.pairwise(within):
        assert (more <= fewer + 1e-12).all()


@pytest.mark.parametrize("of", [None, 400])
def test_sums_of_many_sizes_have_the_reach_of_a_size_that_is_hardly_larger(of):
    sizes, rate = range(401), Fraction(1, 2)
    many = sum_reaches(sizes, rate, SURE, of=of)
    apart = {size: sum_reach(size, rate, SURE, of=of) for size in sizes}
    assert all(apart[size] <= many[size] <= 1.04 * apart[size] + 1 for size in sizes)
    few = range(0, 400, 4)
    assert sum_reaches(few, rate, SURE, of=of) == {size: apart[size] for size in few}


def test_all_cells_together_are_exact_where_noises_cancel():
    assert sum_reach(7, Fraction(1, 2), SURE, of=7) == 0
    assert sum_error(7, Fraction(1, 2), of=7) == 0
    assert sum_variance(7, Fraction(1, 2), of=7) == 0


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.5, -2.0, 0.25), (3.0, 0.0, 0.0)])
def test_markovs_bound_holds_for_any_weights(weights):
    """Independent noises, and noises that cancel with weights that are centred."""
    rate, far = Fraction(1), 14
    centred = np.array(weights) - np.mean(weights)
    noises = list(itertools.product(range(-far, far + 1), repeat=3))
    chances = np.exp([-sum(map(abs, noise)) for noise in noises])
    for these, cancels in ((np.array(weights), False), (centred, True)):
        if not these.any():
            continue
        kept = np.array([not cancels or sum(noise) == 0 for noise in noises])
        bound = float(weighted_reach([(these, rate)], SURE))
        told = np.abs(np.array(noises) @ these)
        within = chances[kept & (told <= bound)].sum() / chances[kept].sum()
        assert within >= 0.95
        assert bound < 4.5 * math.sqrt(np.square(these) @ np.full(3, sum_variance(1, rate)))
