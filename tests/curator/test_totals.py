"""Counts with totals, asked in SQL and in Python, told in every dress, and found again."""

import csv
import io

import pytest

from discreet import OverBudget, QuestionError


def test_counts_and_totals_are_those_of_the_rows(survey):
    """At a large ε they are those of the raw rows: noise is rarer than once in 10^15 draws."""
    answer = survey.sql("SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)").ask(epsilon=25, id="a")
    told = {tuple(word for _, word in one.groups): one.value for one in answer.results}
    assert told["A", "(all)"] == told["B", "(all)"] == 15
    assert told["other", "(all)"] == 0
    assert told["A", "true"] == 10
    assert told["(all)", "(all)"] == 30
    again = survey.count().rollup("clinic", "smokes").ask(epsilon=25, id="a")
    assert again.free
    assert again.results == answer.results


def test_of_counts_that_are_made_to_fit_no_expected_error_is_told(survey):
    """With 500 rows in one group of 60 it was told to be 3.9 and was 11; only a public total has
    one."""
    by_clinic, rolled = survey.count().group_by("clinic"), survey.count().rollup("clinic")
    for question, wishes, known in (
        (by_clinic, {}, [True] * 3),
        (by_clinic, {"consistent": True}, [False] * 3),
        (rolled, {}, [False] * 3 + [True]),
        (rolled, {"unbiased": True}, [True] * 4),
    ):
        answer = question.ask(epsilon=1, fresh=True, **wishes)
        assert [one.expected_error is not None for one in answer.results] == known


def test_totals_are_told_in_json_and_csv(survey):
    answer = survey.count().cube("clinic", "smokes").ask(epsilon=25)
    last = answer.to_dict()["results"][-1]
    assert last["groups"] == {"clinic": "(all)", "smokes": "(all)"}
    assert (last["value"], last["expected_error"]) == (30, 0.0)
    lines = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert {(one["clinic"], one["smokes"]) for one in lines} >= {("(all)", "true"), ("A", "(all)")}
    assert all(float(one["low"]) <= float(one["value"]) <= float(one["high"]) for one in lines)


def test_all_totals_are_charged_once(survey):
    before = survey.left
    survey.count("mood > 2", where="weight > 10").rollup("clinic", ("mood", 2)).ask(epsilon=2)
    assert survey.left == before - 2
    with pytest.raises(OverBudget):
        survey.count().rollup("clinic").ask(epsilon=29)
    assert survey.left == before - 2


def test_totals_of_other_statistics_are_refused_in_python(survey):
    with pytest.raises(QuestionError, match="are only for counts, and AVG"):
        survey.mean("mood").rollup("clinic")
    with pytest.raises(QuestionError, match="need at least one column"):
        survey.count().cube()
    assert str(survey.count().rollup("clinic").group_by("smokes")).endswith("GROUP BY smokes")
