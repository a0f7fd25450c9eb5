"""Answers by crossed groups, told column by column in every dress, and found again when stored."""

import csv
import io

import pytest

from discreet import QuestionError, open_dataset
from small_survey import COLUMNS, HEADER, dataset_text

ROWS = ["3,11,A,yes", "4,11,A,no", "1,10,B,no", "5,12,B,yes", "2,11,A,yes", "1,10,other,no"]
CROSSED = "SELECT COUNT(*), AVG(mood) GROUP BY clinic, smokes"


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "rows.csv").write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    file = tmp_path / "survey.toml"
    file.write_text(dataset_text(f"size = {len(ROWS)}", "100", columns=COLUMNS), encoding="utf-8")
    with open_dataset(file) as opened:
        yield opened


def test_counts_are_those_of_the_rows_in_crossed_groups(survey):
    """At a large ε they are those of the raw rows: noise is rarer than once in 10^15 draws."""
    counts = survey.sql("SELECT COUNT(*) GROUP BY clinic, smokes").ask(epsilon=40)
    assert counts.value == {
        "A, false": 1, "A, true": 2, "B, false": 1, "B, true": 1, "other, false": 1,
        "other, true": 0,
    }  # fmt: skip
    binned = survey.count().group_by("smokes", ("weight", 2)).ask(epsilon=40)
    grouped = {tuple(value for _, value in one.groups): one.value for one in binned.results}
    assert grouped == {
        ("false", "10 to 11.5"): 3, ("false", "12"): 0,
        ("true", "10 to 11.5"): 2, ("true", "12"): 1,
    }  # fmt: skip


def test_groups_are_told_column_by_column_and_stored_so(survey):
    answer = survey.sql(CROSSED).ask(epsilon=5, id="x")
    assert answer.grouped_by == ("clinic", "smokes")
    assert [one["groups"] for one in answer.to_dict()["results"]][:4] == [
        {"clinic": "A", "smokes": "false"}, {"clinic": "A", "smokes": "false"},
        {"clinic": "A", "smokes": "true"}, {"clinic": "A", "smokes": "true"},
    ]  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert [(one["clinic"], one["smokes"], one["group"]) for one in lines[2:4]] == [
        ("A", "true", "A, true")
    ] * 2
    assert "<th>clinic</th><th>smokes</th><th>statistic</th>" in answer._repr_html_()
    again = survey.sql(CROSSED).ask(epsilon=5, id="x")
    assert again.free
    assert again.results == answer.results


def test_columns_of_csv_keep_names_of_their_own(tmp_path):
    """A column that is called like one of the fixed ones gets another name, never its place."""
    (tmp_path / "rows.csv").write_text("value,group value\n1,yes\n2,no\n")
    boolean = '\n[columns."{}"]\ntype = "boolean"\nmissing = false\n'
    columns = boolean.format("value") + boolean.format("group value")
    file = tmp_path / "t.toml"
    file.write_text(dataset_text("size = 2", columns=columns))
    with open_dataset(file) as opened:
        answer = opened.sql('SELECT COUNT(*) GROUP BY "group value", value').ask(epsilon=1)
    (first, *_) = csv.DictReader(io.StringIO(answer.to_csv()))
    assert first["value"].lstrip("-").isdigit()
    assert (first["group value"], first["group group value"]) == ("false", "false")


def test_python_and_sql_ask_the_same(survey):
    asked = survey.count().group_by("clinic", ("weight", "0.5"), ("mood", 2))
    text = "SELECT COUNT(*) GROUP BY clinic, weight, BIN(mood, 2)"
    assert str(asked) == text
    assert asked.question.digest == survey.sql(text).question.digest
    assert asked.group_by().question == survey.count().question


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("clinic", "clinic"), "names clinic twice"),
        (("nowhere",), "nowhere"),
        ((("clinic", 2),), "BIN needs numbers"),
        ((("mood", "0.3"),), "whole number of steps"),
        ((3,), r'takes names and \("age", 10\)'),
        ((("mood",),), r'takes names and \("age", 10\)'),
    ],
)
def test_bad_groups_are_refused_in_one_line(survey, columns, message):
    with pytest.raises(Exception, match=message) as refused:
        survey.count().group_by(*columns)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, QuestionError) or "nowhere" in message
