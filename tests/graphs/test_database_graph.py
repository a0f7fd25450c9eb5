"""Listed graphs: the metric is that of shortest paths, and what is no graph is refused."""

import pytest
from hypothesis import given

from discreet.errors import NeighboursError, SpaceError
from discreet.graphs import DatabaseGraph, complete, hypercube, path
from graphs.strategies import connected_graphs


@given(connected_graphs())
def test_the_metric_is_that_of_the_model_room(graph):
    assert (graph.distances == graph.neighbours.distances(graph.size)).all()


@given(connected_graphs())
def test_layers_hold_every_node_once(graph):
    for start in range(graph.size):
        layers = [graph.layer(start, d) for d in range(graph.diameter + 1)]
        assert sorted(node for layer in layers for node in layer) == list(range(graph.size))
        assert graph.layer_sizes(start) == tuple(len(layer) for layer in layers if layer)


@given(connected_graphs())
def test_networkx_finds_the_same_distances(graph):
    networkx = pytest.importorskip("networkx")
    other = networkx.Graph(list(graph.edges))
    for start, reached in networkx.all_pairs_shortest_path_length(other):
        assert [reached[node] for node in range(graph.size)] == graph.distances[start].tolist()


def test_families_have_the_edges_they_should():
    assert path(3).edges == ((0, 1), (1, 2))
    assert len(complete(6).edges) == 15
    assert len(hypercube(4).edges) == 4 * 2**3


@pytest.mark.parametrize(
    ("labels", "edges", "error", "message"),
    [
        (["a"], [], SpaceError, "needs at least two nodes, custom has 1"),
        (["a", "b"], [], SpaceError, "no path leads from 'a' to 'b'; give each part its own graph"),
        (["a", "b", "c"], [(0, 1)], SpaceError, "no path leads from 'a' to 'c'"),
        (["a", "a"], [(0, 1)], SpaceError, "labels must differ"),
        (["a", "b"], [(0, 2)], NeighboursError, "two different answers from 0 to 1"),
        (["a", "b"], [(1, 1)], NeighboursError, "two different answers"),
    ],
)
def test_what_makes_no_graph_is_refused(labels, edges, error, message):
    with pytest.raises(error, match=message):
        DatabaseGraph.of(labels, edges)


@pytest.mark.parametrize("make", [lambda: path(6000), lambda: hypercube(13)])
def test_graphs_too_large_to_list_say_so(make):
    with pytest.raises(SpaceError, match="too many to list"):
        make()


def test_too_many_edges_are_refused_before_they_fill_the_memory():
    with pytest.raises(SpaceError, match="more than 1,000,000 edges"):
        complete(1500)
