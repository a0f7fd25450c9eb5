"""What a release was drawn from, as a reader's browser can check it: integers, and what is hashed.

A plan is worked out from declared facts alone, so nothing here depends on rows. What is too large
for a browser is left out; the command on the page works it out.
"""

from collections.abc import Iterator
from typing import Any

from discreet.certifier import Certified
from discreet.certifier.rays import ray_fault
from discreet.model import DenseMechanism, RayMechanism
from discreet.model.gauges import GaugeNoise
from discreet.model.ray_mechanism import FIELDS
from discreet.planning import Plan

FORMAT = "discreet release mechanisms 1"
_MOST_CELLS = 60_000
_MOST_RUNGS = 400_000
"""Of a matrix, and of all rays: some seconds of a phone."""
_MOST_LETTERS = 500_000


def documents_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """What the plan draws from, by the digests of the certificates."""
    documents = {one.certificate.digest: document_of(one) for one in _certified(plan)}
    return {digest: document for digest, document in documents.items() if document is not None}


def _certified(plan: Plan) -> Iterator[Certified[Any]]:
    for release in plan.releases:
        if release.matrix is not None:
            yield release.matrix
        for _, noise in release.gauges:
            yield noise


def document_of(certified: Certified[Any]) -> dict[str, Any] | None:
    """A mechanism with its certificate; None for what a browser cannot check."""
    cells = None if certified.guarantee.delta else _cells(certified)
    return None if cells is None else {"certificate": certified.certificate.text, **cells}


def _cells(certified: Certified[Any]) -> dict[str, Any] | None:
    mechanism = certified.mechanism
    cells: dict[str, Any] | None = None
    if isinstance(mechanism, GaugeNoise) and len(mechanism.text) <= _MOST_LETTERS:
        cells = {"noise": mechanism.text}
    elif isinstance(mechanism, RayMechanism) and _rays_show(certified):
        rays = {name: getattr(mechanism.blocks, name).tolist() for name in FIELDS}
        cells = {"facts": mechanism.facts_text, "ladders": _texts(mechanism.ladders), **rays}
    elif isinstance(mechanism, DenseMechanism) and mechanism.weights.size <= _MOST_CELLS:
        cells = {"facts": mechanism.facts_text, "weights": _texts(mechanism.weights)}
    return cells


def _rays_show(certified: Certified[RayMechanism]) -> bool:
    """Whether they are few, and show privacy by themselves: else the matrix does."""
    mechanism = certified.mechanism
    steps = int(mechanism.blocks.count.sum()) * mechanism.ladders.shape[1]
    return steps <= _MOST_RUNGS and ray_fault(mechanism, certified.certificate.ratio) is None


def _texts(cells: Any) -> list[list[str]]:
    """Numbers as text, so that no digit is lost."""
    return [[str(cell) for cell in row] for row in cells.tolist()]
