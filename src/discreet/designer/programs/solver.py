"""Linear programs solved by HiGHS. What comes back is a proposal: nothing here is exact.

HiGHS calls a point optimal when it breaks no row by more than a tolerance; tails below that are
lost. Bounds are proved in `dual_bound`, privacy is proved in integers.
"""

import math
import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from discreet.designer.programs.program import Floats, Program, ProgramRows
from discreet.designer.request import seconds_left
from discreet.errors import DesignError

SolverMethod = Literal["choose", "simplex", "ipm"]

_TOLERANCE = 1e-10
_INTERIOR = "ipx"
"""By its name: to HiGHS `ipm` is a direct solver where the extra `solver` is installed, which takes
ten times as long on most of our programs (docs/decisions/0009)."""
_IPM_FROM_ENTRIES = 4_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A point, its cost, and the multipliers of the rows (positive where a lower side binds)."""

    status: str
    value: float
    x: Floats
    duals: Floats
    seconds: float
    method: str


def solve(
    program: Program,
    method: SolverMethod = "choose",
    *,
    crossover: bool = True,
    presolve: bool = True,
    tolerance: float | None = None,
) -> Solution:
    """The best point of a program, or DesignError when HiGHS finds none.

    A `tolerance` is for points that are repaired and judged anyway.

    >>> from discreet.designer.programs.program import ProgramRows
    >>> sum_to_one = ProgramRows.equal("sum", np.array([[0, 1]]), np.array([1.0, 1.0]), 1.0)
    >>> two = Program.of(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), [sum_to_one])
    >>> solve(two).value
    1.0
    """
    if method == "choose":
        method = "ipm" if len(program.values) >= _IPM_FROM_ENTRIES else "simplex"
    started = time.perf_counter()
    scale = _scale(program)
    highs = _loaded(program, scale)
    set_options(highs, solver=method, run_crossover="on" if crossover else "off")
    set_options(highs, presolve="on" if presolve else "off")
    if tolerance is not None:
        set_options(
            highs,
            primal_feasibility_tolerance=tolerance,
            dual_feasibility_tolerance=tolerance,
            ipm_optimality_tolerance=tolerance,
        )
    return _solved(highs, program, scale, started, method)


class Session:
    """A program that stays in the solver: changed a little, it is solved from where it was.

    >>> from discreet.designer.programs.program import ProgramRows
    >>> sum_to_one = ProgramRows.equal("sum", np.array([[0, 1]]), np.array([1.0, 1.0]), 1.0)
    >>> two = Session(Program.of(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), [sum_to_one]))
    >>> two.set_cost(0, 3.0)
    >>> two.solve().x.tolist()
    [0.0, 1.0]
    """

    def __init__(self, program: Program) -> None:
        self._program, self._scale = program, _scale(program)
        self._highs = _loaded(program, self._scale)
        set_options(self._highs, solver="simplex", presolve="off")

    def set_cost(self, variable: int, cost: float) -> None:
        """Let a variable cost something else."""
        self._highs.changeColCost(variable, cost * self._scale)

    def add_rows(self, rows: ProgramRows) -> None:
        """Ask for more."""
        starts = np.searchsorted(rows.row, np.arange(len(rows))).astype(np.int32)
        self._highs.addRows(
            len(rows),
            rows.lower,
            rows.upper,
            len(rows.value),
            starts,
            rows.column.astype(np.int32),
            rows.value,
        )

    def solve(self) -> Solution:
        """The best point now; `value` still goes by the costs that the program came with."""
        started = time.perf_counter()
        return _solved(self._highs, self._program, self._scale, started, "simplex")


def _scale(program: Program) -> float:
    """Costs are scaled to at most 1, which tolerances are meant for."""
    largest = float(np.abs(program.cost).max(initial=0.0))
    return 1.0 / largest if largest > 0 else 1.0


def _solved(
    highs: Any, program: Program, scale: float, started: float, method: SolverMethod
) -> Solution:
    run_highs(highs)
    status = highs.modelStatusToString(highs.getModelStatus())
    solution = highs.getSolution()
    x, duals = np.array(solution.col_value), np.array(solution.row_dual)
    if status not in ("Optimal", "Unknown") or len(x) != len(program.cost):
        raise DesignError(_complaint(status, program))
    spent = time.perf_counter() - started
    return Solution(
        status=status,
        value=float(program.cost @ x),
        x=x,
        duals=duals / scale,
        seconds=spent,
        method=method,
    )


def _loaded(program: Program, scale: float) -> Any:
    import highspy  # noqa: PLC0415 - a fifth of a second that closed forms need not wait for

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    rows, variables = program.shape
    highs.passModel(
        variables,
        rows,
        len(program.values),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        program.cost * scale,
        program.lower,
        program.upper,
        program.row_lower,
        program.row_upper,
        program.starts.astype(np.int32),
        program.columns.astype(np.int32),
        program.values,
        np.zeros(variables, dtype=np.int32),
    )
    set_options(
        highs,
        primal_feasibility_tolerance=_TOLERANCE,
        dual_feasibility_tolerance=_TOLERANCE,
        ipm_optimality_tolerance=1e-12,
        small_matrix_value=1e-12,
    )
    return highs


def set_options(highs: Any, **options: object) -> None:
    """Set HiGHS's options by their names; its "ipm" is what we call so, whatever is installed."""
    for name, value in options.items():
        is_interior = (name, value) == ("solver", "ipm")
        highs.setOptionValue(name, _INTERIOR if is_interior else value)


def limit_time(highs: Any) -> None:
    """Let the solver stop when patience ends; its own clock runs on from one solve to the next."""
    left = seconds_left()
    if math.isfinite(left):
        set_options(highs, time_limit=float(highs.getRunTime()) + max(left, 0.01))


def run_highs(highs: Any) -> None:
    """Solve in a thread, so that Ctrl-C is heard while the solver works, and stops it.

    The end is waited for at a plain lock: an interrupted `join` takes a running thread for a
    finished one, and an interrupted event may keep its own lock, so that no end is ever told.
    """
    limit_time(highs)
    stopped, at_work = False, threading.Lock()
    at_work.acquire()

    def stop(event: Any) -> None:
        if stopped:
            event.interrupt()

    def work() -> None:
        try:
            highs.run()
        finally:
            at_work.release()

    highs.cbSimplexInterrupt += stop
    highs.cbIpmInterrupt += stop
    threading.Thread(target=work, daemon=True).start()
    try:
        with at_work:
            pass
    except BaseException:
        stopped = True
        with at_work:
            pass
        raise


def _complaint(status: str, program: Program) -> str:
    rows, variables = program.shape
    size = f"the program of {rows:,} rows and {variables:,} variables"
    if "nfeasible" in status:
        return f"{size} has no solution: no mechanism meets all that is required; require less"
    return f"HiGHS did not solve {size} ({status.lower()}); use fewer answers or outputs"
