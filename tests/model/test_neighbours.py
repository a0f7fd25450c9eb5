"""Neighbours: the pairs said, no others; distances are shortest chains of them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NeighboursError
from discreet.model import AllPairs, Graph, Within
from discreet.model.neighbours import neighbours_from_dict, neighbours_to_dict
from ground_truth import naive_pairs, relations

sized_relations = st.integers(1, 8).flatmap(lambda size: st.tuples(st.just(size), relations(size)))


@given(sized_relations)
def test_pairs_are_those_of_the_definition_each_once(case):
    size, relation = case
    pairs = list(relation.pairs(size))
    assert all(j < k for j, k in pairs)
    assert len(set(pairs)) == len(pairs)
    assert sorted(pairs + [(k, j) for j, k in pairs]) == naive_pairs(relation, size)


@given(sized_relations)
def test_distances_are_shortest_chains(case):
    size, relation = case
    far = size + 1
    best = [[0 if j == k else far for k in range(size)] for j in range(size)]
    for j, k in naive_pairs(relation, size):
        best[j][k] = 1
    for middle in range(size):
        for j in range(size):
            for k in range(size):
                best[j][k] = min(best[j][k], best[j][middle] + best[middle][k])
    found = relation.distances(size)
    assert found.tolist() == [[-1 if d == far else d for d in row] for row in best]


@given(sized_relations)
def test_json_gives_the_same_relation_back(case):
    relation = case[1]
    assert neighbours_from_dict(json.loads(json.dumps(neighbours_to_dict(relation)))) == relation


def test_pairs_come_in_any_order_and_any_integer():
    graph = Graph.of(3, [(2, 0), [0, 2], (np.int64(1), np.int64(2))])
    assert graph == Graph(3, frozenset({(0, 2), (1, 2)}))
    assert all(type(end) is int for edge in graph.edges for end in edge)


def test_a_graph_is_for_its_own_size():
    with pytest.raises(NeighboursError, match="are for 3 answers, but the space has 4"):
        Graph.of(3, [(0, 1)]).pairs(4)


@pytest.mark.parametrize(
    "edge", [(0, 3), (-1, 0), (1, 1), (True, 0), ("0", "1"), (0,), (0, 1, 2), 5, None, (0.0, 1)]
)
def test_a_pair_that_is_none(edge):
    with pytest.raises(NeighboursError, match=r"^a neighbouring pair must .*got "):
        Graph.of(3, [edge])


@pytest.mark.parametrize("edges", [{(0, 5)}, {(2, 1)}, {(-1, 2)}, {(1, 1)}])
def test_a_raw_graph_is_checked_too(edges):
    with pytest.raises(NeighboursError):
        Graph(3, frozenset(edges))


@pytest.mark.parametrize(
    "edges", [iter([(0, 1)]), {(0, 1)}, [(0, 1)], None, frozenset({(0.0, 1)}), frozenset({"01"})]
)
def test_a_raw_graph_keeps_pairs_that_stay(edges):
    """An iterator would be used up by the check, and a set could change after it."""
    with pytest.raises(NeighboursError):
        Graph(3, edges)


def test_steps_of_numpy_are_steps():
    assert Within(np.int64(2)) == Within(2)
    assert type(Within(np.int64(2)).steps) is int


def test_all_pairs_of_one_answer():
    assert list(AllPairs().pairs(1)) == list(Within(3).pairs(1)) == []
