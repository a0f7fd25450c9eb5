"""The equations "all rays sum to 1 in every column" in a basis in which a ray touches few of them.

(Tx)_j = (1+α²)·x_j − α·x_{j−Δ} − α·x_{j+Δ}, or x_j − α·x_{j±Δ} where there is only one neighbour,
annihilates geometric tails. Where Δ is large, rows are also subtracted from one another, which
leaves a handful of entries whatever Δ is. A symmetric goal needs only half of the rows: each is
added to its mirror image. docs/proofs/local-basis.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.goal import Line

_NOTHING = 1e-13


@dataclass(frozen=True, eq=False)
class Columns:
    """Sparse columns: column k has the entries starts[k] … starts[k + 1]."""

    starts: Indices
    rows: Indices
    values: Floats


@dataclass(frozen=True, eq=False)
class LocalBasis:
    """T on a line; with symmetry folded in, and with rows subtracted from one another."""

    line: Line
    symmetric: bool
    differenced: bool

    @property
    def rows(self) -> int:
        """How many equations there are."""
        return (self.line.size + 1) // 2 if self.symmetric else self.line.size

    @cached_property
    def right_side(self) -> Floats:
        """What the weighted columns must sum to."""
        ones = np.zeros((1, self.line.size), dtype=np.int64)
        folded: Floats = self._folded(self._transformed(ones))[0]
        return folded

    def interval_columns(self, first: Indices, last: Indices) -> Columns:
        """The columns of rays that are flat on [first, last]."""
        if self.differenced:
            return self._at_breaks(first, last)
        reach, length = self.line.steps - 1, int((last - first).max(initial=0)) + 1
        places = first[:, None] + np.arange(-reach, length + reach)
        values = self._interval_values(places, first[:, None], last[:, None])
        rows = places
        if self.symmetric:
            mirror = self.line.size - 1 - places
            rows, values = np.minimum(places, mirror), values * (1 + (places == mirror))
        kept = np.flatnonzero(np.abs(values.ravel()) > _NOTHING)
        return _gathered(
            kept // places.shape[1], rows.ravel()[kept], values.ravel()[kept], len(first), self.rows
        )

    def ray_columns(self, levels: Indices) -> Columns:
        """The columns of any rays, given by their levels."""
        folded = self._folded(self._transformed(levels))
        column, row = np.nonzero(np.abs(folded) > _NOTHING)
        return _gathered(column, row, folded[column, row], len(levels), self.rows)

    def unit_columns(self) -> Columns:
        """The columns of single answers (with symmetry: of an answer and its mirror image)."""
        size, steps, alpha = self.line.size, self.line.steps, self.line.alpha
        place = np.arange(self.rows)
        column = np.concatenate([place, place, place])
        row = np.concatenate([place, place - steps, place + steps])
        beside = np.full(self.rows, -alpha)
        value = np.concatenate([self._diagonal[: self.rows], beside, beside]) / (1 - alpha)
        on_the_line = (row >= 0) & (row < size)
        column, row, value = column[on_the_line], row[on_the_line], value[on_the_line]
        if self.symmetric:
            mirror = size - 1 - row
            row, value = np.minimum(row, mirror), value * (1 + (row == mirror))
        if self.differenced:
            below = row + 1 < self.rows
            column = np.concatenate([column, column[below]])
            row, value = (
                np.concatenate([row, row[below] + 1]),
                np.concatenate([value, -value[below]]),
            )
        return _gathered(column, row, value, self.rows, self.rows)

    def prices(self, duals: Floats) -> Floats:
        """The prices of the answers that multipliers of these equations stand for."""
        if self.differenced:
            duals = duals - np.append(duals[1:], 0.0)
        size, steps, alpha = self.line.size, self.line.steps, self.line.alpha
        if self.symmetric:
            both = np.concatenate([duals, np.zeros(size - len(duals))])
            duals = both + both[::-1]
        prices = self._diagonal * duals
        if size > steps:
            prices[:-steps] -= alpha * duals[steps:]
            prices[steps:] -= alpha * duals[:-steps]
        return prices / (1 - alpha)

    @cached_property
    def _diagonal(self) -> Floats:
        return np.where(self._inner, 1 + self.line.alpha**2, 1.0)

    @cached_property
    def _inner(self) -> npt.NDArray[np.bool_]:
        """The answers with a neighbour Δ steps away on both sides."""
        places, steps = np.arange(self.line.size), self.line.steps
        return (places >= steps) & (places + steps < self.line.size)

    def _transformed(self, levels: Indices) -> Floats:
        """T x/(1 − α), exactly zero along geometric tails."""
        steps, alpha = self.line.steps, self.line.alpha
        heights: Floats = alpha ** (levels - levels.min(axis=1, keepdims=True)).astype(float)
        result = self._diagonal * heights
        if self.line.size > steps:
            result[:, :-steps] -= alpha * heights[:, steps:]
            result[:, steps:] -= alpha * heights[:, :-steps]
            rises = np.zeros((2, *levels.shape), dtype=np.int64)
            rises[0][:, :-steps] = levels[:, steps:] - levels[:, :-steps]
            rises[1][:, steps:] = levels[:, :-steps] - levels[:, steps:]
            tail = np.where(self._inner, rises.sum(axis=0) == 0, rises.min(axis=0) == -1)
            result[tail & (np.abs(rises).max(axis=0) == 1)] = 0.0
        transformed: Floats = result / (1 - alpha)
        return transformed

    def _folded(self, full: Floats) -> Floats:
        if self.symmetric:
            full = (full + full[:, ::-1])[:, : self.rows]
        if self.differenced:
            full = np.concatenate([full[:, :1], np.diff(full, axis=1)], axis=1)
        return full

    def _interval_values(self, places: Indices, first: Indices, last: Indices) -> Floats:
        """T x/(1 − α) of interval rays at some places; zero off the line and along the tails."""
        size, steps, alpha = self.line.size, self.line.steps, self.line.alpha
        falls: Floats = alpha ** np.arange(4.0)

        def height(at: Indices) -> Floats:
            away = np.maximum(np.maximum(first - at, at - last), 0)
            heights: Floats = falls[np.minimum(-(-away // steps), 3)]
            return heights

        has_left, has_right = places >= steps, places + steps < size
        values = np.where(has_left & has_right, 1 + alpha**2, 1.0) * height(places)
        values -= np.where(has_left, alpha * height(places - steps), 0.0)
        values -= np.where(has_right, alpha * height(places + steps), 0.0)
        near = (places > first - steps) & (places < last + steps)
        return np.where(near & (places >= 0) & (places < size), values / (1 - alpha), 0.0)

    def _at_breaks(self, first: Indices, last: Indices) -> Columns:
        """Differences of the rows of interval rays, which are not zero only where T x breaks."""
        size, steps = self.line.size, self.line.steps
        one = np.ones_like(first)
        breaks = np.stack(
            [
                0 * one,
                steps * one,
                (size - steps) * one,
                first,
                last + 1,
                first + steps,
                last + 1 - steps,
            ],
            axis=1,
        )
        if self.symmetric:
            breaks = np.concatenate([breaks, size - breaks], axis=1)
        breaks = np.where((breaks >= 0) & (breaks < self.rows), breaks, 0)
        breaks.sort(axis=1)
        again = np.zeros(breaks.shape, dtype=bool)
        again[:, 1:] = breaks[:, 1:] == breaks[:, :-1]
        a, b = first[:, None], last[:, None]

        def folded(at: Indices) -> Floats:
            values = self._interval_values(at, a, b)
            if not self.symmetric:
                return values
            return values + self._interval_values(size - 1 - at, a, b)

        values = folded(breaks) - np.where(breaks > 0, folded(breaks - 1), 0.0)
        column, place = np.nonzero(~again & (np.abs(values) > _NOTHING))
        starts = np.searchsorted(column, np.arange(len(first) + 1))
        return Columns(starts, breaks[column, place], values[column, place])


def _gathered(column: Indices, row: Indices, value: Floats, columns: int, rows: int) -> Columns:
    """Entries in any order, those of one place added up."""
    key = column * rows + row
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    heads = np.flatnonzero(np.concatenate([[True], np.diff(sorted_key) > 0])) if len(key) else key
    sums = np.add.reduceat(value[order], heads) if len(key) else value
    kept = np.abs(sums) > _NOTHING
    place = sorted_key[heads][kept]
    starts = np.searchsorted(place, np.arange(columns + 1) * rows)
    return Columns(starts, place % rows, sums[kept])
