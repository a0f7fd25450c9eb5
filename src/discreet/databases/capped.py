"""The best mechanism by database whose costs also stay below caps.

A cap is one more row of the program: an expected cost that is at most so much or, where going
beyond it has a price, so much and what is paid for. A program without a solution says that no
private mechanism keeps the caps (docs/proofs/safe-rule.md, small tables).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from discreet.databases.listing import Indices
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import all_ratios
from discreet.databases.relaxation import relaxed_program
from discreet.databases.solving import repaired, unfolded
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Floats, Program
from discreet.designer.programs.solver import solve
from discreet.designer.request import Progress
from discreet.errors import DesignError
from discreet.model import Mechanism

TOLERANCE = 1e-6
"""What the solver may be off by: repairs cost about as much."""
_SLACK = 1e-4
"""How far, of a cap, a repaired matrix may be above it."""
_NONE_KEEPS = "no mechanism that distinguishes so few tables stays within the caps"
_MOST_GAP = 0.01
"""A matrix that may cost so much more than the best one is not what was asked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Caps:
    """Σ cost·M[output, database] ≤ most for each cap, entry by entry, in the order of the caps."""

    cap: Indices
    output: Indices
    database: Indices
    cost: Floats
    most: Floats
    price: float | None = None
    """What a unit beyond a cap costs, times its weight; None where nothing is let through."""
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.most)

    def sums(self, chances: Floats) -> Floats:
        """What the caps are held against, for a matrix of chances."""
        terms = self.cost * chances[self.output, self.database]
        return np.bincount(self.cap, terms, minlength=len(self)).astype(np.float64)

    @property
    def prices(self) -> Floats:
        """What a unit beyond each cap costs; none where nothing is let through."""
        if self.price is None:
            return np.zeros(0)
        return self.price * (np.ones(len(self)) if self.weights is None else self.weights)

    def least(self, shape: tuple[int, int]) -> Floats:
        """What the caps are held against at least, private or not: the best output everywhere."""
        written = np.zeros((len(self), *shape))
        np.add.at(written, (self.cap, self.output, self.database), self.cost)
        return np.asarray(written.min(axis=1).sum(axis=1))

    def paid(self, chances: Floats) -> float:
        """What going beyond the caps costs a matrix of chances."""
        if self.price is None:
            return 0.0
        return float(self.prices @ np.maximum(0.0, self.sums(chances) - self.most))


@dataclass(frozen=True, eq=False)
class CappedDesign:
    """A matrix still to be certified, what it costs with all that is paid, and a proven bound."""

    mechanism: Mechanism
    value: float
    lower_bound: float


def solved_with_caps(problem: DatabaseProblem, caps: Sequence[Caps]) -> CappedDesign:
    """Private integers near the best matrix that keeps the caps; DesignError when none does.

    What the solver says is believed in nothing: the integers keep every ratio and every sum, they
    are held against the caps, and against the bound that the multipliers prove.
    """
    strict = [one for one in caps if one.price is None]
    if any((one.least(problem.shape) > one.most * (1 + _SLACK)).any() for one in strict):
        raise DesignError(_NONE_KEEPS)
    program = capped_program(problem, caps)
    size = f"a program of {len(program.row_lower):,} rows"
    problem.request.report(Progress("by database", size))
    # Presolving a program with caps spoils its multipliers, and with them the bound.
    solution = solve(program, "ipm", crossover=False, presolve=False, tolerance=TOLERANCE)
    rows, columns = problem.shape
    matrix = solution.x[: rows * columns].reshape(rows, columns)
    if float(matrix.sum(axis=0).min()) < 0.5:
        raise DesignError("the solver's columns do not sum to one; use fewer values or rows")
    mechanism = repaired(problem, matrix)
    chances = mechanism.probabilities()
    if any((one.sums(chances) > one.most * (1 + _SLACK)).any() for one in strict):
        raise DesignError(_NONE_KEEPS)
    value = float((problem.loss * problem.weights * chances).sum())
    value += sum(one.paid(chances) for one in caps)
    bound = lower_bound(program, solution.duals)
    if bound < value * (1 - _MOST_GAP):
        raise DesignError(f"the program was not solved: {bound:.4g} is proved, {value:.4g} found")
    return CappedDesign(mechanism, value, bound)


def capped_program(problem: DatabaseProblem, caps: Sequence[Caps]) -> Program:
    """The program by database with every ratio, a row for each cap, and what is beyond it."""
    bare = relaxed_program(
        problem, unfolded(problem), all_ratios(problem.databases, problem.shape[0])
    )
    for place, one in enumerate(caps):
        bare = _with(bare, problem, one, f"caps {place}")
    return bare


def _entries(caps: Caps, databases: int) -> tuple[Indices, Indices, Floats]:
    """Row, variable and cost of every entry, those of one variable added up."""
    wide = databases * (int(caps.output.max(initial=0)) + 1)
    cells = caps.output * databases + caps.database
    keys, place = np.unique(caps.cap * wide + cells, return_inverse=True)
    return keys // wide, keys % wide, np.bincount(place, caps.cost).astype(np.float64)


def _with(program: Program, problem: DatabaseProblem, caps: Caps, name: str) -> Program:
    """The program with these caps; priced ones have a variable each for what is beyond them."""
    rows, variables = program.shape
    priced = caps.price is not None
    row, column, value = _entries(caps, problem.shape[1])
    if priced:
        beyond = np.arange(len(caps))
        order = np.argsort(np.concatenate([row, beyond]), kind="stable")
        row = np.concatenate([row, beyond])[order]
        column = np.concatenate([column, variables + beyond])[order]
        value = np.concatenate([value, np.full(len(caps), -1.0)])[order]
    ends = program.starts[-1] + np.cumsum(np.bincount(row, minlength=len(caps)))
    beyond_most = np.bincount(caps.cap, caps.cost, minlength=len(caps))[: len(caps.prices)]
    return replace(
        program,
        cost=np.concatenate([program.cost, caps.prices]),
        lower=np.concatenate([program.lower, np.zeros(len(caps.prices))]),
        upper=np.concatenate([program.upper, beyond_most]),
        starts=np.concatenate([program.starts, ends]),
        columns=np.concatenate([program.columns, column]),
        values=np.concatenate([program.values, value]),
        row_lower=np.concatenate([program.row_lower, np.full(len(caps), -np.inf)]),
        row_upper=np.concatenate([program.row_upper, caps.most]),
        blocks=MappingProxyType({**program.blocks, name: slice(rows, rows + len(caps))}),
    )
