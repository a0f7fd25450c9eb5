"""Uniform integers: every value is owed to equally many of all random bits."""

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact import randomness
from discreet.exact.randomness import (
    uniform_below,
    uniform_below_each,
    uniform_below_many,
    uniform_bits,
    uniform_words,
)
from statistics_bounds import assert_follows


@given(st.integers(1, 2**200), st.data())
def test_uniform_below_gives_each_value_to_equally_many_words(bound, data):
    """The words of a value follow those of the value before; what is left after the last is thrown
    away, and is rarer than one of 2^64. Bounds below 2^63 take the same bytes."""
    asked, served = [], []

    def urandom(size):
        asked.append(size)
        return served.pop(0).to_bytes(size, "big")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", urandom)
        served.append(0)
        assert uniform_below(bound) == 0
        every = 256 ** asked[0]
        each = every // bound
        value = data.draw(st.integers(0, bound - 1))
        for word in (value * each, (value + 1) * each - 1):
            served.append(word)
            assert uniform_below(bound) == value
        if every % bound:
            served += [bound * each, every - 1, value * each]
            assert uniform_below(bound) == value
    assert not served
    assert every % bound * 2**64 < every
    assert set(asked) == {16} or bound >= 2**63


@pytest.mark.parametrize("bound", [2, 3, 6, 8, 11])
def test_uniform_below_many_gives_each_value_to_equally_many_words(bound, monkeypatch):
    bits = (bound - 1).bit_length()
    every = np.repeat(np.arange(1 << bits, dtype=np.uint64), 3) << np.uint64(64 - bits)
    monkeypatch.setattr(randomness, "uniform_words", lambda count: every)
    kept = uniform_below_many(bound, 3 * bound).tolist()
    assert Counter(kept) == dict.fromkeys(range(bound), 3)


@given(st.integers(2, 2**63 - 1))
def test_uniform_below_each_keeps_whole_multiples_of_the_bound_only(bound):
    multiples = (2**63 - 1) // bound
    words = [multiples * bound, multiples * bound - 1, 0]
    served = iter(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            randomness,
            "uniform_words",
            lambda count: np.array([next(served)] * count, dtype=np.uint64) << np.uint64(1),
        )
        assert uniform_below_each(np.array([bound])).tolist() == [bound - 1]


def test_uniform_below_each_is_uniform_for_every_bound():
    bounds = np.tile(np.array([1, 2, 3, 7]), 40_000)
    drawn = uniform_below_each(bounds)
    for bound in (1, 2, 3, 7):
        assert_follows(drawn[bounds == bound], [1 / bound] * bound)


@given(st.integers(0, 200))
def test_uniform_bits_fill_their_range(bits):
    assert 0 <= uniform_bits(bits) < 1 << bits


def test_every_bit_is_fair():
    words = uniform_words(50_000)
    for bit in range(64):
        assert_follows(((words >> np.uint64(bit)) & np.uint64(1)).astype(np.int64), [0.5, 0.5])


@pytest.mark.parametrize("bound", [1, 2**63, 2**64 - 1, 2**64])
def test_large_bounds_are_kept(bound):
    drawn = uniform_below_many(bound, 100)
    assert len(drawn) == 100
    assert all(int(value) < bound for value in drawn)


def test_bounds_that_make_no_sense_are_refused():
    for refused in (
        lambda: uniform_below(0),
        lambda: uniform_below_many(0, 1),
        lambda: uniform_below_many(2**64 + 1, 1),
        lambda: uniform_below_each(np.array([3, 0])),
    ):
        with pytest.raises(InvalidInput, match="bound"):
            refused()
