"""The optimal values of LP[1] to LP[5], each with a proven bound; LP[1] with its mechanism."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.certifier import certify
from discreet.designer.entry import Attempt, Design
from discreet.designer.plain.method import MOST_ENTRIES, MOST_EPSILON
from discreet.designer.plain.repairs import repaired
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Floats, Program
from discreet.designer.programs.solver import SolverMethod, solve
from discreet.designer.request import (
    Progress,
    may_end,
    out_of_time,
    relative_gap,
    value_above,
)
from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.layered import layer_cost_bounds
from discreet.graphs.orbits import Cells, alike_cells
from discreet.graphs.programs import (
    program_1,
    program_5,
    program_of_row,
    request_of,
    row_classes,
)
from discreet.model import Mechanism

_GOOD_ENOUGH = 2e-9
_GOOD_ENOUGH_IN_THE_END = 1e-7
_ATTEMPTS: tuple[tuple[SolverMethod, bool], ...] = (
    ("simplex", True),
    ("ipm", False),
    ("ipm", True),
)
"""The simplex method finds the best points, the interior-point method the best bounds."""
_SIMPLEX_UP_TO = 60_000
_ROUNDING = 2.0**-40
"""More than floats can lose in the few sums made of bounds here."""


@dataclass(frozen=True)
class Optimum:
    """What a program is worth: a point of it costs `value`, none costs less than `lower_bound`."""

    value: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a share of the value."""
        return relative_gap(self.value, self.lower_bound)


