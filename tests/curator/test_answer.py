"""Answers: frozen, exact, and the same in every dress."""

import csv
import io
import json
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.curator.answer import COLUMNS, SHOWN, Answer
from discreet.curator.drawn import Drawn
from discreet.curator.result import Result
from discreet.errors import LedgerError
from discreet.text import number_text

values = st.one_of(
    st.none(),
    st.integers(),
    st.fractions(),
    st.text(max_size=9),
    st.lists(st.tuples(st.text(max_size=4), st.integers()), min_size=1, max_size=3).map(tuple),
)
results = st.lists(
    st.builds(
        Result,
        label=st.text(max_size=9),
        group=st.none() | st.text(max_size=9),
        value=values,
        interval=st.none() | st.tuples(st.fractions(), st.fractions()),
        expected_error=st.floats(0, 1e9),
        mechanism=st.text(max_size=5),
        certificate=st.none() | st.text(max_size=5),
        rows_about=st.none() | st.integers(0),
        rows_within=st.none() | st.tuples(st.integers(0), st.integers(0)),
        clamped_at=st.none() | st.fractions(),
    ),
    min_size=1,
    max_size=4,
).map(tuple)


@given(results, st.fractions(0, 1), st.lists(st.text(max_size=9), max_size=2))
def test_what_the_ledger_keeps_is_read_back_exactly(told, confidence, lines):
    drawn = Drawn(results=told, confidence=confidence, plan="digest", uncounted=tuple(lines))
    again = Drawn.from_dict(json.loads(json.dumps(drawn.to_dict())))
    assert again == drawn
    for one, two in zip(told, again.results, strict=True):
        assert type(one.value) is type(two.value)


def test_what_results_have_in_common_is_kept_once():
    """Of many groups most is alike; what was kept before, each with all of it, is read as well."""
    told = tuple(
        Result(
            label="COUNT(*)",
            group=group,
            value=place,
            interval=None,
            expected_error=1.5,
            mechanism="noise" if place else "another",
            certificate=None,
        )
        for place, group in enumerate("ABC")
    )
    drawn = Drawn(results=told, confidence=Fraction(1, 2), plan="digest")
    body = drawn.to_dict()
    assert body["alike"] == {"label": "COUNT(*)", "expected_error": 1.5, "certificate": None}
    assert all(body["alike"].keys().isdisjoint(one) for one in body["results"])
    apart = [{**body["alike"], **one} for one in body["results"]]
    for kept in (body, {"confidence": "1/2", "plan": "digest", "results": apart}):
        assert Drawn.from_dict(kept) == drawn


@pytest.mark.parametrize(
    "body", [{}, {"results": 3}, {"results": [{}]}, {"results": [{"value": 1}]}]
)
def test_a_body_that_is_no_answer_is_a_ledger_error(body):
    with pytest.raises(LedgerError, match="cannot be read"):
        Drawn.from_dict({"confidence": "1/2", "plan": "", **body})


@given(results)
def test_every_dress_is_well_formed(told):
    answer = Answer(
        receipt="q",
        asked="SELECT",
        results=told,
        confidence=Fraction(19, 20),
        epsilon="1",
        spent="1",
        left="2",
        free=False,
        plan="d",
    )
    json.dumps(answer.to_dict(), allow_nan=False)
    lines = list(csv.DictReader(io.StringIO(answer.to_csv()), strict=True))
    words = [many for one in told for many in (one.value if type(one.value) is tuple else [None])]
    assert len(lines) == len(words)
    assert all(tuple(line) == COLUMNS for line in lines)
    assert "<script" not in answer._repr_html_() or any("<script" in r.label for r in told)
    assert str(answer).endswith("receipt q")


def test_csv_tells_everything_that_was_released():
    count = Result(
        label="COUNT(*)",
        group="A",
        value=7,
        interval=(Fraction(5), Fraction(9)),
        expected_error=1.5,
        mechanism="by answer",
        certificate="ab" * 32,
    )
    mode = Result(
        label="MODE(town)",
        group=None,
        value="B",
        interval=None,
        expected_error=0.25,
        mechanism="by rank",
        certificate=None,
        supposed=True,
        rows_off=3,
    )
    answer = Answer(
        receipt="q-1",
        asked="SELECT",
        results=(count, mode),
        confidence=Fraction(19, 20),
        epsilon="0.5",
        spent="2",
        left="1.5",
        free=False,
        plan="d",
    )
    first, second = csv.DictReader(io.StringIO(answer.to_csv()))
    assert first == {
        "group": "A", "statistic": "COUNT(*)", "value": "7", "low": "5", "high": "9",
        "expected_error": "1.5", "mechanism": "by answer", "confidence": "0.95",
        "supposed": "false", "rows_off": "", "epsilon": "0.5", "left": "1.5",
        "certificate": "ab" * 32, "receipt": "q-1", "word": "", "rows_about": "",
        "too_few_rows": "false", "low_if_prior_holds": "", "high_if_prior_holds": "",
        "percentile_low": "", "percentile_high": "", "rows_behind": "", "about": "table",
        "bound": "5 … 9", "imputed": "", "clamped_at": "", "rows_low": "", "rows_high": "",
    }  # fmt: skip
    assert [second[name] for name in ("group", "value", "low", "supposed", "rows_off",
            "certificate", "receipt")] == ["", "B", "", "true", "3", "", "q-1"]  # fmt: skip


