"""HiGHS as a function: what it finds, what it refuses, and that one need not wait for it."""

import os
import signal
import subprocess
import sys
import time

import highspy
import numpy as np
import pytest

from discreet.designer.programs.program import Program, ProgramRows
from discreet.designer.programs.solver import set_options, solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request, patience
from discreet.errors import DesignError
from discreet.model import Goal, Grid, Within
from interrupted import UNHEARD, interrupted


def _program(sides: float) -> Program:
    total = ProgramRows.equal("sums", np.array([[0, 1]]), np.array([1.0, 1.0]), sides)
    return Program.of(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), [total])


@pytest.mark.parametrize(
    ("method", "crossover"), [("simplex", True), ("ipm", True), ("ipm", False)]
)
def test_every_way_finds_the_same(method, crossover):
    program = plain_program(Request.of(Grid.between(0, 9), Within(2), "0.8", Goal.of("squared")))
    best = solve(program, "simplex").value
    found = solve(program, method, crossover=crossover)
    assert found.value == pytest.approx(best, rel=1e-8)
    assert found.value == pytest.approx(float(program.cost @ found.x))
    assert found.method == method


def test_the_interior_point_method_is_the_same_whatever_wheels_there_are():
    """With `highspy-extras` installed, HiGHS's own "ipm" is a slower one on these programs."""
    highs = highspy.Highs()
    highs.silent()
    set_options(highs, solver="ipm")
    assert highs.getOptionValue("solver")[1] == "ipx"


def test_duals_are_in_the_units_of_the_cost():
    """Costs are scaled for the solver, and multipliers scaled back."""
    program = _program(1.5)
    found = solve(program)
    assert found.value == pytest.approx(2.0)
    assert found.duals.tolist() == pytest.approx([2.0])


def test_what_has_no_solution_is_said():
    with pytest.raises(DesignError, match="1 rows and 2 variables has no solution"):
        solve(_program(3.0))


def test_a_solver_out_of_time_is_not_believed():
    program = plain_program(Request.of(Grid.between(0, 60), Within(4), "0.5"))
    with patience(0.01), pytest.raises(DesignError, match="HiGHS did not solve"):
        solve(program, "simplex")


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
from discreet.designer import design
from discreet.model import Goal, Grid, Within
print("begun", flush=True)
design(Grid.between(0, 120), Within(4), "0.5", Goal.of(worst_case=True), cache=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends the signal of Ctrl-C")
def test_ctrl_c_is_heard_and_leaves_nothing_behind(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", LONG, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout.readline() == b"begun\n"
    time.sleep(1.5)
    os.kill(child.pid, signal.SIGINT)
    _, complaint = child.communicate(timeout=20)
    assert b"KeyboardInterrupt" in complaint
    assert child.returncode in (1, -signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings(UNHEARD)
def test_wherever_it_is_interrupted_it_ends_and_the_next_is_solved():
    """A lock left taken within an event kept Ctrl-C, and everybody after it, waiting for ever."""
    place, program = 1, _program(1.5)
    solve(program)  # whatever is imported is there
    while interrupted(lambda: solve(program), place):
        place += 1
    assert place > 30
    assert solve(program).value == pytest.approx(2.0)