def optimum_1(
    graph: DatabaseGraph,
    epsilon: EpsilonLike,
    cells: Cells | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Design:
    """LP[1] as a program: the best private mechanism, certified, with a proven bound.

    Alike cells share a variable (docs/proofs/lp-bounds.md); the integers are those of the whole
    matrix. When time is up it is the best that was found by then.

    >>> from discreet.graphs.families import path
    >>> best = optimum_1(path(12), "0.5")
    >>> round(best.value, 6), best.gap < 1e-9, best.certified.guarantee.epsilon
    (1.458085, True, Epsilon('0.5'))
    """
    started = time.perf_counter()
    _check_epsilon(epsilon)
    kinds = alike_cells(graph) if cells is None else cells
    _check_size(graph, 4 * (int(kinds.max()) + 1))
    program = program_1(graph, epsilon, kinds)
    _check_size(graph, len(program.values))
    request = replace(request_of(graph, epsilon), progress=progress)
    best: tuple[float, Mechanism] | None = None
    bound, tried = -math.inf, []
    request.report(Progress("LP[1]", f"a program of {len(program.row_lower):,} rows"))
    for method, crossover in _attempts(program):
        try:
            solution = solve(program, method, crossover=crossover)
            mechanism = repaired(request, solution.x[kinds])
        except (DesignError, KeyboardInterrupt) as problem:
            tried.append(Attempt(method, str(problem)))
            if may_end(problem):
                break
            if isinstance(problem, KeyboardInterrupt):
                raise
            continue
        bound = max(bound, lower_bound(program, solution.duals))
        value = value_above(request, mechanism)
        tried.append(Attempt(method, f"gap {relative_gap(value, bound):.1e}"))
        if best is None or value < best[0]:
            best = value, mechanism
        request.report(Progress("LP[1]", f"by {method}", best[0], bound))
        enough = _GOOD_ENOUGH if len(tried) < 2 else _GOOD_ENOUGH_IN_THE_END
        if relative_gap(best[0], bound) <= enough or out_of_time():
            break
    if best is None:
        raise DesignError(f"LP[1] of {graph.name} was not solved: {tried[-1].outcome}")
    value, mechanism = best
    certified = certify(mechanism, epsilon)
    seconds = time.perf_counter() - started
    return Design(
        request=request,
        certified=certified,
        value=value,
        lower_bound=bound,
        method="LP[1]",
        tried=tuple(tried),
        seconds=seconds,
        expected_absolute_error=None,
    )


def optimum_2(graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None) -> Optimum:
    """LP[2]: the least of all LP(y), and never more than LP[1] (docs/proofs/lp-bounds.md)."""
    rows = [optimum for optimum, _ in _rows(graph, epsilon, cells)]
    return Optimum(min(row.value for row in rows), min(row.lower_bound for row in rows))


def optimum_3(graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None) -> Optimum:
    """LP[3]: the mean of all LP(y) (docs/proofs/lp-bounds.md)."""
    return _mean(_rows(graph, epsilon, cells))


def optima_2_and_3(
    graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None
) -> tuple[Optimum, Optimum]:
    """LP[2] and LP[3] in one go: they are the least and the mean of the same programs LP(y)."""
    rows = _rows(graph, epsilon, cells)
    least = Optimum(min(r.value for r, _ in rows), min(r.lower_bound for r, _ in rows))
    return least, _mean(rows)


def mean_optima_4_and_5(
    graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None
) -> tuple[Optimum, Optimum]:
    """LP[4] and LP[5], each as the mean over all start nodes: LP[5] ≤ LP[3] and LP[5] ≤ LP[4]."""
    fourth, fifth = [], []
    for model, many in _models(graph, epsilon, cells):
        fourth.append((optimum_4(graph.layer_sizes(model), epsilon), many))
        fifth.append((optimum_5(graph, model, epsilon), many))
    return _mean(fourth), _mean(fifth)


def optimum_of_row(
    graph: DatabaseGraph, output: int, epsilon: EpsilonLike, cells: Cells | None = None
) -> Optimum:
    """LP(y): the least mean distance from y of a row that keeps all ratios (002 Lemma 3)."""
    program = program_of_row(graph, output, epsilon, cells)
    row = np.arange(graph.size) if cells is None else row_classes(cells, output)
    apart = graph.distances

    def feasible(point: Floats) -> Floats:
        """Raised to what the ratios ask of all pairs, then scaled: exactly in the cone."""
        raised = (point[row] * np.exp(-float(Epsilon.of(epsilon)) * apart)).max(axis=1)
        return np.asarray(raised / raised.sum())

    return _bracketed(program, lambda point: float(feasible(point) @ apart[output]))


def optimum_4(layer_sizes: tuple[int, ...], epsilon: EpsilonLike) -> Optimum:
    """LP[4], in closed form (002 Lemma 4)."""
    low, high = layer_cost_bounds(layer_sizes, epsilon)
    return Optimum(_rounded(high, up=True), _rounded(low, up=False))


def optimum_5(graph: DatabaseGraph, start: int, epsilon: EpsilonLike) -> Optimum:
    """LP[5]: the least mean distance from y when ratios count only along edges away from it."""
    program = program_5(graph, start, epsilon)
    away = graph.distances[start]
    outward = graph.directed[away[graph.directed[:, 1]] == away[graph.directed[:, 0]] + 1]
    outward = outward[np.argsort(away[outward[:, 0]], kind="stable")]
    shrink = math.exp(-float(Epsilon.of(epsilon)))

    def cost(point: Floats) -> float:
        raised = np.maximum(point, 0.0)
        for distance in range(graph.diameter):
            layer = outward[away[outward[:, 0]] == distance]
            np.maximum.at(raised, layer[:, 1], shrink * raised[layer[:, 0]])
        return float(raised @ away / raised.sum())

    return _bracketed(program, cost)


def _rows(
    graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None
) -> list[tuple[Optimum, int]]:
    """LP(y) for one y of each class of alike nodes, with how many there are."""
    kinds = alike_cells(graph) if cells is None else cells
    return [
        (optimum_of_row(graph, model, epsilon, kinds), many)
        for model, many in _models(graph, epsilon, kinds)
    ]


def _models(
    graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None
) -> list[tuple[int, int]]:
    """One node of each class of alike nodes, with how many there are."""
    _check_epsilon(epsilon)
    kinds = alike_cells(graph) if cells is None else cells
    _, models, times = np.unique(np.diagonal(kinds), return_index=True, return_counts=True)
    return list(zip(models.tolist(), times.tolist(), strict=True))


def _mean(rows: list[tuple[Optimum, int]]) -> Optimum:
    nodes = sum(many for _, many in rows)
    value = math.fsum(row.value * many for row, many in rows) / nodes
    bound = math.fsum(row.lower_bound * many for row, many in rows) / nodes
    return Optimum(value * (1 + _ROUNDING), bound - abs(bound) * _ROUNDING)


def _bracketed(program: Program, cost_of: Callable[[Floats], float]) -> Optimum:
    """The best point and the best bound of all attempts; one that fails takes nothing away."""
    value, bound, problem = math.inf, -math.inf, None
    for method, crossover in _ATTEMPTS:
        try:
            solution = solve(program, method, crossover=crossover)
        except DesignError as failed:
            problem = failed
            continue
        value = min(value, cost_of(solution.x) * (1 + _ROUNDING))
        bound = max(bound, lower_bound(program, solution.duals))
        if relative_gap(value, bound) <= _GOOD_ENOUGH:
            break
    if math.isinf(value) and problem is not None:
        raise problem
    return Optimum(value, bound)


def _attempts(program: Program) -> tuple[tuple[SolverMethod, bool], ...]:
    small = len(program.values) <= _SIMPLEX_UP_TO
    return _ATTEMPTS if small else _ATTEMPTS[1:]


def _check_epsilon(epsilon: EpsilonLike) -> None:
    if Epsilon.of(epsilon).value > MOST_EPSILON:
        raise DesignError(
            f"ε = {Epsilon.of(epsilon)} is too large for the programs; use at most {MOST_EPSILON}, "
            f"beyond which the output is almost always the truth"
        )


def _check_size(graph: DatabaseGraph, entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise DesignError(
            f"LP[1] of {graph.name} has {entries:,} entries or more; the limit is "
            f"{MOST_ENTRIES:,}; use a smaller graph"
        )


def _rounded(number: Fraction, *, up: bool) -> float:
    nearest = float(number)
    if up:
        return nearest if nearest >= number else math.nextafter(nearest, math.inf)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)
