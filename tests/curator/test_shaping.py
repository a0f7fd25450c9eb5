"""A view of a release: sorted, left out, computed and cut after it was told, for nothing."""

from fractions import Fraction

import pytest

from discreet.curator import Order, open_dataset
from discreet.errors import QuestionError
from discreet.reports.release import report_of

GROUPED = "SELECT mood, AVG(weight) AS w, COUNT(*) AS n FROM data GROUP BY mood"


def charges(survey):
    return [one for one in survey.curator.ledger.entries() if one.kind == "charge"]


def test_another_view_of_the_same_release_is_free(survey):
    whole = survey.sql(GROUPED).ask(epsilon=5)
    values = {one.groups[0][1]: one.value for one in whole.results if one.label == "n"}
    shaped = survey.sql(f"{GROUPED} HAVING n > 0 ORDER BY n DESC, mood DESC LIMIT 2").ask(epsilon=5)
    assert (shaped.free, len(charges(survey))) == (True, 1)
    best = sorted(
        (name for name in values if values[name] > 0), key=lambda one: (-values[one], -int(one))
    )
    assert [one.group for one in shaped.results if one.label == "n"] == best[:2]
    computed = survey.sql("SELECT COUNT(*) * 2 GROUP BY mood").ask(epsilon="0.1")
    assert [one.value for one in computed.results] == [2 * values[one] for one in values]
    assert len(charges(survey)) == 1


def test_what_is_stored_comes_back_as_it_was_shown(survey):
    asked = survey.sql(
        "SELECT SUM(mood) / COUNT(*) AS m GROUP BY clinic HAVING COUNT(mood) > 1 ORDER BY m"
    )
    answer = asked.ask(epsilon=8, id="one")
    assert {one.label for one in answer.results} == {"m"}
    assert survey.curator.stored("one").results == answer.results
    assert survey.curator.stored("one").asked == answer.asked == str(asked)
    assert asked.ask(epsilon=8, id="one").results == answer.results
    (entry,) = charges(survey)
    assert (
        entry.facts()["asked"]
        == "SELECT SUM(mood), COUNT(*), COUNT(mood IS NOT NULL) GROUP BY clinic"
    )
    body = survey.curator.ledger.answer("one")
    assert len(body["results"]) == 9
    report = report_of(survey.dataset, survey.curator.ledger, made="", version="")
    assert report.answers[0].answer.results == answer.results


def test_the_same_id_with_another_order_is_the_same_release(survey):
    down = survey.sql("SELECT COUNT(*) GROUP BY clinic ORDER BY clinic DESC").ask(epsilon=1, id="x")
    up = survey.sql("SELECT COUNT(*) GROUP BY clinic ORDER BY clinic").ask(epsilon=1, id="x")
    assert up.results == tuple(reversed(down.results))
    assert len(charges(survey)) == 1


def test_bounds_of_what_is_computed_are_as_sure_as_was_wished(survey):
    asked = survey.sql("SELECT SUM(mood) / SUM(weight) AS r, SUM(mood)")
    order = Order.of(asked.question, epsilon=1, confidence="90%")
    assert (order.wishes.confidence, order.confidence) == (Fraction(19, 20), Fraction(9, 10))
    answer = survey.curator.ask(order)
    assert answer.confidence == Fraction(9, 10)
    (low, high), told = answer.interval["r"], answer.value
    assert low <= told["r"] <= high
    again = survey.sql("SELECT SUM(mood)").ask(epsilon="0.5")
    assert (again.free, again.confidence) == (True, Fraction(19, 20))
    assert not survey.sql("SELECT SUM(mood)").ask(epsilon="0.5", confidence="99%").free


def test_groups_with_too_few_rows_are_last_unless_first_is_said(survey):
    asked = "SELECT AVG(weight) GROUP BY clinic, smokes ORDER BY AVG(weight)"
    for words, place in [("", -1), (" DESC", -1), (" NULLS FIRST", 0)]:
        results = survey.sql(asked + words).ask(epsilon=8).results
        untold = [one.value is None for one in results]
        assert any(untold)
        assert untold == sorted(untold, reverse=place == 0)
        told = [one.value for one in results if one.value is not None]
        assert told == sorted(told, reverse="DESC" in words)


