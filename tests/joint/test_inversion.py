"""How far weighted sums reach: against exact laws, against draws, and against bounds."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.joint.inversion import WeightedNoises, inverted_reach, mean_size
from discreet.joint.sums import sum_chances, sum_reach, weighted_reach
from discreet.sampling import noise_tables
from statistics_bounds import tail_bound

RATE = Fraction(1, 4)


@pytest.mark.parametrize("confidence", [Fraction(19, 20), Fraction(1, 2), Fraction(99, 100)])
@pytest.mark.parametrize(("many", "of"), [(5, None), (40, None), (3, 12), (20, 60)])
def test_of_plain_sums_it_is_the_exact_reach_and_little_more(many, of, confidence):
    """Weights of 1 and 0 (less their mean, where noises cancel): the exact law is known."""
    weights = np.zeros(of or many)
    weights[:many] = 1
    if of is not None:
        weights -= weights.mean()
    found = inverted_reach([WeightedNoises(weights, RATE, of is not None)], confidence)
    exact = sum_reach(many, RATE, confidence, of=of)
    assert exact - 1 < found <= 1.08 * exact + 1
    chances = sum_chances(many, RATE, of=of)
    held = 2 * chances[: int(found) + 1].sum() - chances[0]
    assert held >= float(confidence)


def test_of_noise_that_is_too_wide_a_bound_is_told_and_nothing_is_written_down():
    """Cancelling noises are told apart by as many phases as they are wide: here some 10^11."""
    weights = np.linspace(-1, 1, 30)
    wide = [WeightedNoises(weights, Fraction(1, 10**9), True)]
    assert mean_size(wide) is None
    bound = weighted_reach([(weights, Fraction(1, 10**9))], Fraction(19, 20))
    assert inverted_reach(wide, Fraction(19, 20)) == bound


def test_of_several_layers_it_holds_in_draws_and_is_far_below_the_bound():
    one, other = np.linspace(-1, 1, 30), np.linspace(0.2, 0.7, 9)
    rates, draws = (RATE, Fraction(1, 3)), 20_000
    sums = [WeightedNoises(w, rate, False) for w, rate in zip((one, other), rates, strict=True)]
    found = inverted_reach(sums, Fraction(19, 20))
    drawn = sum(
        noise_tables(rate).draw_many(draws * len(w)).reshape(draws, -1) @ w
        for w, rate in zip((one, other), rates, strict=True)
    )
    held = int((np.abs(drawn) <= float(found)).sum())
    assert held >= 0.95 * draws or tail_bound(held, draws, Fraction(19, 20)) > 1e-9
    tight = int((np.abs(drawn) <= 0.9 * float(found)).sum())
    assert tight < 0.95 * draws
    bound = weighted_reach([(s.weights, s.rate) for s in sums], Fraction(19, 20))
    assert found < 0.75 * bound


def test_the_transform_of_noises_that_cancel_is_that_of_their_law():
    """Three noises, added up here over all values that are not rare."""
    weights, rate = np.array([0.5, 0.25, -0.75]), 1.0
    places = np.arange(-40, 41)
    a, b = np.meshgrid(places, places)
    mass = np.exp(-rate * (abs(a) + abs(b) + abs(a + b)))
    sums = weights[0] * a + weights[1] * b - weights[2] * (a + b)
    made = WeightedNoises(weights, Fraction(1), True)
    for frequency in (0.1, 1.0, 3.0, 9.0):
        exact = (mass * np.cos(frequency * sums)).sum() / mass.sum()
        assert made.transform(np.array([frequency]))[0] == pytest.approx(exact, abs=1e-8)
    assert made.variance == pytest.approx((mass * sums**2).sum() / mass.sum(), rel=1e-6)
