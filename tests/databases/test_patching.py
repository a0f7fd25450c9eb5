"""A matrix that breaks few ratios is made good there, and is the same elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from databases.test_reductions import optimum, task_of
from discreet.certifier import certify
from discreet.databases import maximum, median, patching, solving
from discreet.databases.patching import patched
from discreet.databases.ratios import Ratios, all_ratios, broken_ratios
from discreet.databases.relaxation import relaxed_program
from discreet.databases.solving import repaired, solved, unfolded
from discreet.designer.programs.solver import solve
from discreet.designer.request import value_above


def broken_matrix(task, left_out):
    """The best matrix when some ratios are not asked for, and which of them it breaks."""
    every = all_ratios(task.databases, task.request.shape[0])
    kept = np.ones(len(every), dtype=np.bool_)
    kept[left_out] = False
    few = every.where(kept)
    program = relaxed_program(task.problem, unfolded(task.problem), few)
    matrix = solve(program, "simplex").x.reshape(task.request.shape)
    broken = list(broken_ratios(task.databases, matrix, np.e, 1e-9))
    return matrix, Ratios.joined([Ratios.none(), *broken])


def breaking_one(task):
    """The first ratio that is broken when it alone is left out."""
    every = len(all_ratios(task.databases, task.request.shape[0]))
    tried = (broken_matrix(task, [one]) for one in range(0, every, 7))
    return next((matrix, broken) for matrix, broken in tried if len(broken))


@pytest.mark.parametrize("statistic", [maximum(), median()])
def test_a_patch_keeps_every_ratio_and_all_that_is_far(statistic):
    task = task_of(statistic, 6, 4, 1)
    matrix, broken = breaking_one(task)
    found = patched(task.problem, matrix, broken)
    assert not list(broken_ratios(task.databases, found, np.e, 1e-8))
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-8)
    changed = np.flatnonzero(np.abs(found - matrix).max(axis=0) > 0)
    near = patching._about(task.databases, broken)
    assert near[changed].all()
    assert not near.all()
    mechanism = repaired(task.problem, found)
    certify(mechanism, 1)
    value = value_above(task.request, mechanism)
    assert optimum(task.problem) - 1e-9 <= value
    assert value <= value_above(task.request, repaired(task.problem, matrix)) + 1e-12


def test_columns_that_break_a_ratio_slightly_do_not_stop_a_patch():
    """A solver leaves ratios broken by its tolerance; beside such columns no value keeps all."""
    task = task_of(maximum(), 6, 4, 1)
    matrix, broken = breaking_one(task)
    far = ~patching._about(task.databases, broken)
    shaken = matrix.copy()
    shaken[:, far] += 4e-9 * np.random.default_rng().uniform(-1, 1, (len(matrix), far.sum()))
    broken = Ratios.joined(list(broken_ratios(task.databases, shaken, np.e, 1e-9)))
    assert far[broken.larger].any()
    found = patched(task.problem, shaken, broken)
    assert found is not None
    assert all(len(each) == 0 for each in broken_ratios(task.databases, found, np.e, 1e-7))


def test_what_breaks_almost_everywhere_is_not_patched(monkeypatch):
    task = task_of(maximum(), 5, 4, 1)
    matrix, broken = breaking_one(task)
    monkeypatch.setattr(patching, "_MOST_CELLS", 10)
    assert patched(task.problem, matrix, broken) is None


def test_a_patch_is_taken_where_it_is_better_and_moves_no_bound(monkeypatch):
    """Repair pays for a few broken ratios in every column, a patch does not."""
    task = task_of(maximum(), 6, 4, 1)
    left_out = np.arange(0, len(all_ratios(task.databases, 4)), 97)
    matrix, broken = broken_matrix(task, left_out)
    found = solved(task.problem)
    paid = replace(found, value=value_above(task.request, repaired(task.problem, matrix)))
    assert solving._mended(task.problem, matrix, broken, paid) is paid  # too small to be worth it
    monkeypatch.setattr(solving, "LARGE", 0)
    mended = solving._mended(task.problem, matrix, broken, paid)
    assert found.value - 1e-9 <= mended.value < (found.value + paid.value) / 2
    assert mended.lower_bound == paid.lower_bound
    certify(mended.mechanism, 1)
