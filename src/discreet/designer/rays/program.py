"""The program over rays: non-negative weights that add up to 1 in every column, at least cost.

Columns are added as they are found; HiGHS keeps its basis between solves.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.programs.solver import limit_time, run_highs, set_options
from discreet.designer.rays.local_basis import Columns, LocalBasis
from discreet.errors import DesignError

Way = Literal["dual", "primal", "interior"]

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

    def forbid(self, which: Indices) -> None:
        """Give no weight to some columns any more."""
        zeros = np.zeros(len(which))
        self._highs.changeColsBounds(len(which), which.astype(np.int32), zeros, zeros)

    def forget(self) -> None:
        """Let the next solve begin from nothing."""
        self._highs.clearSolver()

    def solve(self, way: Way, tolerance: float = 1e-10) -> Weighing:
        """The best weights: by simplex from the last basis, or by an interior point.

        Where the one way loses itself, the others are tried, each from nothing.
        """
        ways: tuple[Way, ...] = ("interior", "dual", "primal")
        for attempt in (way, *(other for other in ways if other != way), "primal"):
            weighing = self._attempted(attempt, tolerance)
            if weighing is not None:
                return weighing
            self.forget()
        status = self._highs.modelStatusToString(self._highs.getModelStatus())
        raise DesignError(f"HiGHS gave up on a program over {len(self._costs):,} rays ({status})")

    def _attempted(self, way: Way, tolerance: float) -> Weighing | None:
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
