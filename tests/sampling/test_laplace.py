"""Discrete Laplace and geometric noise: the tables hold the real law, at every rate."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact.randomness import uniform_below_many
from discreet.sampling import discrete_laplace, geometric
from discreet.sampling.laplace import BASE, NoiseTables, noise_tables
from discreet.sampling.tables import BITS
from exponential_series import exponential
from statistics_bounds import assert_follows, folded, misfits

RATES = [Fraction(r) for r in ("1e-9", "0.00003", "0.02", "0.3", "1", "2.5", "100")]


def _law(rate, reach):
    """P(K ≤ −reach), P(K = k), …, P(K ≥ reach)."""
    alpha = math.exp(-rate)
    tail = alpha**reach / (1 + alpha)
    middle = [(1 - alpha) / (1 + alpha) * alpha ** abs(k) for k in range(1 - reach, reach)]
    return [tail, *middle, tail]


def _holds(table, index, low, high):
    """Whether an end of the table encloses a real between these two, at 63 bits and at 127."""
    word = int(table.ends[index])
    assert word <= high * 2**BITS
    assert low * 2**BITS <= word + table.slack
    finer = table.refine(64)[index]
    assert finer[0] <= high * 2 ** (BITS + 64)
    assert low * 2 ** (BITS + 64) <= finer[1]
    assert finer[1] - finer[0] <= 2


@pytest.mark.parametrize("rate", RATES)
def test_the_ends_of_the_leading_table_enclose_the_real_probabilities(rate):
    tables = noise_tables(rate)
    reach, block = tables.reach, rate * BASE ** len(tables.digits)
    alpha = exponential(-rate)
    assert tables.leading.slack <= 1
    for k in {1, reach // 2 + 1, reach}:
        rarer = [a * b / (1 + a) for a, b in zip(alpha, exponential(-block * (k - 1)), strict=True)]
        _holds(tables.leading, reach - k, *rarer)
    for k in {0, reach // 2, reach - 1}:
        beta = exponential(-block * (k + 1))
        _holds(tables.leading, reach + k,
               1 - beta[1] / (1 + alpha[0]), 1 - beta[0] / (1 + alpha[1]))  # fmt: skip
    assert int(tables.leading.ends[-1]) == 2**BITS


@pytest.mark.parametrize("rate", [rate for rate in RATES if noise_tables(rate).digits])
def test_the_ends_of_the_digit_tables_enclose_the_real_probabilities(rate):
    tables = noise_tables(rate)
    for place, digit in enumerate(reversed(tables.digits)):
        each = rate * BASE**place
        whole = exponential(-each * BASE)
        for k in (1, 2, 500, BASE - 1):
            part = exponential(-each * k)
            _holds(digit, k - 1,
                   (1 - part[1]) / (1 - whole[0]), (1 - part[0]) / (1 - whole[1]))  # fmt: skip


@given(st.sampled_from(RATES[:3]), st.floats(-12, 12))
def test_digits_and_leading_part_multiply_to_the_law(rate, nats):
    tables = noise_tables(rate)
    k = round(nats / rate)
    size = k if k >= 0 else ~k
    probability = 1.0
    for digit in reversed(tables.digits):
        size, place = divmod(size, BASE)
        probability *= _cell(digit, place)
    probability *= _cell(tables.leading, (size if k >= 0 else ~size) + tables.reach)
    expected = math.tanh(rate / 2) * math.exp(-rate * abs(k))
    assert probability == pytest.approx(expected, rel=1e-9)


def _cell(table, index):
    below = int(table.ends[index - 1]) if index else 0
    return (int(table.ends[index]) - below) / 2**BITS


@pytest.mark.parametrize("rate", ["0.02", "0.3", "1", "2.5"])
def test_vectors_follow_the_law(rate):
    reach = min(60, math.ceil(12 / float(rate)))
    drawn = discrete_laplace(rate, 500_000)
    assert_follows(folded(drawn, reach), _law(float(rate), reach))


def test_single_values_follow_the_law():
    drawn = [discrete_laplace(Fraction(1, 2)) for _ in range(30_000)]
    assert_follows(folded(drawn, 12), _law(0.5, 12))


@pytest.mark.parametrize("rate", ["0.01", "0.3", "1"])
def test_few_values_follow_the_law(rate):
    tables, reach = noise_tables(rate), min(60, math.ceil(12 / float(rate)))
    drawn = np.array([one for _ in range(3_000) for one in tables.draw_few(10)])
    assert_follows(folded(drawn, reach), _law(float(rate), reach))


def test_tiny_rates_follow_the_law_in_their_own_unit():
    rate = 1e-9
    drawn = discrete_laplace("1e-9", 400_000)
    edges = np.array([-3e9, -1e9, -3e8, 0, 3e8, 1e9, 3e9])
    below = [math.exp(rate * e) / 2 if e < 0 else 1 - math.exp(-rate * e) / 2 for e in edges]
    assert_follows(np.searchsorted(edges, drawn, side="left"), np.diff([0, *below, 1]))
    last_digit = drawn % BASE
    assert_follows(last_digit, [1 / BASE] * BASE)


def test_a_rate_of_100_is_nearly_always_silent():
    assert not discrete_laplace(100, 100_000).any()


@pytest.mark.parametrize("tables", [
    NoiseTables.of(Fraction(1, 2), reach=1, digits=0),
    NoiseTables.of(Fraction(1, 2), reach=3, digits=0),
    NoiseTables.of(Fraction(1, 500), reach=1, digits=1),
])  # fmt: skip
def test_beyond_a_short_table_the_law_goes_on(tables):
    rate = 0.5 if not tables.digits else 0.002
    unit = 1 if not tables.digits else 500
    law = np.diff([0, *(_below(rate, unit * j) for j in range(-3, 4)), 1])
    each = [tables.draw() for _ in range(20_000)]
    for drawn in (tables.draw_many(20_000), each, tables.draw_few(20_000)):
        cells = np.floor_divide(np.asarray(drawn), unit)
        assert_follows(np.clip(cells, -4, 3) + 4, law)


def _below(rate, k):
    """P(K < k)."""
    tail = math.exp(-rate * (k if k > 0 else 1 - k)) / (1 + math.exp(-rate))
    return 1 - tail if k > 0 else tail


@pytest.mark.parametrize("rate", ["0.004", "0.7"])
def test_geometric_noise_follows_its_law(rate):
    r = float(rate)
    step = max(1, round(0.3 / r))
    law = [math.exp(-r * step * k) * -math.expm1(-r * step) for k in range(30)]
    law.append(1 - math.fsum(law))
    assert_follows(np.minimum(geometric(rate, 300_000) // step, 30), law)
    single = np.array([geometric(Fraction(rate)) for _ in range(20_000)])
    assert_follows(np.minimum(single // step, 30), law)


def test_wrong_samplers_are_caught():
    law = _law(1.0, 14)
    right = discrete_laplace(1, 2_000_000)
    assert misfits(folded(right, 14), law) == []
    assert misfits(folded(discrete_laplace("1.01", 2_000_000), 14), law), "a rate 1 % off"
    signs = 2 * uniform_below_many(2, 2_000_000).astype(np.int64) - 1
    assert misfits(folded(signs * geometric(1, 2_000_000), 14), law), "zero with two signs"
    assert misfits(folded(np.where(right >= 6, 6, right), 14), law), "a tail cut off"
    lost = np.where(np.abs(right) == 9, -9, right)
    assert misfits(folded(lost, 14), law), "a sign lost far out"


def test_noise_too_large_for_a_vector_is_refused_not_wrapped():
    tables = NoiseTables.of(Fraction(1, 2**50))
    with pytest.raises(OverflowError, match="one value at a time"):
        tables._fitting(2**60)
    assert abs(tables.draw_many(1000)).max() < 2**60


@settings(max_examples=30)
@given(st.fractions(Fraction(1, 2**50), 10**6, max_denominator=2**50))
def test_any_rate_from_the_smallest_draws(rate):
    assert isinstance(discrete_laplace(rate), int)
    assert discrete_laplace(rate, 3).dtype == np.int64


@pytest.mark.parametrize("rate", [0, -1, "2e-16", "nan", "x", None, float("inf"), True])
def test_rates_that_make_no_noise_are_refused(rate):
    with pytest.raises(InvalidInput, match="rate of noise"):
        discrete_laplace(rate)


@pytest.mark.parametrize("count", [-1, 1.5, "3", True])
def test_counts_that_are_no_counts_are_refused(count):
    with pytest.raises(InvalidInput, match="number of draws"):
        discrete_laplace(1, count)


def test_no_draws_at_all():
    assert discrete_laplace(1, 0).shape == geometric("1e-6", 0).shape == (0,)
