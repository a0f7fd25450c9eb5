"""Rays: the best mechanism for neighbours within Δ steps on a line, far faster than by the matrix.

Every row of a private matrix is a sum of rays; a program over rays has as many equations as there
are answers, and dynamic programming over all rays proves how good its solution is. Proofs:
docs/proofs/rays.md, docs/proofs/local-basis.md, docs/proofs/ray-integers.md.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.designer.plain.method import why_not as why_no_program
from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.bound import bound_and_rays
from discreet.designer.rays.box import with_a_box
from discreet.designer.rays.goal import Distances, GoalOnALine, Line, LossTable
from discreet.designer.rays.integers import RayWorth, WeightedRays, finding
from discreet.designer.rays.levels import integer_matrix
from discreet.designer.rays.pool import (
    MOST_ROUNDS,
    Pool,
    RayOptimum,
    Rays,
    Report,
    is_long_and_wide,
    with_intervals,
)
from discreet.designer.rays.program import Way, Weighing
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    out_of_time,
    stopped_gently,
)
from discreet.errors import DesignError
from discreet.model import Grid, LossName

TOLERANCE = 1e-10
"""The relative gap at which a search ends."""

LONG = 200
"""On lines longer than this interval rays are preferred: they need not be written out."""

MOST_INTERVALS = 45_000
"""With more interval rays than this, of neighbours many steps apart, prices are kept in a box."""

BOXED_STEPS = 12
"""With neighbours further apart there may be so many intervals that most are left out."""
_MANY = 12

_LONG_TOLERANCE = 1e-7
_BOX_TOLERANCE = 5e-8
_WIDE_TOLERANCE = 1e-8
_VAST = 300_000
"""Answers times steps beyond which each round of the search takes seconds."""
_VAST_TOLERANCE = 5e-7
_SMOOTH = 0.6
_STEEP = 0.4
"""Where e^−ε is more, an interior point's prices swing where only rays that are no intervals would
notice: the simplex method's are better ones to begin with."""
_TROUBLE = 1e-9


def best_rays(goal: GoalOnALine, report: Report, tolerance: float = TOLERANCE) -> RayOptimum:
    """The best weighted rays for a goal on a line, with a proven bound on all mechanisms."""
    line = goal.line
    if isinstance(goal, Distances) and _is_wide(line):
        most = _BOX_TOLERANCE if line.size * line.steps <= _VAST else _VAST_TOLERANCE
        return with_a_box(goal, report, max(tolerance, most), best_rays)
    if is_long_and_wide(goal):
        tolerance = max(tolerance, _WIDE_TOLERANCE)
    first = _searched(goal, report, tolerance, 1.0)
    usual = line.size
    if first.gap > tolerance and 0 < first.value < 0.1 * usual and not out_of_time():
        try:
            again = _searched(goal, report, tolerance, usual / first.value)
        except DesignError:
            return first
        return again if again.gap < first.gap else first
    return first


def _is_wide(line: Line) -> bool:
    return line.steps > BOXED_STEPS and line.size * line.steps > MOST_INTERVALS


def _searched(goal: GoalOnALine, report: Report, tolerance: float, scale: float) -> RayOptimum:
    pool = every = Pool(goal, scale)
    if is_long_and_wide(goal) and goal.line.alpha <= _STEEP:
        quick = with_intervals(pool, report, way="interior")
        bound = bound_and_rays(goal, quick.prices, tolerance * quick.value)[0]
        if quick.value - bound <= tolerance * quick.value:
            return pool.found(quick, bound, quick.prices)
        pool.program.forget()
    weighing = of_intervals = with_intervals(pool, report)
    bound, anchor = -np.inf, weighing.prices
    for turn in range(MOST_ROUNDS):
        added = 0
        for share in (0.0, _SMOOTH):
            prices = share * anchor + (1 - share) * weighing.prices
            small = tolerance * weighing.value
            reached, levels = bound_and_rays(goal, prices, small)
            if not turn and weighing.value - reached > small:
                pool = _with_few(every, prices, scale)
            raised = reached > bound
            if raised:
                bound, anchor = reached, prices
            if weighing.value - bound <= small:
                break
            added += pool.hold_levels(levels)
            if raised:
                break
        report(weighing.value, bound)
        settled = weighing.value - bound <= tolerance * weighing.value or out_of_time()
        if settled or not (added or pool.begin_anew()):
            break
        fresh = pool is not every and not turn
        better = _weighed_again(pool, weighing, bound, "dual" if fresh else "primal")
        if better is None and pool is every:
            break
        if better is None:  # what was left out was needed
            pool, better = every, of_intervals
        weighing = better
    loses = of_intervals.value - weighing.value
    if goal.line.size > LONG and loses <= _LONG_TOLERANCE * weighing.value:
        return every.found(of_intervals, bound, anchor)
    return pool.found(weighing, bound, anchor)


