"""Repair that keeps requirements: exact in the integers, next to nothing lost."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify, tight_epsilon
from discreet.designer.plain.interior import keep_requirements
from discreet.designer.plain.interior_matrix import fair_direction, interior_matrix
from discreet.designer.programs.cells import order_of
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import matrix_of, plain_program, with_honest_room
from discreet.designer.request import Request, value_above
from discreet.errors import DesignError, GoalError
from discreet.measures import properties
from discreet.model import (
    AllPairs,
    Goal,
    Graph,
    Grid,
    Labels,
    Listed,
    Mechanism,
    Within,
    extended,
    scaled,
)

NAMES = ("column-monotone", "row-monotone", "symmetric", "fair", "every-output")
SUBSETS = [
    ",".join(names)
    for count in range(1, len(NAMES) + 1)
    for names in itertools.combinations(NAMES, count)
]
ANSWERS = Grid.between(0, 6)
OUTPUTS = [
    ANSWERS,
    scaled(ANSWERS, 2),
    scaled(ANSWERS, 3),
    scaled(ANSWERS, "1/2"),
    extended(ANSWERS, 150),
    Listed.of([0, 1, 5]),
]
RELATIONS = [Within(2), AllPairs(), Graph.of(7, [(0, 3), (3, 6), (1, 2), (4, 5)])]


def _exact_direction(size: int) -> list[list[Fraction]]:
    """`fair_direction` in fractions, cell by cell, as the proof writes it."""

    def fall(i: int, j: int) -> Fraction:
        k, w = i - j, size - j
        return Fraction(k, w) * (2 + Fraction(3 * k - 2 * w + 1, 2 * size))

    def cell(i: int, j: int) -> Fraction:
        below = fall(i, j) if i >= j else fall(size - 1 - i, size - 1 - j)
        return Fraction(size - 1, size) - below

    return [[cell(i, j) for j in range(size)] for i in range(size)]


@pytest.mark.parametrize("size", range(1, 31))
def test_the_fair_direction_has_room_everywhere(size: int) -> None:
    exact = _exact_direction(size)
    assert fair_direction(size) == pytest.approx(
        np.array([[float(cell) for cell in row] for row in exact]), abs=1e-14
    )
    assert all(sum(row[j] for row in exact) == 0 for j in range(size))
    assert {exact[j][j] for j in range(size)} == {Fraction(size - 1, size)}
    for i, j in itertools.product(range(size), repeat=2):
        assert exact[i][j] == exact[size - 1 - i][size - 1 - j]
        assert abs(exact[i][j]) <= Fraction(5, 2)
        if j < i:
            assert exact[i][j + 1] - exact[i][j] >= Fraction(1, 2 * size)
            assert exact[i - 1][j] - exact[i][j] >= Fraction(1, size)


@pytest.mark.parametrize("requirements", SUBSETS)
def test_all_that_is_required_is_kept_exactly(requirements: str) -> None:
    tried = 0
    for outputs, neighbours in itertools.product(OUTPUTS, RELATIONS):
        try:
            request = Request.of(
                ANSWERS, neighbours, "0.8", requirements=requirements, outputs=outputs
            )
        except GoalError:
            continue
        solution = solve(with_honest_room(plain_program(request)), "simplex")
        kept = keep_requirements(request, matrix_of(request, solution.x))
        certify(kept, "0.8")
        assert not properties(kept).missing(request.requirements)
        assert value_above(request, kept) <= solution.value * (1 + 1e-6)
        tried += 1
    assert tried >= 9


@settings(max_examples=30)
@given(
    st.integers(2, 9),
    st.sampled_from([subset for subset in SUBSETS if "every" not in subset]),
    st.sampled_from([1e-13, 1e-10, 1e-7]),
    st.data(),
)
def test_rough_matrices_are_repaired_too(size, requirements, roughness, data) -> None:
    """What a solver leaves open costs about as much as it is."""
    space = Grid.between(1, size)
    request = Request.of(space, Within(2), "1", requirements=requirements)
    inside, _ = interior_matrix(request)
    solution = solve(plain_program(request), "simplex")
    noise = data.draw(st.lists(st.floats(-1, 1), min_size=size**2, max_size=size**2))
    matrix = matrix_of(request, solution.x) + roughness * np.array(noise).reshape(size, size)
    matrix = (1 - roughness) * matrix + roughness * inside
    kept = keep_requirements(request, matrix)
    assert not properties(kept).missing(request.requirements)
    certify(kept, "1")
    assert value_above(request, kept) <= solution.value * (1 + 3e4 * roughness + 1e-6)


def test_labels_can_be_fair_and_monotone() -> None:
    """Without an order, no output may be likelier than an answer's own."""
    space = Labels.of(["red", "green", "blue"])
    request = Request.of(
        space, AllPairs(), 1, Goal.of("zero-one"), "fair,column-monotone,row-monotone"
    )
    e = float(np.exp(1))
    response = (np.ones((3, 3)) + (e - 1) * np.eye(3)) / (e + 2)
    kept = keep_requirements(request, response)
    assert kept.probabilities() == pytest.approx(response, abs=1e-9)
    assert not properties(kept).missing(request.requirements)


@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "3"])
@pytest.mark.parametrize("outputs", OUTPUTS[:5])
def test_the_interior_is_private_whatever_the_neighbours(outputs, epsilon: str) -> None:
    request = Request.of(ANSWERS, AllPairs(), epsilon, requirements="all", outputs=outputs)
    inside, classes = interior_matrix(request)
    assert inside.sum(axis=0) == pytest.approx(np.ones(7))
    weights = np.floor(inside * 2.0**50).astype(np.int64)
    weights[-1] += 2**50 - weights.sum(axis=0)
    flat = Mechanism.of(ANSWERS, outputs, AllPairs(), weights)
    assert float(tight_epsilon(flat)) <= 0.51 * float(epsilon)
    order = order_of(request)
    between = classes.of[order.smaller] != classes.of[order.larger]
    rises = inside.ravel()[order.larger] - inside.ravel()[order.smaller]
    assert (rises[between] > 0).all()


def test_a_matrix_far_from_private_is_refused() -> None:
    request = Request.of(Grid.between(0, 3), Within(1), "0.1", requirements="all")
    with pytest.raises(DesignError, match="to be repaired with column-monotone, fair"):
        keep_requirements(request, np.eye(4))
