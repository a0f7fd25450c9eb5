"""Theorem 1: exp(−ε d) as certified integers, proven optimal, with and without a list of nodes."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import Certified, certify_layers, tight_epsilon
from discreet.errors import DesignError, GoalError, MechanismError, NotCertified, SpaceError
from discreet.exact import Epsilon
from discreet.graphs import (
    DatabaseGraph,
    Hamming,
    LayeredMechanism,
    Ring,
    conditions,
    implicit_exponential,
    layer_cost,
    layer_cost_bounds,
    optimal_exponential,
    path,
)
from discreet.graphs.layered import draw_node, integer_levels
from discreet.measures import expected_loss
from discreet.model import Goal
from graphs.strategies import EPSILONS, OTHERS, SYMMETRIC
from statistics_bounds import assert_follows, misfits

SIZES = st.lists(st.integers(1, 50), min_size=2, max_size=12)


@given(SIZES, EPSILONS, st.integers(12, 80))
def test_levels_keep_every_ratio_and_fit_their_bits(sizes, epsilon, bits):
    levels = integer_levels(sizes, epsilon, bits)
    ratio = Epsilon.of(epsilon).ratio_below
    for near, far in pairwise(levels):
        assert far <= near <= ratio * far
    assert levels[-1] >= 1
    assert sum(s * v for s, v in zip(sizes, levels, strict=True)) < 2**bits


@given(SIZES, EPSILONS)
def test_the_cost_lies_between_its_bounds(sizes, epsilon):
    gamma = math.exp(-float(Epsilon.of(epsilon)))
    weights = [s * gamma**d for d, s in enumerate(sizes)]
    cost = math.fsum(d * w for d, w in enumerate(weights)) / math.fsum(weights)
    low, high = layer_cost_bounds(sizes, epsilon)
    assert low <= high <= low * (1 + Fraction(1, 2**100))
    assert cost == pytest.approx(float(low), rel=1e-12)
    assert layer_cost(sizes, epsilon) == float(low)


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "log 3", "2", "10"])
def test_the_closed_form_is_certified_and_as_good_as_its_bound(graph, epsilon):
    found = optimal_exponential(graph, epsilon)
    mechanism = found.certified.mechanism
    assert found.certified.guarantee.epsilon == Epsilon.of(epsilon)
    assert found.lower_bound <= found.value <= found.lower_bound * (1 + Fraction(1, 10**9))
    assert expected_loss(mechanism, Goal(graph.loss)) == pytest.approx(float(found.value))
    assert float(tight_epsilon(mechanism)) == pytest.approx(float(Epsilon.of(epsilon)), rel=1e-9)


@pytest.mark.parametrize("graph", OTHERS, ids=lambda graph: graph.name)
def test_the_closed_form_is_refused_where_it_is_not_optimal(graph):
    assert not conditions(graph).hold
    with pytest.raises(DesignError, match=r"need not be optimal on .*; solve LP\[1\] instead"):
        optimal_exponential(graph, 1)


def test_transitive_without_regular_layers_is_refused_too():
    edges = [(k, (k + step) % 12) for k in range(12) for step in (1, 4)]
    circulant = DatabaseGraph.of([str(k) for k in range(12)], edges)
    found = conditions(circulant)
    assert found.transitive.holds
    assert not found.regular_layers.holds
    with pytest.raises(DesignError, match="around 0, at distance"):
        optimal_exponential(circulant, 1)


@pytest.mark.parametrize("symmetric", [Hamming(4, 2), Hamming(2, 3), Ring(8), Ring(9)])
def test_listed_or_not_the_levels_mean_the_same(symmetric):
    found = implicit_exponential(symmetric, "0.7")
    graph = optimal_exponential(_listed(symmetric), "0.7")
    assert float(found.value) == pytest.approx(float(graph.value), rel=1e-12)
    assert found.lower_bound == graph.lower_bound
    total = found.certified.mechanism.total
    shares = np.array([level / total for level in found.certified.mechanism.levels])
    apart = _listed(symmetric).distances
    assert np.allclose(shares[apart], graph.certified.mechanism.probabilities(), rtol=1e-12)


def _listed(symmetric):
    from discreet.graphs.families import listed

    return listed(symmetric)


@given(st.integers(1, 60), st.integers(2, 5), EPSILONS)
def test_large_symmetric_graphs_are_certified_with_a_proven_gap(records, values, epsilon):
    found = implicit_exponential(Hamming(records, values), epsilon)
    assert found.lower_bound <= found.value <= found.lower_bound * (1 + Fraction(1, 2**60))
    gamma = math.exp(-float(Epsilon.of(epsilon)))
    # Records are changed independently, each with the chance (T − 1)γ/(1 + (T − 1)γ).
    chance = (values - 1) * gamma / (1 + (values - 1) * gamma)
    assert float(found.value) == pytest.approx(records * chance, rel=1e-12)


def test_a_million_databases_need_no_program():
    found = implicit_exponential(Hamming(20, 2), 1)
    assert float(found.value) == pytest.approx(20 / (1 + math.e), rel=1e-12)
    assert found.certified.guarantee.epsilon == Epsilon.of(1)
    assert all(0 <= found.draw(12345) < 2**20 for _ in range(50))


DRAWN = [
    LayeredMechanism(Hamming(3, 2), (8, 4, 2, 1)),
    LayeredMechanism(Hamming(2, 3), (9, 5, 3)),
    LayeredMechanism(Ring(6), (4, 2, 1, 2)),
    LayeredMechanism(Ring(5), (4, 2, 1)),
]


def law_of(mechanism, node):
    graph, levels = mechanism.graph, mechanism.levels
    return [Fraction(levels[graph.distance(node, other)], mechanism.total)
            for other in range(graph.size)]  # fmt: skip


@pytest.mark.parametrize("mechanism", DRAWN, ids=lambda mechanism: mechanism.graph.name)
def test_draws_follow_the_levels_exactly(mechanism):
    certified = certify_layers(mechanism, "log 2")
    drawn = [draw_node(certified, 4) for _ in range(20_000)]
    assert_follows(drawn, law_of(mechanism, 4))


def test_the_check_of_draws_catches_a_wrong_sampler():
    mechanism = DRAWN[0]
    nearest_only = [mechanism.graph.uniform_at(4, 1) for _ in range(20_000)]
    assert misfits(nearest_only, law_of(mechanism, 4))


def test_a_certified_mechanism_is_certified_again_where_it_arrives():
    certified = certify_layers(DRAWN[0], "log 2")
    again = pickle.loads(pickle.dumps(certified))
    assert again.certificate == certified.certificate
    assert again.mechanism == certified.mechanism


@given(st.integers(0, 2), st.sampled_from([-1, 1]))
def test_one_unit_too_many_is_caught(place, change):
    levels = [12, 6, 3, 3]
    levels[place] += change
    breaks = any(a > 2 * b for a, b in pairwise(levels))
    mechanism = LayeredMechanism(Hamming(3, 2), tuple(levels))
    if breaks:
        with pytest.raises(NotCertified, match=r"the levels at distances \d and \d are"):
            certify_layers(mechanism, "log 2")
    else:
        assert certify_layers(mechanism, "log 2").guarantee.epsilon == Epsilon.of("log 2")


def test_levels_that_rise_are_compared_too():
    with pytest.raises(NotCertified, match="are 1 and 3, more than 2 times apart"):
        certify_layers(LayeredMechanism(Hamming(1, 2), (1, 3)), "log 2")


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((4, 2), "2 levels for 3 layers"),
        ((4, 2, 0), "levels must be positive whole numbers"),
        ((4, 2, -1), "levels must be positive whole numbers"),
        ((4, 2, 1.0), "levels must be positive whole numbers"),
        ([4, 2, 1], "levels must be positive whole numbers"),
    ],
)
def test_what_is_no_layered_mechanism_is_refused(levels, message):
    with pytest.raises(MechanismError, match=message):
        certify_layers(LayeredMechanism(Hamming(2, 2), levels), 1)


def test_a_wrong_total_is_refused():
    class Liar(LayeredMechanism):
        total = 5

    with pytest.raises(MechanismError, match="do not sum to the total"):
        certify_layers(Liar(Hamming(2, 2), (4, 2, 1)), 1)


def test_nobody_else_certifies_and_nothing_uncertified_is_drawn_from():
    mechanism = LayeredMechanism(Hamming(2, 2), (4, 2, 1))
    certified = certify_layers(mechanism, "log 2")
    with pytest.raises(MechanismError, match=r"can be certified only by discreet\.certify"):
        Certified(mechanism, certified.certificate)
    with pytest.raises(AttributeError):
        certified.mechanism = mechanism
    with pytest.raises(MechanismError, match="only a certified mechanism can be drawn from"):
        draw_node(mechanism, 0)
    with pytest.raises(SpaceError, match="a node must be a whole number from 0 to 3"):
        draw_node(certified, 4)


def test_too_few_bits_are_refused():
    with pytest.raises(GoalError, match="do not fit into 4 bits"):
        integer_levels([1, 20, 20], 1, bits=4)


def test_a_path_of_two_nodes_is_a_complete_graph():
    assert conditions(path(2)).hold
    assert float(optimal_exponential(path(2), "log 3").value) == pytest.approx(0.25)
