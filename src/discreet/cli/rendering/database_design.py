"""A design by database, for people and as JSON."""

from typing import Any

from discreet.cli.rendering import description as describe
from discreet.cli.rendering.description import SMALL, ShownDesign
from discreet.databases import DatabaseDesign, DatabaseGoal
from discreet.requests import DatabaseRequest


def shown(request: DatabaseRequest, found: DatabaseDesign) -> ShownDesign:
    """A design by database."""
    return ShownDesign(
        certified=found.certified,
        document=_document(request, found),
        rows=_rows(request, found),
        prints_matrix=len(found.databases) <= SMALL,
    )


def _document(request: DatabaseRequest, found: DatabaseDesign) -> dict[str, Any]:
    rows, columns = found.mechanism.shape
    return {
        "by": "database",
        "epsilon": str(request.epsilon),
        "delta": "0",
        "loss": request.goal.loss.name,
        "prior": _prior(request.goal),
        "worst_case": request.goal.worst_case,
        "situations": describe.situation_facts(found.design.request, found.mechanism),
        **found.to_dict(),
        "certified": True,
        "matrix": found.mechanism.probabilities().tolist() if rows * columns <= SMALL else None,
    }


def _rows(request: DatabaseRequest, found: DatabaseDesign) -> list[tuple[str, str]]:
    goal, tables = request.goal, found.databases
    aim = "worst database" if goal.worst_case else f"prior: {_prior(goal)}"
    if goal.situations:
        aim = describe.aim_line(found.design.request.goal)
    return [
        ("question", f"{request.statistic.name}, by database"),
        (
            "databases",
            f"{len(tables):,} histograms of {tables.size_words} records over "
            f"{len(request.values)} values",
        ),
        ("neighbours", f"{tables.relation.words} record"),
        ("outputs", describe.space_line(found.mechanism.outputs)),
        ("goal", f"{goal.loss.name} loss, {aim}"),
        ("value", f"{found.value:.9g}"),
        ("proven lower bound", f"{found.lower_bound:.9g} (gap {found.gap:.1e})"),
        *describe.situation_rows(found.design.request, found.mechanism),
        ("solved", "; ".join(found.reductions)),
        ("method", f"{found.design.method} ({found.seconds:.3f} s)"),
        ("certified", f"✓ {found.certified.guarantee}"),
        ("certificate", found.certified.certificate.digest),
    ]


def _prior(goal: DatabaseGoal) -> str:
    return goal.prior if isinstance(goal.prior, str) else "given"
