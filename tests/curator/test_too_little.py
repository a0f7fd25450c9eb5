"""What would be the same whatever the rows are is not sold; it may be planned for nothing."""

from fractions import Fraction

import pytest

from discreet.curator import open_dataset
from discreet.errors import QuestionError
from discreet.requests import read_order

STATISTICS = ("COUNT(smokes)", "MEDIAN(mood)", "AVG(weight)", "MODE(clinic)", "COUNT(*), MAX(mood)")
LEAST, ROWS = Fraction("0.000333334"), 30
"""A hundredth divided by the rows, rounded up to a billionth."""


@pytest.mark.parametrize("sql", STATISTICS)
def test_an_epsilon_that_tells_nothing_is_refused_before_any_charge(make, sql):
    assert LEAST * ROWS >= Fraction(1, 100) > (LEAST - Fraction(1, 10**9)) * ROWS
    with open_dataset(make()) as survey:
        question = survey.sql(f"SELECT {sql}")
        assert question.plan(epsilon="0.000333333").cost.total == 333_333
        for _ in range(2):  # the second time its plan is kept
            with pytest.raises(QuestionError, match=r"tells nothing about 30 rows: ") as refused:
                question.ask(epsilon="0.000333333")
            assert refused.value.field == "epsilon"
        question.ask(epsilon="0.000333334")
        little = read_order(f"SELECT {sql}", survey.curator.dataset, epsilon="0.000333333")
        assert survey.curator.asked_at_once(little) is None
        assert survey.curator.ledger.balance().spent == 333_334


def test_nor_is_a_synthetic_table(make):
    with open_dataset(make()) as survey:
        with pytest.raises(QuestionError, match=r"whatever they are; spend more; nothing was"):
            survey.synthesize("clinic", "smokes", epsilon="0.000333333")
        assert survey.curator.ledger.balance().spent == 0
