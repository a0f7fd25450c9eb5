"""Transitivity is decided exactly: against all permutations, and on graphs known for it."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DesignError
from discreet.graphs import DatabaseGraph, automorphisms, find_automorphism, is_automorphism
from discreet.graphs.automorphisms import search_transitive, transitive
from graphs.strategies import OTHERS, SYMMETRIC, connected_graphs


def graph_of(size, edges, name="custom"):
    return DatabaseGraph.of([str(node) for node in range(size)], edges, name=name)


def circulant(size, steps):
    return graph_of(size, [(k, (k + step) % size) for k in range(size) for step in steps])


PETERSEN = graph_of(10, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (1, 6), (2, 7), (3, 8),
                         (4, 9), (5, 7), (7, 9), (9, 6), (6, 8), (8, 5)])  # fmt: skip
FRUCHT = graph_of(12, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0), (0, 7), (1, 7),
                       (2, 8), (3, 9), (4, 9), (5, 10), (6, 10), (7, 11), (8, 11), (8, 9),
                       (10, 11)])  # fmt: skip


def shrikhande():
    """Strongly regular like the 4 × 4 rook's graph: colours alone never tell nodes apart."""
    moves = [(0, 1), (1, 0), (1, 1)]
    edges = [
        (4 * a + b, 4 * ((a + da) % 4) + (b + db) % 4)
        for a in range(4)
        for b in range(4)
        for da, db in moves
    ]
    return graph_of(16, edges)


def rook():
    """The 4 × 4 rook's graph, with the same parameters (16, 6, 2, 2)."""
    pairs = [(a, b) for a in range(16) for b in range(a)]
    return graph_of(16, [(a, b) for a, b in pairs if a // 4 == b // 4 or a % 4 == b % 4])


def around_a_hub(*graphs):
    """Graphs of one size, all their nodes joined to one more."""
    size = graphs[0].size
    edges = [
        (size * k + one, size * k + other)
        for k, graph in enumerate(graphs)
        for one, other in graph.edges
    ]
    hub = size * len(graphs)
    return graph_of(hub + 1, edges + [(node, hub) for node in range(hub)])


def test_what_colours_cannot_tell_apart_the_search_does():
    """Shrikhande, Shrikhande, rook: a wrong guess is taken back, an impossible one refused."""
    graph = around_a_hub(shrikhande(), shrikhande(), rook())
    swap = find_automorphism(graph, 0, 16)
    assert swap is not None
    assert is_automorphism(graph, swap)
    assert {swap[node] for node in range(16)} == set(range(16, 32))
    assert find_automorphism(graph, 0, 32) is None
    assert find_automorphism(graph, 32, 0) is None


@given(connected_graphs(most=6))
@settings(max_examples=60)
def test_the_search_agrees_with_trying_all_permutations(graph):
    every = [move for move in permutations(range(graph.size)) if is_automorphism(graph, move)]
    for source in range(graph.size):
        for target in range(graph.size):
            found = find_automorphism(graph, source, target)
            assert (found is None) == (not any(move[source] == target for move in every))
            if found is not None:
                assert found[source] == target
                assert found in every
    orbit = {move[0] for move in every}
    verdict = search_transitive(graph)
    assert verdict.holds == (len(orbit) == graph.size)
    assert (verdict.counterexample is None) == verdict.holds


@given(st.sampled_from([PETERSEN, FRUCHT, shrikhande(), circulant(30, [1, 4])]), st.data())
def test_renaming_the_nodes_changes_no_verdict(graph, data):
    new = data.draw(st.permutations(range(graph.size)))
    renamed = graph_of(graph.size, [(new[one], new[other]) for one, other in graph.edges])
    assert search_transitive(renamed).holds == search_transitive(graph).holds


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
def test_families_transitive_by_construction_are_found_so_by_search(graph):
    assert transitive(graph).holds
    assert search_transitive(graph).holds


@pytest.mark.parametrize("graph", OTHERS, ids=lambda graph: graph.name)
def test_paths_and_histograms_are_not_transitive(graph):
    verdict = transitive(graph)
    assert not verdict.holds
    assert str(verdict.counterexample).startswith("no automorphism leads from ")


def test_graphs_known_for_their_symmetry():
    assert search_transitive(PETERSEN).holds
    assert search_transitive(shrikhande()).holds
    assert search_transitive(circulant(200, [1, 7])).holds
    assert not search_transitive(FRUCHT).holds
    assert "their layers hold" in str(search_transitive(FRUCHT).counterexample)


def test_an_automorphism_can_be_asked_to_leave_nodes_alone():
    square = graph_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert find_automorphism(square, 1, 3, fixed=(0,)) == (0, 3, 2, 1)
    assert find_automorphism(square, 1, 2, fixed=(0,)) is None


@given(connected_graphs(most=7))
@settings(max_examples=30)
def test_networkx_agrees_on_the_group(graph):
    networkx = pytest.importorskip("networkx")
    other = networkx.Graph(list(graph.edges))
    matcher = networkx.algorithms.isomorphism.GraphMatcher(other, other)
    images = {move[0] for move in matcher.isomorphisms_iter()}
    assert search_transitive(graph).holds == (len(images) == graph.size)


def test_a_search_that_leads_nowhere_admits_it(monkeypatch):
    monkeypatch.setattr(automorphisms, "MOST_STEPS", 1)
    with pytest.raises(DesignError, match="were not found within"):
        search_transitive(shrikhande())
