"""Graphs that are never listed agree with the same graphs listed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SpaceError
from discreet.graphs import Hamming, Ring
from discreet.graphs.families import listed

SMALL = [Hamming(1, 2), Hamming(3, 2), Hamming(5, 2), Hamming(2, 4), Hamming(3, 3), Hamming(1, 7),
         Ring(3), Ring(4), Ring(9), Ring(12)]  # fmt: skip


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_distances_and_layers_are_those_of_shortest_paths(graph):
    explicit = listed(graph)
    apart = explicit.shortest_paths()
    assert explicit.size == graph.size == sum(graph.layer_sizes)
    for node in range(graph.size):
        assert explicit.layer_sizes(node) == graph.layer_sizes
        for other in range(graph.size):
            assert graph.distance(node, other) == apart[node, other]


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_labels_name_each_node_once(graph):
    assert len({graph.label(node) for node in range(graph.size)}) == graph.size


@given(st.sampled_from(SMALL), st.data())
def test_a_drawn_node_lies_at_the_distance_asked_for(graph, data):
    node = data.draw(st.integers(0, graph.size - 1))
    distance = data.draw(st.integers(0, len(graph.layer_sizes) - 1))
    assert graph.distance(node, graph.uniform_at(node, distance)) == distance


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_every_node_of_a_layer_can_be_drawn(graph):
    # A layer of at most 15 nodes: all are seen in 500 draws but for a chance below 15·(14/15)^500.
    for distance, size in enumerate(graph.layer_sizes):
        if size <= 15:
            seen = {graph.uniform_at(0, distance) for _ in range(500)}
            assert len(seen) == size


def test_a_million_databases_have_layers_of_binomial_size():
    cube = Hamming(20, 2)
    assert cube.size == 2**20
    assert cube.layer_sizes[10] == 184756
    assert cube.distance(0, 2**20 - 1) == 20


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hamming(0, 2), "the number of records must be a whole number from 1 to 4,096"),
        (lambda: Hamming(3, 1), "the number of values of a record must be a whole number from 2"),
        (lambda: Hamming(True, 2), "got True"),
        (lambda: Hamming(4096, 10**9), "make too many databases to count"),
        (lambda: Ring(2), "the number of nodes of a cycle must be a whole number from 3"),
        (lambda: Ring(2.5), "got 2.5"),
        (lambda: Ring(5).label(5), "a node must be a whole number from 0 to 4, got 5"),
        (lambda: Hamming(2, 2).uniform_at(0, 3), "the distance must be a whole number from 0 to 2"),
    ],
)
def test_what_makes_no_graph_is_refused(make, message):
    with pytest.raises(SpaceError, match=message):
        make()
