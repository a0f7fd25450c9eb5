"""The bound holds for every point of the program, whatever the multipliers."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request
from discreet.model import Goal, Grid, Within

eighths = st.integers(-40, 40).map(lambda k: k / 8)


@st.composite
def programs_with_a_point(draw):
    """A program in dyadic numbers, so that a point on its sides is a point exactly."""
    variables, rows = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    x = np.array(draw(st.lists(st.integers(0, 8), min_size=variables, max_size=variables))) / 8
    matrix = np.array(
        draw(st.lists(eighths, min_size=rows * variables, max_size=rows * variables))
    ).reshape(rows, variables)
    sides = matrix @ x
    room = st.sampled_from([0.0, 0.5, np.inf])
    lower = sides - np.array([draw(room) for _ in range(rows)])
    upper = sides + np.array([draw(room) for _ in range(rows)])
    entry = np.array([(r, c) for r in range(rows) for c in range(variables)])
    block = ProgramRows(
        name="rows",
        row=entry[:, 0],
        column=entry[:, 1],
        value=matrix.ravel(),
        lower=lower,
        upper=upper,
    )
    total = ProgramRows.equal("sums", np.arange(variables)[None, :], np.ones(variables), x.sum())
    cost = np.array(draw(st.lists(eighths, min_size=variables, max_size=variables)))
    return Program.of(cost, np.zeros(variables), np.ones(variables), [block, total]), x


@given(programs_with_a_point(), st.data())
def test_no_point_costs_less_than_the_bound(program_and_point, data):
    program, x = program_and_point
    numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, np.nan, np.inf, -np.inf])
    multipliers = data.draw(st.lists(numbers, min_size=program.shape[0], max_size=program.shape[0]))
    cost = sum(Fraction(c) * Fraction(v) for c, v in zip(program.cost, x, strict=True))
    for sums in (None, "sums"):
        bound = lower_bound(program, np.array(multipliers), sums=sums)
        assert bound == -np.inf or Fraction(bound) <= cost


@given(st.integers(0, 2**32))
def test_rounding_never_lifts_the_bound_above_a_point_that_attains_it(seed):
    """Costs are made so that, but for rounding, the bound is what the point costs."""
    random = np.random.default_rng(seed)
    rows, variables = 12, 3
    matrix = random.uniform(-1, 1, (rows, variables))
    multipliers = random.uniform(-1, 1, rows) * 10.0 ** random.integers(0, 6, rows)
    x = np.array([1.0, 1.0, 0.0])
    cost = matrix.T @ multipliers - 1e-3 * (2 * x - 1)
    sides = [sum(Fraction(a) for a in line[:2]) for line in matrix]
    lower = np.array([np.nextafter(float(side), -np.inf) for side in sides])
    upper = np.array([np.nextafter(float(side), np.inf) for side in sides])
    entry = np.array([(r, c) for r in range(rows) for c in range(variables)])
    block = ProgramRows(
        name="rows",
        row=entry[:, 0],
        column=entry[:, 1],
        value=matrix.ravel(),
        lower=lower,
        upper=upper,
    )
    program = Program.of(cost, np.zeros(variables), np.ones(variables), [block])
    attained = Fraction(cost[0]) + Fraction(cost[1])
    bound = lower_bound(program, multipliers)
    assert Fraction(bound) <= attained
    assert bound >= float(attained) - 1e-12 * np.abs(multipliers).sum()


def test_a_solvers_multipliers_give_its_value():
    program = plain_program(Request.of(Grid.between(0, 12), Within(3), "0.7", Goal.of("squared")))
    solution = solve(program)
    bound = lower_bound(program, solution.duals)
    assert bound <= solution.value * (1 + 1e-9)
    assert bound > solution.value * (1 - 1e-9)


def test_the_wrong_sign_proves_nothing():
    program = plain_program(Request.of(Grid.between(0, 3), Within(1), 1))
    assert lower_bound(program, np.ones(program.shape[0])) <= 0
