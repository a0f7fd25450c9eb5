"""From a solver's floats to integers that keep what the request asks, whichever way suits it."""

import numpy as np

from discreet.certifier import certify
from discreet.designer.plain.interior import keep_requirements
from discreet.designer.programs.written_out import HONEST, honest_cells
from discreet.designer.request import Floats, Request, constant_output
from discreet.errors import DesignError, NotCertified
from discreet.model import Integers, Mechanism, Requirement
from discreet.repair import envelope_integers, filled_integers

_MIXED = tuple(2.0**-k for k in (56, 50, 44, 40, 36, 32, 28, 24, 20, 16, 12))


def repaired(request: Request, matrix: Floats) -> Mechanism:
    """Integers near the matrix that are private and have what is required."""
    asked = set(request.requirements.names())
    if asked - {Requirement.EVERY_OUTPUT} or (asked and request.guarantee.delta):
        return keep_requirements(request, matrix)
    if request.guarantee.delta:
        return _repaired_with_delta(request, matrix)
    weights = envelope_integers(
        matrix,
        request.neighbours,
        request.epsilon.ratio_below,
        constant_output(request),
        least=_honest_floor(request),
    )
    return _mechanism(request, weights)


def _honest_floor(request: Request) -> Floats | None:
    if not request.requirements.every_output:
        return None
    least = np.zeros(request.shape)
    least.ravel()[honest_cells(request)] = HONEST / len(request.outputs)
    return least


def _repaired_with_delta(request: Request, matrix: Floats) -> Mechanism:
    """Mix in as little of a constant answer as makes the promise hold exactly."""
    filler = constant_output(request)
    for mixed in _MIXED:
        mechanism = _mechanism(request, filled_integers(matrix, filler, mixed))
        try:
            certify(mechanism, request.epsilon, request.guarantee.delta)
        except NotCertified:
            continue
        return mechanism
    raise DesignError(
        f"no integer matrix near the solver's satisfies {request.guarantee}; use a larger δ"
    )


def _mechanism(request: Request, weights: Integers) -> Mechanism:
    return Mechanism.of(
        request.answers, request.outputs, request.neighbours, weights, name="design"
    )
