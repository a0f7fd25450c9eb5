"""Very long lines: far from the ends every ray has one length and one weight.

The cost of the best mechanism on f answers is c·f − K: c belongs to the best endless line, K to the
two ends. Two small programs on a zone at one end say what the ends are worth: one lets rays be
weighed freely in the zone and evenly beyond, the other prices answers freely in the zone and at c
beyond. What lies between the two does not grow with f. Proof: docs/proofs/turnpike.md.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.rays.bound import bound_at
from discreet.designer.rays.goal import Distances, Line
from discreet.designer.rays.method import (
    LEAST_EPSILON,
    MOST_DISTANCES,
    by_distance,
    finding_of,
    on_a_line,
)
from discreet.designer.rays.pool import RayOptimum, Rays, usual_length
from discreet.designer.rays.program import Columns, LocalBasis
from discreet.designer.request import Finding, Method, Progress, Request

_ZONES = 8
"""A line must be this many times as long as a zone."""


def why_not(request: Request) -> str | None:
    """Why a turnpike does not suit a request; None when it does."""
    if not request.is_plain:
        return "only for pure ε and one prior, without requirements"
    if request.steps is None or not by_distance(request):
        return "not the absolute or squared loss of evenly spaced answers under a uniform prior"
    if float(request.epsilon) < LEAST_EPSILON:
        return f"ε is below {LEAST_EPSILON}"
    if len(request.answers) <= MOST_DISTANCES:
        return f"{MOST_DISTANCES:,} answers or fewer"
    if len(request.answers) < _ZONES * _zone(request.steps, float(request.epsilon)):
        return "the line is too short for this ε"
    return None


def run(request: Request) -> Finding:
    """Weigh and price one end of the line, and put even weights and prices between the ends."""
    seen = on_a_line(request)
    goal = seen.goal
    assert isinstance(goal, Distances)
    usual = Usual.of(goal)
    zone = _zone(goal.line.steps, float(request.epsilon))
    optimum = _found(goal, usual, zone)
    request.report(Progress("turnpike", "weighed", optimum.value * seen.unit))
    bound = bound_at(goal, _prices(goal, usual, zone))
    request.report(Progress("turnpike", "proved", optimum.value * seen.unit, bound * seen.unit))
    return finding_of(request, seen, replace(optimum, bound=bound))


TURNPIKE = Method(
    name="turnpike",
    title="Even rays between two ends that are weighed by small programs",
    citation="003 §3.4, Variant 1; docs/proofs/turnpike.md",
    why_not=why_not,
    run=run,
)


@dataclass(frozen=True, eq=False)
class Usual:
    """The best ray of the endless line: its length, its weight and what an answer costs there."""

    length: int
    weight: float
    price: float

    @classmethod
    def of(cls, goal: Distances) -> "Usual":
        """The length that costs least for its mass."""
        line = goal.line
        length = usual_length(line, goal.power)
        wide = Line(2 * _reach(line) + length, line.steps, line.alpha)
        first = np.array([_reach(line)])
        cost = Distances(wide, goal.power).interval_costs(first, first + length - 1)[0]
        mass = wide.inside(np.ones(wide.size), first, first + length - 1)
        return cls(length, float(1 / mass[0]), float(cost[0] / mass[0]))


def _reach(line: Line) -> int:
    """How far from its interval a ray is worth anything: until it has fallen to e^−50."""
    return line.steps * math.ceil(50 / -math.log(line.alpha))


def _zone(steps: int, epsilon: float) -> int:
    return steps * max(24, math.ceil(16 / epsilon))


def _intervals(line: Line, beyond: int) -> tuple[Indices, Indices]:
    """Intervals of at most 2Δ answers that begin before some answer."""
    lengths = np.arange(1, 2 * line.steps + 1)
    first = np.tile(np.arange(beyond), len(lengths))
    return first, first + np.repeat(lengths, beyond) - 1


def _found(goal: Distances, usual: Usual, zone: int) -> RayOptimum:
    """Rays weighed freely at the ends, and evenly from `zone` on."""
    steps, size = goal.line.steps, goal.line.size
    rows = zone + usual.length + steps - 1
    line = Line(rows + _reach(goal.line), steps, goal.line.alpha)
    basis = LocalBasis(line, symmetric=False, differenced=False)
    first, last = _intervals(line, rows)
    inside = last + steps <= rows
    first, last = first[inside], last[inside]
    even = np.arange(zone, rows + steps)
    of_even = basis.interval_columns(even, even + usual.length - 1)
    side = basis.right_side[:rows].copy()
    near = of_even.rows < rows
    np.subtract.at(side, of_even.rows[near], usual.weight * of_even.values[near])
    cost, _ = Distances(line, goal.power).interval_costs(first, last)
    weights, _ = _solved(basis.interval_columns(first, last), cost, side)
    used = np.flatnonzero(weights > 0)
    used = used[np.argsort(first[used], kind="stable")]
    even = np.arange(zone, size - usual.length - zone + 1)
    end = size - 1
    every_first = np.concatenate([first[used], even, end - last[used][::-1]])
    every_last = np.concatenate([last[used], even + usual.length - 1, end - first[used][::-1]])
    every_weight = np.concatenate(
        [weights[used], np.full(len(even), usual.weight), weights[used][::-1]]
    )
    every_cost, every_output = goal.interval_costs(every_first, every_last)
    nothing = np.zeros(0, dtype=np.int64)
    return RayOptimum(
        first=every_first,
        last=every_last,
        weight=every_weight,
        output=every_output,
        cost=every_cost,
        others=Rays(np.zeros((0, 0), dtype=np.int64), np.zeros(0), nothing),
        value=float(every_weight @ every_cost),
        bound=-math.inf,
        prices=np.zeros(0),
        one_sided=False,
    )


def _prices(goal: Distances, usual: Usual, zone: int) -> Floats:
    """Answers priced freely at the ends, and at the endless line's price from `zone` on."""
    steps, alpha = goal.line.steps, goal.line.alpha
    reach = _reach(goal.line)
    line = Line(zone + 2 * reach, steps, alpha)
    first, last = _intervals(line, zone + steps * min(60, math.ceil(12 / -math.log(alpha))))
    cost, _ = Distances(line, goal.power).interval_costs(first, last)
    beyond = np.concatenate([np.zeros(zone), np.full(line.size - zone, usual.price)])
    places = np.arange(zone)
    away = np.maximum(first[:, None] - places, places - last[:, None])
    levels = -(-np.maximum(away, 0) // steps)
    height: Floats = alpha ** levels.min(axis=1).astype(float)
    basis = LocalBasis(Line(zone, steps, alpha), symmetric=False, differenced=False)
    left = (cost - line.inside(beyond, first, last)) / height
    _, duals = _solved(basis.ray_columns(levels), left, basis.right_side)
    end = basis.prices(duals)
    even = np.full(goal.line.size - 2 * zone, usual.price)
    return np.concatenate([end, even, end[::-1]])


def _solved(columns: Columns, cost: Floats, side: Floats) -> tuple[Floats, Floats]:
    """Weights at least cost whose columns add up to a side, and the multipliers of the rows."""
    column = np.repeat(np.arange(len(cost)), np.diff(columns.starts))
    order = np.argsort(columns.rows, kind="stable")
    rows = ProgramRows(
        name="sums",
        row=columns.rows[order],
        column=column[order],
        value=columns.values[order],
        lower=side,
        upper=side,
    )
    program = Program.of(cost, np.zeros(len(cost)), np.full(len(cost), NO_BOUND), [rows])
    solution = solve(program, "simplex" if len(side) <= 2_500 else "ipm", presolve=False)
    return np.maximum(solution.x, 0.0), solution.duals
