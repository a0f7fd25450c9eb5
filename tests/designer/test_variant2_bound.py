"""Bounds on fair and row-monotone mechanisms: proven for any multipliers, and never above."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request
from discreet.designer.variant2.band import Triangles, reach_of
from discreet.designer.variant2.bound import (
    _cheapest_falls,
    band_bound,
    largest_diagonal,
    short_of_the_best,
)
from discreet.designer.variant2.search import best_plan
from discreet.model import Goal, Grid, Within

numbers = st.floats(-2, 2, allow_nan=False)
awkward = numbers | st.sampled_from([1.0, -1.0, 0.1, -0.3, 1e-17, -1e-17, -3e-17])


def _slow_fall(costs: list[float], steps: int, shrink: float) -> Fraction:
    """The cheapest falling tail, by trying every set of places where it may drop."""
    best = None
    places = range(len(costs))
    for count in range(len(costs) + 1):
        for drops in itertools.combinations(places, count):
            if any(b - a < steps for a, b in itertools.pairwise(drops)):
                continue
            levels = [sum(1 for drop in drops if drop <= k) for k in places]
            total = sum(
                (Fraction(c) * Fraction(shrink) ** z for c, z in zip(costs, levels, strict=True)),
                Fraction(0),
            )
            best = total if best is None else min(best, total)
    assert best is not None
    return best


def test_sums_that_cancel_are_rounded_down() -> None:
    """1 − 10⁻¹⁷ − 1 is 0 in floats, which is more than it is."""
    reduced = np.zeros((4, 4))
    reduced[0, 1:] = [-1.0, -1e-17, 1.0]
    assert Fraction(_cheapest_falls(reduced, 3, 1 - 2.0**-53)[0]) <= _slow_fall(
        [-1.0, -1e-17, 1.0], 3, 1 - 2.0**-53
    )


@given(st.integers(2, 8), st.integers(1, 8), st.floats(0.05, 0.99), st.data())
def test_the_cheapest_fall_is_found_and_rounded_down(size, steps, shrink, data) -> None:
    cells = data.draw(st.lists(awkward, min_size=size * size, max_size=size * size))
    reduced = np.array(cells).reshape(size, size)
    found = _cheapest_falls(reduced, steps, shrink)
    for row in range(size):
        exact = _slow_fall(reduced[row, row + 1 :].tolist(), steps, shrink)
        assert Fraction(found[row]) <= exact
        assert float(exact) - found[row] <= 1e-12


@settings(max_examples=30)
@given(
    st.integers(2, 9), st.integers(1, 9), st.sampled_from(["0.1", "0.7", "2"]),
    st.booleans(), st.data(),
)  # fmt: skip
def test_any_multipliers_give_a_bound(size, steps, epsilon, symmetric, data) -> None:
    asked = "fair,row-monotone,symmetric" if symmetric else "fair,row-monotone"
    weights = data.draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    prior = [weight / sum(weights) for weight in weights]
    request = Request.of(
        Grid.between(1, size), Within(steps), epsilon, Goal.of("absolute", prior), asked
    )
    optimum = solve(plain_program(request), "simplex").value
    triangles = Triangles.of(request, float(1 / request.epsilon.ratio_above), mirrored=symmetric)
    multipliers = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)))
    assert band_bound(triangles, multipliers) <= optimum * (1 + 1e-9)
    _, value, best = best_plan(triangles, reach_of(triangles, size))
    assert value == pytest.approx(optimum, rel=1e-7)
    assert band_bound(triangles, best) == pytest.approx(optimum, rel=1e-7)
    nudged = best + data.draw(st.floats(-0.1, 0.1))
    assert band_bound(triangles, nudged) <= optimum * (1 + 1e-9)


def test_rows_are_short_exactly_when_the_reach_is() -> None:
    request = Request.of(Grid.between(0, 200), Within(4), "0.5", requirements="all")
    triangles = Triangles.of(request, float(np.exp(-0.5)), mirrored=True)
    wide = reach_of(triangles, 30)
    _, value, multipliers = best_plan(triangles, wide)
    assert not short_of_the_best(triangles, wide, multipliers).any()
    narrow = reach_of(triangles, 12)
    _, dearer, multipliers = best_plan(triangles, narrow)
    assert dearer > value * (1 + 1e-6)
    assert short_of_the_best(triangles, narrow, multipliers).any()


@pytest.mark.parametrize("steps", [1, 3, 20])
def test_the_largest_diagonal_is_none_too_small(steps: int) -> None:
    """A loss that counts nothing but the diagonal makes it as large as can be."""
    request = Request.of(
        Grid.between(0, 20), Within(steps), "0.4", Goal.of("zero-one"), requirements="all"
    )
    triangles = Triangles.of(request, float(np.exp(-0.4)), mirrored=True)
    plan, _, _ = best_plan(triangles, reach_of(triangles, triangles.size))
    assert plan.diagonal <= largest_diagonal(triangles)
