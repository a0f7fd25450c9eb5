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
from discreet.designer.rays.errors import ErrorBasis, FlatRays
from discreet.designer.rays.goal import Distances, Line
from discreet.designer.rays.worst_program import best_told
from discreet.designer.request import Request, value_above
from discreet.errors import DesignError
from discreet.model import Goal, Grid, Within

LOSSES = ["absolute", "squared"]


@given(
    st.integers(4, 26), st.integers(1, 4), st.sampled_from(["0.1", "0.3", "1", "2.5"]),
    st.sampled_from(LOSSES), st.sampled_from([1, 3]),
)  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_the_best_rays_have_the_plain_optimum_and_prove_it(size, steps, epsilon, loss, step):
    steps = min(steps, size - 2)
    goal = Goal.of(loss, worst_case=True)
    answers = Grid.between(0, (size - 1) * step, step)
    request = Request.of(answers, Within(steps), epsilon, goal)
    best = solve(plain_program(request)).value
    found = worst_case.run(request)
    assert certify(found.mechanism, epsilon)
    measured = value_above(request, found.mechanism)
    assert found.lower_bound <= best * (1 + 1e-7)
    assert best <= measured * (1 + 1e-7)
    assert measured - found.lower_bound <= worst_case.GOOD * measured


@given(
    st.integers(4, 26), st.integers(1, 4), st.sampled_from(["0.3", "1"]), st.sampled_from(LOSSES)
)
@settings(max_examples=10, deadline=None)
def test_even_rays_are_told_with_an_honest_gap(size, steps, epsilon, loss):
    """As on lines for which no program is solved: measured, and worked out without writing out."""
    steps = min(steps, size - 2)
    request = Request.of(
        Grid.between(0, size - 1), Within(steps), epsilon, Goal.of(loss, worst_case=True)
    )
    best = solve(plain_program(request)).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worst_case, "why_no_program", lambda _: "too large")
        patch.setattr(worst_case, "MOST_REACHES", 0)
        exact = worst_case.run(request)
        patch.setattr(worst_case, "_MOST_MEASURED", 0)
        patch.setattr(integers, "MOST_DENSE", 0)
        told = worst_case.run(request)
    assert certify(exact.mechanism, epsilon)
    measured = value_above(request, exact.mechanism)
    assert exact.lower_bound <= best * (1 + 1e-7)
    assert best <= measured * (1 + 1e-7)
    assert measured <= told.value


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("power", [1, 2])
def test_the_basis_of_errors_turns_a_ray_into_few_entries_and_back(steps, power):
    """B is what `times` does, entry by entry, and what a ray errs has the entries it is given."""
    line = Line(31, steps, 0.6)
    basis = ErrorBasis(Distances(line, power))
    row, column, value = basis.entries
    written = np.zeros((31, 31))
    np.add.at(written, (row, column), value)
    assert written == pytest.approx(basis.times(np.eye(31)), abs=1e-11)
    assert np.linalg.matrix_rank(written) == 31
    rays = FlatRays(np.array([0, 4, 12]), np.array([1, 4, 14]), np.array([3, 4, 13]))
    places = np.arange(31)
    away = np.maximum(rays.first[:, None] - places, places - rays.last[:, None])
    errors = (
        0.6 ** -(-np.maximum(away, 0) // steps) * np.abs(rays.output[:, None] - places) ** power
    )
    number, row, value = basis.errors(rays)
    given_entries = np.zeros((3, 31))
    np.add.at(given_entries, (number, row), value)
    assert given_entries == pytest.approx(errors @ written, abs=1e-9)
    if power == 1:
        assert len(value) < 3 * 8 * steps


@given(st.integers(0, 12), st.integers(0, 5), st.integers(0, 2**30), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_what_is_told_of_a_ray_is_its_median(first, length, seed, steps):
    prior = np.sort(np.random.default_rng(seed).random(25) + 0.01)
    line = Line(25, steps, 0.5)
    last = first + length
    cost, told = best_told(Distances(line, 1), prior, np.array([first]), np.array([last]))
    places = np.arange(25)
    away = np.maximum(np.maximum(first - places, places - last), 0)
    ray = 0.5 ** -(-away // steps) * prior
    costs = [float(ray @ np.abs(places - output)) for output in range(first, 25)]
    assert cost[0] == pytest.approx(min(costs), rel=1e-9)
    assert costs[told[0] - first] == pytest.approx(min(costs), rel=1e-9)


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


def test_a_mean_of_a_thousand_is_proved_to_a_millionth():
    """Even rays on 4,001 answers, and a prior on a part of them."""
    asked = mean(1_000, 0, 4)
    request = Request.of(asked.answers, asked.neighbours, 3, Goal.of(worst_case=True))
    found = worst_case.run(request)
    assert found.value is not None
    assert 0 <= found.value - found.lower_bound <= 1e-6 * found.value


def test_rays_that_are_no_intervals_are_used_where_they_help():
    request = Request.of(Grid.between(0, 30), Within(12), "0.5", Goal.of(worst_case=True))
    found = worst_case.run(request)
    best = solve(plain_program(request)).value
    assert value_above(request, found.mechanism) == pytest.approx(best, rel=1e-6)


def test_the_plain_program_is_asked_where_it_can_do_better(monkeypatch):
    request = Request.of(Grid.between(0, 8), Within(2), 1, Goal.of(worst_case=True))
    monkeypatch.setattr(worst_case, "MOST_REACHES", 0)
    with pytest.raises(DesignError, match=r"rays leave a gap of .*, and the program is small"):
        worst_case.run(request)
