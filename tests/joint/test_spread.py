"""Noise where a person has one row a group: privacy, law and draws, against plain sums."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier.gauges import certify_gauge
from discreet.certifier.largest import certify_largest
from discreet.errors import DesignError, MechanismError, NotCertified
from discreet.exact import Epsilon
from discreet.joint.spread import SpreadNoise, _Balls, _in_ball
from discreet.model import Relation
from statistics_bounds import assert_follows

ADDED, CHANGED = Relation.ADD_OR_REMOVE, Relation.CHANGE
SURE = Fraction(19, 20)


def _noise(cells, most, epsilon=1, relation=ADDED):
    return SpreadNoise.of(cells, Epsilon.of(epsilon), relation, most_groups=most)


def _gauges(noises, most):
    """Written out here: the larger of c·max and the sum, to each side."""
    sides = [np.maximum(sign * noises, 0) for sign in (1, -1)]
    return sum(np.maximum(most * side.max(axis=1), side.sum(axis=1)) for side in sides)


def _every(cells, far):
    return np.array(list(itertools.product(range(-far, far + 1), repeat=cells)))


@pytest.mark.parametrize("relation", [ADDED, CHANGED])
@pytest.mark.parametrize(("cells", "most"), [(2, 2), (3, 1), (3, 2), (4, 2), (4, 3), (4, 4)])
def test_neighbouring_tables_lead_to_any_table_within_epsilon(cells, most, relation):
    """All that a person with rows in different groups can add or change, all outputs near."""
    noise = _noise(cells, most, relation=relation).certified.mechanism
    people = [one for one in itertools.product((0, 1), repeat=cells) if sum(one) <= most]
    moves = [np.array(one) for one in people]
    if relation == CHANGED:
        moves = [one - other for one, other in itertools.product(moves, repeat=2)]
    outputs = _every(cells, 2)
    here, steps = _gauges(outputs, most), 0
    assert [noise.gauge(one) for one in outputs.tolist()] == here.tolist()
    for move in moves:
        steps = max(steps, int(abs(_gauges(outputs - move, most) - here).max()))
    rate = noise.parts[0].rate
    assert rate * steps <= 1
    assert relation == CHANGED or rate * steps == 1, "all of ε is used"


@pytest.mark.parametrize(
    ("cells", "most", "far", "epsilon"),
    [(2, 2, 60, 2), (3, 2, 20, 4), (3, 3, 20, 6), (4, 2, 9, 10), (5, 3, 5, 15)],
)
def test_the_law_of_a_group_is_that_of_all_noises_summed(cells, most, far, epsilon):
    noise = _noise(cells, most, epsilon)
    every = _every(cells, far)
    weights = np.exp(-float(noise.rate) * _gauges(every, most))
    by_place = np.bincount(every[:, 0] + far, weights) / weights.sum()
    assert noise.chances[:4].tolist() == pytest.approx(by_place[far : far + 4], rel=1e-5)
    assert noise.error == pytest.approx(abs(np.arange(-far, far + 1)) @ by_place, rel=1e-5)


def test_a_group_errs_less_than_with_a_share_for_each_row():
    """As the sums over all noises say; by itself each group would err 1.92 and 2.95."""
    assert round(_noise(4, 2).error, 2) == 1.59
    assert round(_noise(6, 3).error, 2) == 2.27
    every = _noise(12, 30).error
    assert every == _noise(12, 12).error, "nobody is in more groups than there are"


@pytest.mark.parametrize(("cells", "most"), [(3, 2), (12, 6), (14, 14)])
def test_the_reach_is_the_least_that_holds(cells, most):
    noise = _noise(cells, most)
    far, chances = noise.reach(SURE), noise.chances
    assert chances[0] + 2 * chances[1:].sum() == pytest.approx(1)
    held = np.cumsum(np.append(chances[0], 2 * chances[1:]))
    assert held[far] >= 0.95 - 1e-12
    assert held[far - 1] < 0.95 + 1e-12


@pytest.mark.parametrize(
    ("cells", "most", "epsilon"), [(2, 1, 1), (4, 2, 1), (8, 2, "0.5"), (9, 9, 3)]
)
def test_draws_follow_the_law(cells, most, epsilon):
    noise, reach = _noise(cells, most, epsilon), 5
    drawn = np.array([noise.draw() for _ in range(3_000)])
    law = noise.chances[:reach].tolist()
    tail = (1 - 2 * sum(law) + law[0]) / 2
    for group in (0, cells - 1):
        places = np.clip(drawn[:, group], -reach, reach) + reach
        assert_follows(places, [tail, *law[:0:-1], *law, tail])


@pytest.mark.parametrize(("many", "most", "radius"), [(3, 2, 9), (4, 2, 8), (5, 3, 9)])
def test_sizes_are_uniform_in_their_ball(many, most, radius):
    every = itertools.product(range(1, radius + 1), repeat=many)
    inside = [one for one in every if max(most * max(one), sum(one)) <= radius]
    drawn = [inside.index(tuple(_in_ball(many, most, radius))) for _ in range(2_000)]
    assert_follows(drawn, [1 / len(inside)] * len(inside))
    assert _Balls(many, most).size(radius) == len(inside)


def test_draws_of_all_groups_follow_the_gauge():
    """Two groups: every pair near 0, against the weights themselves."""
    noise, near = _noise(2, 2, 2), 2
    rate, every = float(noise.rate), [tuple(one) for one in _every(2, near).tolist()]
    total = np.exp(-rate * _gauges(_every(2, 60), 2)).sum()
    law = (np.exp(-rate * _gauges(_every(2, near), 2)) / total).tolist()
    drawn = [tuple(noise.draw().tolist()) for _ in range(4_000)]
    places = [every.index(one) if one in every else len(every) for one in drawn]
    assert_follows(places, [*law, 1 - sum(law)])


BROKEN = {
    "a gauge one step too narrow": {"rows_per_unit": 3},
    "rows that need not differ": {"different": False},
    "a rate a little too large": {"rate": Fraction(1, 2) + Fraction(1, 10**12)},
    "a width below what a person moves": {"width": 1, "rate": Fraction(1)},
}


@pytest.mark.parametrize("how", BROKEN)
def test_what_is_too_narrow_is_refused(how):
    noise = _noise(4, 2).certified.mechanism
    assert certify_largest(noise, 1).guarantee.epsilon == Epsilon.of(1)
    broken = replace(noise, parts=tuple(replace(one, **BROKEN[how]) for one in noise.parts))
    with pytest.raises(NotCertified):
        certify_largest(broken, 1)


def test_gauges_of_the_same_answers_have_the_same_rows():
    noise = _noise(4, 2).certified.mechanism
    first, *others = noise.parts
    last = replace(others[-1], different=False)
    with pytest.raises(MechanismError, match="the same rows"):
        certify_largest(replace(noise, parts=(first, *_noise(3, 2).certified.mechanism.parts)), 1)
    with pytest.raises(MechanismError, match="the same rate"):
        certify_largest(replace(noise, parts=(first, last)), 1)
    with pytest.raises(MechanismError, match="single block"):
        certify_gauge(replace(first, row=(*first.row, *first.row)), 1)
    with pytest.raises(DesignError, match="2 to 24 groups"):
        _noise(25, 2)
