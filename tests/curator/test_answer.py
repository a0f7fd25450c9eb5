"""Answers: frozen, exact, and the same in every dress."""

import csv
import io
import json
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.curator.answer import COLUMNS, SHOWN, Answer, Result
from discreet.curator.storing import Drawn
from discreet.errors import LedgerError
from discreet.text import number_text

values = st.one_of(
    st.integers(),
    st.fractions(),
    st.text(max_size=9),
    st.lists(st.tuples(st.text(max_size=4), st.integers()), min_size=1, max_size=3).map(tuple),
)
results = st.lists(
    st.builds(
        Result, st.text(max_size=9), st.none() | st.text(max_size=9), values,
        st.none() | st.tuples(st.fractions(), st.fractions()),
        st.floats(0, 1e9), st.text(max_size=5), st.none() | st.text(max_size=5),
    ),
    min_size=1, max_size=4,
).map(tuple)  # fmt: skip


@given(results, st.fractions(0, 1))
def test_what_the_ledger_keeps_is_read_back_exactly(told, confidence):
    drawn = Drawn(told, confidence, "digest")
    again = Drawn.from_dict(json.loads(json.dumps(drawn.to_dict())))
    assert again == drawn
    for one, two in zip(told, again.results, strict=True):
        assert type(one.value) is type(two.value)


@pytest.mark.parametrize(
    "body", [{}, {"results": 3}, {"results": [{}]}, {"results": [{"value": 1}]}]
)
def test_a_body_that_is_no_answer_is_a_ledger_error(body):
    with pytest.raises(LedgerError, match="cannot be read"):
        Drawn.from_dict({"confidence": "1/2", "plan": "", **body})


@given(results)
def test_every_dress_is_well_formed(told):
    answer = Answer("q", "SELECT", told, Fraction(19, 20), "1", "1", "2", False, "d")
    json.dumps(answer.to_dict(), allow_nan=False)
    lines = list(csv.DictReader(io.StringIO(answer.to_csv()), strict=True))
    words = [many for one in told for many in (one.value if type(one.value) is tuple else [None])]
    assert len(lines) == len(words)
    assert all(tuple(line) == COLUMNS for line in lines)
    assert "<script" not in answer._repr_html_() or any("<script" in r.label for r in told)
    assert str(answer).endswith("receipt q")


def test_csv_tells_everything_that_was_released():
    count = Result("COUNT(*)", "A", 7, (Fraction(5), Fraction(9)), 1.5, "by answer", "ab" * 32)
    mode = Result("MODE(town)", None, "B", None, 0.25, "by rank", None, supposed=True, rows_off=3)
    answer = Answer("q-1", "SELECT", (count, mode), Fraction(19, 20), "0.5", "2", "1.5", False, "d")
    first, second = csv.DictReader(io.StringIO(answer.to_csv()))
    assert first == {
        "group": "A", "statistic": "COUNT(*)", "value": "7", "low": "5", "high": "9",
        "expected_error": "1.5", "mechanism": "by answer", "confidence": "0.95",
        "supposed": "false", "rows_off": "", "epsilon": "0.5", "left": "1.5",
        "certificate": "ab" * 32, "receipt": "q-1", "word": "",
    }  # fmt: skip
    assert [second[name] for name in ("group", "value", "low", "supposed", "rows_off",
            "certificate", "receipt")] == ["", "B", "", "true", "3", "", "q-1"]  # fmt: skip


def test_every_word_of_a_top_has_a_line_of_its_own():
    words = (("Aix, Nice: old", 9), ('"Bo"', -2))
    top = Result("TOP(town, 2)", None, words, None, 1.5, "noise", None)
    answer = Answer("q-1", "SELECT", (top,), Fraction(19, 20), "1", "1", "2", False, "d")
    lines = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert [(line["word"], int(line["value"])) for line in lines] == list(words)
    assert answer._repr_html_().count("<th>") == len(SHOWN)
    assert "Aix, Nice: old: 9" in answer._repr_html_()


def test_html_is_escaped_and_answers_are_frozen():
    result = Result("<script>", None, "<b>", None, 0.0, "&", None)
    answer = Answer("<i>", "a < b", (result,), Fraction(1, 2), "1", "1", "2", True, "d")
    page = answer._repr_html_()
    for raw in ("<script>", "<b>", "<i>", "a < b"):
        assert raw not in page
    with pytest.raises(FrozenInstanceError):
        answer.free = False


@given(st.fractions())
def test_numbers_are_written_to_the_digits_they_promise(number):
    assert float(number_text(number, 12)) == pytest.approx(float(number), rel=1e-9, abs=1e-300)


def test_what_everybody_knows_is_exact_without_ifs(survey):
    told = str(survey.count().ask(epsilon="1"))
    assert "(exact)" in told
    assert "confidence" not in told


def test_what_holds_for_every_table_names_its_statistic():
    some = [
        Result("MEDIAN(age)", None, 4, (Fraction(4), Fraction(4)), 0.1, "by rank", None, True, 9),
        Result("AVG(age)", None, 4, (Fraction(3), Fraction(5)), 0.1, "noise", None),
        Result("MODE(clinic)", None, "A", None, 0.1, "by frequency", None, True, 1),
    ]
    both = Answer("r", "q", tuple(some), Fraction(19, 20), "1", "1", "1", False, "")
    assert both.surely == [
        "MEDIAN(age): whatever the rows are, at most 9 would have to change for it to be exact",
        "MODE(clinic): whatever the rows are, at most 1 would have to change for it to be exact",
    ]
    assert replace(both, results=tuple(some[:1])).surely == [both.surely[0].split(": ", 1)[1]]
    assert replace(both, results=tuple(some[1:2])).surely == []
