"""The worst case on a line: even rays, or the best rays of a program, and a prior that proves it.

Rays of one length stand everywhere with one weight, also beyond the ends, where the end is told:
every answer errs as on an endless line, or less. Any prior bounds the worst case from below. For
counts one that falls geometrically from the middle leaves next to no gap; for larger steps the
multipliers of a program over rays do, on the line itself or on a part of it. Short lines err less
than endless ones; there the program's own rays are taken: docs/proofs/worst-case.md.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.designer.counts import GeometricRays
from discreet.designer.plain.method import why_not as why_no_program
from discreet.designer.programs.program import Floats
from discreet.designer.rays.bound import bound_at
from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.integers import BITS, WeightedRays, finding
from discreet.designer.rays.levels import integer_matrix
from discreet.designer.rays.method import absolute_worth, with_others
from discreet.designer.rays.pool import Rays
from discreet.designer.rays.turnpike import Usual
from discreet.designer.rays.worst_program import least_worst_rays
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    out_of_time,
    relative_gap,
)
from discreet.errors import DesignError
from discreet.model import Grid, LossName, RayMechanism

GOOD = 1e-6
"""With a wider gap the plain program is asked, where it can be."""
LEAST_EPSILON = 1e-3
MOST_ANSWERS = 3_000_000
MOST_PRICED = 4_001
"""So many answers are priced under a prior; a longer line errs no less than a part of it."""
MOST_PROGRAM = 1_201
"""A program for so many answers takes seconds; longer lines are tried by a part of them first."""
MOST_REACHES = 20_000
"""So many answers times steps: programs over more interval rays take too long."""

_MOST_MEASURED = 1_000_000
_CELLS = 4_000_000
_ROUNDING = 1 + 2.0**-40
_POWERS = {LossName.ABSOLUTE: 1, LossName.SQUARED: 2}


def why_not(request: Request) -> str | None:
    """Why even rays do not suit a request; None when they do."""
    reasons = {
        "only for the worst case": not request.goal.worst_case,
        "only for pure ε, without requirements": bool(
            request.guarantee.delta or request.requirements
        ),
        "the neighbours are not on a line": request.steps is None or request.all_are_neighbours,
        "the answers are not evenly spaced, or are not the outputs": not isinstance(
            request.answers, Grid
        )
        or request.first_output is None,
        "the loss is neither absolute nor squared": request.goal.loss.named not in _POWERS,
        f"ε is below {LEAST_EPSILON}": float(request.epsilon) < LEAST_EPSILON,
        f"more than {MOST_ANSWERS:,} answers": len(request.answers) > MOST_ANSWERS,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def run(request: Request) -> Finding:
    """Even rays where they are proved good enough, else the best rays of a program."""
    goal, unit = _goal(request)
    usual = Usual.of(goal)
    bound = _bound_of_a_part(request, goal, usual)
    if relative_gap(usual.price, bound) > GOOD and _fits(goal.line.size, goal.line.steps):
        return _by_program(request, goal, unit)
    even = _Weighed(even_rays(goal, usual), usual.price)
    candidate = _finding(request, goal, even, bound, unit)
    return _unless_the_program_is_better(request, candidate, even.worst * unit)


def _by_program(request: Request, goal: Distances, unit: float) -> Finding:
    """The rays that the program weighs: kept as rays where they are intervals."""

    def report(value: float, bound: float) -> None:
        low = bound * unit if math.isfinite(bound) else None
        request.report(Progress(WORST_CASE.name, "weighing", value * unit, low))

    best = least_worst_rays(goal, report)
    if len(best.others.output):
        shift = request.first_output
        assert shift is not None
        every = with_others(best.rays, best.others, goal.line)
        rays = Rays(every.levels, every.weight, every.output + shift)
        spare = (goal.line.size - 1) // 2 + shift
        mechanism = integer_matrix(request, rays, spare, WORST_CASE.name)
        candidate = Finding(mechanism, max(0.0, best.bound * unit * (1 - 2.0**-44)))
    else:
        worst = float(errors_of(goal, best.rays).max())
        candidate = _finding(request, goal, _Weighed(best.rays, worst), best.bound, unit)
    return _unless_the_program_is_better(request, candidate, best.value * unit)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """Weighted rays and what the worst answer errs, in steps."""

    rays: WeightedRays
    worst: float


def _finding(
    request: Request, goal: Distances, weighed: _Weighed, bound: float, unit: float
) -> Finding:
    """Integers of interval rays, measured where they can be written out."""
    rays, shift = weighed.rays, request.first_output
    assert shift is not None
    shifted = WeightedRays(rays.first, rays.last, rays.weight, rays.output + shift)
    proved = max(0.0, bound * unit * (1 - 2.0**-44))
    measured = finding(
        request,
        shifted,
        proved,
        spare_output=(goal.line.size - 1) // 2 + shift,
        name=WORST_CASE.name,
        absolute=absolute_worth(goal, rays, request),
    )
    if request.shape[0] * request.shape[1] <= _MOST_MEASURED:
        return measured
    assert isinstance(measured.mechanism, RayMechanism)
    furthest = float(goal.line.size - 1) ** goal.power
    excess = 2.0**-BITS / (1 - 1 / float(request.epsilon.ratio_below))
    spare = float(measured.mechanism.spare.max()) * 2.0**-BITS
    lost = (excess * len(rays.first) + spare) * furthest
    value = (weighed.worst + lost) * unit * _ROUNDING
    request.report(Progress(WORST_CASE.name, "proved", value, proved))
    return replace(measured, value=value)


def errors_of(goal: Distances, rays: WeightedRays) -> Floats:
    """What each answer errs, in steps."""
    line, places = goal.line, np.arange(goal.line.size)
    sums = np.zeros(line.size)
    for some in np.array_split(
        np.arange(len(rays.first)), 1 + len(rays.first) * line.size // _CELLS
    ):
        away = np.maximum(rays.first[some, None] - places, places - rays.last[some, None])
        height = line.alpha ** (-(-np.maximum(away, 0) // line.steps)).astype(float)
        error = np.abs(rays.output[some, None] - places).astype(float) ** goal.power
        sums += rays.weight[some] @ (height * error)
    return sums


def _unless_the_program_is_better(request: Request, candidate: Finding, value: float) -> Finding:
    gap = relative_gap(value, candidate.lower_bound)
    if gap > GOOD and not out_of_time() and why_no_program(request) is None:
        raise DesignError(f"rays leave a gap of {gap:.1e}, and the program is small")
    return candidate


WORST_CASE = Method(
    name="worst case",
    title="Rays for the worst case, and a prior that proves how good they are",
    citation="Ghosh, Roughgarden & Sundararajan 2009; docs/proofs/worst-case.md",
    why_not=why_not,
    run=run,
)


def _goal(request: Request) -> tuple[Distances, float]:
    """The line, and what one step (or its square) costs in the request's units."""
    assert isinstance(request.answers, Grid)
    assert request.steps is not None
    power = _POWERS[LossName(request.goal.loss.name)]
    line = Line(len(request.answers), request.steps, math.exp(-float(request.epsilon)))
    return Distances(line, power), float(request.answers.step) ** power


