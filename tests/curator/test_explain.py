"""EXPLAIN SELECT … plans, says which answers share a draw, and spends nothing."""

import pytest

from discreet.curator import Curator, open_dataset
from discreet.errors import QuestionError
from discreet.planning import Plan
from discreet.requests import read_order

THREE = "SELECT COUNT(smokes), COUNT(mood > 2), COUNT(weight > 10)"


@pytest.mark.parametrize("word", ["EXPLAIN ", "explain\n", "  Explain  "])
def test_the_plan_is_told_and_nothing_is_spent(make, word):
    file = make()
    with open_dataset(file) as survey:
        explained = survey.sql(word + THREE)
        plan = explained.ask(epsilon=1, id="never")
        assert isinstance(plan, Plan)
        assert plan.digest == explained.plan(epsilon=1).digest
        assert plan.digest == survey.sql(THREE).plan(epsilon=1).digest
        assert "all 3 are answered together, from one draw: separately they would err" in str(plan)
    assert not list(file.parent.glob("*.ledger*"))


def test_groups_that_share_a_draw_say_what_that_saves(survey):
    told = str(survey.sql("EXPLAIN SELECT COUNT(*) GROUP BY clinic").ask(epsilon=1))
    assert "all groups are answered together, from one draw: separately they would err 1." in told


def test_an_order_that_explains_is_never_charged(make):
    with Curator(make()) as curator:
        order = read_order(f"EXPLAIN {THREE}", curator.dataset, epsilon=1)
        assert order.explains
        assert order == read_order(THREE, curator.dataset, epsilon=1)
        assert curator.plan(order).cost.total == 10**9
        with pytest.raises(QuestionError, match="only for the plan"):
            curator.ask(order)
        assert curator.ledger.balance().spent == 0


@pytest.mark.parametrize(
    "sql", ["EXPLAIN", "EXPLAIN ANALYZE SELECT COUNT(*)", "EXPLAIN EXPLAIN SELECT COUNT(*)"]
)
def test_what_is_no_select_is_refused(survey, sql):
    with pytest.raises(QuestionError):
        survey.sql(sql)
