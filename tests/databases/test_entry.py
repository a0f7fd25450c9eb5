"""Designs by database: certified, bounded, and as good as the plain program says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from databases.strategies import RELATIONS, epsilons, goals, statistics
from discreet.certifier import certify
from discreet.databases import (
    DatabaseGoal,
    Databases,
    Mean,
    design_by_database,
    maximum,
    median,
    quantile,
    solving,
    task,
)
from discreet.databases.ratios import all_ratios, steps_away
from discreet.databases.relaxation import relaxed_program
from discreet.databases.task import DatabaseTask
from discreet.designer import design, request
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import patience
from discreet.errors import DesignError, GoalError
from discreet.mechanisms import geometric
from discreet.model import AllPairs, Goal, Graph, Grid, Prior

LIKERT = Grid.between(1, 5)


@settings(max_examples=25, deadline=None)
@given(statistics, st.integers(1, 4), st.integers(2, 3), epsilons, goals,
       st.sampled_from(RELATIONS))  # fmt: skip
def test_the_plain_program_of_everything_agrees(statistic, records, values, epsilon, goal, kind):
    found = design_by_database(
        statistic, records, Grid.between(0, values - 1), epsilon, goal, relation=kind
    )
    assume(len(found.task.truth.answers) > 1)
    program = plain_program(found.task.request)
    plain = solve(program, "simplex")
    assert found.value == pytest.approx(plain.value, abs=2e-7)
    assert found.lower_bound <= plain.value + 1e-8
    assert found.value >= lower_bound(program, plain.duals) - 1e-15
    assert found.gap < 1e-6 or found.value < 1e-7


def test_what_needs_no_program_may_be_larger(monkeypatch):
    """A quantile's worst case is that of its answers; a mean's is not, nor is any expected loss."""
    worst = DatabaseGoal.of(worst_case=True)
    whole = design_by_database(median(), 4, [1, 2, 3], 1, worst)
    monkeypatch.setattr(task, "MOST_CELLS", 40)
    found = design_by_database(median(), 4, [1, 2, 3], 1, worst)
    assert found.value == whole.value
    refused = "45 cells; the limit by database is 40; use fewer values or records, or design by"
    with pytest.raises(DesignError, match=refused):
        design_by_database(median(), 4, [1, 2, 3], 1)
    with pytest.raises(DesignError, match="9 outputs by 15 histograms are 135 cells; the limit"):
        design_by_database(Mean(), 4, [1, 2, 3], 1, worst)


@pytest.mark.parametrize("share", ["0", "0.5", "0.9", "1"])
def test_the_worst_case_of_a_quantile_is_that_of_any_two_answers(share):
    """One record can make any answer true, so that 20 replies are no harder than one."""
    worst = DatabaseGoal.of(worst_case=True)
    found = design_by_database(quantile(share), 20, LIKERT, 1, worst)
    one = design_by_database(quantile(share), 2, LIKERT, 1, worst)
    assert found.gap < 1e-9
    assert found.value == pytest.approx(one.value, rel=1e-9)
    assert "one record" in found.reductions[0]


def test_a_worst_case_that_no_single_record_decides_is_left_to_the_program():
    worst = DatabaseGoal.of(worst_case=True)
    found = design_by_database(Mean(), 3, Grid.between(0, 2), 1, worst)
    assert "ratios" in found.reductions[0]
    assert found.gap < 1e-6


@settings(max_examples=15, deadline=None)
@given(statistics, st.integers(1, 4), st.integers(2, 3), epsilons, goals,
       st.sampled_from(RELATIONS))  # fmt: skip
def test_never_worse_than_by_answer(statistic, records, values, epsilon, goal, kind):
    """A mechanism that sees the answer alone is one that sees the database; up to the gap."""
    found = design_by_database(
        statistic, records, Grid.between(0, values - 1), epsilon, goal, relation=kind
    )
    truth, task = found.task.truth, found.task
    pairs = {tuple(sorted(pair)) for pair in truth.of_column[task.databases.pairs].tolist()}
    relation = Graph.of(len(truth.answers), [pair for pair in pairs if pair[0] != pair[1]])
    likely = np.bincount(truth.of_column, task.weights, minlength=len(truth.answers))
    prior = Prior() if goal.worst_case else Prior.of(likely / likely.sum())
    by_answer = design(
        truth.answers, relation, epsilon, Goal(goal.loss, prior, goal.worst_case), cache=None
    )
    assert found.value <= by_answer.value * (1 + 2e-8) + 1e-12


@pytest.mark.parametrize(("prior", "known"), [("databases", 0.331314), ("answers", 0.358422)])
def test_the_median_of_ten_likert_replies(prior, known):
    found = design_by_database(median(), 10, LIKERT, 1, DatabaseGoal.of("absolute", prior))
    assert found.value == pytest.approx(known, abs=1e-6)
    assert found.gap < 1e-6
    assert certify(found.mechanism, 1).guarantee == found.certified.guarantee


def test_columns_are_drawn_by_the_records_of_a_table():
    found = design_by_database(maximum(), 3, [1, 2, 3], "0.5")
    column = found.column_of([3, 1, 3])
    assert found.mechanism.answers.value(column) == "1.0.2"
    assert sum(found.mechanism.column(column).tolist()) == found.mechanism.total


def test_other_outputs_than_answers():
    coarse = Grid.between(1, 5, 2)
    found = design_by_database(median(), 5, LIKERT, 1, outputs=coarse)
    assert found.mechanism.outputs == coarse
    assert found.gap < 1e-6


def test_a_prior_of_ones_own():
    databases = Databases.of(3, [1, 2])
    found = design_by_database(maximum(), 3, [1, 2], 1, DatabaseGoal.of("absolute", [0, 0, 0, 1.0]))
    assert len(databases) == 4
    assert found.value < 1e-9


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: design_by_database(median(), 3, [1, 2], 21), DesignError, "the limit is 20"),
        (
            lambda: design_by_database(median(), 3, [1, 2], 1, DatabaseGoal.of("absolute", [1.0])),
            GoalError,
            "the prior has 1 numbers",
        ),
        (
            lambda: DatabaseTask.of(
                Mean(), Databases.of(30, Grid.between(0, 3)), 1, DatabaseGoal()
            ),
            DesignError,
            "design by answer",
        ),
    ],
)
def test_refusals_say_what_to_do(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_ten_likert_replies_beside_designs_by_answer_and_path_length():
    """0.3313 against 0.474 (knowing the prior) and 0.576 by answer, and 0.754 by path length."""
    goal = DatabaseGoal.of("absolute", "databases")
    found = design_by_database(median(), 10, LIKERT, 1, goal)
    truth, problem = found.task.truth, found.task.problem
    likely = np.bincount(truth.of_column, problem.weights)
    by_answer = [
        design(LIKERT, AllPairs(), 1, Goal.of("absolute", prior), cache=None).mechanism
        for prior in (likely / likely.sum(), "uniform")
    ]
    loss = np.abs(np.arange(5)[:, None] - np.arange(5)[None, :])
    told = [float((m.probabilities() * loss * likely).sum()) for m in by_answer]
    lengths = np.stack([steps_away(problem.databases, problem.home(i)) for i in range(5)])
    scores = np.exp(-lengths / 2)
    by_length = float((scores / scores.sum(axis=0) * problem.loss * problem.weights).sum())
    assert found.value == pytest.approx(0.3313, abs=1e-4)
    assert told == pytest.approx([0.474, 0.576], abs=1e-3)
    assert by_length == pytest.approx(0.754, abs=1e-3)


def not_in_time(*_, **__):
    raise DesignError("HiGHS did not solve it (time limit reached)")


def test_time_that_is_up_leaves_the_design_that_sees_the_answer_alone(monkeypatch):
    best = design_by_database(median(), 6, [1, 2, 3, 4], 1)
    monkeypatch.setattr(solving, "solve", not_in_time)
    with patience(1e-9):
        found = design_by_database(median(), 6, [1, 2, 3, 4], 1)
    assert found.reductions == ("time ran out; a simple mechanism",)
    assert found.lower_bound == 0
    assert best.value <= found.value * (1 + 1e-9)
    with patience(1e-9):
        told = design_by_database(
            median(),
            6,
            [1, 2, 3, 4],
            1,
            DatabaseGoal.of(worst_case=True),
            outputs=Grid.between(1, 5),
        )
    assert told.value <= 2 * (1 + 1e-9)


@pytest.mark.parametrize("stop", ["time", "ctrl-c"])
def test_a_search_that_is_stopped_has_the_best_so_far_with_its_gap(monkeypatch, stop):
    rounds = []

    def solved_once(program, *how, **options):
        rounds.append(how)
        if len(rounds) > 1:
            if stop == "ctrl-c":
                raise KeyboardInterrupt
            monkeypatch.setattr(request, "out_of_time", lambda: True)
            raise DesignError("time limit")
        return solve(program, *how, **options)

    monkeypatch.setattr(solving, "solve", solved_once)
    with patience(60, gently=True):
        found = design_by_database(median(), 8, [1, 2, 3, 4], 1)
    monkeypatch.undo()
    best = design_by_database(median(), 8, [1, 2, 3, 4], 1)
    assert len(rounds) == 2
    assert found.lower_bound <= best.value
    assert best.lower_bound <= found.value


@pytest.mark.parametrize("statistic", [median(), maximum()])
def test_the_worst_ratio_over_situations_is_that_of_the_plain_program(statistic):
    """To the best of simple mechanisms that see the answer alone, where it is worst."""
    goal = DatabaseGoal.of(situations="answers, even, low", minimax="ratio")
    found = design_by_database(statistic, 4, Grid.between(1, 3), 1, goal)
    situations = found.design.request.goal.situations
    program = relaxed_program(
        replace(found.task.problem, request=found.design.request),
        solving.unfolded(found.task.problem),
        all_ratios(found.databases, 3),
    )
    assert found.gap < 1e-6
    assert found.value == pytest.approx(solve(program, "simplex").value, rel=1e-6)
    losses = (found.mechanism.probabilities() * found.task.problem.loss).sum(axis=0)
    each = situations.priors(len(found.databases)) @ losses / situations.references
    assert each.max() == pytest.approx(found.value, rel=1e-9)
    simple = geometric(Grid.between(1, 3), AllPairs(), 1)
    apart = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    of_simple = (simple.probabilities() * apart).sum(axis=0)[found.task.truth.of_column]
    geometrics = situations.priors(len(found.databases)) @ of_simple
    assert (situations.references <= geometrics * (1 + 1e-9)).all()


def test_time_that_is_up_over_situations_says_so(monkeypatch):
    monkeypatch.setattr(solving, "solve", not_in_time)
    goal = DatabaseGoal.of(situations="all")
    with patience(1e-9), pytest.raises(DesignError, match="time ran out before the situations"):
        design_by_database(median(), 4, [1, 2, 3], 1, goal)
    with pytest.raises(GoalError, match="ratio and regret need situations; name some"):
        DatabaseGoal.of(minimax="ratio")
