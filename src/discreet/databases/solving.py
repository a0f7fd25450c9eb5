"""The program by database: few ratios at first, more where they are broken, until the gap is shut.

Claims and proofs: docs/proofs/by-database.md.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.databases.ratios import Ratios, broken_ratios, leading_home
from discreet.databases.rounding import rounded
from discreet.databases.task import Task
from discreet.design.dual_bound import lower_bound
from discreet.design.program import Floats, Program, Rows
from discreet.design.programs import ratio_above
from discreet.design.request import Finding, Progress, relative_gap
from discreet.design.solver import SolverMethod, solve
from discreet.design.value import constant_output, value_above
from discreet.errors import DesignError
from discreet.model import Mechanism

_BROKEN = 1e-9
_MOST_ROUNDS = 12
_REPAIRABLE = 1e-4
GOOD_ENOUGH = 1e-8
"""The relative gap at which nobody looks further."""


@dataclass(frozen=True)
class Found:
    """A matrix, still to be certified, with its bound, and how it was come by."""

    finding: Finding
    rounds: int
    ratios: int

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a share of the value."""
        assert self.finding.value is not None
        return relative_gap(self.finding.value, self.finding.lower_bound)


def relaxed_program(task: Task, ratios: Ratios) -> Program:
    """LP[1] of 002 with the statistic's loss, and of its ratios only these; e^ε rounded up."""
    rows, columns = task.shape
    cells = np.arange(rows * columns).reshape(rows, columns)
    blocks = [Rows.equal("sums", cells.T, np.ones(rows), 1.0)]
    ends = np.stack(
        [ratios.output * columns + ratios.larger, ratios.output * columns + ratios.smaller], axis=1
    )
    blocks.append(Rows.at_most("ratios", ends, np.array([1.0, -ratio_above(task.request)])))
    if not task.request.goal.worst_case:
        cost = (task.loss * task.weights).ravel()
        return Program.of(cost, np.zeros(len(cost)), np.ones(len(cost)), blocks)
    worst = rows * columns
    with_worst = np.concatenate([cells.T, np.full((columns, 1), worst)], axis=1)
    values = np.concatenate([task.loss.T, np.full((columns, 1), -1.0)], axis=1)
    blocks.append(Rows.at_most("worst-case", with_worst, values))
    cost, upper = np.zeros(worst + 1), np.ones(worst + 1)
    cost[-1], upper[-1] = 1.0, float(task.loss.max())
    return Program.of(cost, np.zeros(worst + 1), upper, blocks)


def solved(task: Task, enough: float = GOOD_ENOUGH) -> Found:
    """Solve with the ratios that lead home, add the broken ones, and repair what is left."""
    rows, columns = task.shape
    chosen = [leading_home(task.databases, i, task.home(i)) for i in range(rows)]
    ratio = math.exp(float(task.request.epsilon))
    best: tuple[float, Mechanism] | None = None
    bound = 0.0
    ways: list[tuple[SolverMethod, bool]] = [("ipm", False), ("ipm", True), ("simplex", True)]
    for turn in range(_MOST_ROUNDS):
        ratios = Ratios.joined([Ratios.none(), *chosen])
        program = relaxed_program(task, ratios)
        solution = solve(program, ways[0][0], crossover=ways[0][1])
        bound = max(bound, lower_bound(program, solution.duals))
        matrix = solution.x[: rows * columns].reshape(rows, columns)
        broken = list(broken_ratios(task.databases, matrix, ratio, _BROKEN))
        if all(excess <= _REPAIRABLE for _, excess in broken):
            mechanism = repaired(task, matrix)
            value = value_above(task.request, mechanism)
            if best is None or value < best[0]:
                best = value, mechanism
        value = math.inf if best is None else best[0]
        task.request.report(Progress("by database", f"round {turn + 1}", value, bound))
        if best is not None and relative_gap(best[0], bound) <= enough:
            break
        if not broken:
            ways.pop(0)
            if not ways:
                break
        chosen += [found for found, _ in broken]
    if best is None:
        raise DesignError(
            f"no private matrix was found for {columns:,} histograms; use fewer values"
        )
    return Found(Finding(best[1], bound, best[0]), turn + 1, len(ratios))


def repaired(task: Task, matrix: Floats) -> Mechanism:
    """Private integers near a matrix."""
    ratio = float(task.request.epsilon.ratio_below)
    exact = task.request.epsilon.ratio_below
    below = ratio if ratio <= exact else math.nextafter(ratio, 0.0)
    weights = rounded(task.databases, matrix, below, constant_output(task.request))
    request = task.request
    return Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights,
        name=f"{task.statistic.name} by database",
    )  # fmt: skip
