"""Several columns to group by: their values are crossed, and a row is in exactly one group."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import QuestionError
from discreet.model import Grid, Labels
from discreet.planning import group_names, grouping_of, plan
from discreet.questions import Bins, Item, Question, parse_sql
from discreet.statistics import Count
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import asked, dataset

CLINIC = CategoryColumn("clinic", Labels.of(["North", "other"]), "other", complete=True)
SMOKES = CategoryColumn("smokes", Labels.of(["false", "true"]), None, is_boolean=True)
AGE = NumberColumn("age", Grid.between(0, 99, 1), missing=None, whole=True, complete=True)
FACTS = dataset(600, columns=(CLINIC, SMOKES, AGE))


def test_groups_are_all_combinations_the_last_column_running_fastest():
    grouping = grouping_of(asked("SELECT COUNT(*) GROUP BY clinic, smokes", FACTS), FACTS)
    assert grouping.names == (
        "North, false", "North, true", "North, (missing)",
        "other, false", "other, true", "other, (missing)",
    )  # fmt: skip
    assert grouping.places == tuple(range(6))
    assert grouping.values[4] == (("clinic", "other"), ("smokes", "true"))


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("clinic = 'other' AND smokes IS NOT NULL", ["other, false", "other, true"]),
        ("clinic = 'North' AND smokes", ["North, true"]),
        (
            "(clinic = 'North' OR smokes) AND smokes IS NOT NULL",
            ["North, false", "North, true", "other, true"],
        ),
        ("NOT (clinic = 'North' OR smokes)", ["other, false"]),
    ],
)
def test_groups_that_the_condition_leaves_no_row_in_are_not_told(where, names):
    sql = f"SELECT COUNT(*) WHERE {where} GROUP BY clinic, smokes"
    assert list(group_names(asked(sql, FACTS), FACTS)) == names


words = st.lists(st.text("a',", min_size=1, max_size=4), min_size=1, max_size=4, unique=True)


@given(words, words)
def test_no_two_groups_have_one_name(some, others):
    columns = [
        CategoryColumn(name, Labels.of([*of, "other"]), "other", complete=True)
        for name, of in (("one", some), ("two", others))
    ]
    facts = dataset(9, columns=tuple(columns))
    question = Question((Item(statistic=Count()),), group_by=(Bins("one", 1), Bins("two", 1)))
    names = group_names(question, facts)
    assert len(set(names)) == len(names) == (len(some) + 1) * (len(others) + 1)


@pytest.mark.parametrize(
    "select",
    [
        "SELECT COUNT(*) GROUP BY age, pay",
        "SELECT COUNT(*), AVG(age), MEDIAN(age) GROUP BY clinic, smokes, pay",
        "SELECT COUNT(*) GROUP BY clinic, BIN(age, 2), pay",
        "SELECT COUNT(*) GROUP BY huge",
        "SELECT COUNT(*) GROUP BY huge, BIN(pay, 100000), huger, clinic",
    ],
)
def test_too_many_groups_are_refused_with_what_works(select):
    """The refusal is made from public facts, at once, and what it advises can be asked."""
    finer = {
        "pay": Grid.between(0, 1_000_000, 1),
        "huge": Grid.between(0, 1_999_998, 1),
        "huger": Grid.between(0, 999_999, "0.5"),
    }
    more = [NumberColumn(name, grid, missing=None, whole=False) for name, grid in finer.items()]
    facts = dataset(600, columns=(CLINIC, SMOKES, AGE, *more))
    with pytest.raises(QuestionError, match="too many answers; the limit is 5,000") as refused:
        plan(asked(select, facts), facts, epsilon=1, cache=None)
    advised = re.search(r"use wider bins, such as (GROUP BY .*)$", str(refused.value))
    if advised is None:
        assert str(refused.value).endswith("group by fewer columns")
        return
    better = parse_sql(re.sub(r"GROUP BY .*", advised[1], select), facts)
    assert 1 < len(group_names(better, facts)) * len(better.items) <= 5_000


def test_a_contingency_table_is_planned_as_one_table_of_cells():
    facts = dataset(600, columns=(CLINIC, SMOKES, AGE))
    made = plan(asked("SELECT COUNT(*) GROUP BY clinic, smokes", facts), facts, epsilon="0.5")
    (part,) = made.parts
    assert part.chosen.release.noise.cells == 6
    assert made.cost.total == 500_000_000