def even_rays(goal: Distances, usual: Usual) -> WeightedRays:
    """Every ray of the usual length that begins anywhere, also beyond the ends.

    A ray that ends b answers before the line falls on it like the ray on its first Δ − b answers,
    e^−ε times as high; the rays a step of Δ further out are e^−ε times those again.

    >>> goal = Distances(Line(3, 1, 0.5), 1)
    >>> rays = even_rays(goal, Usual.of(goal))
    >>> rays.output.tolist(), [round(weight, 3) for weight in rays.weight.tolist()]
    ([0, 0, 1, 2, 2], [0.333, 0.333, 0.333, 0.333, 0.333])
    """
    size, steps, alpha = goal.line.size, goal.line.steps, goal.line.alpha
    begin = np.arange(1 - usual.length, size)
    end = begin + usual.length - 1
    first, last = np.maximum(begin, 0), np.minimum(end, size - 1)
    middle = np.clip(begin + (usual.length - 1) // 2, 0, size - 1)
    weight = np.full(len(begin), usual.weight)
    reach = np.minimum(np.arange(steps), size - 1)
    beyond = np.full(steps, usual.weight * alpha / (1 - alpha))
    start, stop = np.zeros(steps, dtype=np.int64), np.full(steps, size - 1)
    return WeightedRays(
        np.concatenate([start, first, (size - 1 - reach)[::-1]]),
        np.concatenate([reach, last, stop]),
        np.concatenate([beyond, weight, beyond]),
        np.concatenate([start, middle, stop]),
    )


def _fits(size: int, steps: int) -> bool:
    """Whether a program over rays of so many answers is solved while somebody waits."""
    return steps < size <= MOST_PRICED and size * steps <= MOST_REACHES


def _bound_of_a_part(request: Request, goal: Distances, usual: Usual) -> float:
    """A bound in steps for a line that is so long that a part of it errs nearly as much."""
    line = goal.line
    if line.steps == 1:
        bound = _bound_of_counts(request, goal, best_fall(float(request.epsilon)))
        if relative_gap(usual.price, bound) <= GOOD:
            return bound
    size = min(line.size, MOST_PROGRAM)
    if line.size > MOST_PROGRAM and _fits(size, line.steps):
        part = Distances(Line(size, line.steps, line.alpha), goal.power)
        return least_worst_rays(part, lambda *_: None).bound
    return 0.0 if _fits(line.size, line.steps) else _bound_of_a_bell(goal, usual)


def _bound_of_a_bell(goal: Distances, usual: Usual) -> float:
    """A bound that needs no program, from priors like powers of a cosine."""
    size = min(goal.line.size, MOST_PRICED)
    line = Line(size, goal.line.steps, goal.line.alpha)
    places = np.arange(size)
    losses = np.abs(places[:, None] - places).astype(np.float64) ** goal.power
    best = 0.0
    for power in (1.0, 1.5):
        prior = np.cos(np.pi * ((places + 0.5) / size - 0.5)) ** power
        prior /= prior.sum() * (1 + 2.0**-40)
        table = LossTable(line, losses * prior, places, symmetric=True)
        best = max(best, bound_at(table, usual.price * prior))
    return best


def best_fall(epsilon: float) -> float:
    """The steepest t for which e^(−t·ε·|j − m|) leaves every ray's middle its median.

    Towards m a ray and its prior fall by α^(1−t), away from it by α^(1+t); the middle is the median
    while α^(1−t)/(1 − α^(1−t)) ≤ 1/(1 − α^(1+t)).

    >>> round(best_fall(1.0), 3), round(best_fall(0.1), 3)
    (0.434, 0.05)
    """
    low, high = 0.0, 1.0
    for _ in range(50):
        fall = (low + high) / 2
        towards, away = math.exp(-epsilon * (1 - fall)), math.exp(-epsilon * (1 + fall))
        holds = towards * (1 - away) <= 1 - towards
        low, high = (fall, high) if holds else (low, fall)
    return low


def _bound_of_counts(request: Request, goal: Distances, fall: float) -> float:
    """What no mechanism for a count beats under a prior that falls from the middle to both ends."""
    size, epsilon = goal.line.size, float(request.epsilon)
    away = np.abs(np.arange(size) - (size - 1) / 2)
    prior: Floats = np.exp(-fall * epsilon * away)
    prior /= prior.sum() * (1 + 2.0**-40)
    rays = GeometricRays(prior, epsilon, LossName(request.goal.loss.name))
    cost, doubt = rays.costs(rays.best_outputs())
    alpha = math.exp(-epsilon)
    weight = np.full(size, (1 - alpha) / (1 + alpha))
    weight[[0, -1]] = 1 / (1 + alpha)
    return float((weight * (cost - doubt)).sum()) * (1 - 2.0**-44)
