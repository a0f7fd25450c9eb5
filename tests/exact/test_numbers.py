"""Numbers are read exactly as people write them, or refused in one line."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import EpsilonError, InvalidInput
from discreet.exact import rational


@given(st.fractions())
def test_a_fraction_is_read_back_from_its_text(number):
    assert rational(str(number)) == number == rational(number)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=-(10**9),
                   max_value=10**9))  # fmt: skip
def test_a_decimal_is_read_exactly(number):
    assert rational(number) == rational(str(number)) == Fraction(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_the_decimal_it_prints_as(number):
    assert rational(number) == Fraction(repr(number))
    assert float(rational(number)) == number


@given(st.integers())
def test_whole_numbers_of_any_size(number):
    assert rational(number) == number


@pytest.mark.parametrize(
    ("given_value", "meant"),
    [
        (" 0.5 ", Fraction(1, 2)),
        ("+.5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e-3", Fraction(1, 1000)),
        ("-2 / 6", Fraction(-1, 3)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (np.float32(0.5), Fraction(1, 2)),
        (Decimal("1E+2"), Fraction(100)),
    ],
)
def test_spellings(given_value, meant):
    assert rational(given_value) == meant


@pytest.mark.parametrize(
    "nonsense",
    ["", " ", "x", "1,5", "1/0", "1/2/3", "0x10", "1_000", "١", "½", "1e99999", "--1", "1 2", "nan",
     "inf", "9" * 500, float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("sNaN"),
     Decimal("Infinity"), True, False, None, 1j, b"1", [1], {}, object, np.bool_(True)],
)  # fmt: skip
def test_nonsense_is_refused_in_one_line(nonsense):
    with pytest.raises(EpsilonError, match=r"^the thing must be .*got ") as caught:
        rational(nonsense, "the thing", EpsilonError)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


class Rude:
    def __repr__(self):
        raise RuntimeError("no")


def test_what_cannot_even_be_shown_is_refused():
    with pytest.raises(InvalidInput):
        rational(Rude())
