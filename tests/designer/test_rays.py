"""Rays: as good as the plain program, certified, with a bound that holds for all mechanisms."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design, mean
from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.method import RAYS, best_rays, on_a_line
from discreet.designer.rays.pool import Pool, is_long_and_wide
from discreet.designer.request import Request
from discreet.model import AllPairs, Goal, Graph, Grid, RayMechanism, Within, extended, scaled
from ground_truth import priors
from plain_reference import assert_as_good_as_plain, measured

epsilons = st.sampled_from(["0.05", "0.2", "0.5", "log 3", "2", "5"])
losses = st.sampled_from(["absolute", "squared", "zero-one"])


def quiet(value: float, bound: float) -> None:
    """Say nothing."""


@st.composite
def requests(draw: st.DrawFn, most: int) -> Request:
    size = draw(st.integers(1, most))
    answers = Grid(Fraction(0), draw(st.sampled_from([Fraction(1), Fraction(1, 10)])), size)
    prior = draw(st.just("uniform") | priors(size).map(lambda p: [float(share) for share in p]))
    outputs = draw(st.sampled_from([None, None, extended(answers, 200), scaled(answers, 2)]))
    steps = draw(st.integers(1, max(1, size // 2)))
    goal = Goal.of(draw(losses), prior)
    return Request.of(answers, Within(steps), draw(epsilons), goal, outputs=outputs)


@settings(max_examples=50, deadline=None)
@given(requests(16))
def test_as_good_as_the_plain_program(request: Request) -> None:
    assert_as_good_as_plain(RAYS, request)


@settings(max_examples=8, deadline=None)
@given(requests(40))
def test_as_good_as_the_plain_program_on_longer_lines(request: Request) -> None:
    assert_as_good_as_plain(RAYS, request)


@pytest.mark.parametrize("epsilon", ["0.05", "0.5"])
def test_rays_that_are_left_out_at_first_come_back(epsilon) -> None:
    """All of the prior at one end of wide steps: the nearest rays alone do not sum to one."""
    goal = Goal.of("absolute", [0.0] * 24 + [0.5, 0.5])
    request = Request.of(Grid.between(0, 25), Within(13), epsilon, goal)
    assert_as_good_as_plain(RAYS, request)


@settings(max_examples=40, deadline=None)
@given(st.integers(30, 90), st.integers(2, 12), st.floats(0.05, 3), st.sampled_from([1, 2]))
@example(size=90, steps=9, epsilon=2.765625, power=1)
def test_the_gap_closes_for_distances(size, steps, epsilon, power) -> None:
    found = best_rays(Distances(Line(size, steps, math.exp(-epsilon)), power), quiet)
    assert found.bound <= found.value * (1 + 1e-10)
    assert found.value - found.bound <= 1e-9 * found.value


@pytest.mark.parametrize("epsilon", [1, 1.7, 2.5])
def test_intervals_left_out_far_from_the_ends_come_back(epsilon) -> None:
    """A long line with wide steps begins with few intervals; the bound goes by all rays."""
    goal = Distances(Line(13 * 25, 13, math.exp(-epsilon)), 1)
    assert is_long_and_wide(goal)
    found = best_rays(goal, quiet)
    assert found.bound <= found.value * (1 + 1e-10)
    assert found.value - found.bound <= 1e-7 * found.value


@pytest.mark.parametrize(
    ("epsilon", "error"), [("0.2", 0.865501), ("0.5", 0.569997), ("1", 0.326868)]
)
def test_the_mean_of_ten(epsilon: str, error: float) -> None:
    query = mean(10, 0, 4)
    found = design(query.answers, query.neighbours, epsilon, cache=None)
    assert found.method == "rays"
    assert round(found.expected_absolute_error, 6) == error
    assert found.gap < 1e-11


def test_a_wider_range_of_outputs_changes_nothing() -> None:
    """003 §4.3.4."""
    query = mean(6, 0, 3)
    near = design(query.answers, query.neighbours, 1, cache=None)
    far = design(query.answers, query.neighbours, 1, outputs=extended(query.answers), cache=None)
    assert near.value == pytest.approx(far.value, rel=1e-10)


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_a_hundred_records_stay_rays(loss: str) -> None:
    query = mean(100, 0, 4)
    request = Request.of(query.answers, query.neighbours, "0.5", Goal.of(loss))
    finding = RAYS.run(request)
    assert isinstance(finding.mechanism, RayMechanism)
    assert finding.value is not None
    certify(finding.mechanism, "0.5")
    value = measured(request, finding)
    assert 0 <= value - finding.lower_bound <= 1e-9 * value


def test_more_than_intervals_is_needed_sometimes() -> None:
    """Nine answers, four steps, ε = 0.2: intervals alone are 4e-4 off."""
    goal = Distances(Line(9, 4, math.exp(-0.2)), 1)
    found = best_rays(goal, quiet)
    assert len(found.others.weight)
    request = Request.of(Grid.between(0, 8), Within(4), "0.2")
    assert_as_good_as_plain(RAYS, request)


def test_symmetry_of_a_table_is_seen() -> None:
    answers = Grid.between(0, 9)
    assert on_a_line(Request.of(answers, Within(3), 1, Goal.of("zero-one"))).goal.symmetric
    skewed = Goal.of("zero-one", [0.1] * 8 + [0.15, 0.05])
    assert not on_a_line(Request.of(answers, Within(3), 1, skewed)).goal.symmetric


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"neighbours": Graph.of(6, [(0, 1)])}, "not on a line"),
        ({"requirements": "fair"}, "without requirements"),
        ({"epsilon": "1e-5"}, "below"),
        ({"goal": Goal.of(lambda told, true: float((told + true) % 3))}, "fall and then rise"),
        ({"answers": Grid.between(0, 400_000), "neighbours": Within(3)}, "more than"),
        (
            {"answers": Grid.between(0, 4000), "goal": Goal.of("zero-one")},
            "too many",
        ),
    ],
)
def test_what_it_does_not_suit(change, reason) -> None:
    facts = {"answers": Grid.between(0, 5), "neighbours": Within(2), "epsilon": "0.5"} | change
    assert reason in (RAYS.why_not(Request.of(**facts)) or "")


def test_all_pairs_are_a_line_too() -> None:
    request = Request.of(Grid.between(0, 9), AllPairs(), 1)
    assert round(measured(request, RAYS.run(request)), 6) == 2.099248


def test_progress_is_told() -> None:
    heard = []
    query = mean(4, 0, 4)
    design(query.answers, query.neighbours, "0.2", cache=None, progress=heard.append)
    assert any(one.method == "rays" and one.gap is not None for one in heard)
    assert all(np.isfinite(one.value) for one in heard if one.value is not None)


@pytest.mark.parametrize("symmetric", [True, False])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_an_interval_is_known_by_its_levels(symmetric: bool, data) -> None:
    """However rays were found: intervals are kept as such, and nothing else is taken for one."""
    line = Line(data.draw(st.integers(2, 25)), data.draw(st.integers(1, 6)), 0.5)
    places = np.arange(line.size)
    table = np.abs(places[:, None] - places).astype(float)
    pool = Pool(Distances(line, 1) if symmetric else LossTable(line, table, places, False))
    first = data.draw(st.integers(0, line.size - 1))
    last = data.draw(st.integers(first, min(line.size, first + 2 * line.steps) - 1))
    away = np.maximum(np.maximum(first - places, places - last), 0)
    levels = -(-away // line.steps)
    assert pool.hold_levels(levels[None] + 3) == 1
    assert pool.hold_levels(levels[None]) == 0
    (which,) = np.flatnonzero(pool.held)
    ends = {(first, last), (line.size - 1 - last, line.size - 1 - first)}
    assert (pool.first[which], pool.last[which]) in (ends if symmetric else {(first, last)})
    if levels.max() > 0:
        levels[levels == levels.max()] -= 1
        away = np.flatnonzero(levels == 0)
        far = np.maximum(np.maximum(away[0] - places, places - away[-1]), 0)
        same = len(away) <= 2 * line.steps and (levels == -(-far // line.steps)).all()
        pool.hold_levels(levels[None])
        assert pool.held.sum() == (2 if same else 1)


_WIDE = """
import sys
if {absent}: sys.modules["highspy_extras"] = None
from math import exp
from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.method import best_rays
found = best_rays(Distances(Line(991, 99, exp(-2)), 1), lambda value, bound: None)
print(found.value, found.bound)
"""


def test_wide_steps_with_and_without_the_extra_solver() -> None:
    """The mean of 10 in 0…99 at ε = 2: intervals near the best prices add up to 1 nowhere."""
    found = []
    for absent in (True, False):
        code = _WIDE.format(absent=absent)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
        )
        value, bound = map(float, done.stdout.split())
        assert 0 <= value - bound <= 1e-6 * value
        found.append(value)
    assert found[0] == pytest.approx(found[1], rel=1e-6)
