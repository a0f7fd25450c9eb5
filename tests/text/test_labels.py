"""Labels are short, printable and say the number exactly where a decimal can."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.text import blanked, label, one_line, printable, shortened


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(1000), "1000"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 10**7), "1/10000000"),
        ("north", "north"),
        ("bell\a", "bell\\x07"),
    ],
)
def test_a_value_as_people_write_it(value, text):
    assert label(value) == text


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6))
def test_a_label_reads_back_as_the_same_number(value):
    assert Fraction(label(value)) == value


@given(st.text())
def test_no_text_can_break_a_line_or_command_a_terminal(text):
    assert printable(text).isprintable()
    assert blanked(text).isprintable()
    assert len(blanked(text)) == len(text)
    assert one_line(text).isprintable()
    assert len(shortened(text, 24)) <= 24
