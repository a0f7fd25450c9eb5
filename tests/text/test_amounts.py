"""Amounts of ε add up exactly, and are written as the decimals they are."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import Epsilon
from discreet.text import BILLION, Amount

amounts = st.integers(-(10**13), 10**13).map(Amount)


@given(amounts)
def test_an_amount_reads_back_as_itself(amount):
    assert Fraction(str(amount)) == amount.value
    assert str(amount).strip("-0") == str(amount).strip("-0").rstrip(".")
    assert bool(amount) == (amount.value != 0)


@given(amounts, amounts)
def test_amounts_add_up_and_compare_as_their_values(one, other):
    assert (one + other).value == one.value + other.value
    assert (one - other).value == one.value - other.value
    assert (one < other) == (one.value < other.value)


@given(st.integers(1, 100 * BILLION))
def test_epsilon_is_written_as_its_amount(billionths):
    assert str(Epsilon(billionths)) == str(Amount(billionths))
