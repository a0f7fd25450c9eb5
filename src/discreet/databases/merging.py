"""Values that the told outputs cannot tell apart are merged, and outputs nobody needs left out.

Exact where records are exchangeable within a block of values: every ordered table alike, or every
histogram alike. Claims and proofs: docs/proofs/merging-values.md.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from discreet.databases.goal import DATABASES, HISTOGRAMS
from discreet.databases.listing import Databases, Indices
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import Ratios, all_ratios, broken_ratios, leading_home
from discreet.databases.relaxation import SAME
from discreet.databases.solving import SolvedMatrix, solved
from discreet.databases.task import DatabaseTask
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Floats, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import ratio_above
from discreet.designer.request import constant_output, relative_gap, value_above
from discreet.model import Grid, Mechanism

ROUNDING = 1e-12
"""More than floats can put a group's weights and losses off, as a share of them."""
ENOUGH = 1e-8
_MOST_OF = 0.1
_FEW_PAIRS = 30_000
"""Row programs with so few ratios are written out whole: the simplex method likes them."""


@dataclass(frozen=True, eq=False)
class Merged:
    """Outputs that are told, blocks of values they cannot tell apart, and the group of a column."""

    outputs: tuple[int, ...]
    block_of: tuple[int, ...]
    databases: Databases
    group: Indices


def merges_exactly(task: DatabaseTask) -> bool:
    """Whether the prior treats records within a block of values alike."""
    return not task.goal.worst_case and task.goal.prior in (DATABASES, HISTOGRAMS)


def found_by_merging(task: DatabaseTask) -> tuple[SolvedMatrix, Merged] | None:
    """Start from the best constant, add the outputs whose price is negative, until none is.

    None where the outputs that are needed tell all values apart: nothing is gained then.
    """
    used: tuple[int, ...] = (constant_output(task.request),)
    while True:
        merged = merged_for(task.problem, used)
        if len(merged.databases.values) == len(task.databases.values):
            return None
        solution = solved(_problem_of_groups(task.problem, merged), fold=False)
        prices = _prices(task.problem, merged, solution)
        bound = solution.lower_bound + sum(min(price, 0.0) for price in prices.values())
        bound -= ROUNDING * float(task.problem.loss.max())
        wanted = wanted_outputs(prices, solution.value)
        if relative_gap(solution.value, bound) <= 2 * ENOUGH or not wanted:
            return lifted(task.problem, merged.outputs, merged.group, solution, bound), merged
        used = tuple(sorted({*used, *wanted}))


def merged_for(problem: DatabaseProblem, outputs: tuple[int, ...]) -> Merged:
    """The largest blocks of values such that moving a record within one changes no difference of
    the outputs' losses."""
    loss = problem.loss[list(outputs)]
    differences = loss - loss[0]
    values = len(problem.databases.values)
    block = list(range(values))
    for one, other in combinations(range(values), 2):
        before, after = problem.databases.moves(one, other)
        apart = np.abs(differences[:, before] - differences[:, after]).max(initial=0.0)
        if apart <= SAME * float(problem.loss.max()):
            block = [block[one] if here == block[other] else here for here in block]
    names = sorted(set(block))
    block_of = tuple(names.index(here) for here in block)
    whole = problem.databases
    smaller = Databases(Grid.between(1, len(names)), whole.smallest, whole.largest, whole.relation)
    inside = np.array(block_of)[:, None] == np.arange(len(names))
    return Merged(outputs, block_of, smaller, smaller.columns(whole.counts @ inside))


def _problem_of_groups(problem: DatabaseProblem, merged: Merged) -> DatabaseProblem:
    """The same problem with a column for each group: weights added, losses averaged."""
    weights = _added(problem.weights, merged)
    costs = np.stack(
        [_added(problem.weights * problem.loss[i], merged) / weights for i in merged.outputs]
    )
    return DatabaseProblem.of(
        merged.databases,
        Grid.between(1, len(costs)),
        costs,
        weights,
        problem.request.epsilon,
        progress=problem.request.progress,
    )


def _added(amounts: Floats, merged: Merged) -> Floats:
    return np.bincount(merged.group, amounts, minlength=len(merged.databases)).astype(np.float64)


def _prices(problem: DatabaseProblem, merged: Merged, solution: SolvedMatrix) -> dict[int, float]:
    """A bound on what every left-out output could save, given the multipliers of the sums."""
    sums = solution.multipliers[solution.program.blocks["sums"]]
    weights = _added(problem.weights, merged)
    first = merged.outputs[0]
    # What the first output costs in a group beyond the group's multiplier, per unit of weight.
    beyond = _added(problem.weights * problem.loss[first], merged) / weights - sums / weights
    prices = {}
    for output in range(problem.shape[0]):
        if output not in merged.outputs:
            rates = problem.loss[output] - problem.loss[first] + beyond[merged.group]
            finer = merged_for(problem, (*merged.outputs, output))
            costs = _added(problem.weights * rates, finer)
            prices[output] = least_of_row(problem, finer.databases, costs)
    return prices


def least_of_row(problem: DatabaseProblem, databases: Databases, costs: Floats) -> float:
    """A lower bound on ⟨costs, x⟩ over rows 0 ≤ x ≤ 1 that keep all ratios; 0 is a row."""
    if costs.min() >= 0:
        return 0.0
    ratio = ratio_above(problem.request)
    home = costs <= costs.min() * 0.5
    chosen = [leading_home(databases, 0, home)]
    best = -np.inf
    few = len(databases.pairs) <= _FEW_PAIRS
    for turn in range(6):
        ratios = all_ratios(databases, 1) if few or turn == 5 else Ratios.joined(chosen)
        program = _row_program(costs, ratios, ratio)
        solution = solve(program, "simplex" if few else "ipm", crossover=False)
        best = max(best, lower_bound(program, solution.duals, sums=None))
        broken = list(broken_ratios(databases, solution.x[None], ratio, 1e-9))
        if not broken or best >= -1e-12:
            break
        chosen += broken
    return float(best)


def _row_program(costs: Floats, ratios: Ratios, ratio: float) -> Program:
    ends = np.stack([ratios.larger, ratios.smaller], axis=1)
    rows = ProgramRows.at_most("ratios", ends, np.array([1.0, -ratio]))
    return Program.of(costs, np.zeros(len(costs)), np.ones(len(costs)), [rows])


def wanted_outputs(prices: dict[int, float], value: float) -> list[int]:
    """The outputs that may save most: those that save little are often not needed beside them."""
    least = min(prices.values(), default=0.0)
    worth = -ENOUGH * value / max(1, len(prices))
    return [i for i, price in prices.items() if price < worth and price <= least * _MOST_OF]


def lifted(
    problem: DatabaseProblem,
    outputs: tuple[int, ...],
    group: Indices,
    solution: SolvedMatrix,
    bound: float,
) -> SolvedMatrix:
    """Every column has what its group has; outputs that are not told have nothing."""
    request = problem.request
    weights = np.zeros(request.shape, dtype=np.int64)
    weights[list(outputs)] = solution.mechanism.weights[:, group]
    mechanism = Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights, name="by database"
    )
    value = value_above(request, mechanism)
    return replace(solution, mechanism=mechanism, value=value, lower_bound=max(bound, 0.0))
