"""(ε, δ) on a line: cells far from the diagonal are zero, and nothing is lost by it.

With a positive δ a mechanism may leave out what is unlikely. The plain program is solved for cells
within a reach of the diagonal alone; its multipliers, zero elsewhere, prove a bound for the whole
program, and the reach grows until the two meet (docs/proofs/near.md).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.designer.near.required import best_near
from discreet.designer.plain.method import MOST_EPSILON
from discreet.designer.plain.repairs import repaired
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Floats, Indices, Program
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import matrix_of, plain_program
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    out_of_time,
    relative_gap,
    value_above,
)
from discreet.errors import DesignError
from discreet.model import Mechanism

NAME = "near"
MOST_ENTRIES = 12_000_000
"""The whole program is written out once, for the bound: larger ones take too much memory."""
_ENOUGH = 1e-7
_SOLVERS = 1e-3
_MOST_TIMES = 5


def why_not(request: Request) -> str | None:
    """Why cells near the diagonal do not suit a request; None when they do."""
    if not request.guarantee.delta:
        return "only for a positive δ"
    if request.requirements or request.goal.situations is not None:
        return "only without requirements and situations"
    if request.steps is None or request.all_are_neighbours or request.outputs != request.answers:
        return "outputs are not the answers on a line"
    if request.epsilon.value > MOST_EPSILON:
        return f"ε is above {MOST_EPSILON}"
    rows, columns = request.shape
    entries = rows * columns * (2 + 8 * request.steps)
    return f"about {entries:,} entries" if entries > MOST_ENTRIES else None


def run(request: Request) -> Finding:
    """Solve near the diagonal, bound everywhere, reach further while the gap is wide."""
    program = plain_program(request)
    best: tuple[float, Mechanism] | None = None
    bound, reach, exactly = -math.inf, first_reach(request), False
    for _ in range(_MOST_TIMES):
        part = Narrowed.of(program, near_variables(request, program, reach))
        try:
            x, duals = part.solved(program, exactly=exactly)
        except DesignError:
            if best is not None:
                break
            if out_of_time() or reach >= len(request.answers):
                raise
            reach *= 2
            continue
        bound = max(bound, lower_bound(program, duals))
        try:
            mechanism = repaired(request, matrix_of(request, x))
        except DesignError:
            if best is not None:
                break
            if exactly or out_of_time():
                raise
            exactly = True  # the solver was off by more than a small δ forgives
            continue
        value = value_above(request, mechanism)
        best = (value, mechanism) if best is None or value < best[0] else best
        request.report(Progress(NAME, f"{reach} cells from the diagonal", best[0], bound))
        gap = relative_gap(best[0], bound)
        if gap <= _ENOUGH or out_of_time() or (exactly and reach >= len(request.answers)):
            break
        # A small gap is the solver's, a wide one that of cells which were left out.
        exactly = exactly or gap < _SOLVERS or reach >= len(request.answers)
        reach = reach if gap < _SOLVERS else 2 * reach
    return best_near(request, best, bound, reach=reach, enough=_ENOUGH)


def first_reach(request: Request) -> int:
    """How far a geometric tail has more than δ left, and a little more."""
    delta = float(request.guarantee.delta)
    falls = math.log1p(1 / max(delta, 1e-12)) / float(request.epsilon)
    return (request.steps or 1) * (3 + math.ceil(1.2 * falls))


def near_variables(request: Request, program: Program, reach: int) -> Indices:
    """The cells within reach of the diagonal, with their slack; the worst loss, where there is."""
    rows, columns = request.shape
    cells = rows * columns
    place = np.arange(cells)
    near = np.abs(place // columns - place % columns) <= reach
    ratios = program.blocks["ratios"]
    first = program.starts[ratios]
    own, slack = program.columns[first], program.columns[first + 2]
    kept = np.zeros(program.shape[1], dtype=bool)
    kept[:cells] = near
    kept[slack] = near[own]
    if request.goal.worst_case:
        kept[-1] = True
    return np.flatnonzero(kept)


@dataclass(frozen=True, eq=False)
class Narrowed:
    """A program with some of its variables, the others zero, and without rows that say nothing."""

    program: Program
    variables: Indices
    rows: Indices

    @classmethod
    def of(cls, whole: Program, variables: Indices) -> "Narrowed":
        """Only these variables; of the ratios only those whose own cell is among them."""
        place = np.full(whole.shape[1], -1)
        place[variables] = np.arange(len(variables))
        rows = np.ones(whole.shape[0], dtype=bool)
        ratios = whole.blocks["ratios"]
        rows[ratios] = place[whole.columns[whole.starts[ratios]]] >= 0
        entry = rows[whole.entry_rows] & (place[whole.columns] >= 0)
        kept = np.flatnonzero(rows)
        counts = np.bincount(whole.entry_rows[entry], minlength=whole.shape[0])[kept]
        made = replace(
            whole,
            cost=whole.cost[variables],
            lower=whole.lower[variables],
            upper=whole.upper[variables],
            starts=np.concatenate([[0], np.cumsum(counts)]),
            columns=place[whole.columns[entry]],
            values=whole.values[entry],
            row_lower=whole.row_lower[kept],
            row_upper=whole.row_upper[kept],
            blocks={},
        )
        return cls(made, variables, kept)

    def solved(self, whole: Program, *, exactly: bool = False) -> tuple[Floats, Floats]:
        """A point and multipliers of the whole program, zero where they were left out."""
        solution = solve(self.program, "ipm", crossover=exactly)
        x, duals = np.zeros(whole.shape[1]), np.zeros(whole.shape[0])
        x[self.variables] = solution.x
        duals[self.rows] = solution.duals
        return x, duals


NEAR_DELTA = Method(
    name=NAME,
    title="The program with δ, restricted to cells near the diagonal",
    citation="Croft, Sack & Shi 2020; docs/proofs/near.md",
    why_not=why_not,
    run=run,
)
