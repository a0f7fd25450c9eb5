"""The program over rays: non-negative weights that add up to 1 in every column, at least cost.

Columns are added as they are found; HiGHS keeps its basis between solves.

The equations are written in a local basis, in which a ray touches few of them:
(Tx)_j = (1+α²)·x_j − α·x_{j−Δ} − α·x_{j+Δ}, or x_j − α·x_{j±Δ} where there is only one neighbour,
annihilates geometric tails. Where Δ is large, rows are also subtracted from one another, which
leaves a handful of entries whatever Δ is. A symmetric goal needs only half of the rows: each is
added to its mirror image. docs/proofs/local-basis.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.programs.solver import limit_time, run_highs, set_options
from discreet.designer.rays.goal import Line
from discreet.errors import DesignError

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


Way = Literal["dual", "primal", "interior"]

_DIRECT = {"hipo_system": "normaleq", "hipo_ordering": "rcm"}
"""For the extra `solver`, HiGHS's direct interior point: rays in their order make narrow bands."""
_QUICK_ROWS = 1_000
_MOST_MISSED = 1e-7


@dataclass(frozen=True, eq=False)
class Weighing:
    """Weights of all rays, prices of all answers, and what the weighted rays cost."""

    value: float
    weights: Floats
    prices: Floats


class RayProgram:
    """A program whose rows are the equations of a local basis and whose columns are rays.

    HiGHS sees costs multiplied by `scale`, which should make them neither small nor large.
    """

    def __init__(self, basis: LocalBasis, scale: float = 1.0) -> None:
        import highspy  # noqa: PLC0415 - a fifth of a second that closed forms need not wait for

        self._basis, self._scale = basis, scale
        self._costs: Floats = np.zeros(0)
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.silent()
        set_options(
            self._highs,
            presolve="off",
            threads=1,
            primal_feasibility_tolerance=1e-10,
            dual_feasibility_tolerance=1e-10,
            small_matrix_value=1e-13,
            **_DIRECT,
        )
        empty = np.zeros(0, dtype=np.int32)
        side = basis.right_side
        self._highs.addRows(
            len(side), side, side, 0, np.zeros(len(side), dtype=np.int32), empty, np.zeros(0)
        )

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self._costs)

    def add(self, columns: Columns, costs: Floats) -> int:
        """Add columns, with what each costs, and say where they begin."""
        count, begin = len(costs), len(self._costs)
        self._highs.addCols(
            count,
            costs * self._scale,
            np.zeros(count),
            np.full(count, np.inf),
            len(columns.values),
            columns.starts[:-1].astype(np.int32),
            columns.rows.astype(np.int32),
            columns.values,
        )
        self._costs = np.concatenate([self._costs, costs])
        return begin

    def change_costs(self, begin: int, costs: Floats) -> None:
        """Change what columns cost, from one of them on."""
        which = np.arange(begin, begin + len(costs), dtype=np.int32)
        self._highs.changeColsCost(len(costs), which, costs * self._scale)
        self._costs[which] = costs

    def forget(self) -> None:
        """Let the next solve begin from nothing."""
        self._highs.clearSolver()

    def solve(self, way: Way, tolerance: float = 1e-10) -> Weighing:
        """The best weights: by simplex from the last basis, or by an interior point.

        Where the one way loses itself, the others are tried, each from nothing.
        """
        ways: tuple[Way, ...] = ("interior", "dual", "primal")
        for attempt in (way, *(other for other in ways if other != way), "primal"):
            weighing = self.attempt(attempt, tolerance)
            if weighing is not None:
                return weighing
            self.forget()
        status = self._highs.modelStatusToString(self._highs.getModelStatus())
        raise DesignError(
            f"HiGHS did not solve a program over {len(self._costs):,} rays ({status})"
        )

    def attempt(self, way: Way, tolerance: float) -> Weighing | None:
        """The best weights by one way; None where it finds none."""
        set_options(
            self._highs,
            solver="ipm" if way == "interior" else "simplex",
            simplex_strategy=4 if way == "primal" else 1,
            run_crossover="off",
            ipm_optimality_tolerance=tolerance,
        )
        if self._basis.rows <= _QUICK_ROWS:
            limit_time(self._highs)
            self._highs.run()
        else:
            run_highs(self._highs)
        solution = self._highs.getSolution()
        weights, duals = np.array(solution.col_value), np.array(solution.row_dual)
        if len(weights) != len(self._costs) or not np.isfinite(duals).all():
            return None
        side = self._basis.right_side
        missed = np.abs(np.array(solution.row_value) - side).max()
        lowest = weights.min(initial=0.0)
        if not max(missed, -lowest) <= _MOST_MISSED * np.abs(side).max():
            return None
        weights = np.maximum(weights, 0.0)
        prices = self._basis.prices(duals / self._scale)
        return Weighing(float(self._costs @ weights), weights, prices)
