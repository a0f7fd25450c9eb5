"""Every statistic agrees with the same question asked of the records themselves."""

import statistics
from collections import Counter
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.databases import (
    CountAbove,
    Custom,
    DatabaseGoal,
    Databases,
    Mean,
    Mode,
    Range,
    Sum,
    maximum,
    median,
    minimum,
    quantile,
    truth_of,
)
from discreet.errors import GoalError, SpaceError
from discreet.model import Grid, Labels

SHARE = Fraction(7, 10)


def _mode(records):
    times = Counter(records)
    return min(value for value in times if times[value] == max(times.values()))


ASKED = [
    (median(), statistics.median_low),
    (minimum(), min),
    (maximum(), max),
    (quantile(SHARE), lambda records: sorted(records)[ceil(SHARE * len(records)) - 1]),
    (Mode(), _mode),
    (Range(), lambda records: max(records) - min(records)),
    (Mean(), lambda records: Fraction(sum(records), len(records))),
    (Sum(), sum),
    (CountAbove(Fraction(5, 2)), lambda records: sum(value > 2 for value in records)),
    (Custom("distinct", lambda counts: sum(c > 0 for c in counts)), lambda r: len(set(r))),
]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=7), st.booleans())
def test_the_truth_is_what_the_records_say(records, may_grow):
    relation = "add-or-remove" if may_grow else "change"
    databases = Databases.of(len(records), Grid.between(1, 4), relation)
    column = databases.column_of(records)
    for asked, direct in ASKED:
        truth = truth_of(asked, databases)
        assert truth.answers.value(int(truth.of_column[column])) == direct(records), asked.name


def test_uneven_values_and_words_are_answers_too():
    uneven = Databases.of(2, [0, 1, "2.5"])
    assert [str(x) for x in truth_of(Range(), uneven).answers.values()] == ["0", "1", "3/2", "5/2"]
    names = Databases.of(3, Labels.of(["tea", "coffee"]))
    assert truth_of(Mode(), names).answers == names.values
    told = Custom("winner", lambda c: "tie" if c[0] == c[1] else "one").truth(names)
    assert told.answers == Labels.of(["one"])


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: truth_of(median(), Databases.of(2, Labels.of(["a", "b"]))),
            "a median needs numbers",
        ),
        (
            lambda: truth_of(Mean(), Databases.of(2, [1, 2], "add-or-remove", smallest=0)),
            "an empty table has no mean",
        ),
        (lambda: quantile("1.5"), "between 0 and 1"),
    ],
)
def test_questions_that_make_no_sense(ask, words):
    with pytest.raises(SpaceError, match=words):
        ask()


@given(st.integers(1, 6), st.integers(1, 4), st.sampled_from(["change", "add-or-remove"]))
def test_priors_are_probabilities(records, values, relation):
    databases = Databases.of(records, Grid.between(1, values), relation)
    truth = truth_of(median(), databases)
    for prior in ("answers", "databases", "histograms"):
        weights = DatabaseGoal.of("absolute", prior).weights(databases, truth)
        assert (weights > 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-12)


def test_databases_are_counted_as_ordered_tables():
    databases = Databases.of(3, [1, 2, 3])
    weights = DatabaseGoal.of("absolute", "databases").weights(
        databases, truth_of(median(), databases)
    )
    assert weights[databases.column([1, 1, 1])] * 27 == pytest.approx(6)
    assert weights[databases.column([0, 3, 0])] * 27 == pytest.approx(1)


def test_answers_share_alike_and_so_do_their_histograms():
    databases = Databases.of(3, [1, 2, 3])
    truth = truth_of(maximum(), databases)
    weights = DatabaseGoal().weights(databases, truth)
    for answer, histograms in ((0, 1), (1, 3), (2, 6)):
        assert weights[truth.of_column == answer] == pytest.approx(1 / 3 / histograms)


@pytest.mark.parametrize("prior", ["uniform", "", "Answers!"])
def test_unknown_priors_are_refused(prior):
    with pytest.raises(GoalError, match="answers, databases, histograms"):
        DatabaseGoal.of("absolute", prior)


def test_a_goal_has_a_prior_or_the_worst_case():
    with pytest.raises(GoalError, match="not both"):
        DatabaseGoal.of("absolute", "databases", worst_case=True)
