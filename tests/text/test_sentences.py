"""What several front ends say."""

import pytest

from discreet.text import capital, rows_off_text


@pytest.mark.parametrize(
    ("rows", "end"),
    [
        (0, "exact"),
        (1, "exact after changing at most 1 row"),
        (1234, "exact after changing at most 1,234 rows"),
    ],
)
def test_how_many_rows_an_answer_is_off(rows, end):
    assert rows_off_text(rows) == f"for any data: {end}"


def test_a_sentence_begins_with_a_capital_letter():
    assert capital("ε is public") == "ε is public", "a large one looks like an E"
    assert capital("") == ""
