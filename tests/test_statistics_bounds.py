"""The statistical helpers: their bound is one, right samplers pass and wrong ones do not."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import uniform_below_many
from statistics_bounds import assert_follows, dependencies, folded, misfits, tail_bound


@given(st.integers(1, 60), st.fractions(Fraction(1, 50), Fraction(49, 50)), st.data())
def test_the_bound_is_never_below_the_binomial_tail(trials, p, data):
    successes = data.draw(st.integers(0, trials))
    at_least = successes >= p * trials
    chosen = range(successes, trials + 1) if at_least else range(successes + 1)
    tail = sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in chosen)
    assert float(tail) <= tail_bound(successes, trials, p) * (1 + 1e-9)


def test_impossible_and_certain_outcomes_are_exact():
    assert tail_bound(0, 10, 0) == tail_bound(10, 10, 1) == 1
    assert tail_bound(1, 10, 0) == tail_bound(9, 10, 1) == 0


def test_a_fair_die_passes():
    assert_follows(uniform_below_many(6, 100_000).astype(np.int64), [Fraction(1, 6)] * 6)


def test_a_die_that_prefers_one_face_by_half_a_percent_is_caught():
    drawn = uniform_below_many(200, 2_000_000).astype(np.int64)
    assert misfits(np.where(drawn == 199, 0, drawn % 6), [Fraction(1, 6)] * 6)


def test_a_die_that_repeats_itself_is_caught():
    drawn = np.repeat(uniform_below_many(6, 1000).astype(np.int64), 2)
    # Counts vary twice as much as those of so many draws: what is 1e-15 to these is 1e-7 to them.
    assert misfits(drawn, [Fraction(1, 6)] * 6, 1e-15) == []
    assert dependencies(drawn, [Fraction(1, 6)] * 6)


def test_an_outcome_outside_the_law_is_refused():
    with pytest.raises(AssertionError, match="not in the law"):
        misfits([0, 2], [0.5, 0.5])


def test_folding_counts_the_tails_at_the_ends():
    assert folded([-9, -1, 0, 1, 9], 2).tolist() == [0, 1, 2, 3, 4]