def test_too_few_rows_are_told_as_such_in_every_dress():
    few = Result(
        label="MEDIAN(age)",
        group="B",
        value=None,
        interval=None,
        expected_error=7.5,
        mechanism="by rank",
        certificate=None,
        rows_about=3,
    )
    answer = Answer(
        receipt="q-1",
        asked="SELECT",
        results=(replace(few, group="A", value=34, rows_about=40), few),
        confidence=Fraction(19, 20),
        epsilon="1",
        spent="1",
        left="2",
        free=False,
        plan="d",
    )
    assert few.too_few_rows
    assert answer.value == {"A": 34, "B": None}
    one, two = answer.to_dict()["results"]
    assert (one["too_few_rows"], one["rows_about"]) == (False, 40)
    assert (two["value"], two["exact"], two["too_few_rows"], two["rows_about"]) == (
        None, None, True, 3,
    )  # fmt: skip
    assert "MEDIAN(age) [A] ≈ 34 of about 40 rows; MEDIAN(age) [B]: too few rows (about 3)" in str(
        answer
    )
    lines = list(csv.DictReader(io.StringIO(answer.to_csv())))
    told = [(line["value"], line["rows_about"], line["too_few_rows"]) for line in lines]
    assert told == [("34", "40", "false"), ("", "3", "true")]
    assert "<td>too few rows (about 3)</td>" in answer._repr_html_()


def test_every_word_of_a_top_has_a_line_of_its_own():
    words = (("Aix, Nice: old", 9), ('"Bo"', -2))
    top = Result(
        label="TOP(town, 2)",
        group=None,
        value=words,
        interval=None,
        expected_error=1.5,
        mechanism="noise",
        certificate=None,
    )
    answer = Answer(
        receipt="q-1",
        asked="SELECT",
        results=(top,),
        confidence=Fraction(19, 20),
        epsilon="1",
        spent="1",
        left="2",
        free=False,
        plan="d",
    )
    lines = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert [(line["word"], int(line["value"])) for line in lines] == list(words)
    assert answer._repr_html_().count("<th>") == len(SHOWN) - 1, "one mechanism stands below"
    assert "Aix, Nice: old: 9" in answer._repr_html_()


def test_html_is_escaped_and_answers_are_frozen():
    result = Result(
        label="<script>",
        group=None,
        value="<b>",
        interval=None,
        expected_error=0.0,
        mechanism="&",
        certificate=None,
    )
    answer = Answer(
        receipt="<i>",
        asked="a < b",
        results=(result,),
        confidence=Fraction(1, 2),
        epsilon="1",
        spent="1",
        left="2",
        free=True,
        plan="d",
    )
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
        Result(
            label="MEDIAN(age)",
            group=None,
            value=4,
            interval=(Fraction(4), Fraction(4)),
            expected_error=0.1,
            mechanism="by rank",
            certificate=None,
            supposed=True,
            rows_off=9,
        ),
        Result(
            label="AVG(age)",
            group=None,
            value=4,
            interval=(Fraction(3), Fraction(5)),
            expected_error=0.1,
            mechanism="noise",
            certificate=None,
        ),
        Result(
            label="MODE(clinic)",
            group=None,
            value="A",
            interval=None,
            expected_error=0.1,
            mechanism="by frequency",
            certificate=None,
            supposed=True,
            rows_off=1,
        ),
    ]
    both = Answer(
        receipt="r",
        asked="q",
        results=tuple(some),
        confidence=Fraction(19, 20),
        epsilon="1",
        spent="1",
        left="1",
        free=False,
        plan="",
    )
    assert both.surely == [
        "MEDIAN(age): for any data: exact after changing at most 9 rows",
        "MODE(clinic): for any data: exact after changing at most 1 row",
    ]
    assert replace(both, results=tuple(some[:1])).surely == [both.surely[0].split(": ", 1)[1]]
    assert replace(both, results=tuple(some[1:2])).surely == []


def test_a_value_of_rows_that_nobody_counts_says_so_in_every_dress(survey):
    """Whoever reads the answer without its plan is told that there may be no rows at all."""
    told = survey.sql("SELECT MEDIAN(mood) WHERE smokes").ask(epsilon="0.1")
    line = "a value is released even if no row meets the condition: ask COUNT(*) too"
    assert told.uncounted == (line,)
    assert told.rests_on == [line]
    assert line in str(told)
    assert line in told.to_html()
    assert told.to_dict()["uncounted"] == [line]
    both = survey.sql("SELECT MEDIAN(mood), COUNT(*) WHERE smokes").ask(epsilon="0.2")
    assert both.uncounted == ()
