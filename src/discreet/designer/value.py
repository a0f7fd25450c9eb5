"""What a mechanism is worth to a goal, rounded up: no design is said to be better than it is."""

import math

import numpy as np

from discreet.designer.request import Floats, Request
from discreet.measures import expected_absolute_error
from discreet.model import Labels, Mechanism

_ROUNDING = 1 + 2.0**-44
"""More than all the roundings of products and sums of non-negative floats can take away."""


def value_above(request: Request, mechanism: Mechanism) -> float:
    """The loss that the request's goal speaks of, or a hair more; never less.

    Every product has non-negative factors and numpy adds in pairs, so that rounding loses a share
    of at most 2⁻⁴⁴, which is added back.
    """
    terms = mechanism.probabilities() * request.loss
    if request.goal.worst_case:
        return float(terms.T.copy().sum(axis=1).max()) * _ROUNDING
    return float((terms * request.prior).sum()) * _ROUNDING


def constant_output(request: Request) -> int:
    """The output that is best told when nothing may be: where repair puts what columns lack."""
    if request.goal.worst_case:
        return int(request.loss.max(axis=1).argmin())
    costs: Floats = request.loss @ request.prior
    tied = np.flatnonzero(costs <= costs.min() * (1 + 1e-12))
    return int(tied[len(tied) // 2])


def absolute_error_of(mechanism: Mechanism) -> float | None:
    """The expected absolute error under a uniform prior, where answers and outputs are numbers."""
    if isinstance(mechanism.answers, Labels) or isinstance(mechanism.outputs, Labels):
        return None
    error = expected_absolute_error(mechanism)
    return error if math.isfinite(error) else None
