"""Error quantiles are the smallest distances that hold the probability asked for, exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import GoalError, SpaceError
from discreet.measures import error_quantile, worst_error_quantile
from discreet.model import AllPairs, Grid, Labels, Mechanism
from ground_truth import mechanisms, number_spaces, priors, probability

confidences = st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=200)


def chance_within(mechanism, shares, distance):
    return sum(
        (share * probability(mechanism, i, j)
         for i, r in enumerate(mechanism.outputs.values())
         for j, (f, share) in enumerate(zip(mechanism.answers.values(), shares, strict=True))
         if abs(r - f) <= distance),
        Fraction(0),
    )  # fmt: skip


def errors(mechanism):
    return sorted(
        {abs(r - f) for r in mechanism.outputs.values() for f in mechanism.answers.values()}
    )


@given(mechanisms(number_spaces()), confidences)
def test_the_smallest_distance_that_holds_the_probability(mechanism, confidence):
    size = len(mechanism.answers)
    found = error_quantile(mechanism, confidence)
    uniform = [Fraction(1, size)] * size
    wanted = next(
        t for t in errors(mechanism) if chance_within(mechanism, uniform, t) >= confidence
    )
    assert found == wanted


@given(mechanisms(number_spaces()), confidences)
def test_whatever_the_answer_is(mechanism, confidence):
    size = len(mechanism.answers)
    alone = [[Fraction(int(k == j)) for k in range(size)] for j in range(size)]
    wanted = max(
        next(t for t in errors(mechanism) if chance_within(mechanism, one, t) >= confidence)
        for one in alone
    )
    assert worst_error_quantile(mechanism, confidence) == wanted
    assert error_quantile(mechanism, confidence) <= wanted


@given(mechanisms(number_spaces()), confidences, st.data())
def test_priors_count_as_the_floats_they_are(mechanism, confidence, data):
    prior = [float(share) for share in data.draw(priors(len(mechanism.answers)))]
    exact = [Fraction(share) for share in prior]
    shares = [share / sum(exact) for share in exact]
    found = error_quantile(mechanism, confidence, prior)
    assert chance_within(mechanism, shares, found) >= confidence - Fraction(1, 10**12)
    below = [t for t in errors(mechanism) if t < found]
    if below:
        assert chance_within(mechanism, shares, below[-1]) < confidence + Fraction(1, 10**12)


def test_the_edge_is_exact():
    space = Grid.between(0, 1)
    total = 10**30
    nearly = Mechanism.of(space, space, AllPairs(), [[total - 1, 1], [1, total - 1]])
    assert error_quantile(nearly, Fraction(total - 1, total)) == 0
    assert error_quantile(nearly, Fraction(total - 1, total) + Fraction(1, 10**40)) == 1
    assert worst_error_quantile(nearly, 1) == 1


def test_distances_far_apart_stay_exact():
    answers = Grid.between(0, 1)
    outputs = Grid(0, Fraction(10**60), 2)
    far = Mechanism.of(answers, outputs, AllPairs(), [[1, 1], [1, 1]])
    assert error_quantile(far, "0.9") == 10**60


@pytest.mark.parametrize("nonsense", [0, -1, "1.01", "x", None, float("nan"), True])
def test_a_confidence_lies_between_0_and_1(nonsense):
    space = Grid.between(0, 1)
    coin = Mechanism.of(space, space, AllPairs(), [[3, 1], [1, 3]])
    for measure in (error_quantile, worst_error_quantile):
        with pytest.raises(GoalError, match=r"^a confidence .*got "):
            measure(coin, nonsense)


def test_labels_have_no_errors_to_count():
    names = Labels.of(["a", "b"])
    coin = Mechanism.of(names, names, AllPairs(), [[3, 1], [1, 3]])
    with pytest.raises(SpaceError, match="an error quantile needs numbers, got 2 labels"):
        error_quantile(coin)
