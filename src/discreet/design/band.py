"""Fair and row-monotone mechanisms as a small program (docs/proofs/band.md).

A row falls on both sides of its diagonal cell, and all diagonal cells are equal: so the triangles
above and below the diagonal meet only in the sums of columns. Along a row, far from the diagonal,
weights fall as fast as privacy lets them: by e^ε with every Δ steps. Only the cells within a
*reach* of the diagonal are variables; the rest are tied to them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.design.program import Floats, Indices, Program, Rows
from discreet.design.request import Request
from discreet.design.solver import Solution, SolverMethod, solve

_FEW = 3_000
_NARROW = 12


@dataclass(frozen=True, eq=False)
class Triangles:
    """What cells above the diagonal cost, for the one triangle or the two that are looked for.

    With symmetry one triangle is enough, each cell of it costing what it and its place in the
    matrix turned half round cost together. Without, the second is the lower one, turned.
    """

    costs: tuple[Floats, ...]
    steps: int
    shrink: float
    """e^(−ε)."""
    diagonal: float = 0.0
    """What the cells on the diagonal cost together: nothing, with most losses."""

    @classmethod
    def of(cls, request: Request, shrink: float, *, mirrored: bool) -> "Triangles":
        """The costs of a request whose outputs are its answers, prior included."""
        cost = request.loss * request.prior
        turned = cost[::-1, ::-1]
        costs = (cost + turned,) if mirrored else (cost, turned)
        return cls(costs, request.steps or 1, shrink, math.fsum(np.diag(cost)))

    @property
    def size(self) -> int:
        """How many answers there are."""
        return len(self.costs[0])

    @property
    def mirrored(self) -> bool:
        """Whether the lower triangle is the upper one, turned half round."""
        return len(self.costs) == 1


@dataclass(frozen=True, eq=False)
class Plan:
    """A mechanism in few numbers: its diagonal, and what stands above it in each column.

    `sums[s][j]` is the sum of column j above the diagonal in triangle s.
    """

    diagonal: float
    sums: tuple[Floats, ...]

    def mixed_with(self, other: "Plan", share: float) -> "Plan":
        """So much of the other plan (of which one triangle stands for both), the rest of this."""
        return Plan(
            (1 - share) * self.diagonal + share * other.diagonal,
            tuple((1 - share) * part + share * other.sums[0] for part in self.sums),
        )


def reach_of(triangles: Triangles, corner: float) -> Indices:
    """How many cells right of each row's diagonal are variables: Δ, or all in the last rows."""
    left = np.arange(triangles.size - 1, 0, -1)
    return np.where(left <= corner, left, np.minimum(left, triangles.steps))


def best_plan(
    triangles: Triangles, reach: Indices, method: SolverMethod = "choose"
) -> tuple[Plan, float, Floats]:
    """The cheapest mechanism whose cells beyond the reach are tied: plan, value, multipliers.

    The simplex method is chosen for few cells and for narrow bands, else the interior point.
    """
    cells = int(reach.sum())
    if method == "choose":
        method = "ipm" if cells > max(_FEW, _NARROW * triangles.size) else "simplex"
    solution = solve(band_program(triangles, reach), method, presolve=method == "ipm")
    value = triangles.diagonal + triangles.shrink * solution.value
    return _plan(triangles, solution), value, _multipliers(triangles, solution)


def band_program(triangles: Triangles, reach: Indices) -> Program:
    """The program: what escapes the diagonal, then each triangle's sums of columns and its cells.

    All are in units of e^(−ε), so that a large ε leaves no number out of the solver's sight.

    >>> ones = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    >>> triangles = Triangles((2 * ones,), 1, 0.5)
    >>> band_program(triangles, reach_of(triangles, 2)).shape
    (17, 10)
    """
    sides = [_Side.of(triangles, number, reach) for number in range(len(triangles.costs))]
    cost = np.concatenate([[-triangles.diagonal], *(side.cost() for side in sides)])
    blocks = [_column_sums(triangles, sides)]
    for side in sides:
        blocks += [side.recursion(), *side.falling(), *side.ratios()]
    most = np.full(len(cost), 1 / triangles.shrink)
    return Program.of(cost, np.zeros(len(cost)), most, [block for block in blocks if len(block)])


def chained_costs(costs: Floats, steps: int, shrink: float) -> Floats:
    """What each cell costs together with those Δ, 2Δ… columns after it, tied to it."""
    chained = costs.copy()
    for last in range(costs.shape[1] - 1 - steps, -1, -steps):
        here = slice(max(0, last - steps + 1), last + 1)
        chained[:, here] += shrink * chained[:, here.start + steps : here.stop + steps]
    return chained


