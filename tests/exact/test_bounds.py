"""The bounds enclose the truth, tightly, at every precision and in every thread."""

import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.exact import exp_lower, exp_upper, log_lower, log_upper

# The decimal module rounds exp and ln correctly, by code that shares nothing with Arb.
WIDE = Context(prec=120, Emax=10**6, Emin=-(10**6))
PRECISIONS = [20, 53, 64, 160, 300]

billionths = st.integers(-100 * 10**9, 100 * 10**9)
positive = st.integers(1, 10**12)


def around(value):
    """Two fractions between which the correctly rounded value's truth must lie."""
    slack = Fraction(1, 10**118) * abs(Fraction(value))
    return Fraction(value) - slack, Fraction(value) + slack


def check(low, high, truth, bits):
    below, above = around(truth)
    assert low <= above
    assert high >= below
    assert low <= high
    assert high - low <= abs(Fraction(truth)) * Fraction(1, 2**bits)


@given(billionths, st.sampled_from(PRECISIONS))
def test_exp_is_enclosed(steps, bits):
    x = Fraction(steps, 10**9)
    truth = WIDE.exp(WIDE.divide(Decimal(steps), Decimal(10**9)))
    check(exp_lower(x, bits), exp_upper(x, bits), truth, bits)


@given(positive, st.sampled_from(PRECISIONS))
def test_log_is_enclosed(millionths, bits):
    x = Fraction(millionths, 10**6)
    truth = WIDE.ln(WIDE.divide(Decimal(millionths), Decimal(10**6)))
    check(log_lower(x, bits), log_upper(x, bits), truth, min(bits, 200))


@given(billionths)
def test_more_bits_give_an_enclosure_inside_the_wider_one(steps):
    x = Fraction(steps, 10**9)
    for coarse, fine in pairwise(PRECISIONS):
        assert exp_lower(x, coarse) <= exp_upper(x, fine)
        assert exp_lower(x, fine) <= exp_upper(x, coarse)


def test_exact_where_the_truth_is_rational():
    assert exp_lower(Fraction(0)) == exp_upper(Fraction(0)) == 1
    assert log_lower(Fraction(1)) == log_upper(Fraction(1)) == 0


@given(st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=10**6))
def test_log_undoes_exp(x):
    assert log_lower(exp_lower(x)) <= x <= log_upper(exp_upper(x))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1, 10**9), Fraction(100)])
def test_bounds_are_strict_where_the_truth_is_irrational(x):
    assert exp_lower(x) < exp_upper(x)
    assert exp_upper(x) - exp_lower(x) < exp_lower(x) / 2**160


@settings(max_examples=5, deadline=None)
@given(st.lists(st.tuples(billionths, st.sampled_from(PRECISIONS)), min_size=200, max_size=200))
def test_threads_with_different_precisions_do_not_disturb_one_another(wanted):
    def both(item):
        x, bits = Fraction(item[0], 10**9), item[1]
        return exp_lower(x, bits), exp_upper(x, bits)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(both, wanted))
    finally:
        sys.setswitchinterval(before)
    assert together == [both(item) for item in wanted]
