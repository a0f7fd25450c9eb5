"""Variant 2 of 003, fast: fair and row-monotone mechanisms of any size up to thousands of answers.

Column monotonicity costs nothing once rows fall and the diagonal is level: every optimum can be
sorted (docs/proofs/lean.md). So this serves all requests that require fairness and row
monotonicity, with or without the other properties.
"""

import math

import numpy as np

from discreet.designer.programs.cells import mirror_doubt
from discreet.designer.programs.program import Indices
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    relative_gap,
    value_above,
)
from discreet.designer.variant2.all_pairs import loss_by_distance, nearest_others
from discreet.designer.variant2.band import BandPlan, Flags, Triangles, reach_of
from discreet.designer.variant2.bound import band_bound, largest_diagonal, short_of_the_best
from discreet.designer.variant2.integers import integer_matrix, roomy_plan
from discreet.designer.variant2.search import best_plan
from discreet.errors import DesignError
from discreet.model import Graph, Integers, Labels, Mechanism
from discreet.model.ray_mechanism import MOST_CELLS

MOST_EPSILON = 15
"""Beyond this, what a mistake costs is lost in the solver's tolerance."""

MOST_VARIABLES = 150_000
_GOOD_ENOUGH = 1e-9
_TAILS = 1.5
"""Weight piles up on the last answers, over about so many times Δ·(1 + 1/ε) of them."""

_ROUNDS = 12
_MIXED = tuple(2.0**-k for k in range(60, 9, -4))


def why_not(request: Request) -> str | None:
    """What speaks against this way; quick, and never an error."""
    asked, answers = request.requirements, request.answers
    alone = request.epsilon.value <= MOST_EPSILON or request.all_are_neighbours
    obstacles = {
        "only for fair and row-monotone mechanisms": not (asked.fair and asked.row_monotone),
        "only for pure ε and a prior": bool(request.guarantee.delta) or request.goal.worst_case,
        "only where the outputs are the answers": request.outputs != answers,
        "only for answers on a line": isinstance(answers, Labels) or len(answers) < 2,
        "only for neighbours on a line": isinstance(request.neighbours, Graph),
        f"ε = {request.epsilon} is larger than {MOST_EPSILON}": not alone,
        f"a matrix has at most {MOST_CELLS:,} cells": len(answers) ** 2 > MOST_CELLS,
    }
    return next((reason for reason, met in obstacles.items() if met), None)


def run(request: Request) -> Finding:
    """The best sums above the diagonal, then integers that have them."""
    if not _grows_with_distance(request):
        raise DesignError("the loss does not grow with the distance between output and answer")
    shrink = math.nextafter(float(1 / request.epsilon.ratio_above), 0.0)
    plan, bound = _all_pairs(request, shrink) or _banded(request, shrink)
    weights = _integers(request, plan)
    mechanism = Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights, name="design"
    )
    return Finding(mechanism, bound, value_above(request, mechanism))


def _grows_with_distance(request: Request) -> bool:
    loss = request.loss
    slack = 1e-12 * loss.max()
    rises = np.diff(loss, axis=0)
    return not bool((np.triu(rises, 1) > slack).any() or (np.tril(rises) < -slack).any())


def _all_pairs(request: Request, shrink: float) -> tuple[BandPlan, float] | None:
    """The closed form, where it applies."""
    if not request.all_are_neighbours:
        return None
    losses = loss_by_distance(request)
    if losses is None:
        return None
    by_distance, doubt = losses
    best = nearest_others(by_distance, request.prior, shrink)
    return BandPlan(best.diagonal, (best.sums,)), best.lower_bound - doubt


def _banded(request: Request, shrink: float) -> tuple[BandPlan, float]:
    """Solve with a narrow reach; widen it where the bound says that it is too narrow."""
    doubt = 0.0 if request.requirements.symmetric else mirror_doubt(request)
    triangles = Triangles.of(request, shrink, mirrored=doubt is not None)
    tail = triangles.steps * (1 + 1 / float(request.epsilon))
    corner = 1 / largest_diagonal(triangles) + _TAILS * tail
    reach, most = reach_of(triangles, corner), reach_of(triangles, triangles.size)
    best: tuple[float, BandPlan] | None = None
    bound = -math.inf
    for _ in range(_ROUNDS):
        _check_size(triangles, reach)
        try:
            plan, value, multipliers = best_plan(triangles, reach)
        except DesignError:
            if (reach == most).all():
                break
            corner *= 1.5
            reach = np.maximum(reach, reach_of(triangles, corner))
            continue
        bound = max(bound, band_bound(triangles, multipliers) - (doubt or 0.0))
        best = (value, plan) if best is None or value < best[0] else best
        request.report(Progress(NAME, f"{int(reach.sum()):,} cells", best[0], bound))
        if relative_gap(best[0], bound) <= _GOOD_ENOUGH:
            break
        short = short_of_the_best(triangles, reach, multipliers)
        if not short.any():
            break
        reach = _widened(reach, most, short)
    if best is None:
        raise DesignError("its program was not solved")
    return best[1], bound


def _widened(reach: Indices, most: Indices, short: Flags) -> Indices:
    """All of a row that is short, as what it lacks is often its last cell; or twice its reach."""
    full = np.where(short, most, reach)
    if full.sum() <= 2 * reach.sum():
        return full
    return np.where(short, np.minimum(2 * reach, most), reach)


def _check_size(triangles: Triangles, reach: Indices) -> None:
    cells = int(reach.sum()) * len(triangles.costs)
    if cells > MOST_VARIABLES:
        raise DesignError(
            f"it needs {cells:,} cells near the diagonal; the limit is {MOST_VARIABLES:,}"
        )


def _integers(request: Request, plan: BandPlan) -> Integers:
    """Mix in as little of a plan with room everywhere as makes room for rounding."""
    steps, ratio = request.steps or 1, request.epsilon.ratio_below
    roomy = roomy_plan(len(request.answers), steps, float(1 / ratio))
    for mixed in _MIXED:
        weights = integer_matrix(plan.mixed_with(roomy, mixed), steps, ratio)
        if weights is not None:
            return weights
    raise DesignError(
        f"no integer matrix near the best one satisfies ε = {request.epsilon}; use a larger ε or "
        f"fewer answers"
    )


NAME = "variant-2"

VARIANT2 = Method(
    name=NAME,
    title="fair and row-monotone mechanisms from the sums above the diagonal",
    citation="Croft, Sack & Shi 2020, Variant 2; docs/proofs/band.md",
    why_not=why_not,
    run=run,
)
