"""Lemma 2 of 002, exactly: rows that sum to 1, every ratio kept, no larger cost."""

import pytest

from discreet.errors import DesignError
from discreet.graphs import path
from discreet.graphs.lemma_2 import cost, evened
from discreet.papers.p002.lemma_2 import RATIO, feasible
from graphs.strategies import SYMMETRIC


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
def test_any_point_becomes_one_of_lp_3(graph):
    before = feasible(graph)
    after = evened(graph, before)
    assert all(sum(row) == 1 for row in after)
    assert all(row[x] <= RATIO * row[y] for row in after for x, y in graph.directed.tolist())
    assert cost(graph, after) <= cost(graph, before)
    assert cost(graph, evened(graph, after)) == cost(graph, after)


def test_other_graphs_are_refused():
    with pytest.raises(DesignError, match=r"path 3 is not transitive.*Lemma 2 needs one"):
        evened(path(3), feasible(path(3)))
