"""A certified design as one JSON document, and its mechanism as a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discreet.designer import Design, Progress, Request
from discreet.measures import properties
from discreet.model import mechanism_to_dict
from discreet.requests import DesignRequest

MOST_SHOWN = 10_000
"""Cells of a matrix that is told in full."""
MOST_FILED = 4_000_000
"""Cells of a matrix that can be downloaded."""


@dataclass(frozen=True)
class Designed:
    """A design that is done: what it is for, what is told of it, and the mechanism file."""

    request: Request
    document: dict[str, Any]
    mechanism: dict[str, Any] | None
    """As `discreet show` reads it; None when it is too large to write out."""


def designed(
    request: DesignRequest,
    wanted: dict[str, Any],
    progress: Callable[[Progress], None] | None = None,
) -> Designed:
    """Make a design; `wanted` is the body that asked for it, which the document repeats."""
    found = request.design(progress=progress)
    return Designed(request.wanted, _document(wanted, found), _mechanism(found))


def _document(wanted: dict[str, Any], found: Design) -> dict[str, Any]:
    mechanism = found.mechanism
    cells = mechanism.shape[0] * mechanism.shape[1]
    facts = mechanism_to_dict(mechanism)
    held = None
    if cells <= MOST_FILED:
        held = {name: bool(verdict) for name, verdict in properties(mechanism).items()}
    return {
        "wanted": wanted,
        "epsilon": str(found.certified.guarantee.epsilon),
        "delta": str(found.certified.guarantee.delta),
        "answers": facts["answers"],
        "outputs": facts["outputs"],
        "neighbours": facts["neighbours"],
        "shape": list(mechanism.shape),
        **found.to_dict(),
        "properties": held,
        "matrix": mechanism.probabilities().tolist() if cells <= MOST_SHOWN else None,
        "digest": facts["digest"],
    }


def _mechanism(found: Design) -> dict[str, Any] | None:
    rows, columns = found.mechanism.shape
    return mechanism_to_dict(found.mechanism) if rows * columns <= MOST_FILED else None
