"""What the items of 002 are built from, by a second road."""

from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.graphs import (
    conditions,
    full_exponential,
    half_exponential,
    histograms,
    optimum_1,
    sorted_histograms,
)
from discreet.graphs.path_bounds import long_path_share
from discreet.papers.p002.examples import grid, named, petersen, prism, star, twins
from discreet.papers.p002.histograms import half_of_taxicab
from discreet.papers.p002.path import best_corollary_4, exponential_cost, optimum
from discreet.papers.p002.sorting import lower_bound, measured_error, tables
from discreet.sorting import LargestCounts, theorem_3

EPSILONS = st.sampled_from(["0.1", "0.5", "1", "2"])


@given(st.integers(2, 14), EPSILONS)
@settings(max_examples=20)
def test_the_costs_of_a_path_are_those_of_its_matrices(nodes, epsilon):
    graph, rate = named(f"path {nodes}"), Fraction(epsilon)
    assert exponential_cost(nodes, rate / 2) == pytest.approx(
        half_exponential(graph, epsilon).cost, rel=1e-6
    )
    assert exponential_cost(nodes, rate) == pytest.approx(
        full_exponential(graph, epsilon).cost, rel=1e-6
    )
    assert optimum(nodes, epsilon) == pytest.approx(optimum_1(graph, epsilon).value, rel=1e-7)


@given(st.integers(4, 3000), EPSILONS)
@settings(max_examples=20)
def test_corollary_4_is_a_bound_where_it_applies(nodes, epsilon):
    bound = best_corollary_4(nodes, epsilon)
    gamma = np.exp(-float(epsilon))
    if bound is not None:
        assert bound <= sqrt(gamma) / (1 + gamma)
        if nodes < 300:
            cost = exponential_cost(nodes, Fraction(epsilon) / 2)
            assert bound <= optimum(nodes, epsilon) / cost


@pytest.mark.parametrize("slack", [2.0, 3.0, 5.0, 20.0])
def test_the_printed_bracket_of_corollary_3_is_smaller_than_the_meant_one(slack):
    meant = (1 - 1 / slack) * long_path_share(slack)
    printed = (1 - 1 / slack) - (1 - long_path_share(slack))
    assert printed < meant


def test_the_graphs_are_what_they_are_called():
    assert star(7).layer_sizes(0) == (1, 7)
    assert star(7).layer_sizes(1) == (1, 1, 6)
    assert len(grid(4, 4).edges) == 24
    assert grid(4, 4).diameter == 6
    assert {len(around) for around in petersen().beside} == {3}
    assert petersen().diameter == 2
    assert conditions(petersen()).hold
    for uneven in (prism(3), twins(10)):
        found = conditions(uneven)
        assert found.transitive.holds
        assert not found.regular_layers.holds


def test_transitivity_alone_does_not_make_exp_optimal():
    best = optimum_1(twins(10), "0.5")
    assert best.value < 0.99 * full_exponential(twins(10), "0.5").cost


@given(st.integers(1, 5), st.integers(2, 4))
@settings(max_examples=15)
def test_half_the_taxicab_is_the_walk_by_record_exchanges(records, values):
    graph = histograms(records, values)
    assert graph.size == comb(records + values - 1, values - 1)
    assert (graph.shortest_paths() == half_of_taxicab(graph)).all()


def test_for_the_largest_entries_alone_it_is_not():
    graph = sorted_histograms(10, 4, 2)
    assert (graph.shortest_paths() > half_of_taxicab(graph)).any()


@given(st.integers(1, 3000), st.integers(1, 40))
def test_tables_have_their_total(total, largest):
    for counts in tables(total, largest).values():
        assert sum(counts) == total
        assert min(counts) >= 0


@given(st.integers(1, 10**5), st.integers(1, 60), st.sampled_from(["0.01", "0.05", "0.125"]))
@settings(max_examples=40)
def test_the_lower_bound_lies_below_ours_and_keeps_the_rates(total, largest, epsilon):
    least = lower_bound(total, largest, epsilon)
    assert least <= LargestCounts.of(largest, epsilon).expected_error_bound
    for regime in theorem_3(total, largest, epsilon):
        if regime.holds:
            assert least >= 0.15 * regime.value


def test_the_fit_keeps_the_error_near_the_total_when_it_is_small():
    """Two lists of one sum are at most twice that sum apart, whatever the noise was."""
    assert measured_error(4, 10, "0.1", 20) <= 8
