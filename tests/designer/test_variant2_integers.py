"""Integers from sums above the diagonal: all properties, and no smaller loss with those sums."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer.programs.solver import solve
from discreet.designer.request import Request
from discreet.designer.variant2.band import BandPlan
from discreet.designer.variant2.integers import (
    Shrinking,
    integer_matrix,
    roomy_plan,
    simple_below,
)
from discreet.designer.variant2.lean import lean_program
from discreet.exact import Epsilon
from discreet.measures import properties
from discreet.model import Goal, Grid, Loss, Mechanism, Requirements, Within

epsilons = st.sampled_from(["0.001", "0.1", "0.5", "log 3", "2", "9", "20"])
ratios = st.fractions(min_value=Fraction(1), max_value=Fraction(10**7), max_denominator=10**12)


@given(ratios, st.lists(st.integers(0, 2**62), min_size=1, max_size=8))
def test_weights_shrink_exactly_and_round_up(ratio: Fraction, weights: list[int]) -> None:
    shrinking = Shrinking(ratio)
    used = shrinking.ratio
    assert used <= ratio
    assert ratio - used <= ratio / 2**45
    expected = [math.ceil(weight / used) for weight in weights]
    assert shrinking(np.array(weights)).tolist() == expected


@given(st.fractions(min_value=Fraction(1, 50), max_value=50), st.integers(1, 40))
def test_the_largest_simple_fraction_below(ratio: Fraction, largest: int) -> None:
    best = max(Fraction(math.floor(ratio * q), q) for q in range(1, largest + 1))
    assert simple_below(ratio, largest) == best


@given(st.integers(2, 40), st.integers(1, 45), epsilons)
def test_a_plan_with_room_becomes_integers_at_once(size: int, steps: int, epsilon: str) -> None:
    ratio = Epsilon.of(epsilon).ratio_below
    plan = roomy_plan(size, min(steps, size - 1), float(1 / ratio))
    weights = integer_matrix(plan, min(steps, size - 1), ratio)
    assert weights is not None
    space = Grid.between(1, size)
    mechanism = Mechanism.of(space, space, Within(steps), weights)
    assert mechanism.total == 2**62
    assert not properties(mechanism).missing(Requirements.of("all, every-output"))
    certify(mechanism, epsilon)
    two_sided = integer_matrix(BandPlan(plan.diagonal, plan.sums * 2), min(steps, size - 1), ratio)
    assert two_sided is not None
    assert np.abs((two_sided - weights).astype(float)).max() <= 2**62 * 1e-12


@given(st.integers(2, 9), st.integers(9, 20), st.floats(0.2, 3))
def test_columns_have_one_sum_whatever_its_size(size: int, bits: int, epsilon: float) -> None:
    ratio = Epsilon.of(round(epsilon, 6)).ratio_below
    plan = roomy_plan(size, 1, float(1 / ratio))
    weights = integer_matrix(plan, 1, ratio, bits=bits)
    assert weights is not None
    assert set(weights.sum(axis=0).tolist()) == {2**bits}


def test_sums_that_cannot_be_are_refused() -> None:
    too_heavy = BandPlan(0.9, (np.array([0.0, 0.05, 0.1]),))
    assert integer_matrix(too_heavy, 1, Fraction(2)) is None
    both = BandPlan(0.9, (np.array([0.0, 0.05, 0.1]), np.array([0.0, 0.05, 0.1])))
    assert integer_matrix(both, 1, Fraction(2)) is None
    assert integer_matrix(both, 1, Fraction(100)) is not None


@settings(max_examples=25)
@given(st.integers(3, 10), st.integers(1, 5), st.sampled_from(["0.3", "1"]), st.data())
def test_no_matrix_with_these_sums_is_nearer_the_diagonal(size, steps, epsilon, data) -> None:
    """Any fair and row-monotone matrix, refilled from its sums, has its weight further in."""
    table = data.draw(
        st.lists(
            st.lists(st.integers(0, 9), min_size=size, max_size=size),
            min_size=size, max_size=size,
        )
    )  # fmt: skip
    request = Request.of(
        Grid.between(1, size),
        Within(steps),
        epsilon,
        Goal.of(Loss.of_table(table)),
        "fair,row-monotone,symmetric",
    )
    program, classes = lean_program(request)
    some = classes.spread(solve(program, "simplex").x).reshape(size, size)
    sums = np.triu(some, 1).sum(axis=0)
    roomy = roomy_plan(size, min(steps, size - 1), float(1 / request.epsilon.ratio_below))
    plan = BandPlan(float(some[0, 0]), (sums,)).mixed_with(roomy, 1e-7)
    weights = integer_matrix(plan, min(steps, size - 1), request.epsilon.ratio_below)
    assert weights is not None
    refilled = weights / 2.0**62
    for j in range(1, size):
        ours = np.cumsum(refilled[:j, j][::-1])
        theirs = np.cumsum(some[:j, j][::-1])
        assert (ours >= theirs - 1e-6).all()
        assert ours[-1] == pytest.approx(theirs[-1], abs=1e-6)
