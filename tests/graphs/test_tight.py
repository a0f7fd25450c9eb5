"""Tight constraints on graphs of databases: the table of costs, and the programs that agree."""

import pytest
from hypothesis import given, settings

from discreet.certifier import certify
from discreet.designer.programs.solver import solve
from discreet.graphs import (
    best_mechanism,
    half_exponential,
    histograms,
    optima_2_and_3,
    optimum_1,
    path,
    sorted_histograms,
    tight_mechanism,
)
from discreet.graphs.best import walk_of_path
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.orbits import alike_cells, alike_nodes
from discreet.graphs.programs import program_1
from graphs.strategies import EPSILONS, connected_graphs


@pytest.mark.parametrize(
    ("graph", "cost", "times"),
    [
        (histograms(20, 3), 0.617, 2.60),
        (sorted_histograms(20, 3), 0.516, 2.51),
        (sorted_histograms(12, 12), 0.671, 2.34),
        (histograms(10, 3, "add-or-remove"), 0.745, None),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_at_epsilon_two_nothing_is_better(graph, cost, times):
    found = tight_mechanism(graph, 2)
    assert found.optimal
    assert found.design is not None
    assert found.design.gap < 1e-12
    assert certify(found.design.mechanism, 2)
    if times is not None:
        assert round(found.design.value, 3) == cost
        half = half_exponential(graph, 2).cost
        assert half / found.design.value == pytest.approx(times, abs=0.006)


@pytest.mark.parametrize(
    ("graph", "epsilon"), [(sorted_histograms(8, 8), 1), (sorted_histograms(6, 6), "0.5")], ids=str
)
def test_a_negative_weight_leaves_it_to_the_program(graph, epsilon):
    found = tight_mechanism(graph, epsilon)
    assert not found.solved.private
    assert found.design is None
    best = best_mechanism(graph, epsilon)
    assert best.method == "LP[1]"
    assert float(found.solved.lower_bound) <= best.value


@given(connected_graphs(), EPSILONS)
@settings(max_examples=40, deadline=None)
def test_the_best_mechanism_costs_what_the_program_costs(graph, epsilon):
    best = best_mechanism(graph, epsilon)
    plain = solve(program_1(graph, epsilon)).value
    assert best.value == pytest.approx(plain, rel=1e-7, abs=1e-9)
    assert best.lower_bound <= best.value
    assert certify(best.mechanism, epsilon)


@given(connected_graphs())
@settings(max_examples=40, deadline=None)
def test_alike_nodes_are_alike_cells_of_the_diagonal(graph):
    nodes, cells = alike_nodes(graph), alike_cells(graph).diagonal()
    for one in range(graph.size):
        for other in range(graph.size):
            assert (nodes[one] == nodes[other]) == (cells[one] == cells[other])


def test_a_path_by_any_name_is_a_count():
    graph = DatabaseGraph.of(["c", "a", "d", "b"], [(0, 2), (2, 1), (1, 3)])
    assert walk_of_path(graph) in ((0, 2, 1, 3), (3, 1, 2, 0))
    best = best_mechanism(graph, "0.5")
    assert best.method == "counts"
    assert best.value == pytest.approx(optimum_1(graph, "0.5").value, rel=1e-8)


def test_a_solver_that_gives_up_takes_no_result_away():
    """HiGHS fails on some rows of this path on the way to a better bound."""
    for found in optima_2_and_3(path(120), "0.5"):
        assert found.lower_bound <= found.value <= found.lower_bound * (1 + 1e-6)
