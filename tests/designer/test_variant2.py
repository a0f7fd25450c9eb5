"""Variant 2 of 003, fast: as good as the plain program, with all four properties in integers."""

import importlib
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design, maximum, mean
from discreet.designer.request import Request, relative_gap
from discreet.designer.variant2.method import VARIANT2
from discreet.errors import DesignError
from discreet.measures import properties
from discreet.model import AllPairs, Goal, Graph, Grid, Labels, Listed, Requirements, Within
from ground_truth import priors
from plain_reference import assert_as_good_as_plain

ALL_FOUR = Requirements.of("all")
epsilons = st.sampled_from(["0.02", "0.2", "0.5", "1", "log 3", "2.5", "6"])


def _capped(told: object, true: object) -> float:
    """Grows with distance, then no more; and the truth itself costs something."""
    return 0.5 + min(abs(float(told - true)), 3.0)  # type: ignore[operator]


losses = st.sampled_from(["absolute", "squared", "zero-one", _capped])


@st.composite
def requests(draw: st.DrawFn) -> Request:
    size = draw(st.integers(2, 40 if os.environ.get("DISCREET_SOAK") else 16))
    gaps = draw(st.just([1] * size) | st.lists(st.integers(1, 4), min_size=size, max_size=size))
    answers = Grid.between(1, size) if set(gaps) == {1} else Listed.of(np.cumsum(gaps).tolist())
    neighbours = draw(st.builds(Within, st.integers(1, size + 1)) | st.just(AllPairs()))
    prior = draw(st.just("uniform") | priors(size).map(lambda p: [float(share) for share in p]))
    also = draw(st.sets(st.sampled_from(["column-monotone", "symmetric", "every-output"])))
    return Request.of(
        answers,
        neighbours,
        draw(epsilons),
        Goal.of(draw(losses), prior),
        ",".join({"fair", "row-monotone", *also}),
    )


@given(requests())
def test_as_good_as_the_plain_program_with_more_than_is_asked(request: Request) -> None:
    finding, _ = assert_as_good_as_plain(VARIANT2, request)
    found = properties(finding.mechanism)
    assert not found.missing(request.requirements)
    assert found.column_monotone, "rows that fall and a level diagonal make columns fall too"
    assert finding.mechanism.weights.min() > 0, "no tail is rounded to nothing"


@pytest.mark.parametrize(
    ("epsilon", "error"), [("0.2", 0.954428), ("0.5", 0.590136), ("1", 0.334534)]
)
def test_mean_of_ten(epsilon: str, error: float) -> None:
    asked = mean(10, 0, 4)
    best = design(asked.answers, asked.neighbours, epsilon, requirements="all")
    assert best.method == VARIANT2.name
    assert best.expected_absolute_error == pytest.approx(error, abs=6e-7)
    assert 0 <= best.gap < 1e-11


@pytest.mark.parametrize(("high", "error"), [(9, 2.403848), (99, 24.3667855)])
def test_largest_of_values(high: int, error: float) -> None:
    asked = maximum(0, high)
    best = design(asked.answers, asked.neighbours, 1, requirements="all")
    assert best.method == VARIANT2.name
    assert best.value == pytest.approx(error, abs=6e-7)
    assert 0 <= best.gap < 1e-11


def test_table_4_of_003() -> None:
    best = design(Grid.between(0, 5), Within(1), "0.5", requirements="all", method="variant-2")
    printed = [
        [0.315, 0.191, 0.116, 0.070, 0.043, 0.026],
        [0.315, 0.315, 0.191, 0.116, 0.070, 0.043],
        [0.231, 0.265, 0.315, 0.191, 0.116, 0.070],
    ]
    assert best.mechanism.probabilities().round(3).tolist() == [
        *printed,
        *(row[::-1] for row in printed[::-1]),
    ]


def test_table_2_of_003_by_objective() -> None:
    best = design(Grid.between(1, 5), AllPairs(), 1, requirements="all", method="variant-2")
    assert 5 * best.value == pytest.approx(5.7596, abs=5e-5)
    assert not properties(best.mechanism).missing(ALL_FOUR)


@pytest.mark.parametrize(
    ("answers", "steps", "epsilon", "loss"),
    [
        (401, 4, "0.5", "absolute"),
        (201, 1, "0.1", "squared"),
        (151, 8, "1", "absolute"),
        (120, 3, "7", "zero-one"),
    ],
)
def test_far_beyond_the_plain_program(answers: int, steps: int, epsilon: str, loss: str) -> None:
    request = Request.of(
        Grid.between(1, answers), Within(steps), epsilon, Goal.of(loss), requirements="all"
    )
    finding = VARIANT2.run(request)
    certify(finding.mechanism, epsilon)
    assert not properties(finding.mechanism).missing(ALL_FOUR)
    assert finding.value is not None
    assert 0 <= relative_gap(finding.value, finding.lower_bound) < 1e-9


def test_a_prior_that_needs_a_wider_reach() -> None:
    """With most weight on two far answers, rows do not fall as fast as they may."""
    prior = np.full(31, 1e-4)
    prior[[9, 28]] = 1.0
    shares = [float(share) for share in prior / prior.sum()]
    request = Request.of(
        Grid.between(0, 30), Within(2), "0.6", Goal.of("absolute", shares), "fair,row-monotone"
    )
    assert_as_good_as_plain(VARIANT2, request)


def test_a_reach_too_narrow_for_any_mechanism_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    request = Request.of(
        Grid.between(0, 100), Within(4), "0.2", requirements="all",
        progress=lambda progress: stages.append(progress.stage),
    )  # fmt: skip
    usual = VARIANT2.run(request)
    module = importlib.import_module("discreet.designer.variant2.method")
    monkeypatch.setattr(module, "_TAILS", -1.3)
    assert VARIANT2.run(request).value == pytest.approx(usual.value, rel=1e-9)
    assert len(stages) >= 2


SPACE = Grid.between(0, 4)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request.of(SPACE, Within(1), 1, requirements="fair"), "fair and row-monotone"),
        (Request.of(SPACE, Within(1), 1, requirements="all", delta="0.1"), "pure ε"),
        (Request.of(SPACE, Within(1), 1, Goal.of(worst_case=True), "all"), "a prior"),
        (
            Request.of(SPACE, Within(1), 1, requirements="all", outputs=Grid.between(-1, 5)),
            "outputs",
        ),
        (
            Request.of(
                Labels.of(["a", "b"]), AllPairs(), 1, Goal.of("zero-one"), requirements="all"
            ),
            "answers on a line",
        ),
        (Request.of(SPACE, Graph.of(5, [(0, 1)]), 1, requirements="all"), "neighbours on a line"),
        (Request.of(SPACE, Within(1), 21, requirements="all"), "larger than 15"),
        (Request.of(Grid.between(0, 9000), Within(1), 1, requirements="all"), "cells"),
    ],
)
def test_says_what_it_is_not_for(request_: Request, words: str) -> None:
    reason = VARIANT2.why_not(request_)
    assert reason is not None
    assert words in reason


def test_a_loss_that_falls_with_distance_is_left_to_others() -> None:
    goal = Goal.of(lambda told, true: float((told - true) % 3))
    request = Request.of(SPACE, Within(1), 1, goal, "all")
    with pytest.raises(DesignError, match="grow with the distance"):
        VARIANT2.run(request)
    best = design(SPACE, Within(1), 1, goal, "all")
    assert best.method != VARIANT2.name
    assert best.gap < 1e-6
