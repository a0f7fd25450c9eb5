"""Statistics told at once: few outputs at first, the same optimum as the program with all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases.strategies import epsilons
from discreet.certifier import certify
from discreet.databases import (
    DatabaseGoal,
    Databases,
    Mode,
    Together,
    design_by_database,
    maximum,
    median,
    minimum,
    outputs,
)
from discreet.databases.task import DatabaseTask
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.errors import SpaceError
from discreet.model import Grid, Loss

PAIRS = st.permutations([minimum(), median(), maximum(), Mode()]).map(lambda all_: tuple(all_[:2]))


@settings(max_examples=15, deadline=None)
@given(
    PAIRS, st.integers(2, 4), epsilons, st.sampled_from(["answers", "histograms"]), st.booleans()
)
def test_the_plain_program_of_every_combination_agrees(pair, records, epsilon, prior, alone):
    """However many outputs the search begins with."""
    goal = DatabaseGoal.of("absolute", prior)
    with pytest.MonkeyPatch.context() as patch:
        if alone:
            patch.setattr(outputs, "_FIRST", 1)
        found = design_by_database(Together(pair), records, Grid.between(0, 2), epsilon, goal)
    program = plain_program(found.task.request)
    plain = solve(program, "simplex")
    assert found.value == pytest.approx(plain.value, abs=2e-7)
    assert found.lower_bound <= plain.value + 1e-8
    assert found.value >= lower_bound(program, plain.duals) - 1e-15
    assert certify(found.mechanism, epsilon)


def test_what_an_output_loses_is_the_sum_of_what_its_parts_lose():
    databases = Databases.of(3, [1, 2, 5])
    pair = Together((minimum(), maximum()))
    task = DatabaseTask.of(pair, databases, 1, DatabaseGoal())
    names = task.truth.answers.values()
    column = databases.column_of([1, 2, 2])
    assert names[task.truth.of_column[column]] == "1, 2"
    assert task.problem.loss[names.index("2, 5"), column] == (2 - 1) + (5 - 2)


def test_outputs_that_nobody_needs_are_left_out():
    """At a small ε a constant is best, and every output left out is proved to be of no use."""
    found = design_by_database(Together((median(), maximum())), 5, [1, 2, 3, 4], "0.01")
    assert found.reductions[0].startswith("6 of 10 outputs")
    assert found.gap < 1e-6


@pytest.mark.parametrize("statistics", [(), (median(),), (median(), median())])
def test_one_statistic_is_not_several(statistics):
    with pytest.raises(SpaceError, match="at least two different statistics"):
        Together(statistics)


def test_what_cannot_be_told_at_once_is_refused():
    pair = Together((median(), maximum()))
    with pytest.raises(SpaceError, match="have fixed outputs"):
        design_by_database(pair, 3, [1, 2, 3], 1, outputs=Grid.between(1, 9))
    table = Loss("mine", table=((0.0, 1.0), (1.0, 0.0)))
    with pytest.raises(SpaceError, match="by its name"):
        design_by_database(pair, 3, [1, 2, 3], 1, DatabaseGoal(table))
