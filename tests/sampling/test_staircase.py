"""Staircase noise on a grid: its law, its promise, what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.sampling import staircase_noise
from statistics_bounds import assert_follows, folded, misfits


def _height(epsilon, width, centre, k):
    stairs = 0 if abs(k) < centre else 1 + (abs(k) - centre) // width
    return math.exp(-epsilon * stairs)


def _law(epsilon, width, centre, reach):
    far = math.ceil(60 / epsilon) * width
    heights = [_height(epsilon, width, centre, k) for k in range(-far, far + 1)]
    total = math.fsum(heights)
    middle = [_height(epsilon, width, centre, k) / total for k in range(1 - reach, reach)]
    tail = (1 - math.fsum(middle)) / 2
    return [tail, *middle, tail]


CASES = [("1", 4, 1), ("1", 4, 4), ("0.5", 5, 2), ("2", 1, 1), ("0.03", 3, 1)]


@pytest.mark.parametrize(("epsilon", "width", "centre"), CASES)
def test_vectors_and_single_values_follow_the_law(epsilon, width, centre):
    law = _law(float(epsilon), width, centre, 25)
    assert_follows(folded(staircase_noise(epsilon, width, centre, 300_000), 25), law)
    rate = Fraction(epsilon)
    single = [staircase_noise(rate, width, centre) for _ in range(5000)]
    assert_follows(folded(single, 25), law)


def test_one_step_stairs_are_discrete_laplace_noise():
    alpha = math.exp(-0.7)
    law = [(1 - alpha) / (1 + alpha) * alpha ** abs(k) for k in range(-9, 10)]
    law[0] = law[-1] = alpha**9 / (1 + alpha)
    assert_follows(folded(staircase_noise("0.7", 1, 1, 300_000), 9), law)


def test_another_centre_is_another_law():
    drawn = folded(staircase_noise(1, 4, 2, 300_000), 25)
    assert misfits(drawn, _law(1.0, 4, 1, 25))
    assert misfits(drawn, _law(1.0, 4, 3, 25))


@given(st.integers(1, 12), st.integers(1, 12), st.integers(-60, 60), st.integers(-12, 12))
def test_moving_the_answer_by_at_most_the_width_costs_at_most_one_stair(width, centre, k, move):
    if centre <= width and abs(move) <= width:
        ratio = _height(1.0, width, centre, k) / _height(1.0, width, centre, k + move)
        assert ratio <= math.e * (1 + 1e-12)


def test_wide_stairs_fill_their_width_evenly():
    width = 10**12
    drawn = staircase_noise("0.001", width, width // 3, 50_000)
    eighths = (np.abs(drawn) % width) * 8 // width
    assert misfits(eighths, [1 / 8] * 8, 1e-12) == []


@pytest.mark.parametrize(
    ("epsilon", "width", "centre", "message"),
    [
        (1, 4, 0, "centre"), (1, 4, 5, "centre"), (1, 0, 0, "centre"),
        (1, 1.5, 1, "whole number of steps"),
        (1, 4, True, "whole number of steps"), (0, 4, 1, "epsilon"), (-1, 4, 1, "epsilon"),
        ("x", 4, 1, "epsilon"), ("1e-9", 10**9, 1, "coarser grid"),
    ],
)  # fmt: skip
def test_stairs_that_cannot_be_are_refused(epsilon, width, centre, message):
    with pytest.raises(InvalidInput, match=message):
        staircase_noise(epsilon, width, centre)


def test_no_draws_at_all():
    assert staircase_noise(1, 4, 2, 0).shape == (0,)
