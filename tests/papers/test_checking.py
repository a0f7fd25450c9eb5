"""Checks decide by numbers: to the printed digit, on the right side, and by exact chances."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.papers.checking import (
    ALARM,
    as_often,
    at_most,
    chance_of_as_odd,
    chance_of_at_least,
    equal,
    not_more_often,
    printed_number,
)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 19))
def test_the_tail_of_a_binomial_is_the_exact_sum(trials, successes, twentieths):
    p = Fraction(twentieths, 20)
    exact = sum(
        comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes, trials + 1)
    )
    found = chance_of_at_least(successes, trials, float(p))
    assert found == pytest.approx(float(exact), rel=1e-9, abs=1e-300)
    fewer = sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes + 1))
    if successes <= trials:
        odd = min(1.0, 2 * min(float(exact), float(fewer)))
        assert chance_of_as_odd(successes, trials, float(p)) == pytest.approx(odd, rel=1e-9)


@pytest.mark.parametrize(("p", "k", "chance"), [(0.0, 0, 1.0), (0.0, 1, 0.0), (1.0, 9, 1.0)])
def test_certain_events_have_certain_tails(p, k, chance):
    assert chance_of_at_least(k, 9, p) == chance


def test_a_printed_number_holds_to_half_of_its_last_digit():
    assert printed_number("", "12.21", 12.2149).holds
    assert not printed_number("", "12.21", 12.2151).holds
    assert not printed_number("", "12.21", 12.2049).holds
    assert printed_number("", "3", 3.4).holds


def test_equality_and_order_forgive_rounding_only():
    assert equal("", 1.0, 1.0 + 1e-12).holds
    assert not equal("", 1.0, 1.0 + 1e-6).holds
    assert at_most("", 1.0 + 1e-14, 1.0).holds
    assert not at_most("", 1.0 + 1e-9, 1.0).holds


def test_random_checks_fail_only_where_chance_cannot_explain_it():
    assert as_often("", 500, 1000, 0.5).holds
    assert not as_often("", 650, 1000, 0.5).holds
    assert not as_often("", 350, 1000, 0.5).holds
    assert not_more_often("", 350, 1000, 0.5).holds
    assert not not_more_often("", 650, 1000, 0.5).holds
    assert chance_of_at_least(650, 1000, 0.5) < ALARM
