"""Counts: neighbours one step apart. The geometric mechanism, each ray told as what serves best.

Rays α^|i−j| with weights (1−α)/(1+α), and 1/(1+α) at the two ends, sum to 1 in every column; each
is mapped to the output with the least expected loss given the ray. This is optimal for every prior
and every loss that grows with the distance (Ghosh, Roughgarden & Sundararajan 2009; Table 3 of 003
is an instance). Proof: docs/proofs/counts.md.
"""

import math

import numpy as np

from discreet.designer.counts.rays import GeometricRays, table_costs
from discreet.designer.methods import Method
from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.integers import WeightedRays, finding
from discreet.designer.request import Finding, Request
from discreet.model import Grid, LossName

LEAST_EPSILON = 1e-6
"""Below this a ladder hardly falls at all, and integers of 62 bits cannot follow it."""

MOST_TABLE = 4_000_000
"""Losses of other kinds are written out, up to so many cells."""


def why_not(request: Request) -> str | None:
    """Why the closed form does not suit a request; None when it does."""
    if not request.is_plain:
        return "asks for more than a prior's expected loss"
    if request.steps != 1:
        return "neighbours are more than one step apart"
    if float(request.epsilon) < LEAST_EPSILON:
        return f"ε is below {LEAST_EPSILON}"
    if not _by_distance(request) and request.shape[0] * request.shape[1] > MOST_TABLE:
        return "the loss is too large to write out"
    return None if _crosses_once(request) else "larger answers do not prefer larger outputs"


def run(request: Request) -> Finding:
    """The best mechanism for a count, in time proportional to the number of answers."""
    size, alpha = len(request.answers), math.exp(-float(request.epsilon))
    weight = np.full(size, (1 - alpha) / (1 + alpha))
    weight[[0, -1]] = 1 / (1 + alpha) if size > 1 else 1.0
    shift = request.first_output if _by_distance(request) else None
    if shift is None:
        return _run_table(request, weight)
    rays = GeometricRays.of(request)
    told = rays.best_outputs()
    cost, doubt = rays.costs(told)
    spare = int(rays.constants().argmin())
    worth, plainest = rays.worth(told, spare), rays.plainest
    absolute = worth if plainest is rays else plainest.worth(told, spare)
    return finding(
        request,
        WeightedRays(np.arange(size), np.arange(size), weight, told + shift),
        _bound(weight, cost - doubt),
        spare_output=spare + shift,
        name="count",
        worth=worth,
        absolute=absolute if isinstance(request.answers, Grid) else None,
    )


def _run_table(request: Request, weight: Floats) -> Finding:
    """The same for any outputs and losses, with every loss written out."""
    costs, doubts = table_costs(request.loss * request.prior, float(request.epsilon))
    told: Indices = costs.argmin(axis=0)
    places = np.arange(len(weight))
    return finding(
        request,
        WeightedRays(places, places, weight, told),
        _bound(weight, (costs - doubts).min(axis=0)),
        spare_output=int((request.loss @ request.prior).argmin()),
        name="count",
    )


def _bound(weight: Floats, cost: Floats) -> float:
    return max(0.0, float((weight * cost).sum()) * (1 - 2.0**-44))


COUNTS = Method(
    name="counts",
    title="The geometric mechanism with the best remap",
    citation="Ghosh, Roughgarden & Sundararajan 2009; 003 Table 3",
    why_not=why_not,
    run=run,
)


def _by_distance(request: Request) -> bool:
    """Whether the quick sums of `GeometricRays` know the loss."""
    named = request.goal.loss.named
    if named is None or request.first_output is None:
        return False
    return named == LossName.ZERO_ONE or isinstance(request.answers, Grid)


def _crosses_once(request: Request) -> bool:
    """The assumption of docs/proofs/counts.md: sorted by output, differences rise with answers."""
    if request.goal.loss.named is not None:
        return True
    differences = request.loss[:-1] - request.loss[1:]
    slack = 1e-12 * float(request.loss.max(initial=0.0))
    return bool((np.diff(differences, axis=1) >= -slack).all())
