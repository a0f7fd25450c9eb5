"""LP[1] to LP[5]: how they relate, that symmetry loses nothing, and the values of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.designer import design
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.errors import DesignError, GoalError
from discreet.exact import Epsilon
from discreet.graphs import (
    DatabaseGraph,
    histograms,
    layer_cost,
    mean_optima_4_and_5,
    optima_2_and_3,
    optimal_exponential,
    optimum_1,
    optimum_2,
    optimum_3,
    optimum_4,
    optimum_5,
    path,
    sorted_histograms,
)
from discreet.graphs.optimum import optimum_of_row
from discreet.graphs.orbits import alike_cells, every_cell, generators, pair_orbits
from discreet.graphs.programs import (
    program_1,
    program_2,
    program_3,
    program_4,
    program_5,
    request_of,
)
from discreet.model import Grid, Within
from graphs.strategies import EPSILONS, OTHERS, SYMMETRIC, connected_graphs


def close(one, other):
    return one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "2"])
def test_on_a_path_lp_1_is_the_best_count_of_003(epsilon):
    graph = path(9)
    count = design(Grid.between(0, 8), Within(1), epsilon, cache=None)
    assert close(optimum_1(graph, epsilon).value, count.value)


def test_the_path_of_twelve_nodes():
    graph = path(12)
    assert round(optimum_1(graph, "0.5").value, 6) == 1.458085
    assert round(optimum_2(graph, "0.5").value, 6) == 1.300569
    assert round(optimum_3(graph, "0.5").value, 6) == 1.488905


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
@pytest.mark.parametrize("epsilon", ["0.2", "1"])
def test_theorem_1_all_programs_agree_with_the_closed_form(graph, epsilon):
    """LP[1] = LP[2] = LP[3] = exp(−ε d), solved in full, without any symmetry."""
    closed = float(optimal_exponential(graph, epsilon).value)
    cells = every_cell(graph)
    assert close(optimum_1(graph, epsilon, cells).value, closed)
    for program in (program_1, program_2, program_3):
        assert close(solve(program(graph, epsilon)).value, closed)
    second, third = optima_2_and_3(graph, epsilon, cells)
    assert close(second.value, closed)
    assert close(third.value, closed)
    for start in (0, graph.size - 1):
        assert close(optimum_5(graph, start, epsilon).value, closed)
        assert close(solve(program_4(graph.layer_sizes(start), epsilon)).value, closed)


@given(connected_graphs(), EPSILONS)
@settings(max_examples=40)
def test_the_programs_are_ordered_as_claimed(graph, epsilon):
    first = optimum_1(graph, epsilon)
    second, third = optima_2_and_3(graph, epsilon)
    fourth, fifth = mean_optima_4_and_5(graph, epsilon)
    assert first.certified.guarantee.epsilon == Epsilon.of(epsilon)
    assert second.lower_bound <= first.value
    assert second.lower_bound <= third.value
    assert fifth.lower_bound <= third.value
    assert fifth.lower_bound <= fourth.value
    for found in (first, second, third, fourth, fifth):
        assert found.lower_bound <= found.value
        assert found.value - found.lower_bound <= 1e-8


@given(connected_graphs(most=6), EPSILONS)
@settings(max_examples=25)
def test_the_decomposition_is_the_whole_program(graph, epsilon):
    second, third = optima_2_and_3(graph, epsilon)
    assert close(second.value, solve(program_2(graph, epsilon)).value)
    assert close(third.value, solve(program_3(graph, epsilon)).value)
    assert close(optimum_1(graph, epsilon).value, solve(program_1(graph, epsilon)).value)


@given(connected_graphs(most=6), EPSILONS)
@settings(max_examples=15)
def test_lp_1_is_the_plain_program_of_the_design_room(graph, epsilon):
    plain = solve(plain_program(request_of(graph, epsilon)))
    assert close(optimum_1(graph, epsilon).value, plain.value)


@pytest.mark.parametrize("graph", [*OTHERS, path(9), sorted_histograms(7, 7)], ids=str)
def test_symmetry_changes_no_optimum(graph):
    cells = alike_cells(graph)
    for program in (program_1, program_2, program_3):
        small, large = program(graph, "0.8", cells), program(graph, "0.8")
        assert small.shape[1] == cells.max() + 1 <= large.shape[1]
        assert close(solve(small).value, solve(large).value)
    for output in range(graph.size):
        full = optimum_of_row(graph, output, "0.8")
        assert close(optimum_of_row(graph, output, "0.8", cells).value, full.value)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), EPSILONS)
def test_lemma_4_the_closed_form_solves_lp_4(sizes, epsilon):
    program = program_4(sizes, epsilon)
    solution = solve(program)
    found = optimum_4(tuple(sizes), epsilon)
    assert close(solution.value, layer_cost(sizes, epsilon))
    assert found.lower_bound <= found.value
    assert lower_bound(program, solution.duals) <= found.value


@given(connected_graphs(), EPSILONS)
@settings(max_examples=30)
def test_lemma_5_regular_layers_make_lp_5_and_lp_4_equal(graph, epsilon):
    from discreet.graphs import regular_layers

    for start in range(graph.size):
        fourth = optimum_4(graph.layer_sizes(start), epsilon)
        fifth = optimum_5(graph, start, epsilon)
        assert fifth.lower_bound <= fourth.value
        assert solve(program_5(graph, start, epsilon)).value <= fourth.value + 1e-9
        if regular_layers(graph, start):
            assert close(fifth.value, fourth.value)


@given(connected_graphs(most=7))
@settings(max_examples=40)
def test_generators_generate_every_automorphism(graph):
    from itertools import permutations

    from discreet.graphs import is_automorphism

    if graph.size > 6:
        return
    every = [move for move in permutations(range(graph.size)) if is_automorphism(graph, move)]
    found = generators(graph)
    assert set(found) <= set(every)
    classes = pair_orbits(graph.size, found)
    for x in range(graph.size):
        for y in range(graph.size):
            orbit = {(move[x], move[y]) for move in every}
            alike = {tuple(pair) for pair in np.argwhere(classes == classes[x, y]).tolist()}
            assert alike == orbit


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
def test_symmetric_families_have_a_class_for_each_distance(graph):
    plain = DatabaseGraph.of(graph.space.names, graph.edges)
    searched, known = alike_cells(plain), alike_cells(graph)
    assert (known == graph.distances).all()
    assert searched.max() == known.max()
    for kind in range(graph.diameter + 1):
        assert len(set(searched[known == kind].tolist())) == 1


def test_histograms_of_ten_records_shrink_a_hundredfold():
    cells = alike_cells(histograms(10, 5))
    assert cells.shape == (1001, 1001)
    assert int(cells.max()) + 1 == 10681


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(DesignError, match="too large for the programs"):
        optimum_1(path(4), 50)
    with pytest.raises(DesignError, match="entries or more; the limit is"):
        optimum_1(path(1000), 1, every_cell(path(1000)))
    with pytest.raises(GoalError, match="layer sizes must be at least 1 each"):
        program_4([1, 0], 1)