def _with_few(every: Pool, prices: Floats, scale: float) -> Pool:
    """A pool of the intervals nearest to being worth their price, where there are too many.

    The proof goes by all rays, so that one of the others comes back as soon as it is missed.
    """
    line = every.goal.line
    few = every.program.columns <= _MANY * line.size or line.size <= LONG
    if few or line.steps <= BOXED_STEPS or not isinstance(every.goal, Distances):
        return every
    pool = Pool(every.goal, scale)
    pool.hold_nearest(prices)
    return pool


def _weighed_again(pool: Pool, before: Weighing, bound: float, way: Way) -> Weighing | None:
    """The best weights with the rays that were added; None where the solver lost itself.

    More rays cannot cost more, and none cost less than the bound: a value elsewhere tells of a
    solver in trouble, which starts anew once.
    """
    for _ in range(2):
        try:
            weighing = pool.program.solve(way)
        except DesignError:
            return None
        except KeyboardInterrupt:
            if not stopped_gently():
                raise
            return None
        low, high = bound * (1 - _TROUBLE), before.value * (1 + _TROUBLE)
        if low <= weighing.value <= high:
            return weighing
        pool.program.forget()
    return None


LEAST_EPSILON = 1e-3
"""Below this the equations in the local basis are too near to one another for floats."""

MOST_TABLE = 2_000_000
"""Goals other than distances are written out, up to so many cells."""

MOST_DISTANCES = 300_000
MOST_ENTRIES = 60_000_000
"""Intervals times outputs that are priced before anything else: more takes too long."""

_WORST_GAP = 1e-5


@dataclass(frozen=True, eq=False)
class OnALine:
    """A request seen as a goal on a line: its unit of loss, and the output of the first answer."""

    goal: GoalOnALine
    unit: float
    shift: int


def why_not(request: Request) -> str | None:
    """Why rays do not suit a request; None when they do."""
    if not request.is_plain:
        return "only for pure ε and one prior, without requirements"
    if request.steps is None:
        return "the neighbours are not on a line"
    if float(request.epsilon) < LEAST_EPSILON:
        return f"ε is below {LEAST_EPSILON}"
    if by_distance(request):
        long = len(request.answers) > MOST_DISTANCES
        return f"more than {MOST_DISTANCES:,} answers" if long else None
    cells = request.shape[0] * request.shape[1]
    if cells > MOST_TABLE or 2 * cells * request.steps > MOST_ENTRIES:
        return "too many outputs, answers and steps for this loss, prior or these outputs"
    return None if _valleys(request) else "the losses do not fall and then rise along the answers"


def run(request: Request) -> Finding:
    """Weigh rays, prove the bound, and make integers of them."""
    seen = on_a_line(request)

    def report(value: float, bound: float) -> None:
        low = bound * seen.unit if math.isfinite(bound) else None
        request.report(Progress("rays", "weighing", value * seen.unit, low))

    best = best_rays(seen.goal, report)
    if out_of_time() and not _sums_to_one(best, seen.goal):
        raise DesignError("time ran out before the rays were weighed")
    if best.gap > _WORST_GAP and not out_of_time() and why_no_program(request) is None:
        raise DesignError(f"rays left a gap of {1 - best.bound / best.value:.1e}")
    return finding_of(request, seen, best)


RAYS = Method(
    name="rays",
    title="A program over rays, with dynamic programming for the proof",
    citation="003 §3.4, Variant 1; docs/proofs/rays.md",
    why_not=why_not,
    run=run,
)


def by_distance(request: Request) -> bool:
    """A uniform prior, the absolute or squared loss, and every answer an output."""
    loss = request.goal.loss
    named = loss.named in (LossName.ABSOLUTE, LossName.SQUARED)
    uniform = bool((request.prior == request.prior[0]).all())
    return (
        named and uniform and isinstance(request.answers, Grid) and request.first_output is not None
    )


def on_a_line(request: Request) -> OnALine:
    """The goal of a request on the line of its answers."""
    assert request.steps is not None
    line = Line(len(request.answers), request.steps, math.exp(-float(request.epsilon)))
    if by_distance(request):
        power = 1 if request.goal.loss.named == LossName.ABSOLUTE else 2
        assert isinstance(request.answers, Grid)
        shift = request.first_output
        assert shift is not None
        return OnALine(
            Distances(line, power), float(request.answers.step) ** power / line.size, shift
        )
    costs = request.loss * request.prior
    unit = float(costs.sum(axis=1).min()) / line.size
    unit = unit if unit > 0 else 1.0
    scaled = costs / unit
    turned = scaled[::-1, ::-1]
    symmetric = bool(np.abs(scaled - turned).max() <= 1e-14 * scaled.max())
    anchors = _middle_of_least(request.loss)
    return OnALine(LossTable(line, scaled, anchors, symmetric), unit, 0)


