"""Few ratios at first, more where they are broken, until the gap is shut.

Claims and proofs: docs/proofs/by-database.md.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.databases.patching import patched
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import (
    Ratios,
    all_ratios,
    between_touched,
    broken_ratios,
    leading_home,
)
from discreet.databases.relaxation import Folding, folding_of, relaxed_program
from discreet.databases.rounding import rounded
from discreet.designer.programs.dual_bound import lower_bound, sharpened
from discreet.designer.programs.program import Floats, Program
from discreet.designer.programs.solver import SolverMethod, solve
from discreet.designer.request import (
    Progress,
    constant_output,
    may_end,
    out_of_time,
    relative_gap,
    value_above,
)
from discreet.errors import DesignError
from discreet.model import Mechanism, Relation

_BROKEN = 1e-9
_MOST_ROUNDS = 12
_STALLED = 1e-7
_FAR = 0.1
"""A gap after two rounds from which adding what is broken takes longer than writing all down."""
GOOD_ENOUGH = 1e-8
"""The relative gap at which nobody looks further."""
GOOD_ENOUGH_WHEN_LARGE = 5e-7
LARGE = 9_000
"""Cells from which another round costs more than it is worth, and is patched away if it can be."""
_HUGE = 100_000
"""Cells beyond which not all ratios are written down at last."""

Way = tuple[SolverMethod, bool]
"""A method of HiGHS, and whether it goes on to a vertex."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SolvedMatrix:
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

    def joined(self, later: "SolvedMatrix") -> "SolvedMatrix":
        """The better matrix of the two, and the better bound with the multipliers behind it."""
        matrix = later if later.value < self.value else self
        bound = later if later.lower_bound > self.lower_bound else self
        return replace(bound, mechanism=matrix.mechanism, value=matrix.value, rounds=later.rounds)


def solved_at_once(problem: DatabaseProblem) -> SolvedMatrix:
    """Solve with every ratio in one turn: for small programs, whose time should be predictable."""
    return _solved_in_turns(problem, math.inf, unfolded(problem), [_every_ratio(problem)])


def _every_ratio(problem: DatabaseProblem) -> Ratios:
    return all_ratios(problem.databases, problem.shape[0])


def solved(
    problem: DatabaseProblem,
    enough: float | None = None,
    *,
    fold: bool = True,
    first: Ratios | None = None,
    known: SolvedMatrix | None = None,
) -> SolvedMatrix:
    """Solve with the ratios that lead home, add the broken ones, and repair what is left.

    `enough` is the relative gap at which to stop, `first` the ratios to begin with instead, `known`
    what was found before.
    """
    rows, columns = problem.shape
    if enough is None:
        enough = GOOD_ENOUGH if rows * columns < LARGE else GOOD_ENOUGH_WHEN_LARGE
    folding = folding_of(problem) if fold else unfolded(problem)
    chosen = (
        [leading_home(problem.databases, i, problem.home(i)) for i in range(rows)]
        if first is None
        else [first]
    )
    return _solved_in_turns(problem, enough, folding, chosen, known)


def _solved_in_turns(
    problem: DatabaseProblem,
    enough: float,
    folding: Folding,
    chosen: list[Ratios],
    best: SolvedMatrix | None = None,
) -> SolvedMatrix:
    rows = problem.shape[0]
    ratio = math.exp(float(problem.request.epsilon))
    ways = list(_ways(problem))
    is_small = rows * problem.shape[1] <= _HUGE
    for turn in range(_MOST_ROUNDS):
        program = relaxed_program(problem, folding, Ratios.joined([Ratios.none(), *chosen]))
        try:
            solution = solve(program, ways[0][0], crossover=ways[0][1])
        except (DesignError, KeyboardInterrupt) as problem_met:
            if not may_end(problem_met):
                raise
            if best is None:
                raise OutOfTimeError("time ran out before the first program was solved") from None
            break
        matrix = solution.x[folding.variable]
        mechanism = repaired(problem, matrix)
        this = SolvedMatrix(
            mechanism=mechanism,
            value=value_above(problem.request, mechanism),
            lower_bound=max(0.0, lower_bound(program, solution.duals) - folding.doubt),
            program=program,
            multipliers=sharpened(program, solution.duals),
            folding=folding,
            rounds=turn + 1,
        )
        broken = list(broken_ratios(problem.databases, matrix, ratio, _BROKEN))
        if broken and this.gap > enough:
            this = _mended(problem, matrix, Ratios.joined(broken), this)
        stalled = best is not None and this.lower_bound <= best.lower_bound * (1 + _STALLED)
        best = this if best is None else best.joined(this)
        problem.request.report(
            Progress("by database", f"round {turn + 1}", best.value, best.lower_bound)
        )
        if best.gap <= enough or (not broken and len(ways) == 1) or out_of_time():
            break
        if not broken:
            ways.pop(0)
        elif (
            (stalled and ways[0][0] == "simplex")
            or (turn == _MOST_ROUNDS - 2 and is_small)
            or (turn and best.gap > _FAR)
        ):
            chosen = [_every_ratio(problem)]
        else:
            touched = Ratios.joined(broken)
            chosen += [touched, between_touched(problem.databases, rows, touched)]
    assert best is not None
    return best


def _mended(
    problem: DatabaseProblem, matrix: Floats, broken: Ratios, solution: SolvedMatrix
) -> SolvedMatrix:
    """The same bound with a matrix that was patched where ratios are broken, if that is better."""
    goal, (rows, columns) = problem.request.goal, problem.shape
    if goal.worst_case or goal.situations is not None or rows * columns < LARGE:
        return solution
    whole = patched(problem, matrix, broken)
    if whole is None:
        return solution
    mechanism = repaired(problem, whole)
    value = value_above(problem.request, mechanism)
    return (
        replace(solution, mechanism=mechanism, value=value) if value < solution.value else solution
    )


class OutOfTimeError(DesignError):
    """Nothing was found in the time there was."""


def unfolded(problem: DatabaseProblem) -> Folding:
    """Every cell a variable of its own."""
    rows, columns = problem.shape
    return Folding(np.arange(rows * columns).reshape(rows, columns), np.arange(columns))


def _ways(problem: DatabaseProblem) -> tuple[Way, ...]:
    """Histograms of three values lie in a plane, and there the simplex method is at home."""
    grows = problem.databases.relation == Relation.ADD_OR_REMOVE
    flat = len(problem.databases.values) + grows <= 3
    simplex: Way = ("simplex", True)
    interior: Way = ("ipm", False)
    return (simplex, interior, ("ipm", True)) if flat else (interior, ("ipm", True), simplex)


def repaired(problem: DatabaseProblem, matrix: Floats) -> Mechanism:
    """Private integers near a matrix."""
    request = problem.request
    exact = request.epsilon.ratio_below
    nearest = float(exact)
    below = nearest if nearest <= exact else math.nextafter(nearest, 0.0)
    weights = rounded(problem.databases, matrix, below, constant_output(request))
    return Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights, name="by database"
    )
