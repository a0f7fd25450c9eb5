"""Cells near the diagonal: as good as the program of all cells, and the bound needs no belief."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.near import required, with_delta
from discreet.designer.near.tails import Band, column_order_of, falling_ends, row_order_of
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request, value_above
from discreet.measures import properties
from discreet.model import Goal, Grid, Within

SINGLE = ["fair", "column-monotone", "row-monotone"]
ASKED = [*SINGLE, "fair, column-monotone", "column-monotone, row-monotone, symmetric"]


@given(
    st.integers(3, 16), st.integers(1, 3), st.sampled_from(["0.2", "0.7", "2"]),
    st.sampled_from(ASKED), st.sampled_from(["absolute", "squared"]), st.integers(2, 6),
)  # fmt: skip
@example(12, 3, "0.7", "column-monotone", "squared", 2)  # too short to be made private
@settings(max_examples=25, deadline=None)
def test_a_band_has_what_is_required_and_a_bound_that_holds(
    size, steps, epsilon, asked, loss, reach
):
    """Whatever the reach: too short a one costs something, and the bound says so."""
    steps = min(steps, size - 2)
    request = Request.of(
        Grid.between(0, size - 1), Within(steps), epsilon, Goal.of(loss), requirements=asked
    )
    best = solve(plain_program(request)).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(required, "why_not_plain", lambda _: "too large")
        patch.setattr(required, "ENOUGH", 1.0)
        patch.setattr(required, "first_reach", lambda _: max(reach, steps))
        short = required.run(request)
        patch.setattr(required, "first_reach", lambda _: size)
        found = required.run(request)
    for one in (short, found):
        assert certify(one.mechanism, epsilon)
        assert not properties(one.mechanism).missing(request.requirements)
        assert one.lower_bound <= best * (1 + 1e-7)
        assert value_above(request, one.mechanism) >= best * (1 - 1e-7)
    # All cells: what is left is the solver's, 1.73e-6 at worst in 3,930 runs; above ENOUGH the
    # design goes on to the program of all cells.
    assert found.value - found.lower_bound <= 1e-5 * found.value


@pytest.mark.parametrize(("asked", "epsilon"), [*zip(SINGLE, ("1", "0.5", "2"), strict=True)])
def test_one_requirement_of_two_hundred_answers_is_proved(asked, epsilon):
    found = design(Grid.between(0, 200), Within(1), epsilon, None, asked, cache=None)
    assert found.method == "band"
    assert found.gap < 1e-6


@given(st.integers(4, 14), st.integers(1, 3), st.integers(3, 6), st.integers(0, 2**30))
@settings(max_examples=40, deadline=None)
def test_tails_keep_every_ratio_and_order_that_the_band_keeps(size, steps, reach, seed):
    steps, reach = min(steps, size - 2), min(max(reach, steps), size - 1)
    band = Band(size, steps, reach, 0.6)
    random = np.random.default_rng(seed)
    away = np.abs(band.row - band.column)
    levels = np.minimum.reduce([-(-away // steps), away * 0 + random.integers(1, 4)])
    values = np.zeros(band.variables)
    values[band.variable] = 0.6 ** levels.astype(float)
    for order in (column_order_of(band), row_order_of(band), falling_ends(band)):
        cells = values[band.variable]
        assert (cells[order.smaller] <= cells[order.larger] + 1e-15).all()
    whole = band.matrix(values)
    assert (whole > 0).all()
    for step in range(1, steps + 1):
        ratios = whole[:, step:] / whole[:, :-step]
        assert ratios.max() <= 1 / 0.6 + 1e-9
        assert ratios.min() >= 0.6 - 1e-9
    for j in range(size):
        assert (np.diff(whole[: j + 1, j]) >= -1e-15).all()
        assert (np.diff(whole[j:, j]) <= 1e-15).all()
    assert whole == pytest.approx(whole[::-1, ::-1])


@given(
    st.integers(3, 14), st.integers(1, 3), st.sampled_from(["0.5", "1.5"]),
    st.sampled_from(["0.2", "0.01", "1e-5"]), st.booleans(), st.integers(1, 4),
)  # fmt: skip
@example(10, 1, "1.5", "1e-5", False, 3)  # the first solve is off by more than δ
@settings(max_examples=25, deadline=None)
def test_with_delta_what_is_far_may_be_left_out(size, steps, epsilon, delta, worst, reach):
    steps = min(steps, size - 2)
    request = Request.of(
        Grid.between(0, size - 1), Within(steps), epsilon, Goal.of(worst_case=worst), delta=delta
    )
    best = solve(plain_program(request)).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(required, "why_not_plain", lambda _: "too large")
        patch.setattr(with_delta, "first_reach", lambda _: reach)
        found = with_delta.run(request)
    assert certify(found.mechanism, epsilon, delta)
    assert found.lower_bound <= best * (1 + 1e-7)
    assert value_above(request, found.mechanism) >= best * (1 - 1e-7)
    assert found.value - found.lower_bound <= 1e-4 * found.value


def test_a_count_of_250_with_delta_is_proved():
    found = design(Grid.between(0, 250), Within(1), 1, delta="0.01", cache=None)
    assert found.method == "near"
    assert found.gap < 1e-6


def test_what_a_band_is_not_for_goes_on_to_the_program_of_all_cells():
    lopsided = Goal.of("absolute", [0.5, 0.3, 0.2])
    request = Request.of(Grid.between(0, 2), Within(1), 1, lopsided, requirements="fair")
    assert required.why_not(request) == "only for 41 to 2,000 answers"
    prior = np.linspace(1, 2, 60)
    request = Request.of(
        Grid.between(0, 59), Within(1), 1,
        Goal.of("absolute", (prior / math.fsum(prior)).tolist()), requirements="fair",
    )  # fmt: skip
    assert required.why_not(request) == "the loss or the prior is not symmetric"
    assert with_delta.why_not(request) == "only for a positive δ"
