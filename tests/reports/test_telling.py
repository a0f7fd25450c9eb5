"""Figures that stand below one another have as many decimals, and never a narrower interval."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.cli.rendering.answer import lines
from discreet.curator import Curator, open_dataset
from discreet.curator.result import Result, bound_cell, places_of, value_cell
from discreet.exact import Epsilon
from discreet.questions import parse_sql
from discreet.questions.words import asked_again
from discreet.reports.pictures import answer_pictures
from discreet.reports.rows import results_table
from discreet.reports.telling import Teller
from discreet.requests import Order
from discreet.web.pages.answer_view import AnswerView
from reports.test_reports import asked
from small_survey import VISIT, dataset_text

NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)


def _result(value, below, above):
    return Result(label="AVG(x)", group="g", value=value, interval=(value - below, value + above),
                  expected_error=None, mechanism="m", certificate=None)  # fmt: skip


@given(st.lists(st.tuples(NUMBERS, *[st.fractions(0, 50, max_denominator=10**4)] * 2), min_size=1))
def test_written_intervals_hold_the_exact_ones_and_decimals_are_alike(given_numbers):
    results = [_result(*one) for one in given_numbers]
    places = places_of(results)
    for one in results:
        told, bound = value_cell(one, places), bound_cell(one, places)
        if places is None or bound == "exact":
            continue
        low, high = bound.split(" … ")
        assert {len(text.partition(".")[2]) for text in (told, low, high)} == {places}
        ends = one.interval
        assert Fraction(low) <= ends[0]
        assert ends[1] <= Fraction(high)
        narrowest = min(
            r.interval[1] - r.interval[0] for r in results if r.interval[0] < r.interval[1]
        )
        assert ends[0] - Fraction(low) <= narrowest / 10
        assert Fraction(high) - ends[1] <= narrowest / 10


def test_whole_numbers_stay_whole():
    assert places_of([_result(Fraction(30), 4, 5)]) is None
    assert places_of([_result(Fraction(7, 2), Fraction(1, 2), 1)]) == 1


@pytest.fixture(scope="module")
def crossed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    words = [f"{letter}{place}" for letter in "ab" for place in range(4)]
    columns = "".join(
        f'[columns.{name}]\ntype = "category"\nvalues = {words}\ngaps = false\nmissing = "a0"\n'
        for name in ("ward", "plan")
    )
    rows = ["a0,a0"] * 300 + ["b1,a2"] * 300
    (folder / "rows.csv").write_text("\n".join(["ward,plan", *rows]) + "\n")
    (folder / "survey.toml").write_text(dataset_text("size = 600", columns=columns))
    with Curator(folder / "survey.toml", "ana") as curator:
        (receipt,) = asked(curator, "SELECT COUNT(*) GROUP BY ward, plan")
        answer = curator.stored(receipt)
        return answer_pictures(answer, asked_again(answer.asked, curator.dataset), curator.dataset)


def test_of_many_groups_those_that_may_be_empty_are_told_and_not_drawn(crossed):
    (picture,) = crossed
    many = int(re.search(r"(\d+) groups may be empty, and are not drawn", picture.message)[1])
    assert len(picture.rows) == 64 - many
    assert ("a0", "a0") in {row[:2] for row in picture.rows}
    assert not picture.is_tall


@pytest.mark.parametrize(
    ("unit", "names"),
    [
        ("quarter", [f"2023 Q{one}" for one in range(1, 5)]),
        ("month", [f"2023-{one:02}" for one in range(1, 13)]),
        ("year", ["2023"]),
    ],
)
def test_groups_of_days_have_one_name_everywhere(tmp_path, unit, names):
    (tmp_path / "rows.csv").write_text("\n".join(["visit", *["2023-05-01"] * 40]) + "\n")
    (tmp_path / "survey.toml").write_text(dataset_text("size = 40", columns=VISIT))
    with Curator(tmp_path / "survey.toml", "ana") as opened:
        dataset = opened.dataset
        question = parse_sql(f"SELECT COUNT(*) GROUP BY DATE_TRUNC('{unit}', visit)", dataset)
        answer = opened.ask(Order(question, epsilon=Epsilon.of("1")))
        told = [*names, "(missing)"]
        for rows in (
            [row.cells for row in lines(answer, opened, 200)[1].rows],
            results_table(answer, Teller(answer, question, dataset))[1],
            [line["groups"] for line in AnswerView.of(answer, dataset).lines],
        ):
            assert [row[0] for row in rows] == told
    assert answer.results[0].group_cells == ("2023-01-01",), "what programs read is a day"


def test_a_name_after_as_is_the_name_wherever_the_answer_is_shown(tmp_path):
    """Tables of several statistics told words instead, and footnotes told the names."""
    (tmp_path / "s.csv").write_text("age,sex\n" + "40,f\n50,m\n" * 20)
    facts = 'name = "s"\nconfirmed = true\n[source]\npath = "s.csv"\n[privacy]\nsize = 40\n'
    facts += '[budget]\ntotal = "9"\n[columns.age]\ntype = "integer"\nlow = 0\nhigh = 99\n'
    facts += '[columns.sex]\ntype = "category"\nvalues = ["f", "m"]\n'
    (tmp_path / "s.toml").write_text(facts)
    with open_dataset(tmp_path / "s.toml") as survey:
        answer = survey.sql(
            "SELECT sex AS gender, avg(age) AS mean_age, COUNT(*), count(age >= 40) GROUP BY sex"
        ).ask(epsilon=4)
        dataset = survey.curator.dataset
    names = ["mean_age", "the number of rows", "the number of rows where age is at least 40"]
    assert [one["label"] for one in AnswerView.of(answer, dataset).lines[:3]] == names
    crossed = AnswerView.of(answer, dataset).crossed
    assert [one.name for one in crossed.columns if one.name in names] == names