@dataclass(frozen=True, eq=False)
class _Side:
    """The variables of one triangle: sums of columns 1…, then cells within reach, row by row."""

    triangles: Triangles
    number: int
    reach: Indices
    row: Indices
    offset: Indices
    """Of each cell: its row, and how far right of the diagonal it stands."""

    @classmethod
    def of(cls, triangles: Triangles, number: int, reach: Indices) -> "_Side":
        row = np.repeat(np.arange(len(reach)), reach)
        offset = 1 + np.arange(len(row)) - (np.cumsum(reach) - reach)[row]
        return cls(triangles, number, reach, row, offset)

    @property
    def sums(self) -> Indices:
        """The variables that hold the sums of columns 0…; there is none for column 0."""
        others = self.triangles.size - 1
        return self.number * (others + len(self.row)) + np.arange(others + 1)

    @property
    def cells(self) -> Indices:
        """The variables that hold the cells."""
        first = int(self.sums[-1]) + 1
        return first + np.arange(len(self.row))

    @property
    def column(self) -> Indices:
        """The column of each cell."""
        return self.row + self.offset

    def cost(self) -> Floats:
        """What each sum (nothing) and each cell costs, with the cells that are tied to it."""
        costs = self.triangles.costs[self.number]
        tied = self.offset + self.triangles.steps > self.reach[self.row]
        chained = chained_costs(costs, self.triangles.steps, self.triangles.shrink)
        cells = np.where(tied, chained[self.row, self.column], costs[self.row, self.column])
        return np.concatenate([np.zeros(self.triangles.size - 1), cells])

    def recursion(self) -> Rows:
        """U_j − α·U_{j−Δ}: tied cells cancel; what is left are cells within the reach."""
        steps, shrink = self.triangles.steps, self.triangles.shrink
        columns = np.arange(1, self.triangles.size)
        later = columns[columns > steps]
        ahead = self.offset + steps <= self.reach[self.row]
        return _rows(
            f"recursion {self.number}",
            (columns - 1, self.sums[columns], 1.0),
            (later - 1, self.sums[later - steps], -shrink),
            (self.column - 1, self.cells, -1.0),
            (self.column[ahead] + steps - 1, self.cells[ahead], shrink),
        )

    def falling(self) -> Iterator[Rows]:
        """Each cell is at most the one before it, the first at most the diagonal (13)."""
        first = self.cells[self.offset == 1]
        later = self.cells[self.offset > 1]
        yield Rows.at_most(
            f"falling {self.number}",
            np.stack([later, later - 1], axis=1),
            np.array([1.0, -1.0]),
        )
        yield Rows.at_most(
            f"below the diagonal {self.number}",
            np.stack([first, np.zeros_like(first)], axis=1),
            np.ones(2),
            1 / self.triangles.shrink,
        )

    def ratios(self) -> Iterator[Rows]:
        """Each cell is at least α times the one Δ before it; near the diagonal, one cell of it.

        With falling rows these are all the ratios there are (docs/proofs/lean.md).
        """
        steps, shrink = self.triangles.steps, self.triangles.shrink
        later = self.cells[self.offset > steps]
        edge = self.cells[self.offset == np.minimum(steps, self.triangles.size - 1 - self.row)]
        yield Rows.at_most(
            f"ratios {self.number}",
            np.stack([later - steps, later], axis=1),
            np.array([shrink, -1.0]),
        )
        yield Rows.at_most(
            f"ratios to the diagonal {self.number}",
            np.stack([np.zeros_like(edge), edge], axis=1),
            np.array([-shrink, -1.0]),
            -1.0,
        )


def _column_sums(triangles: Triangles, sides: list[_Side]) -> Rows:
    """(9): what is above the diagonal and what is below it is what escapes the diagonal."""
    last = triangles.size - 1
    columns = np.arange(last // 2 + 1 if triangles.mirrored else last + 1)
    above, below = columns[columns > 0], columns[columns < last]
    return _rows(
        "sums",
        (columns, np.zeros(len(columns), dtype=np.int64), -1.0),
        (above, sides[0].sums[above], 1.0),
        (below, sides[-1].sums[last - below], 1.0),
    )


def _rows(name: str, *entries: tuple[Indices, Indices, float]) -> Rows:
    """Equations with 0, from entries (rows, variables, value) in any order; equal places add up."""
    row = np.concatenate([entry[0] for entry in entries])
    variable = np.concatenate([entry[1] for entry in entries])
    value = np.concatenate([np.full(len(entry[0]), entry[2]) for entry in entries])
    width = int(variable.max()) + 1
    place, of = np.unique(row * width + variable, return_inverse=True)
    sides = np.zeros(int(row.max()) + 1)
    added = np.bincount(of, value).astype(np.float64)
    return Rows(name, place // width, place % width, added, sides, sides)


def _plan(triangles: Triangles, solution: Solution) -> Plan:
    others, sides = triangles.size - 1, len(triangles.costs)
    shares = triangles.shrink * solution.x
    parts = shares[1:].reshape(sides, -1)[:, :others]
    return Plan(1 - float(shares[0]), tuple(np.concatenate([[0.0], part]) for part in parts))


def _multipliers(triangles: Triangles, solution: Solution) -> Floats:
    """One for each column; a mirrored pair of columns shares one."""
    size = triangles.size
    if not triangles.mirrored:
        return solution.duals[:size]
    half = solution.duals[: size // 2] / 2
    return np.concatenate([half, solution.duals[size // 2 : (size + 1) // 2], half[::-1]])
