"""The program of the extras: what cells have beyond the least (docs/proofs/band.md, Claim 2)."""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.variant2.band import Flags, Triangles, chained_costs

Entries = tuple[Indices, Indices, float]
"""Rows, variables, and the value in all these places."""

_AROUND, _BESIDE = 8, 4


@dataclass(frozen=True, eq=False, kw_only=True)
class Extras:
    """The variables of one triangle: sums of columns 1…, then extras row by row.

    All are in units of e^(−ε) times the diagonal: so a large ε leaves no number out of the
    solver's sight, and no bound on a single extra depends on the diagonal.
    """

    triangles: Triangles
    number: int
    reach: Indices
    row: Indices
    offset: Indices
    """Of each cell: its row, and how far right of the diagonal it stands."""

    @classmethod
    def of(cls, triangles: Triangles, number: int, reach: Indices) -> "Extras":
        """The extras of rows 0…, as many for each as its reach says."""
        row = np.repeat(np.arange(len(reach)), reach)
        offset = 1 + np.arange(len(row)) - (np.cumsum(reach) - reach)[row]
        return cls(triangles=triangles, number=number, reach=reach, row=row, offset=offset)

    @property
    def sums(self) -> Indices:
        """The variables that hold the sums of columns 0…; there is none for column 0."""
        others = self.triangles.size - 1
        return self.number * (others + len(self.row)) + np.arange(others + 1)

    @property
    def variables(self) -> slice:
        """Where the extras are."""
        first = int(self.sums[-1]) + 1
        return slice(first, first + len(self.row))

    @property
    def column(self) -> Indices:
        """The column of each cell."""
        return self.row + self.offset

    @property
    def near(self) -> Flags:
        """The cells that are compared with the diagonal itself."""
        return self.offset <= self.triangles.steps

    def costs(self) -> tuple[Floats, float]:
        """What each extra costs, with all that follows from it, and what no extras at all cost."""
        chained = chained_costs(
            self.triangles.costs[self.number], self.triangles.steps, self.triangles.shrink
        )
        cells = chained[self.row, self.column]
        return cells, float(cells[self.near].sum())

    def most(self) -> Floats:
        """No cell exceeds the diagonal."""
        return np.where(self.near, 1 / self.triangles.shrink - 1, 1 / self.triangles.shrink)

    def recursion(self) -> ProgramRows:
        """U_j = α·U_{j−Δ} + the least of the Δ cells nearest the diagonal + the extras."""
        steps = self.triangles.steps
        columns = np.arange(1, self.triangles.size)
        later = columns[columns > steps]
        extras = np.arange(self.variables.start, self.variables.stop)
        return rows_of(
            f"recursion {self.number}",
            [
                (columns - 1, self.sums[columns], 1.0),
                (later - 1, self.sums[later - steps], -self.triangles.shrink),
                (self.column - 1, extras, -1.0),
            ],
            equal=np.minimum(columns, steps).astype(np.float64),
        )

    def rises(self) -> ProgramRows:
        """U_j ≤ U_{j−1} + the diagonal."""
        columns = np.arange(1, self.triangles.size)
        return rows_of(
            f"rises {self.number}",
            [
                (columns - 1, self.sums[columns], 1.0),
                (columns[1:] - 1, self.sums[columns[1:] - 1], -1.0),
            ],
            at_most=np.full(len(columns), 1 / self.triangles.shrink),
        )

    def caps(self) -> ProgramRows:
        """Cells that are not near the diagonal do not exceed it either."""
        cells = np.flatnonzero(~self.near)
        return rows_of(
            f"caps {self.number}",
            self._terms(np.arange(len(cells)), cells, 1.0),
            at_most=1 / self.triangles.shrink - self._least(self.offset[cells]),
        )

    def falling(self, cells: Indices) -> ProgramRows:
        """Each of these cells, none of them beside the diagonal, is at most the one before (13)."""
        rows = np.arange(len(cells))
        offset = self.offset[cells]
        return rows_of(
            f"falling {self.number}",
            [*self._terms(rows, cells, 1.0), *self._terms(rows, cells - 1, -1.0)],
            at_most=self._least(offset - 1) - self._least(offset),
        )

    def rising_cells(self, x: Floats, tolerance: float) -> Indices:
        """The cells that exceed the one before them in a row."""
        weights = x[self.variables].copy()
        for stretch in range(1 + int(self.offset.max(initial=1) - 1) // self.triangles.steps):
            cells = np.flatnonzero((self.offset - 1) // self.triangles.steps == stretch)
            before = self.triangles.shrink * weights[cells - self.triangles.steps]
            weights[cells] += before if stretch else 1.0
        rising = np.zeros(len(weights), dtype=bool)
        rising[1:] = (self.offset[1:] > 1) & (weights[1:] > weights[:-1] + tolerance)
        return np.flatnonzero(rising)

    def around(self, cells: Indices) -> Indices:
        """These cells and those near them: in rows above and below, and a little to either side."""
        rows, sides = np.arange(-_AROUND, _AROUND + 1), np.arange(-_BESIDE, _BESIDE + 1)
        row = self.row[cells][:, None, None] + rows[:, None]
        offset = self.column[cells][:, None, None] - row + sides
        row, offset = np.broadcast_arrays(row, offset)
        inside = (row >= 0) & (row < len(self.reach)) & (offset > 1)
        row, offset = row[inside], offset[inside]
        within = offset <= self.reach[row]
        starts = np.cumsum(self.reach) - self.reach
        return np.unique(starts[row[within]] + offset[within] - 1)

    def _least(self, offset: Indices) -> Floats:
        """What cells have without any extras."""
        return self.triangles.shrink ** ((offset - 1) // self.triangles.steps).astype(np.float64)

    def _terms(self, rows: Indices, cells: Indices, sign: float) -> list[Entries]:
        """A cell's weight as a sum of extras: its own, and those Δ, 2Δ… nearer the diagonal."""
        steps, terms, value = self.triangles.steps, [], sign
        while len(cells):
            terms.append((rows, self.variables.start + cells, value))
            further = self.offset[cells] > steps
            rows, cells, value = (
                rows[further],
                cells[further] - steps,
                value * self.triangles.shrink,
            )
        return terms


def band_program(triangles: Triangles, sides: list[Extras]) -> tuple[Program, float]:
    """All but the falling of rows, and what no extras at all cost.

    The first variable is what escapes the diagonal, to be paid for by its cost.

    >>> ones = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    >>> triangles = Triangles((2 * ones,), 1, 0.5)
    >>> extras = Extras.of(triangles, 0, np.array([1, 1, 2, 1]))
    >>> band_program(triangles, [extras])[0].shape
    (12, 10)
    """
    priced = [side.costs() for side in sides]
    none = np.zeros(triangles.size - 1)
    wide = np.full(triangles.size - 1, triangles.size / triangles.shrink)
    cost = np.concatenate([[0.0], *(part for cells, _ in priced for part in (none, cells))])
    most = np.concatenate([wide[:1], *(part for side in sides for part in (wide, side.most()))])
    blocks = [_column_sums(triangles, sides)]
    for side in sides:
        blocks += [side.recursion(), side.rises(), side.caps()]
    program = Program.of(cost, np.zeros(len(cost)), most, blocks)
    return program, sum(least for _, least in priced)


def _column_sums(triangles: Triangles, sides: list[Extras]) -> ProgramRows:
    """(9): what is above the diagonal and what is below it is what escapes the diagonal."""
    last = triangles.size - 1
    columns = np.arange(last // 2 + 1 if triangles.mirrored else last + 1)
    above, below = columns[columns > 0], columns[columns < last]
    return rows_of(
        "sums",
        [
            (columns, np.zeros(len(columns), dtype=np.int64), -1.0),
            (above, sides[0].sums[above], 1.0),
            (below, sides[-1].sums[last - below], 1.0),
        ],
        equal=np.zeros(len(columns)),
    )


def rows_of(
    name: str,
    entries: list[Entries],
    *,
    equal: Floats | None = None,
    at_most: Floats | None = None,
) -> ProgramRows:
    """Rows from entries (rows, variables, value) in any order; values of one place add up."""
    upper = equal if equal is not None else at_most
    assert upper is not None
    row = np.concatenate([np.zeros(0, dtype=np.int64), *(entry[0] for entry in entries)])
    variable = np.concatenate([np.zeros(0, dtype=np.int64), *(entry[1] for entry in entries)])
    value = np.concatenate([np.zeros(0), *(np.full(len(rows), v) for rows, _, v in entries)])
    width = int(variable.max(initial=0)) + 1
    place, of = np.unique(row * width + variable, return_inverse=True)
    added = np.bincount(of, value, minlength=len(place)).astype(np.float64)
    lower = upper if equal is not None else np.full(len(upper), -NO_BOUND)
    return ProgramRows(
        name=name, row=place // width, column=place % width, value=added, lower=lower, upper=upper
    )
