"""Regular layers: held by symmetric graphs, decided by counting on all others."""

import pytest
from hypothesis import given

from discreet.graphs import (
    DatabaseGraph,
    LayerDegrees,
    layer_degrees,
    path,
    regular_layers,
)
from graphs.strategies import SYMMETRIC, connected_graphs


def by_counting(graph, start):
    """The definition, word by word."""
    away = graph.distances[start]
    for d in range(graph.diameter + 1):
        seen = {
            (
                sum(away[other] == d - 1 for other in graph.beside[node]),
                sum(away[other] == d + 1 for other in graph.beside[node]),
            )
            for node in range(graph.size)
            if away[node] == d
        }
        if len(seen) > 1:
            return False
    return True


@given(connected_graphs())
def test_regular_means_what_the_definition_says(graph):
    verdicts = [by_counting(graph, start) for start in range(graph.size)]
    assert [regular_layers(graph, start).holds for start in range(graph.size)] == verdicts
    assert regular_layers(graph).holds == all(verdicts)


@given(connected_graphs())
def test_regular_layers_satisfy_the_double_count(graph):
    for start in range(graph.size):
        found = layer_degrees(graph, start)
        if isinstance(found, LayerDegrees):
            for d in range(len(found.sizes) - 1):
                assert found.sizes[d] * found.farther[d] == found.sizes[d + 1] * found.nearer[d + 1]


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
def test_symmetric_families_have_regular_layers(graph):
    assert regular_layers(graph).holds


def test_a_path_is_regular_around_its_ends_and_its_middle_only():
    assert [regular_layers(path(7), start).holds for start in range(7)] == [
        True, False, False, True, False, False, True]  # fmt: skip


def test_the_counterexample_names_the_layer_and_two_nodes():
    star = DatabaseGraph.of(["hub", "a", "b", "c"], [(0, 1), (0, 2), (0, 3), (1, 2)])
    assert regular_layers(star, 1).counterexample == (
        "around a, at distance 1: hub has 1 neighbour one layer farther, b has 0"
    )
