"""A certified design as one JSON document, and its mechanism as a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.designer import Progress, Request
from discreet.measures import properties
from discreet.model import mechanism_to_dict
from discreet.requests import DesignRequest

if TYPE_CHECKING:
    from discreet.designer import Design

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
    design = request.design(progress=progress)
    return Designed(request.wanted, _document(wanted, design), _mechanism(design))


def _document(wanted: dict[str, Any], design: "Design") -> dict[str, Any]:
    mechanism = design.mechanism
    cells = mechanism.shape[0] * mechanism.shape[1]
    facts = mechanism_to_dict(mechanism)
    verdicts = None
    if cells <= MOST_FILED:
        verdicts = {name: bool(verdict) for name, verdict in properties(mechanism).items()}
    return {
        "wanted": wanted,
        "epsilon": str(design.certified.guarantee.epsilon),
        "delta": str(design.certified.guarantee.delta),
        "answers": facts["answers"],
        "outputs": facts["outputs"],
        "neighbours": facts["neighbours"],
        "shape": list(mechanism.shape),
        **design.to_dict(),
        "properties": verdicts,
        "matrix": mechanism.probabilities().tolist() if cells <= MOST_SHOWN else None,
        "digest": facts["digest"],
    }


def _mechanism(design: "Design") -> dict[str, Any] | None:
    rows, columns = design.mechanism.shape
    return mechanism_to_dict(design.mechanism) if rows * columns <= MOST_FILED else None
