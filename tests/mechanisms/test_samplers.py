"""What is drawn follows its law; the classes round, widen and promise as they say."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, spendable
from discreet.exact.numbers import failure_of, nearest_step
from discreet.mechanisms import (
    ExponentialMechanism,
    GeometricMechanism,
    LaplaceMechanism,
    NoisyMaxMechanism,
    PermuteAndFlipMechanism,
    StaircaseMechanism,
    build,
    laplace_accuracy,
)
from discreet.mechanisms.families.noisy_max import winning
from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.model import Grid, Within
from statistics_bounds import assert_follows, folded

TIMES = 20_000


def _discrete_laplace(rate, reach):
    law = math.tanh(rate / 2) * np.exp(-rate * np.abs(np.arange(-reach, reach + 1)))
    law[[0, -1]] = math.exp(-rate * reach) / (1 + math.exp(-rate))
    return law


def test_laplace_draws_follow_discrete_laplace_on_the_grid():
    mechanism = LaplaceMechanism.of(3, 1, "0.5", on_grid=True)
    drawn = mechanism.draw_many(["7.5"] * TIMES)
    noise = [(value - Fraction(15, 2)) / mechanism.granularity for value in drawn]
    assert all(step.denominator == 1 for step in noise)
    assert_follows(folded(map(int, noise), 40), _discrete_laplace(1 / 6, 40))


def test_geometric_draws_follow_their_law_in_any_shape():
    counts = np.full((100, TIMES // 100), 1000)
    drawn = GeometricMechanism.counting("0.7").draw_counts(counts)
    assert drawn.shape == counts.shape
    assert_follows(folded((drawn - 1000).ravel(), 12), _discrete_laplace(0.7, 12))


def test_geometric_draws_snapped_to_the_range_follow_the_truncated_matrix():
    column = build("geometric", Grid.between(0, 9), Within(1), "0.5").probabilities()[:, 3]
    drawn = GeometricMechanism.counting("0.5").draw_counts(np.full(TIMES, 3))
    assert_follows(np.clip(drawn, 0, 9), column)


def test_staircase_draws_follow_their_stairs():
    mechanism = StaircaseMechanism.of(5, "1.2")
    b, w, c = math.exp(-1.2), mechanism.width, mechanism.centre
    reach = c - 1 + 2 * w
    apart = np.abs(np.arange(-reach, reach + 1))
    heights = b ** ((apart - c) // w + 1.0) * (apart >= c) + (apart < c)
    law = heights / (2 * c - 1 + 2 * w * b / (1 - b))
    law[[0, -1]] += (1 - law.sum()) / 2
    drawn = [int(mechanism.draw(100) - 100) for _ in range(TIMES // 2)]
    assert_follows(folded(drawn, reach), law)


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, "1"), (5, "0.1"), (10, "3"), (3, "9")])
def test_the_staircase_has_the_least_error_of_its_kind_and_keeps_its_promise(sensitivity, epsilon):
    mechanism = StaircaseMechanism.of(sensitivity, epsilon)
    b, w = math.exp(-float(Fraction(epsilon))), mechanism.width
    apart = np.arange(0, w * math.ceil(45 / float(Fraction(epsilon))) + 2 * w)

    def law(centre):
        heights = np.where(apart < centre, 1.0, b ** ((apart - centre) // w + 1.0))
        return heights * np.where(apart == 0, 1, 2) / (2 * centre - 1 + 2 * w * b / (1 - b))

    errors = [float(law(centre) @ apart) for centre in range(1, w + 1)]
    assert errors[mechanism.centre - 1] == pytest.approx(min(errors), rel=1e-12)
    for confidence in ("0.05", "0.5", "0.9", "0.95", "0.999"):
        promised = mechanism.accuracy(confidence)
        beyond = 1 - np.cumsum(law(mechanism.centre))
        wanted = int(np.argmax(beyond <= 1 - float(Fraction(confidence)) + 1e-12))
        assert promised == wanted


def test_choices_follow_their_laws():
    scores, rate = [3, 0, 2, 2], 0.5
    weights = np.exp(rate * (np.array(scores) - 3.0))
    laws = {
        ExponentialMechanism: weights / weights.sum(),
        PermuteAndFlipMechanism: flip_probabilities(weights[:, None]).ravel(),
        NoisyMaxMechanism: winning(np.array(scores), rate),
    }
    for kind, law in laws.items():
        mechanism = kind.of(1, 1)
        assert mechanism.rate == Fraction(1, 2)
        assert_follows(mechanism.draw_many(scores, TIMES), law)
        assert_follows([mechanism.draw(scores) for _ in range(1000)], law)
        assert kind.of(1, 1, monotone=True).rate == 1


def test_fractional_scores_are_kept_exactly():
    mechanism = ExponentialMechanism.of("0.5", 2)
    weights = np.exp(2.0 * np.array([0.3, 1 / 3, -0.2]))
    drawn = mechanism.draw_many(["0.3", "1/3", "-0.2"], TIMES)
    assert_follows(drawn, weights / weights.sum())


def test_exponential_accuracy_is_example_6():
    mechanism = ExponentialMechanism.of(3, 2)
    assert mechanism.accuracy("0.9", 50) == pytest.approx(3 * (math.log(10) + math.log(50)))


def test_rounding_vectors_that_may_lie_off_the_grid_widens_the_noise():
    """k roundings can add k − 1 steps to an L1 change: 0.5 to 0.499… in each coordinate."""
    off, on = (LaplaceMechanism.of(2, 1, on_grid=on) for on in (False, True))
    assert off.rate() == on.rate() == on.rate(5) == Fraction(1, 2)
    assert off.rate(5) == Fraction(1, 6)


@given(
    st.lists(
        st.tuples(st.fractions(-9, 9, max_denominator=20), st.fractions(-3, 3, max_denominator=20)),
        min_size=1,
        max_size=6,
    ),
    st.fractions("0.1", 3, max_denominator=10),
)
def test_rounded_vectors_never_move_further_than_the_rate_allows(pairs, granularity):
    change = sum(abs(move) for _, move in pairs)
    moved = sum(
        abs(nearest_step(value + move, granularity) - nearest_step(value, granularity))
        for value, move in pairs
    )
    if change > 0:
        mechanism = LaplaceMechanism.of(change, 1, granularity)
        assert moved * mechanism.rate(len(pairs)) <= 1


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999999"])
@pytest.mark.parametrize("dimensions", [1, 7, 10_000])
def test_laplace_accuracy_is_the_least_that_the_union_bound_allows(confidence, dimensions):
    mechanism = LaplaceMechanism.of(2, "0.3", on_grid=True)
    rate, failure = 0.15, 1 - float(Fraction(confidence))
    t = int(mechanism.accuracy(confidence, dimensions))

    def beyond(steps):
        return dimensions * 2 * math.exp(-rate * (steps + 1)) / (1 + math.exp(-rate))

    assert beyond(t) <= failure * (1 + 1e-12)
    assert t == 0 or beyond(t - 1) > failure
    assert t <= math.ceil(laplace_accuracy(2, "0.3", confidence, dimensions))


def test_spendable_never_exceeds_epsilon():
    for text in ("0.1", "log 3", "log 2", "log 1.0001", "log 7/5"):
        epsilon = Epsilon.of(text)
        spent = spendable(epsilon)
        assert spent > 0
        if epsilon.log_of is not None:
            assert float(spent) == pytest.approx(math.log(epsilon.log_of), rel=1e-12)
            assert spent < epsilon.value


def test_drawing_nothing_gives_nothing():
    assert LaplaceMechanism.of(1, 1).draw_many([]) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LaplaceMechanism.of(0, 1), "the sensitivity must be positive, got 0"),
        (lambda: LaplaceMechanism.of(1, 1, -1), "the granularity must be positive, got -1"),
        (lambda: StaircaseMechanism.of(-1, 1), "the sensitivity must be positive, got -1"),
        (lambda: ExponentialMechanism.of(0, 1), "sensitivity of the score must be positive"),
        (lambda: failure_of(1), "the confidence must lie between 0 and 1, got 1"),
        (lambda: failure_of("0.9", 0), "there must be at least 1 value or output, got 0"),
        (lambda: GeometricMechanism.counting(1).draw_counts(np.zeros(3)), "whole numbers, got an"),
        (lambda: ExponentialMechanism.of(1, 1).draw([]), "at least one"),
        (lambda: GeometricMechanism.of(4, 1, 4), "comes in steps of 1, got a granularity of 4"),
        (lambda: LaplaceMechanism.of(1, 1, on_grid="no"), "on_grid must be True or False"),
        (lambda: ExponentialMechanism.of(1, 1, monotone="no"), "monotone must be True or False"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(make, message):
    with pytest.raises(InvalidInput, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("family", [LaplaceMechanism, StaircaseMechanism])
def test_a_refusal_does_not_show_the_private_value(family):
    with pytest.raises(InvalidInput) as refused:
        family.of(1, 1).draw("12345 EUR")
    assert "12345" not in str(refused.value)
