"""Quantiles read from stored counts: the truth where there is no noise, and rows off that hold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.curator import open_dataset
from discreet.curator.result import Result
from discreet.curator.stored.quantiles import (
    KnownTotals,
    RunningTotals,
    read_quantile,
    read_running,
)
from discreet.curator.stored.sums import NoiseOfSums
from discreet.exact import Epsilon
from discreet.joint import CellNoise
from discreet.model import Grid
from discreet.questions import Bins
from discreet.statistics import Rank
from discreet.tables import NumberColumn
from statistics_bounds import ALARM, tail_bound

QUARTILES = "SELECT QUANTILE(mood, 0.25), MEDIAN(mood), MAX(mood)"


def test_at_a_huge_epsilon_the_truth_is_read(make):
    with open_dataset(make(total="100")) as survey:
        table = survey.histogram("mood").ask(epsilon=100)
        answer = survey.sql(QUARTILES).ask(epsilon=100)
        assert answer.receipt == table.receipt
        assert [one.value for one in answer.results] == [2, 3, 5]
        assert [one.rows_off for one in answer.results] == [0, 0, 0]
        assert (
            answer.results[1].percentiles[0] <= Fraction(1, 2) <= answer.results[1].percentiles[1]
        )
        assert "read from its counts" in answer.results[0].mechanism


def test_other_columns_are_added_up(make):
    with open_dataset(make(total="100")) as survey:
        survey.sql("SELECT COUNT(*) GROUP BY clinic, mood").ask(epsilon=100)
        assert survey.median("mood").ask(epsilon=100).free


@pytest.mark.parametrize(
    ("stored", "sql", "wishes"),
    [
        ("SELECT COUNT(*) GROUP BY mood", "SELECT MEDIAN(weight)", {}),
        ("SELECT COUNT(*) GROUP BY mood", "SELECT MEDIAN(mood) WHERE smokes", {}),
        ("SELECT COUNT(*) WHERE smokes GROUP BY mood", "SELECT MEDIAN(mood) WHERE smokes", {}),
        ("SELECT COUNT(*) GROUP BY mood, clinic", "SELECT MEDIAN(mood) GROUP BY clinic", {}),
        ("SELECT COUNT(*) GROUP BY mood", "SELECT MEDIAN(mood)", {"interval": "every-table"}),
        ("SELECT COUNT(smokes) GROUP BY mood", "SELECT MEDIAN(mood)", {}),
        ("SELECT COUNT(*) GROUP BY BIN(mood, 2)", "SELECT MEDIAN(mood)", {}),
        ("SELECT COUNT(*) GROUP BY CUMULATIVE(mood, 2)", "SELECT MEDIAN(mood)", {}),
        ("SELECT COUNT(*) GROUP BY CUMULATIVE(mood)", "SELECT MEDIAN(mood) WHERE smokes", {}),
        ("SELECT COUNT(*) GROUP BY CUMULATIVE(mood)", "SELECT MEDIAN(mood) FILTER (smokes)", {}),
        ("SELECT COUNT(*) WHERE mood > 2 GROUP BY CUMULATIVE(mood)", "SELECT MIN(mood)", {}),
    ],
)
def test_what_cannot_be_read_is_paid_for(make, stored, sql, wishes):
    with open_dataset(make(total="100")) as survey:
        survey.sql(stored).ask(epsilon=20)
        assert not survey.sql(sql).ask(epsilon=20, **wishes).free


@pytest.mark.parametrize("share", ["0", "0.1", "1/2", "0.9", "1"])
def test_rows_off_hold_as_often_as_they_say(share):
    """Also where many values without rows lie around the quantile, each of which may be told."""
    counts, rank = [3, 12, *[0] * 14, 9, 16], Rank(Fraction(share))
    rows, place = sum(counts), rank.of(sum(counts))
    column = NumberColumn("x", Grid.between(0, 17), Fraction(0), True, complete=True)
    rate, confidence, draws = Fraction(1, 4), Fraction(4, 5), 2000
    noise = CellNoise.of(18, Epsilon.of("0.25"), rate=rate)
    law, bins = NoiseOfSums(rate / 2, 18), Bins("x", 1)
    misses = 0
    for _ in range(draws):
        noisy = (np.array(counts) + noise.draw()).tolist()
        cells = [[_result(one)] for one in noisy]
        totals = KnownTotals.of_counts(cells, law, rows, confidence)
        told = read_quantile(rank, column, bins, totals, like=cells[0][0], rows=rows)
        below, upto = sum(counts[: told.value]), sum(counts[: told.value + 1])
        misses += max(0, place - upto, below - (place - 1)) > told.rows_off
    expected = 1 - confidence
    assert misses <= draws * expected or tail_bound(misses, draws, expected) > ALARM


@pytest.mark.parametrize("rows", ["", " WHERE smokes", " WHERE clinic = 'A'"])
def test_quantiles_of_running_totals_are_free(make, rows):
    """At a huge ε they are the truth, which a fresh draw tells as well."""
    asked = f"SELECT QUANTILE(mood, 0.25), MEDIAN(mood), MAX(mood), MIN(mood){rows}"
    with open_dataset(make(total="100")) as survey:
        totals = survey.sql(f"SELECT COUNT(*){rows} GROUP BY CUMULATIVE(mood)").ask(epsilon=40)
        free, paid = (
            survey.sql(asked).ask(epsilon=40),
            survey.sql(asked).ask(epsilon=40, fresh=True),
        )
        assert (free.receipt, free.epsilon, paid.free) == (totals.receipt, "0", False)
        assert [one.value for one in free.results] == [one.value for one in paid.results]
        assert all(one.interval == (one.value, one.value) for one in free.results)
        assert "read from them" in free.results[0].mechanism
        assert (free.results[0].rows_about is None) == (rows == "")


def test_where_there_may_be_no_rows_running_totals_tell_no_quantile(make):
    with open_dataset(make(total="100")) as survey:
        survey.sql("SELECT COUNT(*) WHERE clinic = 'A' GROUP BY CUMULATIVE(mood)").ask(epsilon=0.01)
        (told,) = survey.sql("SELECT MEDIAN(mood) WHERE clinic = 'A'").ask(epsilon=0.01).results
        assert told.too_few_rows
        assert told.interval is None


@pytest.mark.parametrize("share", ["0", "0.1", "1/2", "1"])
@pytest.mark.parametrize("public", [True, False])
def test_intervals_of_quantiles_of_running_totals_hold_as_often_as_they_say(share, public):
    """The number of rows is public, or the last total; runs of values without rows mislead."""
    counts, rank = [3, 12, *[0] * 14, 9, 16], Rank(Fraction(share))
    rows, upto = sum(counts), np.cumsum(counts)
    truth = int(np.argmax(upto >= rank.of(rows)))
    column = NumberColumn("x", Grid.between(0, 17), Fraction(0), True, complete=True)
    rate, confidence, draws = Fraction(1), Fraction(4, 5), 1000
    noise, law = CellNoise.of(19, Epsilon.of(1), rate=rate), NoiseOfSums(rate / 2, 19)
    far = [law.reach(many, confidence) for many in range(1, 19)]
    farther = [law.reach(many, (1 + confidence) / 2) for many in range(1, 19)]
    misses = 0
    for _ in range(draws):
        noisy = upto + np.cumsum(noise.draw()[:18])
        told = np.clip(np.maximum.accumulate(noisy), 0, 60).tolist()
        told[-1] = rows if public else told[-1]
        totals = [
            replace(_result(one), interval=_around(raw, near), surer=_around(raw, wide))
            for one, raw, near, wide in zip(told, noisy.tolist(), far, farther, strict=True)
        ]
        found = read_running(rank, column, totals, rows if public else None)
        if found.value is not None:
            misses += not found.interval[0] <= truth <= found.interval[1]
    expected = 1 - confidence
    assert misses <= draws * expected or tail_bound(misses, draws, expected) > ALARM


def test_an_interval_begins_where_a_total_may_and_ends_where_it_must_reach_the_place():
    """Exactly, value by value: narrower would fail, wider would tell less than is known."""
    totals = RunningTotals(
        told=[0, 4, 6, 9], within=[(0, 3), (2, 6), (4, 8), (7, 11)], rows=(10, 10)
    )
    for share, ends in {"1/10": (0, 1), "1/2": (1, 3), "6/10": (1, 3), "7/10": (2, 3)}.items():
        assert totals.values(Rank(Fraction(share))) == ends, share
    sure = RunningTotals(told=[0, 5, 10], within=[(0, 0), (5, 5), (10, 10)], rows=(10, 10))
    assert sure.values(Rank(Fraction(1, 2))) == (1, 1)
    told = [replace(_result(4), interval=_around(4, 3), surer=(0, 8))] * 2
    assert RunningTotals.of(told, 9).within == [(1, 7), (1, 7)]
    assert RunningTotals.of(told, None).within == [(0, 8), (0, 8)]


def test_stored_counts_hold_all_at_once():
    """Which total matters is known only when they are drawn: each fails a share as often."""
    law, confidence = NoiseOfSums(Fraction(1, 2), 5), Fraction(9, 10)
    told = [[replace(_result(4), drawn=4)] for _ in range(5)]
    totals = KnownTotals.of_counts(told, law, 20, confidence)
    far = [law.reach(many, 1 - (1 - confidence) / 5) for many in range(1, 6)]
    assert far != [law.reach(many, confidence) for many in range(1, 6)]
    assert totals.high == [4 * many + reach for many, reach in enumerate(far, start=1)]
    assert totals.low == [4 * many - reach for many, reach in enumerate(far, start=1)]


def _around(raw, far):
    return Fraction(raw - far), Fraction(raw + far)


def _result(drawn):
    return Result(
        label="n",
        group=None,
        value=drawn,
        interval=None,
        expected_error=None,
        mechanism="noise",
        certificate=None,
        drawn=drawn,
    )
