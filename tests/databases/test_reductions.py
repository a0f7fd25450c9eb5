"""Every reduction keeps the optimum: merged values, outputs priced out, mirrored cells."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from databases.strategies import RELATIONS, epsilons, statistics
from discreet.certifier import certify
from discreet.databases import (
    DatabaseGoal,
    Databases,
    Mean,
    Range,
    Sum,
    design_by_database,
    maximum,
    median,
)
from discreet.databases.merging import found_by_merging, merged_for, merges_exactly
from discreet.databases.ratios import (
    about_few_values,
    all_ratios,
    falling_away,
    leading_home,
    losing_no_more,
    steps_away,
)
from discreet.databases.relaxation import folding_of, relaxed_program
from discreet.databases.rounding import raised_rows, rounded
from discreet.databases.solving import solved, unfolded
from discreet.databases.task import DatabaseTask
from discreet.designer.programs.solver import solve
from discreet.graphs import histograms
from discreet.model import Grid

EXCHANGEABLE = st.sampled_from(["databases", "histograms"])


def task_of(statistic, records, values, epsilon, prior="answers", relation="change"):
    databases = Databases.of(records, Grid.between(1, values), relation)
    return DatabaseTask.of(statistic, databases, epsilon, DatabaseGoal.of("absolute", prior))


def optimum(problem):
    """The plain program with every ratio, nothing shared."""
    everything = all_ratios(problem.databases, problem.shape[0])
    return solve(relaxed_program(problem, unfolded(problem), everything), "simplex").value


@settings(max_examples=25, deadline=None)
@given(statistics, st.integers(2, 4), st.integers(2, 4), epsilons, EXCHANGEABLE,
       st.sampled_from(RELATIONS))  # fmt: skip
def test_merging_keeps_the_optimum(statistic, records, values, epsilon, prior, relation):
    task = task_of(statistic, records, values, epsilon, prior, relation)
    assume(len(task.databases) <= 70)
    found = found_by_merging(task)
    assume(found is not None)
    best = optimum(task.problem)
    assert found[0].value == pytest.approx(best, abs=1e-7)
    assert found[0].lower_bound <= best + 1e-9
    assert found[0].lower_bound == pytest.approx(best, abs=1e-7)
    certify(found[0].mechanism, epsilon)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(2, 4), EXCHANGEABLE, st.sampled_from(RELATIONS), st.data())
def test_group_means_of_a_private_row_are_private(records, values, prior, relation, data):
    """Claim 1 of docs/proofs/merging-values.md, on rows drawn at random."""
    task = task_of(median(), records, values, 1, prior, relation)
    outputs = data.draw(st.sets(st.integers(0, values - 1), min_size=1).map(sorted))
    merged = merged_for(task.problem, tuple(outputs))
    seeds = data.draw(st.lists(st.integers(1, 2**40), min_size=len(task.databases),
                               max_size=len(task.databases)))  # fmt: skip
    row = raised_rows(task.databases, np.array([seeds]), 2.0)[0]
    weights = np.bincount(merged.group, task.weights)
    means = np.bincount(merged.group, task.weights * row) / weights
    one, other = merged.databases.pairs[:, 0], merged.databases.pairs[:, 1]
    assert (means[one] <= 2 * means[other] * (1 + 1e-9) + 4).all()
    assert (means[other] <= 2 * means[one] * (1 + 1e-9) + 4).all()


def test_extremes_need_no_ratio_along_which_rows_rise():
    """What is left out at first is not needed for a maximum: a quarter of all ratios at least."""
    task = task_of(maximum(), 5, 4, 1)
    first = falling_away(task.databases, 4)
    assert len(first) <= 0.75 * len(all_ratios(task.databases, 4))
    found = solved(task.problem, first=first)
    assert found.rounds == 1
    assert found.value == pytest.approx(optimum(task.problem), abs=1e-8)
    assert found.gap < 1e-8
    certify(found.mechanism, 1)


def test_ratios_about_tables_of_few_values_are_all_that_touch_them():
    databases = Databases.of(7, Grid.between(1, 4), "change")
    found = about_few_values(databases, 2)
    few = [any(sum(pair) >= 6 for pair in combinations(one, 2)) for one in databases.counts]
    written = set(zip(found.output, found.larger, found.smaller, strict=True))
    assert written == {
        (output, *ends)
        for output in (0, 1)
        for pair in databases.pairs.tolist()
        for ends in (pair, pair[::-1])
        if any(few[end] for end in ends)
    }
    assert 0 < len(found) == len(written) < len(all_ratios(databases, 2))


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 4), st.integers(4, 5), epsilons)
def test_any_ratios_to_begin_with_keep_the_optimum(records, values, epsilon):
    task = task_of(maximum(), records, values, epsilon)
    assume(len(task.databases) <= 70)
    found = solved(task.problem, first=falling_away(task.databases, values))
    best = optimum(task.problem)
    assert found.value == pytest.approx(best, abs=1e-7)
    assert found.lower_bound <= best + 1e-9


@settings(max_examples=12, deadline=None)
@given(st.sampled_from([Mean(), Sum()]), st.integers(2, 4), st.integers(2, 4), epsilons,
       st.sampled_from(["absolute", "squared"]), st.data())  # fmt: skip
def test_a_mean_begun_towards_less_loss_is_the_best(
    statistic, records, values, epsilon, loss, data
):
    """Whatever the tables weigh: what is left out at first is added where it is needed."""
    databases = Databases.of(records, Grid.between(1, values))
    shares = st.lists(st.integers(1, 9), min_size=len(databases), max_size=len(databases))
    weights = data.draw(st.none() | shares)
    prior = "answers" if weights is None else [w / sum(weights) for w in weights]
    task = DatabaseTask.of(statistic, databases, epsilon, DatabaseGoal.of(loss, prior))
    first = losing_no_more(databases, task.problem.loss)
    found = solved(task.problem, first=first)
    best = optimum(task.problem)
    assert found.value == pytest.approx(best, abs=1e-7)
    assert found.lower_bound <= best + 1e-9
    certify(found.mechanism, epsilon)


def test_a_mean_of_likert_replies_needs_no_other_ratio():
    """Half of all ratios, and one round; five replies took three."""
    task = task_of(Mean(), 5, 5, 1)
    first = losing_no_more(task.databases, task.problem.loss)
    assert len(first) <= 0.55 * len(all_ratios(task.databases, len(task.truth.answers)))
    assert "in 1 rounds" in design_by_database(Mean(), 5, Grid.between(1, 5), 1).reductions[0]


def test_ten_likert_replies_need_three_outputs_and_three_blocks():
    task = task_of(median(), 10, 5, 1, "databases")
    found, merged = found_by_merging(task)
    assert merged.outputs == (1, 2, 3)
    assert merged.block_of == (0, 0, 1, 2, 2)
    assert len(merged.databases) == 66
    assert found.value == pytest.approx(0.331314484, abs=1e-8)


@pytest.mark.slow
def test_twenty_likert_replies():
    found, merged = found_by_merging(task_of(median(), 20, 5, 1, "databases"))
    assert found.value == pytest.approx(0.194559, abs=1e-6)
    assert found.gap < 1e-6
    assert len(merged.databases) == 231


def test_only_exchangeable_priors_merge():
    assert merges_exactly(task_of(median(), 3, 3, 1, "databases"))
    assert merges_exactly(task_of(median(), 3, 3, 1, "histograms"))
    assert not merges_exactly(task_of(median(), 3, 3, 1, "answers"))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([Mean(), Range(), median()]), st.sampled_from([1, 3, 5]),
       st.integers(2, 3), epsilons, st.sampled_from(["answers", "databases"]))  # fmt: skip
def test_mirrored_cells_keep_the_optimum(statistic, records, values, epsilon, prior):
    task = task_of(statistic, records, values, epsilon, prior)
    assert folding_of(task.problem).is_mirrored
    found = solved(task.problem)
    assert found.value == pytest.approx(optimum(task.problem), abs=1e-7)
    assert found.gap < 1e-6 or found.value < 1e-7


def test_what_is_lopsided_is_not_folded():
    assert not folding_of(task_of(maximum(), 4, 3, 1).problem).is_mirrored
    assert not folding_of(task_of(median(), 4, 3, 1).problem).is_mirrored


@given(st.integers(1, 5), st.integers(2, 3))
def test_steps_away_are_shortest_paths(records, values):
    databases = Databases.of(records, Grid.between(1, values))
    start = np.zeros(len(databases), dtype=np.bool_)
    start[0] = True
    paths = histograms(records, values).shortest_paths()[0]
    assert steps_away(databases, start).tolist() == paths.tolist()
    falling = leading_home(databases, 0, start)
    assert (paths[falling.smaller] == paths[falling.larger] + 1).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(2, 3), st.sampled_from([1.1, 2.0, 9.0]),
       st.sampled_from(RELATIONS), st.data())  # fmt: skip
def test_rounding_makes_any_matrix_private(records, values, ratio, relation, data):
    databases = Databases.of(records, Grid.between(1, values), relation)
    cells = data.draw(st.lists(st.floats(0, 1), min_size=2 * len(databases),
                               max_size=2 * len(databases)))  # fmt: skip
    first = np.array(cells).reshape(2, -1)
    first[:, first.sum(axis=0) == 0] = 0.5
    weights = rounded(databases, first, ratio, 0).astype(object)
    assert (weights.sum(axis=0) == 1 << 62).all()
    p, q = float(ratio).as_integer_ratio()
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    for larger, smaller in ((one, other), (other, one)):
        assert (weights[:, larger] * q <= weights[:, smaller] * p).all()
