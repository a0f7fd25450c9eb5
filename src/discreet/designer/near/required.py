"""The program of a band with tails, what its multipliers prove, and the method around both."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.designer.near.tails import (
    Band,
    CellOrder,
    column_order_of,
    falling_ends,
    row_order_of,
)
from discreet.designer.plain.interior import keep_requirements
from discreet.designer.plain.method import MOST_EPSILON
from discreet.designer.plain.method import why_not as why_not_plain
from discreet.designer.programs.cells import mirror_doubt
from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.rays.bound import least_rays
from discreet.designer.rays.goal import Line, LossTable
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

NAME = "band"
MOST_ANSWERS = 2_000
MOST_VARIABLES = 250_000
LEAST_ANSWERS = 41
"""For fewer answers a program of all cells is as quick."""
ENOUGH = 1e-6
"""The relative gap at which nobody looks further."""
_MOST_TIMES = 5
_LEAST_FACTOR = 1e-15
_ROOM = 1e-11
"""Ratios are asked for with a hair of room, so that what the solver is off needs no repair."""
_LOWERED = 2.0**-46
_UNIT = 2.0**-53


def why_not(request: Request) -> str | None:
    """Why a band does not suit a request; None when it does."""
    wanted = request.requirements
    if request.guarantee.delta or request.goal.worst_case or request.goal.situations is not None:
        return "only for pure ε and one prior"
    if not (wanted.fair or wanted.row_monotone or wanted.column_monotone) or wanted.every_output:
        return "only for fair or monotone mechanisms"
    if request.steps is None or request.all_are_neighbours or request.outputs != request.answers:
        return "outputs are not the answers on a line"
    if request.epsilon.value > MOST_EPSILON:
        return f"ε is above {MOST_EPSILON}"
    if not LEAST_ANSWERS <= len(request.answers) <= MOST_ANSWERS:
        return f"only for {LEAST_ANSWERS} to {MOST_ANSWERS:,} answers"
    return None if mirror_doubt(request) is not None else "the loss or the prior is not symmetric"


def run(request: Request) -> Finding:
    """Solve near the diagonal, bound everywhere, reach further while the gap is wide."""
    best: tuple[float, Mechanism] | None = None
    bound, reach = -math.inf, first_reach(request)
    for _ in range(_MOST_TIMES):
        size, steps = len(request.answers), request.steps or 1
        band = Band(size, steps, min(reach, size - 1), math.exp(-float(request.epsilon)))
        if len(band.row) > 2 * MOST_VARIABLES and best is None:
            raise DesignError(f"{len(band.row):,} cells near the diagonal are too many")
        try:
            solved = Solved.of(request, band)
            mechanism = keep_requirements(request, band.matrix(solved.values))
        except DesignError:
            if best is not None:
                break
            if out_of_time() or reach >= size - 1:
                raise
            reach *= 2
            continue
        bound = max(bound, solved.bound(request))
        value = value_above(request, mechanism)
        best = (value, mechanism) if best is None or value < best[0] else best
        request.report(Progress(NAME, f"{reach} cells from the diagonal", best[0], bound))
        whole = reach >= size - 1 or 2 * len(band.row) > 2 * MOST_VARIABLES
        if relative_gap(best[0], bound) <= ENOUGH or out_of_time() or whole:
            break
        reach *= 2
    return best_near(request, best, bound, reach=reach, enough=ENOUGH)


def best_near(
    request: Request,
    best: tuple[float, Mechanism] | None,
    bound: float,
    *,
    reach: int,
    enough: float,
) -> Finding:
    """The best that was found so near to the diagonal; none where the plain program does better."""
    if best is None:
        raise DesignError(f"no mechanism was found within {reach} cells of the diagonal")
    gap = relative_gap(best[0], bound)
    if gap > enough and not out_of_time() and why_not_plain(request) is None:
        raise DesignError(f"a gap of {gap:.1e} is left near the diagonal")
    return Finding(best[1], max(0.0, bound), best[0])


def first_reach(request: Request) -> int:
    """A few falls by e^ε beyond where cells are of any weight."""
    return (request.steps or 1) * max(4, math.ceil(8 / float(request.epsilon)))


@dataclass(frozen=True, eq=False)
class Solved:
    """Values of the variables of a band, and multipliers of sums and order."""

    band: Band
    values: Floats
    sums: Floats
    orders: tuple[tuple[CellOrder, Floats], ...]

    @classmethod
    def of(cls, request: Request, band: Band) -> "Solved":
        """Solve the program of a band, and give mirrored rows half of their multiplier each."""
        orders = []
        if request.requirements.column_monotone:
            orders.append(column_order_of(band))
        if request.requirements.row_monotone:
            orders.append(row_order_of(band))
        program = band_program(request, band, orders)
        solution = solve(program, "ipm", crossover=False, presolve=False)
        kept = []
        for number, order in enumerate(orders):
            known = _first_of(band, order)
            share = np.where(known.itself, 1.0, 0.5)
            duals = solution.duals[program.blocks[f"order {number}"]][known.of] * share
            kept.append((order, duals))
        sums = np.zeros(band.size)
        sums[: (band.size + 1) // 2] = solution.duals[program.blocks["sums"]]
        return cls(band, solution.x, (sums + sums[::-1]) / 2, tuple(kept))

    def bound(self, request: Request) -> float:
        """Σ y + what the cheapest rays of all rows lack, rounded down (docs/proofs/near.md)."""
        band, size = self.band, self.band.size
        costs = request.loss * request.prior
        sizes = np.abs(costs)
        for order, duals in self.orders:
            multiplier = np.maximum(-duals, 0.0)
            for cells, sign in ((order.smaller, 1.0), (order.larger, -1.0)):
                np.add.at(costs, (band.row[cells], band.column[cells]), sign * multiplier)
                np.add.at(sizes, (band.row[cells], band.column[cells]), multiplier)
        lowered = costs - _LOWERED * sizes
        line = Line(size, band.steps, math.exp(-float(request.epsilon)) * (1 - 2.0**-50))
        places = np.arange(size)
        table = LossTable(line, lowered, places, symmetric=True)
        least = np.concatenate(
            [
                least_rays(table.windows(self.sums, some, size - 1), line.steps, line.alpha)
                for some in np.array_split(places, 1 + size * size // 2_000_000)
            ]
        )
        raised = math.fsum(self.sums)
        if request.requirements.fair:
            total = min(0.0, math.fsum(least)) * _largest_diagonal(line)
        else:
            total = math.fsum(np.minimum(least, 0.0))
        return raised + total - 8 * _UNIT * (abs(raised) + abs(total) + math.fsum(np.abs(least)))


def _largest_diagonal(line: Line) -> float:
    """No fair mechanism has a larger diagonal: its middle column would sum to more than 1."""
    away = np.abs(np.arange(line.size) - line.size // 2)
    falls = (-(-away // line.steps)).astype(float)
    return float(1 / np.sum((line.alpha * (1 - 2.0**-50)) ** falls)) * (1 + 2.0**-40)


@dataclass(frozen=True, eq=False)
class _Folded:
    """Rows of a band's program as they are once mirrored cells share a variable."""

    first: Indices
    of: Indices
    itself: Indices


