"""Worst cases on lines: never below the program's optimum, never above what is claimed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.queries import count, mean
from discreet.designer.rays import integers, worst_case
from discreet.designer.request import Request, value_above
from discreet.errors import DesignError
from discreet.model import Goal, Grid, Within

LOSSES = ["absolute", "squared"]


@given(
    st.integers(4, 26), st.integers(1, 4), st.sampled_from(["0.3", "1", "2.5"]),
    st.sampled_from(LOSSES), st.sampled_from([1, 3]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_value_and_bound_enclose_the_plain_optimum(size, steps, epsilon, loss, step):
    steps = min(steps, size - 2)
    goal = Goal.of(loss, worst_case=True)
    answers = Grid.between(0, (size - 1) * step, step)
    request = Request.of(answers, Within(steps), epsilon, goal)
    best = solve(plain_program(request)).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worst_case, "why_no_program", lambda _: "too large")
        exact = worst_case.run(request)
        patch.setattr(worst_case, "_MOST_MEASURED", 0)
        patch.setattr(integers, "MOST_DENSE", 0)
        told = worst_case.run(request)
    assert certify(exact.mechanism, epsilon)
    measured = value_above(request, exact.mechanism)
    assert exact.lower_bound <= best * (1 + 1e-7)
    assert best <= measured * (1 + 1e-7)
    assert measured <= told.value


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_even_rays_sum_to_one_and_err_alike_in_the_middle(steps, loss):
    request = Request.of(Grid.between(0, 240), Within(steps), 1, Goal.of(loss, worst_case=True))
    goal, _ = worst_case._goal(request)
    usual = worst_case.Usual.of(goal)
    rays = worst_case.even_rays(goal, usual)
    places = np.arange(241)
    away = np.maximum(rays.first[:, None] - places, places - rays.last[:, None])
    heights = np.exp(-1.0 * -(-np.maximum(away, 0) // steps)) * rays.weight[:, None]
    assert heights.sum(axis=0) == pytest.approx(1.0, abs=1e-12)
    errors = (heights * np.abs(rays.output[:, None] - places) ** goal.power).sum(axis=0)
    assert errors.max() <= usual.price * (1 + 1e-12)
    assert errors[120] == pytest.approx(usual.price, rel=1e-9)


def test_a_count_of_a_hundred_thousand_is_proved_to_a_millionth():
    asked = count(10**5)
    found = design(asked.answers, asked.neighbours, 1, Goal.of(worst_case=True), cache=None)
    assert found.method == "worst case"
    assert found.value == pytest.approx(0.8509181282, rel=1e-6)
    assert found.gap < 1e-6
    assert certify(found.mechanism, 1)


def test_a_mean_is_told_with_its_gap():
    asked = mean(150, 0, 4)
    found = design(asked.answers, asked.neighbours, 1, Goal.of(worst_case=True), cache=None)
    assert found.method == "worst case"
    assert found.gap < 0.01


def test_the_program_is_asked_where_it_can_do_better():
    request = Request.of(Grid.between(0, 8), Within(2), 1, Goal.of(worst_case=True))
    with pytest.raises(DesignError, match=r"even rays leave a gap of .*, and the program is small"):
        worst_case.run(request)
    assert design(Grid.between(0, 8), Within(2), 1, Goal.of(worst_case=True)).method == "plain"
