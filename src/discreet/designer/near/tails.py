"""Requirements one by one on a line: cells near the diagonal, and tails tied to them.

Far from the diagonal a row falls as fast as privacy lets it: a cell is e^−ε times the one Δ answers
nearer. So a program has the cells within a reach of the diagonal as variables, and order is asked
for among them alone: tails then keep it by themselves. The multipliers of sums and order make
a table of costs, and dynamic programming over all rays of every row proves a bound for all
mechanisms (docs/proofs/near.md).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.designer.programs.program import Floats, Indices


@dataclass(frozen=True, eq=False)
class Band:
    """The cells of a square matrix within `reach` of the diagonal, row by row, as variables.

    A cell and its mirror image (the matrix turned half round) are one variable.
    """

    size: int
    steps: int
    reach: int
    shrink: float

    @cached_property
    def row(self) -> Indices:
        """The row of each cell."""
        return np.repeat(np.arange(self.size), self._width)

    @cached_property
    def column(self) -> Indices:
        """The column of each cell."""
        starts = np.cumsum(self._width) - self._width
        first = np.maximum(np.arange(self.size) - self.reach, 0)
        return np.arange(len(self.row)) - starts[self.row] + first[self.row]

    @cached_property
    def _width(self) -> Indices:
        places = np.arange(self.size)
        return (
            np.minimum(places + self.reach, self.size - 1) - np.maximum(places - self.reach, 0) + 1
        )

    @cached_property
    def _starts(self) -> Indices:
        return np.cumsum(self._width) - self._width

    def cell(self, row: Indices, column: Indices) -> Indices:
        """Which cell stands there; −1 for places out of reach or outside."""
        inside = (row >= 0) & (row < self.size) & (column >= 0) & (column < self.size)
        inside &= np.abs(row - column) <= self.reach
        safe = np.where(inside, row, 0)
        cells = self._starts[safe] + column - np.maximum(safe - self.reach, 0)
        return np.where(inside, cells, -1)

    @cached_property
    def variable(self) -> Indices:
        """The variable of each cell: half as many as cells."""
        last = self.size - 1
        mirror = self.cell(last - self.row, last - self.column)
        return np.unique(np.minimum(np.arange(len(self.row)), mirror), return_inverse=True)[1]

    @property
    def variables(self) -> int:
        """How many variables there are."""
        return int(self.variable.max()) + 1

    def tails(self, least: float) -> tuple[Indices, Indices, Floats]:
        """Each cell and what hangs on it, (cell, column, factor), down to a least factor.

        The last Δ cells of a row on either side, where the line goes on, have tails.
        """
        cells = np.arange(len(self.row))
        parts = [(cells, self.column, np.ones(len(cells)))]
        falls = min(math.ceil(math.log(least) / math.log(self.shrink)), self.size // self.steps)
        offset = self.column - self.row
        for side in (1, -1):
            ends = np.flatnonzero(side * offset > self.reach - self.steps)
            for fall in range(1, falls + 1):
                column = self.column[ends] + side * fall * self.steps
                on = np.flatnonzero((column >= 0) & (column < self.size))
                if not len(on):
                    break
                factor = np.full(len(on), self.shrink**fall)
                parts.append((ends[on], column[on], factor))
        cell, column, factor = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cell, column, factor

    def matrix(self, values: Floats) -> Floats:
        """The whole matrix of values of the variables, tails and all."""
        made = np.zeros((self.size, self.size))
        cell, column, factor = self.tails(1e-300)
        made[self.row[cell], column] = factor * values[self.variable[cell]]
        return made


@dataclass(frozen=True, eq=False)
class CellOrder:
    """Cells of a band of which the first may not exceed the second; a line for each."""

    smaller: Indices
    larger: Indices


def column_order_of(band: Band) -> CellOrder:
    """Down each column weights fall away from the diagonal."""
    beside = band.cell(band.row + np.where(band.row < band.column, 1, -1), band.column)
    kept = np.flatnonzero((band.row != band.column) & (beside >= 0))
    return CellOrder(kept, beside[kept])


def row_order_of(band: Band) -> CellOrder:
    """Along each row weights fall away from the diagonal."""
    beside = band.cell(band.row, band.column + np.where(band.column < band.row, 1, -1))
    kept = np.flatnonzero((band.row != band.column) & (beside >= 0))
    return CellOrder(kept, beside[kept])


def falling_ends(band: Band) -> CellOrder:
    """The last Δ cells of a row fall where the inner one has a tail: ratios hold between both."""
    offset = band.column - band.row
    towards = np.where(offset > 0, -1, 1)
    ends = np.abs(offset) > band.reach - band.steps + 1
    beyond = band.column + towards - towards * band.steps
    goes_on = (beyond >= 0) & (beyond < band.size)
    kept = np.flatnonzero(ends & goes_on)
    return CellOrder(kept, band.cell(band.row[kept], band.column[kept] + towards[kept]))
