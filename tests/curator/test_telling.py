"""A bound and what it rests on are told together, in every dress."""

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.client.reading import answer_from
from discreet.curator import Answer, Result
from discreet.curator.drawn import Drawn
from discreet.planning import About

MEDIAN = Result(
    label="MEDIAN(age)",
    group=None,
    value=41,
    interval=None,
    expected_error=None,
    mechanism="by rank",
    certificate=None,
    rows_off=14,
    percentiles=(Fraction(43, 100), Fraction(5725, 10_000)),
)
SPAN = (Fraction(30), Fraction(50))
BOUGHT = replace(MEDIAN, interval=SPAN, rows_off=None, percentiles=None)
CASES = [
    (MEDIAN, "between the 43rd and 58th percentile of these rows"),
    (
        replace(MEDIAN, about=About.POPULATION),
        "between the 43rd and 58th percentile of the population, if these rows are a random sample",
    ),
    (
        replace(MEDIAN, run=(Fraction(40), Fraction(49))),
        "some value from 40 to 49 is between the 43rd and 58th percentile of these rows",
    ),
    (replace(MEDIAN, percentiles=None), "at most 14 rows off"),
    (replace(MEDIAN, interval=SPAN, supposed=True), "30 … 50 if the prior holds"),
    (BOUGHT, "30 … 50"),
    (replace(BOUGHT, whole_range=True), "30 … 50, the whole declared range"),
    (
        replace(BOUGHT, about=About.POPULATION),
        "30 … 50 for the population, if these rows are a random sample",
    ),
    (
        replace(MEDIAN, percentiles=None, rows_behind=13),
        "at most 13 rows behind the most frequent",
    ),
    (replace(MEDIAN, value=None), "–"),
    (replace(MEDIAN, percentiles=None, rows_off=None), "–"),
]


def answer_of(result):
    return Answer(
        receipt="r",
        asked="SELECT MEDIAN(age)",
        results=(result,),
        confidence=Fraction(19, 20),
        epsilon="1",
        spent="1",
        left="1",
        free=False,
        plan="p",
    )


@pytest.mark.parametrize(("result", "bound"), CASES)
def test_a_bound_stands_with_what_it_rests_on(result, bound):
    answer = answer_of(result)
    assert (answer.bound, answer.to_dict()["results"][0]["bound"]) == (bound, bound)
    assert f",{bound}" in answer.to_csv().replace('"', "")
    assert f"<td>{bound}</td>" in answer._repr_html_()
    if bound != "–":
        told = bound.replace("30 … 50", "between 30 and 50")
        assert f"({told}, at 95 % confidence)" in str(answer)


@pytest.mark.parametrize(("result", "bound"), CASES)
def test_nothing_of_a_bound_is_lost_on_the_way(result, bound):
    answer = answer_of(result)
    kept = Drawn(results=(result,), confidence=answer.confidence, plan="p")
    assert Drawn.from_dict(kept.to_dict()) == kept
    assert answer_from(answer.to_dict()).results == (result,)


def test_an_interval_under_a_prior_never_passes_for_one_that_holds():
    supposed = answer_of(replace(MEDIAN, interval=SPAN, supposed=True))
    told = supposed.to_dict()["results"][0]
    assert supposed.interval is None
    assert (told["interval"], told["exact_interval"]) == (None, None)
    assert told["exact_interval_if_prior_holds"] == ["30", "50"]
    assert answer_of(BOUGHT).interval == SPAN