def finding_of(request: Request, seen: OnALine, best: RayOptimum) -> Finding:
    """Integers of weighted rays: kept as rays where they are intervals, else written out."""
    goal, line = seen.goal, seen.goal.line
    bound = max(0.0, best.bound * seen.unit * (1 - 2.0**-48))
    spare = (line.size - 1) // 2 + seen.shift
    if isinstance(goal, LossTable):
        spare = int(goal.costs.sum(axis=1).argmin())
    rays, cost = _both_sides(best, goal)
    shifted = WeightedRays(rays.first, rays.last, rays.weight, rays.output + seen.shift)
    if len(best.others.weight):
        every = _with_others(best, rays, goal)
        written = Rays(every.levels, every.weight, every.output + seen.shift)
        return Finding(integer_matrix(request, written, spare, "rays"), bound)
    worth = absolute = None
    if isinstance(goal, Distances):
        worth = _worth(goal, rays, cost, seen)
        absolute = worth if goal.power == 1 else absolute_worth(goal, rays, request)
    return finding(
        request, shifted, bound, spare_output=spare, name="rays", worth=worth, absolute=absolute
    )


def _sums_to_one(best: RayOptimum, goal: GoalOnALine) -> bool:
    """Whether a solver that was stopped left weights that are a mechanism: the middle tells."""
    rays, line = _both_sides(best, goal)[0], goal.line
    middle = line.size // 2
    away = np.maximum(np.maximum(rays.first - middle, middle - rays.last), 0)
    total = float(rays.weight @ line.alpha ** (-(-away // line.steps)).astype(float))
    if len(best.others.weight):
        places = [middle, line.size - 1 - middle] if best.one_sided else [middle]
        heights = line.alpha ** best.others.levels[:, places].astype(float)
        total += float(best.others.weight @ heights.mean(axis=1))
    return abs(total - 1) <= _TROUBLE * line.size


def _both_sides(best: RayOptimum, goal: GoalOnALine) -> tuple[WeightedRays, Floats]:
    """Interval rays with their mirror images, where the search left those out."""
    if not best.one_sided:
        return WeightedRays(best.first, best.last, best.weight, best.output), best.cost
    end = goal.line.size - 1
    twice = best.first + best.last != end
    half = np.where(twice, best.weight / 2, best.weight)
    mirrored = np.flatnonzero(twice)[::-1]
    return WeightedRays(
        np.concatenate([best.first, end - best.last[mirrored]]),
        np.concatenate([best.last, end - best.first[mirrored]]),
        np.concatenate([half, half[mirrored]]),
        np.concatenate([best.output, goal.outputs - 1 - best.output[mirrored]]),
    ), np.concatenate([best.cost, best.cost[mirrored]])


def _with_others(best: RayOptimum, rays: WeightedRays, goal: GoalOnALine) -> Rays:
    others = best.others
    if best.one_sided:
        others = Rays(
            np.concatenate([others.levels, others.levels[:, ::-1]]),
            np.concatenate([others.weight, others.weight]) / 2,
            np.concatenate([others.output, goal.outputs - 1 - others.output]),
        )
    return with_others(rays, others, goal.line)


def with_others(rays: WeightedRays, others: Rays, line: Line) -> Rays:
    """Interval rays by their levels, and others behind them."""
    places = np.arange(line.size)
    away = np.maximum(rays.first[:, None] - places, places - rays.last[:, None])
    flat = -(-np.maximum(away, 0) // line.steps)
    return Rays(
        np.concatenate([flat, others.levels]),
        np.concatenate([rays.weight, others.weight]),
        np.concatenate([rays.output, others.output]),
    )


def _worth(goal: Distances, rays: WeightedRays, cost: Floats, seen: OnALine) -> RayWorth:
    apart = np.abs(np.arange(goal.line.size) - (goal.line.size - 1) // 2).astype(float)
    return RayWorth(
        cost * seen.unit, goal.constants(rays.output) * seen.unit, apart**goal.power * seen.unit
    )


def absolute_worth(goal: Distances, rays: WeightedRays, request: Request) -> RayWorth:
    """What the absolute error under a uniform prior makes of rays."""
    assert isinstance(request.answers, Grid)
    plain = Distances(goal.line, 1)
    unit = float(request.answers.step) / goal.line.size
    cost = plain.costs_at(rays.first, rays.last, rays.output)
    return _worth(plain, rays, cost, OnALine(plain, unit, 0))


def _middle_of_least(loss: Floats) -> Indices:
    """For each output, the middle one of the answers with the least loss."""
    least = loss == loss.min(axis=1, keepdims=True)
    first = least.argmax(axis=1)
    last = loss.shape[1] - 1 - least[:, ::-1].argmax(axis=1)
    middles: Indices = (first + last) // 2
    return middles


def _valleys(request: Request) -> bool:
    rises = np.diff(request.loss, axis=1)
    return not ((np.maximum.accumulate(rises, axis=1) > 0) & (rises < 0)).any()