def test_how_often_empty_groups_are_told_is_said_of_all_that_were_counted(survey):
    asked = "SELECT AVG(weight) GROUP BY mood"
    whole = survey.sql(asked).ask(epsilon=2)
    assert survey.sql(f"{asked} ORDER BY 1 LIMIT 2").ask(epsilon=2).rests_on == whole.rests_on


def test_groups_are_chosen_and_sorted_by_the_numbers_that_are_shown(survey):
    """Noise as wide as this leaves the range of a mean, and is brought back before all else."""
    asked = "SELECT mood, SUM(weight) / COUNT(*) AS m GROUP BY mood"
    whole = survey.sql(asked).ask(epsilon="0.01")
    shown = {one.groups[0][1]: one.value for one in whole.results}
    told = {name: value for name, value in shown.items() if value is not None}
    for limit in {0, 10, 12, *told.values()}:
        for operator, kept in ((">", lambda one, at: one > at), ("<=", lambda one, at: one <= at)):
            bound = f"{Fraction(limit).numerator} / {Fraction(limit).denominator}.0"
            left = survey.sql(f"{asked} HAVING m {operator} {bound}").ask(epsilon="0.01")
            names = {one.groups[0][1] for one in left.results}
            assert names == {name for name, value in told.items() if kept(value, limit)}
    by_both = survey.sql(f"{asked} ORDER BY m DESC, mood DESC").ask(epsilon="0.01")
    order = sorted(told, key=lambda name: (-told[name], -int(name)))
    assert [one.groups[0][1] for one in by_both.results if one.value is not None] == order
    assert by_both.free


def test_what_is_shown_twice_is_told_and_paid_once(survey):
    twice = survey.sql("SELECT COUNT(*) AS a, COUNT(*) AS b, MEDIAN(mood)").ask(epsilon=2)
    assert twice.value["a"] == twice.value["b"]
    (entry,) = charges(survey)
    assert entry.facts()["asked"] == "SELECT COUNT(*), MEDIAN(mood)"


def test_nothing_may_be_left_to_show(survey):
    answer = survey.sql("SELECT COUNT(*) GROUP BY clinic HAVING COUNT(*) > 900").ask(epsilon=1)
    assert (answer.results, answer.value, answer.grouped_by) == ((), {}, ())
    assert str(answer).startswith("There is no group to show. ")
    assert len(answer.to_csv().splitlines()) == 1
    assert answer.to_dict()["results"] == []
    assert "<tbody></tbody>" in answer.to_html()
    assert len(answer.to_pandas()) == 0


def test_shares_of_a_total_are_of_one_release(make):
    file = make("size_at_most = 100\nneighbours = 'add-remove'")
    with open_dataset(file) as survey:
        shares = "SELECT 100 * COUNT(*) / SUM(COUNT(*)) OVER () GROUP BY clinic ORDER BY 1 DESC"
        answer = survey.sql(shares).ask(epsilon=8)
        values = [one.value for one in answer.results]
        assert len(values) == 3
        assert values == sorted(values, reverse=True)
        assert abs(sum(values) - 100) <= 1
        assert all(one.interval[0] <= one.value <= one.interval[1] for one in answer.results)


def test_python_has_a_method_for_each_clause(survey):
    asked = (
        survey.mean("weight").group_by("mood").having("COUNT(*) > 2").order_by("mood DESC").limit(2)
    )
    assert str(asked) == (
        "SELECT AVG(weight) GROUP BY mood HAVING COUNT(*) > 2 ORDER BY mood DESC LIMIT 2"
    )
    assert [one.group for one in asked.ask(epsilon=10).results] == ["5", "4"]
    with pytest.raises(QuestionError, match="group first"):
        asked.group_by("clinic")
    with pytest.raises(QuestionError, match="order_by takes text"):
        asked.order_by(1)
    with pytest.raises(QuestionError, match="LIMIT at least 1"):
        asked.limit(0)
    assert str(survey.ratio("mood", "weight", where="clinic = 'A'")).endswith("WHERE clinic = 'A'")
    assert 2 < survey.weighted_mean("mood", "weight").ask(epsilon=10).value < 4


def test_a_plan_says_what_its_bounds_are_split_for(survey):
    remarks = survey.sql("SELECT SUM(mood) / COUNT(weight > 11)").plan(epsilon=1).remarks
    assert any("each of the 2 holds at 97.5 %" in one for one in remarks)
