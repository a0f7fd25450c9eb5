"""Rows that see little of a table: never better than the best, sometimes worse, of use anyway."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from databases.strategies import epsilons
from databases.test_reductions import optimum, task_of
from discreet.certifier import certify
from discreet.databases import design_by_database, entry, maximum, minimum, quantile, solving
from discreet.databases.narrow_view import narrow_folding, seen_narrowly
from discreet.databases.ratios import all_ratios, falling_away
from discreet.databases.relaxation import relaxed_program
from discreet.databases.solving import solved
from discreet.designer.programs.solver import solve
from discreet.designer.request import patience
from discreet.errors import DesignError
from discreet.model import Grid

HIGH = [maximum(), quantile("0.9")]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from([minimum(), *HIGH]), st.integers(2, 5), st.integers(4, 5), epsilons)
def test_begun_narrowly_the_optimum_is_found(statistic, records, values, epsilon):
    task = task_of(statistic, records, values, epsilon)
    assume(len(task.databases) <= 130)
    first = falling_away(task.databases, values)
    known, near = seen_narrowly(task.problem, first, from_above=statistic in HIGH)
    best = optimum(task.problem)
    certify(known.mechanism, epsilon)
    assert known.lower_bound == 0
    assert known.value >= best - 1e-9
    found = solved(task.problem, first=near, known=known)
    assert found.value == pytest.approx(best, abs=1e-7)
    assert found.lower_bound <= best + 1e-9
    assert found.lower_bound == pytest.approx(best, abs=1e-7)


def narrow_optimum(task):
    folding = narrow_folding(task.problem, from_above=True)
    ratios = all_ratios(task.databases, task.request.shape[0])
    return solve(relaxed_program(task.problem, folding, ratios), "simplex").value


def test_a_narrow_view_is_enough_for_some_tables_and_not_for_others():
    """The two examples of docs/proofs/by-database.md."""
    enough = task_of(maximum(), 6, 4, 1)
    assert narrow_optimum(enough) == pytest.approx(optimum(enough.problem), abs=1e-9)
    not_enough = task_of(maximum(), 8, 4, "0.5")
    assert narrow_optimum(not_enough) == pytest.approx(0.5735406, abs=1e-7)
    assert optimum(not_enough.problem) == pytest.approx(0.5734454, abs=1e-7)


def test_a_minimum_is_a_maximum_turned_round():
    lowest = task_of(minimum(), 5, 4, 1)
    highest = task_of(maximum(), 5, 4, 1)
    low = narrow_folding(lowest.problem, from_above=False)
    high = narrow_folding(highest.problem, from_above=True)
    turned = lowest.databases.columns(lowest.databases.counts[:, ::-1])
    for output in range(4):
        kinds = np.unique(low.variable[output][turned], return_inverse=True)[1]
        others = np.unique(high.variable[3 - output], return_inverse=True)[1]
        assert len(set(zip(kinds, others, strict=True))) == len(set(kinds)) == len(set(others))


def test_what_was_seen_narrowly_is_told_when_time_is_up(monkeypatch):
    """The whole program is not solved: nothing is proved, and the value is nearly the best."""
    monkeypatch.setattr(entry, "_MANY_CELLS", 0)
    best = design_by_database(maximum(), 6, Grid.between(1, 4), 1)

    def not_in_time(*_, **__):
        raise DesignError("HiGHS did not solve it (time limit reached)")

    monkeypatch.setattr(solving, "solve", not_in_time)
    monkeypatch.setattr(solving, "may_end", lambda _: True)
    with patience(60):
        found = design_by_database(maximum(), 6, Grid.between(1, 4), 1)
    assert found.lower_bound == 0
    assert found.value == pytest.approx(best.value, rel=1e-4)
