"""The worst case on a line: even rays, and a prior under which nothing is much better.

Rays of one length stand everywhere with one weight, also beyond the ends, where the end is told:
every answer errs as on an endless line, or less. Any prior bounds the worst case from below. For
counts one that falls geometrically from the middle leaves next to no gap; for larger steps one
like a power of a cosine leaves a gap that falls with the square of the length:
docs/proofs/worst-case.md.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.designer.counts import GeometricRays
from discreet.designer.methods import Method
from discreet.designer.plain.method import why_not as why_no_program
from discreet.designer.programs.program import Floats
from discreet.designer.rays.bound import bound_at
from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.integers import BITS, WeightedRays, finding
from discreet.designer.rays.method import absolute_worth
from discreet.designer.rays.turnpike import Usual
from discreet.designer.request import Finding, Progress, Request, relative_gap
from discreet.errors import DesignError
from discreet.model import Grid, LossName, RayMechanism

GOOD = 1e-6
"""With a wider gap the plain program is asked, where it can be."""
LEAST_EPSILON = 1e-3
MOST_ANSWERS = 3_000_000
MOST_PRICED = 4_001
"""So many answers are priced under a prior; a longer line errs no less than a part of it."""

_MOST_MEASURED = 1_000_000
_ROUNDING = 1 + 2.0**-40
_POWERS = {LossName.ABSOLUTE: 1, LossName.SQUARED: 2}


def why_not(request: Request) -> str | None:
    """Why even rays do not suit a request; None when they do."""
    reasons = {
        "it is for the worst case": not request.goal.worst_case,
        "asks for more than the worst case": bool(request.guarantee.delta or request.requirements),
        "the neighbours are no line": request.steps is None or request.all_are_neighbours,
        "answers are not evenly spaced, or no outputs": not isinstance(request.answers, Grid)
        or request.first_output is None,
        "the loss is neither absolute nor squared": request.goal.loss.named not in _POWERS,
        f"ε is below {LEAST_EPSILON}": float(request.epsilon) < LEAST_EPSILON,
        f"more than {MOST_ANSWERS:,} answers": len(request.answers) > MOST_ANSWERS,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def run(request: Request) -> Finding:
    """Even rays in integers, and the best bound of a few priors."""
    goal, unit = _goal(request)
    usual = Usual.of(goal)
    rays = even_rays(goal, usual)
    shift = request.first_output
    assert shift is not None
    told = WeightedRays(rays.first, rays.last, rays.weight, rays.output + shift)
    bound = max(0.0, _bound(request, goal, usual) * unit * (1 - 2.0**-44))
    found = finding(
        request,
        told,
        bound,
        spare_output=(goal.line.size - 1) // 2 + shift,
        name="worst case",
        absolute=absolute_worth(goal, rays, request),
    )
    value = usual.price * unit
    if request.shape[0] * request.shape[1] > _MOST_MEASURED:
        assert isinstance(found.mechanism, RayMechanism)
        furthest = float(goal.line.size - 1) ** goal.power
        excess = 2.0**-BITS / (1 - 1 / float(request.epsilon.ratio_below))
        spare = float(found.mechanism.spare.max()) * 2.0**-BITS
        value = (usual.price + (excess * len(rays.first) + spare) * furthest) * unit * _ROUNDING
        found = replace(found, value=value)
        request.report(Progress(WORST_CASE.name, "proved", value, bound))
    return _unless_the_program_is_better(request, found, value)


def _unless_the_program_is_better(request: Request, found: Finding, value: float) -> Finding:
    gap = relative_gap(value, found.lower_bound)
    if gap > GOOD and why_no_program(request) is None:
        raise DesignError(f"even rays leave a gap of {gap:.1e}, and the program is small")
    return found


WORST_CASE = Method(
    name="worst case",
    title="Even rays for the worst case, and a prior that proves how good they are",
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
    >>> found = even_rays(goal, Usual.of(goal))
    >>> found.output.tolist(), [round(weight, 3) for weight in found.weight.tolist()]
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


def _bound(request: Request, goal: Distances, usual: Usual) -> float:
    """The best bound of a few priors, in steps."""
    if goal.line.steps == 1:
        return max(_bound_of_counts(request, goal, fall) for fall in (0.5, 0.1, 0.02))
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
