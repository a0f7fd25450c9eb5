"""Columns generated: few outputs at first, then those whose rows could save something.

An output is a row of the matrix. For the multipliers of the columns' sums, the least that a row
can cost, among all that keep the ratios, bounds what leaving it out may lose; where that is nothing
for every row left out, no mechanism is better. Claim 4 of docs/proofs/by-database.md.
"""

import numpy as np

from discreet.databases.merging import (
    ENOUGH,
    ROUNDING,
    least_of_row,
    lifted,
    wanted_outputs,
)
from discreet.databases.problem import DatabaseProblem
from discreet.databases.solving import SolvedMatrix, solved
from discreet.designer.request import Progress, constant_output, may_end, relative_gap
from discreet.errors import DesignError
from discreet.model import Grid

_FIRST = 6
"""So many outputs to begin with, and fewer where more would hardly be nearer to the truth."""
_GAINS = 0.02


def found_by_outputs(problem: DatabaseProblem) -> tuple[SolvedMatrix, tuple[int, ...]]:
    """The best matrix over all outputs, from programs over those that were needed."""
    used = first_outputs(problem)
    every = np.arange(problem.shape[1])
    while True:
        solution = solved(_with_outputs(problem, used), fold=False)
        try:
            prices = _prices(problem, used, solution)
        except (DesignError, KeyboardInterrupt) as met:
            if not may_end(met):
                raise
            return lifted(problem, used, every, solution, 0.0), used
        bound = solution.lower_bound + sum(min(price, 0.0) for price in prices.values())
        bound -= ROUNDING * float(problem.loss.max())
        problem.request.report(
            Progress("by database", f"{len(used)} outputs", solution.value, max(bound, 0.0))
        )
        wanted = wanted_outputs(prices, solution.value)
        if relative_gap(solution.value, bound) <= 2 * ENOUGH or not wanted:
            return lifted(problem, used, every, solution, bound), used
        used = tuple(sorted({*used, *wanted}))


def first_outputs(problem: DatabaseProblem) -> tuple[int, ...]:
    """The best constant, and outputs one by one that bring tables nearest to their truth."""
    costs = problem.loss * problem.weights
    used = [constant_output(problem.request)]
    lost = costs[used[0]]
    while len(used) < min(_FIRST, len(costs)):
        totals = np.minimum(costs, lost).sum(axis=1)
        best = int(totals.argmin())
        if totals[best] >= (1 - _GAINS) * lost.sum():
            break
        used.append(best)
        lost = np.minimum(lost, costs[best])
    return tuple(sorted(used))


def _with_outputs(problem: DatabaseProblem, used: tuple[int, ...]) -> DatabaseProblem:
    request = problem.request
    return DatabaseProblem.of(
        problem.databases,
        Grid.between(1, len(used)),
        problem.loss[list(used)],
        problem.weights,
        request.epsilon,
        progress=request.progress,
    )


def _prices(
    problem: DatabaseProblem, used: tuple[int, ...], solution: SolvedMatrix
) -> dict[int, float]:
    """The least that the row of every output left out can cost beside the columns' multipliers."""
    sums = solution.multipliers[solution.program.blocks["sums"]]
    costs = problem.loss * problem.weights
    return {
        output: least_of_row(problem, problem.databases, costs[output] - sums)
        for output in range(problem.shape[0])
        if output not in used
    }
