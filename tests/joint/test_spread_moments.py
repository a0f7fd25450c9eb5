"""Moments of groups with one row of a person each: beside plain enumeration."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from discreet.certifier.gauges import certify_gauge
from discreet.errors import DesignError, NotCertified
from discreet.exact import Epsilon
from discreet.joint.forms import form_reach
from discreet.joint.moments import boxed, count_and_sum, with_squares
from discreet.joint.spread_moment_law import SpreadMomentLaw
from discreet.joint.spread_moments import SpreadMoments
from discreet.model import Relation

ADD, CHANGE = Relation.ADD_OR_REMOVE, Relation.CHANGE
FAILURE = 1e-7


def _made(shape, groups, epsilon=1, relation=ADD):
    return SpreadMoments.of(
        shape, groups, Epsilon.of(epsilon), relation=relation, rate=Fraction(epsilon)
    )


def _plain(shape, noises):
    """M by its definition: what lies above and what lies below."""
    top, up, down = max(shape.reaches) * shape.levels, 0, 0
    for noise in noises:
        far = max(top // reach * abs(one) for reach, one in zip(shape.reaches, noise, strict=True))
        up, down = max(up, far + top * noise[0]), max(down, far - top * noise[0])
    return up + down


def _people(shape, groups, most):
    """What a person with so many rows at most may add, at most one row in each group."""
    nothing = (0,) * len(shape.reaches)
    ends = [sorted({-reach, 0, reach}) for reach in shape.reaches[1:]]
    rows = [(1, *others) for others in product(*ends)]
    for many in range(most + 1):
        for where in combinations(range(groups), many):
            for added in product(rows, repeat=many):
                mine = dict(zip(where, added, strict=True))
                yield tuple(mine.get(group, nothing) for group in range(groups))


def _less(these, those):
    return tuple(
        tuple(a - b for a, b in zip(one, other, strict=True))
        for one, other in zip(these, those, strict=True)
    )


@pytest.mark.parametrize("relation", [ADD, CHANGE])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_person_moves_the_gauge_by_more_than_is_paid(relation, most):
    """Every person beside every other (or nobody), seen from every noise that is not large."""
    shape, groups = count_and_sum(2), 3 if most == 3 else 2
    noise = _made(shape, groups, relation=relation).certified.mechanism
    people = list(_people(shape, groups, most))
    nobody = people[0]
    pairs = [(one, nobody) for one in people]
    if relation == CHANGE:
        pairs = [(one, other) for one in people[::3] for other in people[:: 5 if most == 3 else 1]]
    dice = np.random.default_rng()
    spots = [nobody, ((1, 2), (-1, 0), (0, -3))[:groups], ((-2, 1), (2, -4), (1, 1))[:groups]]
    for _ in range(4):
        spots.append(tuple(tuple(map(int, one)) for one in dice.integers(-4, 5, (groups, 2))))
    farthest = 0
    for one, other in pairs:
        for spot in spots:
            here, there = (_plain(shape, _less(spot, person)) for person in (one, other))
            farthest = max(farthest, abs(here - there))
    assert farthest == noise.width
    assert noise.rate * farthest == 1


def test_the_certified_gauge_is_the_plain_one():
    dice = np.random.default_rng()
    for shape in (count_and_sum(3), with_squares(2), boxed((1, 4, 6), counted=True)):
        mechanism = _made(shape, 3).certified.mechanism
        for _ in range(30):
            found = dice.integers(-9, 10, (3, len(shape.reaches)))
            noises = tuple(tuple(map(int, one)) for one in found)
            assert mechanism.gauge([one for each in noises for one in each]) == _plain(
                shape, noises
            )


@pytest.mark.parametrize("relation", [ADD, CHANGE])
def test_one_unit_too_narrow_is_refused(relation):
    epsilon = Epsilon.of(1)
    noise = _made(with_squares(3), 4, relation=relation).certified.mechanism
    narrow = noise.width - 1
    with pytest.raises(NotCertified, match="one person can move"):
        certify_gauge(replace(noise, width=narrow, rate=Fraction(1, narrow)), epsilon)
    with pytest.raises(NotCertified, match="cost more"):
        certify_gauge(replace(noise, rate=noise.rate * Fraction(1000, 999)), epsilon)


def test_too_many_sums_and_too_large_costs_are_refused():
    with pytest.raises(DesignError, match="100 sums"):
        _made(count_and_sum(3), 51)
    with pytest.raises(DesignError, match="ε = 4"):
        _made(count_and_sum(3), 4, epsilon=5)
    noise = _made(count_and_sum(3), 24, Fraction(1, 50))
    law = SpreadMomentLaw(noise.shape, noise.rate, groups=24)
    with pytest.raises(DesignError, match="ε is too small"):
        law.count_reach(0.05)


@pytest.fixture(scope="module")
def small():
    """Two groups, counts and sums up to 10: every noise and how likely it is."""
    shape = count_and_sum(1)
    noise = _made(shape, 2, epsilon=3)
    line = np.arange(-10, 11)
    grid = np.stack(np.meshgrid(*[line] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    far = np.maximum(np.abs(grid[:, 0::2]), np.abs(grid[:, 1::2]))
    counts = grid[:, 0::2]
    gauge = (far + counts).max(axis=1) + (far - counts).max(axis=1)
    weights = np.exp(-float(noise.rate) * gauge)
    return noise, SpreadMomentLaw(shape, noise.rate, groups=2), grid, weights / weights.sum()


def test_the_law_of_a_group_is_that_of_the_enumeration(small):
    _, law, grid, chances = small
    for size in range(5):
        exact = chances[np.abs(grid[:, 0]) == size].sum()
        assert math.isclose(law.sided[size], exact, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(law.count_error, chances @ np.abs(grid[:, 0]), rel_tol=1e-8)
    for failure in (0.5, 0.1, 0.05, 0.01):
        far = law.count_reach(failure)
        assert chances[np.abs(grid[:, 0]) > far].sum() <= failure
        assert chances[np.abs(grid[:, 0]) > far - 1].sum() > failure or far == 0
        ends = law.reaches(failure)
        outside = (np.abs(grid[:, 0]) > ends[0]) | (np.abs(grid[:, 1]) > ends[1])
        assert chances[outside].sum() <= failure
        for slope in (0.0, 0.5, 1.0):
            reach = form_reach(law, [slope, 1.0], failure)
            for sign in (1, -1):
                off = np.abs(grid[:, 1] + sign * slope * grid[:, 0])
                assert chances[off > reach].sum() <= failure


def test_evenly_likely_noises_have_its_errors(small):
    _, law, grid, chances = small
    for place in (0, 1):
        exact = chances @ np.abs(grid[:, place])
        assert math.isclose(np.abs(law.even[:, place]).mean(), exact, rel_tol=0.02)


def test_draws_follow_the_law(small):
    """No chance of a sum of both groups, or of one, is farther off than chance explains."""
    noise, _, grid, chances = small
    many = 4000
    drawn = np.array([np.ravel(noise.draw()) for _ in range(many)])
    slack = math.sqrt(math.log(2 * 8 / FAILURE) / (2 * many))
    for weights in np.array(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 1, 0], [1, 0, -1, 0],
         [0, 1, 0, 1], [2, 1, 0, 0]]
    ):  # fmt: skip
        exact, found = grid @ weights, drawn @ weights
        for place in range(-6, 7):
            assert abs(chances[exact <= place].sum() - (found <= place).mean()) <= slack


@pytest.mark.parametrize(
    ("shape", "groups"),
    [(count_and_sum(40), 6), (with_squares(5), 3), (boxed((1, 4, 6), counted=True), 4)],
)
def test_draws_of_many_stretches_stay_within_what_is_told(shape, groups):
    noise = _made(shape, groups, Fraction(1, 2))
    law = SpreadMomentLaw(shape, noise.rate, groups=groups)
    many = 500
    drawn = np.array([noise.draw() for _ in range(many)])
    slack = math.sqrt(math.log(3 / FAILURE) / (2 * many))
    ends = np.array(law.reaches(0.1))
    inside = (np.abs(drawn) <= ends).all(axis=2)[:, 0].mean()
    assert 0.9 - slack <= inside <= 0.95 + slack
    assert abs((np.abs(drawn[:, 0, 0]) <= law.count_reach(0.2)).mean() - 0.82) <= 0.05 + slack
    reach = form_reach(law, [0.7, 1.0, *[0.0] * (len(ends) - 2)], 0.1)
    off = np.abs(drawn[:, 0, 1] - 0.7 * drawn[:, 0, 0])
    assert (off <= reach).mean() >= 0.9 - slack
