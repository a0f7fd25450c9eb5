"""The radius of gauge noise: its law against sums over all noises, in rationals, and its draws."""

import itertools
from fractions import Fraction
from math import ceil, comb, exp

import pytest

from discreet.errors import MechanismError
from discreet.exact import enclosed, working_precision
from discreet.joint.radius import Radius
from discreet.joint.series import figure, least_within, numerator, sum_from
from statistics_bounds import assert_follows

RATE = Fraction(1, 2)


def _largest(noise):
    return max(map(abs, noise))


def _spread(noise):
    return max(0, *noise) + max(0, *(-one for one in noise))


def _box(noise):
    return max(3 * abs(noise[0]), abs(noise[1]))


def _diamond(noise):
    return max(4 * abs(noise[0]), 2 * abs(noise[0]) + abs(noise[1]))


def _spread_ball(many):
    """Differences of r numbers from another, of 0 to s: those that hold 0, less those below s."""
    return lambda s: (s + 1) ** (many + 1) - s ** (many + 1)


BODIES = {
    "two counts": (_largest, 2, 1, lambda s: (2 * s + 1) ** 2, [1, 6, 1]),
    "three counts": (_largest, 3, 1, lambda s: (2 * s + 1) ** 3, [1, 23, 23, 1]),
    "two counts that come or go": (_spread, 2, 1, _spread_ball(2), [1, 4, 1]),
    "three counts that come or go": (_spread, 3, 1, _spread_ball(3), [1, 11, 11, 1]),
    "a count and a sum": (_box, 2, 3, lambda s: (2 * (s // 3) + 1) * (2 * s + 1), None),
    "a count and a sum of some rows": (
        _diamond,
        2,
        4,
        lambda s: (2 * (s // 4) + 1) * (2 * s + 1) - 4 * (s // 4) * (s // 4 + 1),
        None,
    ),
}
"""For each: its gauge, dimension, period, the sizes of its balls, and h where it is in print."""


def _radius(name, rate=RATE):
    _, dimension, period, ball, _ = BODIES[name]
    return Radius.of(ball, dimension=dimension, rate=rate, period=period)


@pytest.mark.parametrize("name", BODIES)
def test_the_sizes_of_balls_are_those_of_all_noises_counted(name):
    gauge, dimension, period, ball, known = BODIES[name]
    found = [
        sum(gauge(one) <= far for one in itertools.product(range(-far, far + 1), repeat=dimension))
        for far in range(10)
    ]
    assert found == [ball(far) for far in range(10)]
    weights = _radius(name).weights
    assert min(weights) >= 0
    assert len(weights) <= period * (dimension + 1)
    if known:
        assert list(weights) == known


@pytest.mark.parametrize("name", BODIES)
def test_a_table_and_geometric_draws_make_up_the_weights(name):
    """Σ h_j·(ways to make up s − j from r + 1 multiples of L) = V(s), as far as one looks."""
    _, dimension, period, ball, _ = BODIES[name]
    weights = _radius(name).weights
    for far in range(12 * period):
        made = sum(
            weight * comb((far - j) // period + dimension, dimension)
            for j, weight in enumerate(weights[: far + 1])
            if (far - j) % period == 0
        )
        assert made == ball(far)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(9, 10)])
def test_sums_from_anywhere_are_the_rest_of_the_whole_sum_in_rationals(name, ratio):
    _, dimension, period, ball, _ = BODIES[name]
    whole = sum_from(ball, 0, ratio, degree=dimension, period=period)
    weights = numerator(ball, 0, degree=dimension, period=period)
    over = sum(weight * ratio**j for j, weight in enumerate(weights))
    assert whole == over / (1 - ratio**period) ** (dimension + 1)
    for start in (1, 2, 5, 17):
        rest = sum_from(ball, start, ratio, degree=dimension, period=period)
        assert whole - rest == sum(ball(s) * ratio**s for s in range(start))
        more = sum_from(ball, start, ratio, degree=dimension + 2, period=period)
        assert more == rest


@pytest.mark.parametrize("name", BODIES)
def test_the_law_of_the_gauge_is_that_of_all_noises_summed(name):
    """Uniform in the ball of a radius: P(M > t) and P(s) by adding up weights of single noises."""
    gauge, dimension, _, ball, _ = BODIES[name]
    rate, radius = Fraction(5), _radius(name, Fraction(5))
    far = 14 if dimension == 2 else 8
    weights = {}
    for one in itertools.product(range(-far, far + 1), repeat=dimension):
        weights[gauge(one)] = weights.get(gauge(one), 0.0) + exp(-rate * gauge(one))
    total = sum(weights.values())
    for place in range(4):
        rarer = sum(much for size, much in weights.items() if size > place) / total
        assert figure(lambda place=place: radius.beyond(place)) == pytest.approx(rarer, rel=1e-6)
        # a radius s holds V(s) noises, and a noise of gauge M is met by all radii from M on
        met = ball(place) * exp(-rate * place) * (1 - exp(-rate)) / total
        assert figure(lambda place=place: radius.at(place)) == pytest.approx(met, rel=1e-6)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1, 20), RATE, Fraction(40)])
@pytest.mark.parametrize("sure", [Fraction(1, 2), Fraction(19, 20), 1 - Fraction(1, 10**12)])
def test_the_reach_is_the_least_that_holds(name, rate, sure):
    radius = _radius(name, rate)
    far = radius.reach(sure)
    with working_precision(600):
        assert radius.beyond(far) <= enclosed(1 - sure)
        assert far == 0 or radius.beyond(far - 1) > enclosed(1 - sure)


def test_a_reach_is_decided_however_near_the_confidence_is():
    """A confidence a hair above or below P(M ≤ 3) leads to 4 or to 3."""
    radius = _radius("two counts")
    with working_precision(1000):
        mantissa, power = radius.beyond(3).mid().man_exp()
    chance = int(mantissa) * Fraction(2) ** int(power)
    hair = Fraction(1, 2**900)
    assert radius.reach(1 - chance - hair) == 3
    assert radius.reach(1 - chance + hair) == 4
    with pytest.raises(MechanismError, match="allow for a chance"):
        least_within(radius.beyond, Fraction(0))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("rate", [RATE, Fraction(2), Fraction(1, 10**6)])
def test_draws_follow_the_law(name, rate):
    radius = _radius(name, rate)
    cells = 24
    step = max(1, ceil(4 / (rate * cells)))
    drawn = [min(radius.draw() // step, cells) for _ in range(4_000)]
    _, dimension, _, ball, _ = BODIES[name]
    over = [
        figure(lambda start=place * step: radius.share(ball, degree=dimension, start=start))
        for place in range(cells + 1)
    ]
    law = [more - less for more, less in itertools.pairwise(over)]
    assert_follows(drawn, [*law, over[-1]])


def test_sizes_that_are_no_balls_are_refused():
    with pytest.raises(MechanismError, match="no polynomials of degree 2"):
        Radius.of(lambda s: (2 * s + 1) ** 3, dimension=2, rate=RATE)
    with pytest.raises(MechanismError, match="not those of the balls"):
        Radius.of(lambda s: s * s - 3 * s + 1, dimension=2, rate=RATE)
