"""Weights in integers: every one lies between its word and its word plus the slack."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.sampling.weights import ONE, Weights, decays, word_product
from exponential_series import exponential

RATES = st.one_of(
    st.sampled_from(
        [Fraction(1, 2), Fraction(1, 1000), Fraction("0.693147180"), Fraction(1, 10**8)]
    ),
    st.sampled_from([Fraction(7), Fraction(1, 2**38), Fraction(1, 2**39), Fraction(1, 10**30)]),
)


def _check(weights, gaps):
    assert len(weights) == len(gaps)
    for low, gap in zip(weights.low.tolist(), gaps, strict=True):
        below, above = exponential(-gap)
        assert low <= above * ONE
        assert below * ONE <= low + weights.slack
        assert gap or low == ONE


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4), RATES)
def test_whole_scores(scores, rate):
    top = max(scores)
    _check(Weights.of(scores, rate), [rate * min(top - s, 10**5 / rate) for s in scores])


@given(st.lists(st.fractions(-60, 60), min_size=1, max_size=4), RATES)
def test_fractions(scores, rate):
    _check(Weights.of(scores, rate), [rate * (max(scores) - s) for s in scores])


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=4))
def test_integers_of_any_length(scores):
    rate = Fraction(1, 10**29)
    _check(Weights.of(scores, rate), [rate * (max(scores) - s) for s in scores])


@pytest.mark.parametrize("rate", ["3", "0.5", "0.01", "0.0001", "1e-9"])
def test_steps_on_both_sides_of_every_digit(rate):
    exact = Fraction(rate)
    near = [base**2 + d for base in (1, 16, 32, 1024) for d in (-1, 0, 1)]
    near += [round(x / exact) for x in (0.5, 20, 42, 43, 44, 1000)]
    low, slack = decays(np.array(near, dtype=np.uint64), exact)
    _check(Weights(low, slack, near, exact), [exact * k for k in near])


@given(st.integers(0, ONE), st.integers(0, ONE))
def test_products_of_words_fall_short_by_less_than_two(one, other):
    word = int(word_product(np.array([one], np.uint64), np.array([other], np.uint64))[0])
    assert word * ONE <= one * other < (word + 2) * ONE


def test_balls_enclose_the_same_weights():
    from discreet.exact import integer_ends, working_precision

    weights = Weights.of([Fraction(1, 3), 2, Fraction(-5, 7)], Fraction(3, 2))
    with working_precision(300):
        ends = [integer_ends(ball, 200) for ball in weights.balls()]
        assert [integer_ends(weights.balls([2])[0], 200)] == ends[2:]
    for (low, high), gap in zip(ends, [Fraction(5, 3), 0, Fraction(19, 7)], strict=True):
        below, above = exponential(-gap * Fraction(3, 2))
        assert low <= above * 2**200
        assert below * 2**200 <= high
        assert high - low <= 2


@pytest.mark.parametrize(
    "scores",
    [[], [[1, 2]], 3, "12", None, ["secret"], [float("nan"), 1], [1, None], [[1], [2, 3]], [1j]],
)
def test_scores_that_are_none_are_refused_without_being_shown(scores):
    with pytest.raises(InvalidInput) as problem:
        Weights.of(scores)
    assert "score" in str(problem.value)
    for secret in ("secret", "nan", "None", "1j"):
        assert secret not in str(problem.value)


@pytest.mark.parametrize("rate", [0, -1, "x", None])
def test_rates_must_be_positive(rate):
    with pytest.raises(InvalidInput, match="rate of a choice"):
        Weights.of([1, 2], rate)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_unsigned_scores_are_scores(kind):
    """The difference of two unsigned scores must not wrap around."""
    unsigned = Weights.of(np.array([1, 3, 2], dtype=kind), "0.5")
    assert np.allclose(unsigned.low.astype(float), Weights.of([1, 3, 2], "0.5").low.astype(float))
