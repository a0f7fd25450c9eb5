"""What several front ends say."""

import pytest

from discreet.text import capital, rows_off_text


@pytest.mark.parametrize(
    ("rows", "end"),
    [(0, "it is exact"), (1234, "at most 1,234 would have to change for it to be exact")],
)
def test_how_many_rows_an_answer_is_off(rows, end):
    assert rows_off_text(rows) == f"whatever the rows are, {end}"


def test_a_sentence_begins_with_a_capital_letter():
    assert capital("ε is public") == "Ε is public"
    assert capital("") == ""
