"""All pairs: a few outputs, the nearest told e^ε times as often; no mechanism does better."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.all_pairs import worst_case
from discreet.designer.all_pairs.method import ALL_PAIRS
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request, value_above
from discreet.model import (
    AllPairs,
    Goal,
    Grid,
    Labels,
    Listed,
    Loss,
    Prior,
    RayMechanism,
    Within,
    extended,
    scaled,
)
from ground_truth import priors
from plain_reference import assert_as_good_as_plain, measured

epsilons = st.sampled_from(["0.05", "0.5", "log 3", "2", "5"])
losses = st.sampled_from(["absolute", "squared", "zero-one"])


@st.composite
def spaces(draw: st.DrawFn, most: int) -> Grid | Listed:
    if draw(st.booleans()):
        return Grid(Fraction(-2), Fraction(1, 3), draw(st.integers(1, most)))
    gaps = draw(st.lists(st.integers(1, 20), max_size=most - 1))
    return Listed.of([0, *np.cumsum(gaps).tolist()])


@st.composite
def requests(draw: st.DrawFn, most: int = 20) -> Request:
    answers = draw(spaces(most))
    size = len(answers)
    prior = draw(st.just("uniform") | priors(size).map(lambda p: [float(share) for share in p]))
    outputs = draw(st.none() | spaces(most))
    if isinstance(answers, Grid):
        outputs = draw(st.sampled_from([None, extended(answers), scaled(answers, "3/2")]))
    return Request.of(
        answers, AllPairs(), draw(epsilons), Goal.of(draw(losses), prior), outputs=outputs
    )


@settings(max_examples=60, deadline=None)
@given(requests())
def test_as_good_as_the_plain_program(request: Request) -> None:
    assert_as_good_as_plain(ALL_PAIRS, request)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.sampled_from([0.1, 1.0, 3.0]), st.data())
def test_no_set_of_outputs_is_better(size, epsilon, data) -> None:
    """Brute force over all sets, for any loss that falls and then rises along the outputs."""
    rows = data.draw(st.integers(1, 6))
    numbers = st.lists(st.floats(0, 10), min_size=rows, max_size=rows)
    table = np.array([_valley(data.draw(numbers), data.draw(st.integers(0, rows - 1)))
                      for _ in range(size)]).T  # fmt: skip
    prior = np.array(data.draw(priors(size)), dtype=float)
    g = np.exp(epsilon)
    least = min(
        ((table[list(told)] @ prior).sum() + (g - 1) * (table[list(told)].min(axis=0) @ prior))
        / (k + g - 1)
        for k in range(1, rows + 1)
        for told in combinations(range(rows), k)
    )
    line = Grid(Fraction(0), Fraction(1), size)
    request = Request.of(line, AllPairs(), epsilon, Goal(Loss.of_table(table), _prior(prior)),
                         outputs=Grid(Fraction(0), Fraction(1), rows))  # fmt: skip
    finding = ALL_PAIRS.run(request)
    certify(finding.mechanism, epsilon)
    assert measured(request, finding) == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert finding.lower_bound <= least + 1e-12


def _prior(shares):
    return Prior(tuple(shares / shares.sum()))


def _valley(numbers: list[float], lowest: int) -> list[float]:
    """The same numbers, falling until `lowest` and rising from there."""
    ordered = sorted(numbers)
    falling = sorted(ordered[1 : lowest + 1], reverse=True)
    return [*falling, ordered[0], *sorted(ordered[lowest + 1 :])]


@pytest.mark.parametrize(
    ("epsilon", "value", "told"),
    [
        ("0.1", 2.475021, [4, 5]),
        ("0.5", 2.377541, [4, 5]),
        ("1", 2.099248, [3, 6]),
        ("2", 1.534898, [1, 4, 7]),
    ],
)
def test_the_maximum_on_0_to_9(epsilon, value, told) -> None:
    request = Request.of(Grid.between(0, 9), AllPairs(), epsilon)
    finding = ALL_PAIRS.run(request)
    assert round(measured(request, finding), 6) == value
    used = np.flatnonzero(finding.mechanism.weights.sum(axis=1))
    assert used.tolist() in (told, (9 - np.array(told))[::-1].tolist())


@pytest.mark.parametrize("loss", ["absolute", "squared", "zero-one"])
def test_implicit_and_written_out_agree(loss: str) -> None:
    request = Request.of(Grid.between(0, 150), AllPairs(), "1.5", Goal.of(loss))
    finding = ALL_PAIRS.run(request)
    assert isinstance(finding.mechanism, RayMechanism)
    assert finding.value is not None
    measured(request, finding)
    certify(finding.mechanism, "1.5")


def test_ten_thousand_answers() -> None:
    request = Request.of(Grid.between(0, 9_999), AllPairs(), 1)
    finding = ALL_PAIRS.run(request)
    certify(finding.mechanism, 1)
    assert finding.value is not None
    assert 0 <= finding.value - finding.lower_bound <= 1e-9 * finding.value
    assert finding.value == pytest.approx(2134.857775, rel=1e-9)


def test_labels_are_told_by_how_likely_they_are() -> None:
    names = Labels.of(["red", "green", "blue", "grey"])
    goal = Goal.of("zero-one", [0.6, 0.25, 0.1, 0.05])
    request = Request.of(names, AllPairs(), "0.7", goal)
    assert_as_good_as_plain(ALL_PAIRS, request)


def test_a_step_as_wide_as_the_line_is_all_pairs() -> None:
    request = Request.of(Grid.between(0, 9), Within(9), 1)
    finding = ALL_PAIRS.run(request)
    assert round(measured(request, finding), 6) == 2.099248


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"neighbours": Within(4)}, "not all answers"),
        ({"requirements": "symmetric"}, "without requirements"),
        ({"goal": Goal.of(lambda told, true: float((told - true) % 3))}, "fall and then rise"),
        (
            {"answers": Grid.between(0, 300), "goal": Goal.of(lambda told, true: 1.0)},
            "at most 250",
        ),
    ],
)
def test_what_it_does_not_suit(change, reason) -> None:
    facts = {"answers": Grid.between(0, 9), "neighbours": AllPairs(), "epsilon": "0.5"} | change
    assert reason in (ALL_PAIRS.why_not(Request.of(**facts)) or "")


@given(
    st.integers(3, 14),
    st.sampled_from(["0.2", "1", "2.5"]),
    st.sampled_from(["absolute", "squared"]),
)
@settings(max_examples=15, deadline=None)
def test_the_worst_case_is_that_of_the_plain_program(size, epsilon, loss):
    goal = Goal.of(loss, worst_case=True)
    request = Request.of(Grid.between(0, size - 1), AllPairs(), epsilon, goal)
    best = solve(plain_program(request)).value
    found = worst_case.run(request)
    assert certify(found.mechanism, epsilon)
    assert found.lower_bound <= best * (1 + 1e-7)
    assert value_above(request, found.mechanism) >= best * (1 - 1e-7)
    assert found.value - found.lower_bound <= 2e-7 * found.value


def test_the_worst_case_of_two_hundred_answers_is_proved():
    goal = Goal.of(worst_case=True)
    found = design(Grid.between(0, 199), AllPairs(), 1, goal, cache=None)
    assert found.method == worst_case.NAME
    assert found.gap < 1e-6
