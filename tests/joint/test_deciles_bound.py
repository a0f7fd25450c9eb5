"""The lower bound for several quantiles at once: certificates found, checked and spoiled."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, sinh

import pytest
from benchmarks.cuts import shipped
from benchmarks.deciles_bound import Group, certificate, check, moves, one_of_two, points
from hypothesis import given, settings
from hypothesis import strategies as st

ONE = Fraction(1)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_all_that_can_be_shipped_is(data):
    """What is left cannot leave the nodes it reaches, and those have no room: a cut."""
    size = data.draw(st.integers(2, 7))
    nodes = st.integers(0, size - 1)
    edges = data.draw(st.lists(st.tuples(nodes, nodes), max_size=15))
    rooms = data.draw(st.lists(st.integers(-6, 6), min_size=size, max_size=size))
    done = shipped(edges, rooms)
    assert min(done.flows, default=0) >= 0
    came = [0] * size
    for (tail, head), flow in zip(edges, done.flows, strict=True):
        came[tail] -= flow
        came[head] += flow
        assert done.reached[head] or not done.reached[tail]
        assert not (flow and done.reached[head]) or done.reached[tail]
    for room, much, reached in zip(rooms, came, done.reached, strict=True):
        assert min(room, 0) <= much <= max(room, 0)
        assert much == room or (room < 0 and reached) or (room > 0 and not reached)


@pytest.mark.parametrize("rows", [1, 2])
def test_one_quantile_has_the_bound_of_a_count(rows):
    """2α/(1 − α²) = 1/sinh ε of Claim 12; a little more is refused, and noise below it is found."""
    best = rows / sinh(rows / 2)
    group = Group(apart=(ONE,), least=Fraction(best) * Fraction(9_999, 10_000), rows=rows, near=60)
    assert check(group, *certificate(group))
    above = Group(apart=(ONE,), least=Fraction(best) * Fraction(10_001, 10_000), rows=rows, near=60)
    with pytest.raises(ValueError, match="errs less"):
        certificate(above)


def test_three_quantiles_ask_for_more_than_each_alone():
    """Refused once spoiled: another claim, a lost point, more shipped, what is no move."""
    apart = (Fraction("4.4"), Fraction("6.8"), Fraction("14.7"))
    group = Group(apart=apart, least=Fraction(40), rows=3, near=3)
    potentials, sent = certificate(group)
    assert check(group, potentials, sent)
    truth, (way, flow) = (0, 0, 0), next(iter(sent.items()))
    assert not check(Group(apart=apart, least=Fraction(41), rows=3, near=3), potentials, sent)
    assert not check(group, {one: at for one, at in potentials.items() if one != truth}, sent)
    assert not check(group, potentials, {**sent, way: flow + 10**13})
    came = Counter()
    for (_, head), much in sent.items():
        came[head] += much
    roomy = [one for one, at in potentials.items() if came[one] + 1 < group.room(one, at)]
    for ends in product(list(potentials)[:15], roomy):
        rises = potentials[ends[1]] == potentials[ends[0]] + 1
        moved = ends[1] in map(one_of_two, moves(ends[0]))
        if ends not in sent and ends[0] != ends[1] and (rises or moved):
            assert check(group, potentials, {**sent, ends: 1}) == (rises and moved)


def test_noise_of_the_potentials_errs_hardly_more():
    """The least that any noise of these points errs, from above and below."""
    group = Group(apart=(ONE, ONE), least=Fraction("5.2"), near=30)
    potentials, sent = certificate(group)
    assert check(group, potentials, sent)
    weights = {one: exp(-at / 2) * (2 if any(one) else 1) for one, at in potentials.items()}
    errs = sum(float(group.cost(one)) * much for one, much in weights.items())
    assert 5.2 <= errs / sum(weights.values()) < 5.23
    assert set(potentials) == set(points(group))