def _first_of(band: Band, order: CellOrder) -> _Folded:
    """Of comparisons that say the same of variables, the first; and which one each is."""
    wide = band.variables
    keys = band.variable[order.smaller] * wide + band.variable[order.larger]
    _, first, of, many = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return _Folded(first, of, np.asarray(many[of] == 1))


def band_program(request: Request, band: Band, orders: list[CellOrder]) -> Program:
    """Cells near the diagonal at least cost: sums, ratios, and the order that is asked for."""
    costs = request.loss * request.prior
    cell, column, factor = band.tails(_LEAST_FACTOR)
    variable = band.variable[cell]
    cost = np.bincount(variable, factor * costs[band.row[cell], column], minlength=band.variables)
    half = (band.size + 1) // 2
    near = np.flatnonzero(column < half)
    blocks = [_rows("sums", column[near], variable[near], factor[near], np.ones(half))]
    blocks.append(_ratios(band))
    ends = falling_ends(band) if band.steps > 1 else None
    if ends is not None and len(ends.smaller):
        blocks.append(_at_most(band, "ends", ends, 1.0))
    blocks += [_at_most(band, f"order {number}", order, 1.0) for number, order in enumerate(orders)]
    if request.requirements.fair:
        own = np.unique(band.variable[band.row == band.column])
        pairs = np.stack([own[:-1], own[1:]], axis=1)
        blocks.append(ProgramRows.equal("fair", pairs, np.array([1.0, -1.0])))
    wide = np.full(band.variables, NO_BOUND)
    return Program.of(cost.astype(np.float64), np.zeros(band.variables), wide, blocks)


def _ratios(band: Band) -> ProgramRows:
    """Every ratio between cells of the band."""
    parts = []
    for step in range(1, band.steps + 1):
        for side in (1, -1):
            beside = band.cell(band.row, band.column + side * step)
            kept = np.flatnonzero(beside >= 0)
            kept = kept[band.variable[kept] != band.variable[beside[kept]]]
            parts.append(CellOrder(kept, beside[kept]))
    every = CellOrder(
        np.concatenate([part.smaller for part in parts]),
        np.concatenate([part.larger for part in parts]),
    )
    return _at_most(band, "ratios", every, (1 - _ROOM) / band.shrink)


def _at_most(band: Band, name: str, order: CellOrder, times: float) -> ProgramRows:
    """The smaller is at most so many times the larger; each said once of variables."""
    first = _first_of(band, order).first
    ends = np.stack([band.variable[order.smaller[first]], band.variable[order.larger[first]]], 1)
    return ProgramRows.at_most(name, ends, np.array([1.0, -times]))


def _rows(name: str, row: Indices, variable: Indices, value: Floats, equal: Floats) -> ProgramRows:
    wide = int(variable.max()) + 1
    key, of = np.unique(row * wide + variable, return_inverse=True)
    added = np.bincount(of, value).astype(np.float64)
    return ProgramRows(
        name=name, row=key // wide, column=key % wide, value=added, lower=equal, upper=equal
    )


NEAR_REQUIRED = Method(
    name=NAME,
    title="Fair or monotone mechanisms from the cells near the diagonal",
    citation="Croft, Sack & Shi 2020, (10) to (15); docs/proofs/near.md",
    why_not=why_not,
    run=run,
)
