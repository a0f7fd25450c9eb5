"""Numbers for people: exact where they say so, finite, and with one thousands separator."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.text import brief, decimal_text, number_text, percent, plural


@given(st.fractions())
def test_an_exact_number_reads_back_as_itself(number):
    assert Fraction(decimal_text(number)) == number


@given(st.integers(-(10**40), 10**40), st.integers(0, 12))
def test_a_decimal_has_all_its_digits_however_many(digits, places):
    number = Fraction(digits, 10**places)
    assert "/" not in decimal_text(number)
    assert Fraction(decimal_text(number)) == number


@given(st.fractions(-(10**6), 10**6), st.integers(3, 12))
def test_an_answer_is_right_to_its_digits(number, digits):
    assert abs(Fraction(number_text(number, digits)) - number) <= abs(number) / 10 ** (digits - 1)


@given(st.floats(-1e12, 1e12), st.integers(1, 9))
def test_a_figure_is_right_to_its_digits(value, digits):
    text = brief(value, digits)
    read = float(text.replace("−", "-").replace(",", ""))
    assert abs(read - value) <= max(abs(value) * 10.0 ** (1 - digits), 5e-324)
    assert "e" not in text


def test_a_figure_that_is_none_is_a_dash_and_an_infinite_one_is_a_mistake():
    assert brief(None) == "–"
    with pytest.raises(ValueError, match="finite number, got inf"):
        brief(float("inf"))


@pytest.mark.parametrize(("count", "text"), [(0, "0 rows"), (1, "1 row"), (12345, "12,345 rows")])
def test_counted_things(count, text):
    assert plural(count, "row") == text


def test_a_share_in_hundredths():
    assert percent(Fraction(19, 20)) == "95"
