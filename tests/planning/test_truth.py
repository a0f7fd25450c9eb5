"""True answers, beside a plain sorted list; what nothing has; counting SELECTs on a real table."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.planning import (
    counting_select,
    grouping_of,
    moments_of,
    subject_of,
    tallies_of,
    true_index,
)
from discreet.statistics import Moments
from discreet.tables import open_table, read_dataset
from planning.facts import asked, dataset, tallied

RANKED = {
    "MIN(mood)": lambda m: 1,
    "MAX(mood)": lambda m: m,
    "MEDIAN(mood)": lambda m: ceil(Fraction(m, 2)),
    "QUANTILE(mood, 0.9)": lambda m: max(1, ceil(Fraction(9, 10) * m)),
    "QUANTILE(mood, 0)": lambda m: 1,
}


@pytest.mark.parametrize("ask", RANKED)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_order_statistics_are_those_of_the_sorted_rows(ask, rows):
    facts = dataset(20, public=False)
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    assert true_index(subject, tallied(subject, rows)) == sorted(rows)[RANKED[ask](len(rows)) - 1]


@given(st.lists(st.integers(0, 6), max_size=8))
def test_a_sum_is_the_sum_of_the_values(rows):
    facts = dataset(8, public=False)
    question = asked("SELECT SUM(weight)", facts)
    subject = subject_of(question.items[0], question, facts)
    total = sum((Fraction(-1) + Fraction(index, 2) for index in rows), Fraction(0))
    assert subject.start + subject.unit * true_index(subject, tallied(subject, rows)) == total


@pytest.mark.parametrize("ask", ["MIN(mood)", "MEDIAN(mood)", "MAX(mood)", "MODE(mood)"])
def test_nothing_is_in_the_middle(ask):
    facts = dataset(5, public=False)
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    assert true_index(subject, tallied(subject, {})) == 2


def test_more_rows_than_declared_stay_in_range():
    facts = dataset(5, public=False)
    for ask in ("COUNT(*)", "SUM(mood)", "SUM(weight)"):
        question = asked(f"SELECT {ask}", facts)
        subject = subject_of(question.items[0], question, facts)
        assert 0 <= true_index(subject, Moments(270, 450)) < subject.size


def test_a_counting_select_counts_the_selected_rows_of_every_group(tmp_path):
    (tmp_path / "t.csv").write_text("mood,clinic\n1,A\n1,A\n3,B\n0,A\n4,C\n")
    (tmp_path / "t.toml").write_text(
        'name = "t"\n[source]\npath = "t.csv"\n[privacy]\nsize = 5\n[budget]\ntotal = "1"\n'
        '[columns.mood]\ntype = "integer"\nlow = 0\nhigh = 4\n'
        '[columns.clinic]\ntype = "category"\nvalues = ["A", "B"]\n'
    )
    facts = read_dataset(tmp_path / "t.toml")
    question = asked(
        "SELECT MEDIAN(mood), COUNT(mood = 1) WHERE mood >= 1 GROUP BY BIN(mood, 2)", facts
    )
    axes = grouping_of(question, facts).axes
    with open_table(facts) as table:
        found = [
            counting(table.rows(counting_select(item, question.where, axes, by_value=by_value)))
            for item, by_value, counting in zip(
                question.items,
                (True, False),
                (
                    lambda rows: tallies_of(rows, range(3), 5),
                    lambda rows: moments_of(rows, range(3)),
                ),
                strict=True,
            )
        ]
    assert [one.counts.tolist() for one in found[0]] == [
        [0, 2, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]
    assert found[1] == (Moments(2, 2), Moments(1, 0), Moments(1, 0))
