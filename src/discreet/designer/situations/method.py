"""Designs over several situations: what each is measured against, and the least worst of all."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discreet.designer.plain.repairs import repaired
from discreet.designer.request import (
    Finding,
    Floats,
    Request,
    constant_output,
    value_above,
)
from discreet.designer.situations.search import ForPrior, least_worst
from discreet.errors import DesignError
from discreet.mechanisms import geometric, laplace
from discreet.model import Goal, Grid, Labels, Mechanism, Prior, Yardstick

NAME = "situations"
MOST_CELLS = 4_000_000
"""Mixtures are written out cell by cell; more cells than this are too many."""


def with_references(request: Request, find: Callable[[Request], Finding]) -> Request:
    """The request with what each situation is measured against.

    A ratio is to the best simple mechanism; a regret to what is proved of all mechanisms, so that
    it is never told too small.
    """
    situations = request.goal.situations
    assert situations is not None
    rows, columns = request.shape
    if rows * columns > MOST_CELLS:
        raise DesignError(
            f"{rows:,} outputs by {columns:,} answers are too many for a goal over situations, "
            f"which takes at most {MOST_CELLS:,} cells; use a larger step, or one prior"
        )
    if situations.yardstick is Yardstick.REGRET:
        least = [find(_under(request, one.prior)).lower_bound for one in situations.each]
        known = situations.with_references([max(0.0, bound) for bound in least])
    else:
        losses = simple_losses(request) @ situations.priors(columns).T
        known = situations.with_references(losses.min(axis=0).tolist())
    return replace(request, goal=replace(request.goal, situations=known))


def over_situations(request: Request, find: Callable[[Request], Finding]) -> Finding:
    """The mechanism whose worst standing is least, from designs under one prior at a time."""
    situations = request.goal.situations
    assert situations is not None

    def best(prior: Prior) -> ForPrior:
        finding = find(_under(request, prior))
        losses = losses_of(request, finding.mechanism)
        return ForPrior(finding.mechanism, losses, max(0.0, finding.lower_bound))

    mixed = least_worst(situations, len(request.answers), best, request.report)
    alone = mixed.parts[0][1]
    mechanism = alone if len(mixed.parts) == 1 else repaired(request, mixed.probabilities())
    value = value_above(request, mechanism)
    return Finding(mechanism, min(mixed.lower_bound, value), value)


def losses_of(request: Request, mechanism: Mechanism) -> Floats:
    """The expected loss under each answer."""
    return np.asarray((mechanism.probabilities() * request.loss).sum(axis=0))


def simple_losses(request: Request) -> Floats:
    """What simple mechanisms lose under each answer: a constant, snapped noise; a row for each.

    The constant is the one for answers that are all alike: nobody knows the situation.
    """
    losses = [request.loss[[constant_output(request)]]]
    if not isinstance(request.answers, Labels) and not isinstance(request.outputs, Labels):
        families = (laplace, geometric) if isinstance(request.answers, Grid) else (laplace,)
        for family in families:
            simple = family(
                request.answers, request.neighbours, request.epsilon, outputs=request.outputs
            )
            losses.append(losses_of(request, simple)[None, :])
    return np.concatenate(losses)


def _under(request: Request, prior: Prior) -> Request:
    return replace(request, goal=Goal(request.goal.loss, prior), progress=None)
