"""Few ratios at first, more where they are broken, until the gap is shut.

Claims and proofs: docs/proofs/by-database.md.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.databases.problem import Problem
from discreet.databases.ratios import Ratios, broken_ratios, leading_home
from discreet.databases.relaxation import Folding, folding_of, relaxed_program
from discreet.databases.rounding import rounded
from discreet.design.dual_bound import lower_bound, sharpened
from discreet.design.program import Floats, Program
from discreet.design.request import Progress, relative_gap
from discreet.design.solver import SolverMethod, solve
from discreet.design.value import constant_output, value_above
from discreet.errors import DesignError
from discreet.graphs import ADD_OR_REMOVE_ONE
from discreet.model import Mechanism

_BROKEN = 1e-9
_MOST_ROUNDS = 12
_REPAIRABLE = 1e-3
GOOD_ENOUGH = 1e-8
"""The relative gap at which nobody looks further."""

Way = tuple[SolverMethod, bool]
"""A method of HiGHS, and whether it goes on to a vertex."""


@dataclass(frozen=True, eq=False)
class Found:
    """A matrix still to be certified, what it costs, and a bound with the multipliers behind it."""

    mechanism: Mechanism
    value: float
    lower_bound: float
    program: Program
    multipliers: Floats
    folding: Folding
    rounds: int

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a share of the value."""
        return relative_gap(self.value, self.lower_bound)


def solved(problem: Problem, enough: float = GOOD_ENOUGH, *, fold: bool = True) -> Found:
    """Solve with the ratios that lead home, add the broken ones, and repair what is left."""
    rows, columns = problem.shape
    folding = folding_of(problem) if fold else unfolded(problem)
    chosen = [leading_home(problem.databases, i, problem.home(i)) for i in range(rows)]
    ratio = math.exp(float(problem.request.epsilon))
    ways = list(_ways(problem))
    best: tuple[float, Mechanism] | None = None
    proved: tuple[float, Program, Floats] | None = None
    for turn in range(_MOST_ROUNDS):
        program = relaxed_program(problem, folding, Ratios.joined([Ratios.none(), *chosen]))
        solution = solve(program, ways[0][0], crossover=ways[0][1])
        bound = lower_bound(program, solution.duals) - folding.doubt
        if proved is None or bound > proved[0]:
            proved = bound, program, sharpened(program, solution.duals)
        matrix = solution.x[folding.variable]
        broken = list(broken_ratios(problem.databases, matrix, ratio, _BROKEN))
        if all(excess <= _REPAIRABLE for _, excess in broken):
            mechanism = repaired(problem, matrix)
            value = value_above(problem.request, mechanism)
            best = (value, mechanism) if best is None or value < best[0] else best
        reached = math.inf if best is None else best[0]
        problem.request.report(Progress("by database", f"round {turn + 1}", reached, proved[0]))
        if best is not None and relative_gap(best[0], max(proved[0], 0.0)) <= enough:
            break
        if not broken:
            ways.pop(0)
            if not ways:
                break
        chosen += [found for found, _ in broken]
    if best is None or proved is None:
        raise DesignError(
            f"no private matrix was found for {columns:,} histograms; use fewer values"
        )
    return Found(best[1], best[0], max(proved[0], 0.0), proved[1], proved[2], folding, turn + 1)


def unfolded(problem: Problem) -> Folding:
    """Every cell a variable of its own."""
    rows, columns = problem.shape
    return Folding(np.arange(rows * columns).reshape(rows, columns), np.arange(columns))


def _ways(problem: Problem) -> tuple[Way, ...]:
    """Histograms of three values lie in a plane, and there the simplex method is at home."""
    grows = problem.databases.relation == ADD_OR_REMOVE_ONE
    flat = len(problem.databases.values) + grows <= 3
    simplex: Way = ("simplex", True)
    interior: Way = ("ipm", False)
    return (simplex, interior, ("ipm", True)) if flat else (interior, ("ipm", True), simplex)


def repaired(problem: Problem, matrix: Floats) -> Mechanism:
    """Private integers near a matrix."""
    request = problem.request
    exact = request.epsilon.ratio_below
    nearest = float(exact)
    below = nearest if nearest <= exact else math.nextafter(nearest, 0.0)
    weights = rounded(problem.databases, matrix, below, constant_output(request))
    return Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights, name="by database"
    )
