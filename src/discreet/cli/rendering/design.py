"""A design by answer, for people and as JSON."""

from dataclasses import dataclass
from typing import Any

from discreet.certifier import Certified
from discreet.cli.rendering import description as describe
from discreet.designer import Design
from discreet.measures import properties
from discreet.model import Mechanism
from discreet.requests import DesignRequest

SMALL = 2_500
"""Cells of a matrix that is printed in full in a JSON document."""


@dataclass(frozen=True, kw_only=True)
class ShownDesign:
    """What is told of a design."""

    certified: Certified
    document: dict[str, Any]
    rows: list[tuple[str, str]]
    prints_matrix: bool


def shown(request: DesignRequest, found: Design) -> ShownDesign:
    """A design by answer."""
    return ShownDesign(
        certified=found.certified,
        document=_document(request, found),
        rows=_rows(request, found),
        prints_matrix=describe.can_be_written_out(found.mechanism),
    )


def _document(request: DesignRequest, found: Design) -> dict[str, Any]:
    mechanism, wanted = found.mechanism, request.wanted
    small = mechanism.shape[0] * mechanism.shape[1] <= SMALL
    return {
        "statistic": request.title,
        "epsilon": str(wanted.epsilon),
        "delta": str(found.certified.guarantee.delta),
        "loss": wanted.goal.loss.name,
        "prior": describe.prior_fact(wanted.goal.prior),
        "worst_case": wanted.goal.worst_case,
        "situations": describe.situation_facts(found.request, found.mechanism),
        "requirements": list(wanted.requirements.names()),
        "answers": len(wanted.answers),
        "outputs": len(wanted.outputs),
        **found.to_dict(),
        "certified": True,
        "properties": _property_facts(mechanism),
        "matrix": mechanism.probabilities().tolist() if small else None,
    }


def _rows(request: DesignRequest, found: Design) -> list[tuple[str, str]]:
    wanted = request.wanted
    aim = describe.aim_line(wanted.goal)
    told = [
        ("question", request.title),
        ("answers", describe.space_line(wanted.answers)),
        ("neighbours", describe.neighbours_line(wanted.neighbours)),
        ("goal", f"{wanted.goal.loss.name} loss, {aim}"),
        ("required", ", ".join(wanted.requirements.names()) or "nothing more"),
        ("value", f"{found.value:.9g}"),
        ("proven lower bound", f"{found.lower_bound:.9g} (gap {found.gap:.1e})"),
        *describe.situation_rows(found.request, found.mechanism),
    ]
    if found.expected_absolute_error is not None:
        told.append(("expected absolute error", f"{found.expected_absolute_error:.6f}"))
    facts = _property_facts(found.mechanism)
    if facts is not None:
        told.append(("properties", ", ".join(n for n, holds in facts.items() if holds) or "none"))
    cached = ", from the cache" if found.from_cache else ""
    return [
        *told,
        ("method", f"{found.method} ({found.seconds:.3f} s{cached})"),
        ("certified", f"✓ {found.certified.guarantee}"),
        ("certificate", found.certified.certificate.digest),
    ]


def _property_facts(mechanism: Mechanism) -> dict[str, bool] | None:
    if not describe.can_be_written_out(mechanism):
        return None
    return {name: bool(verdict) for name, verdict in properties(mechanism).items()}
