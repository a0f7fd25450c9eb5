"""A design by database, for people and as JSON."""

from typing import Any

from discreet.cli.rendering import description as describe
from discreet.cli.rendering.description import SMALL, ShownDesign
from discreet.databases import DatabaseDesign, DatabaseGoal
from discreet.requests import DatabaseRequest


def shown(request: DatabaseRequest, made: DatabaseDesign) -> ShownDesign:
    """A design by database."""
    return ShownDesign(
        certified=made.certified,
        document=_document(request, made),
        rows=_rows(request, made),
        prints_matrix=len(made.databases) <= SMALL,
    )


def _document(request: DatabaseRequest, made: DatabaseDesign) -> dict[str, Any]:
    rows, columns = made.mechanism.shape
    return {
        "by": "database",
        "epsilon": str(request.epsilon),
        "delta": "0",
        "loss": request.goal.loss.name,
        "prior": _prior(request.goal),
        "worst_case": request.goal.worst_case,
        "situations": describe.situation_facts(made.design.request, made.mechanism),
        **made.to_dict(),
        "certified": True,
        "matrix": made.mechanism.probabilities().tolist() if rows * columns <= SMALL else None,
    }


def _rows(request: DatabaseRequest, made: DatabaseDesign) -> list[tuple[str, str]]:
    goal, tables = request.goal, made.databases
    aim = "worst database" if goal.worst_case else f"prior: {_prior(goal)}"
    if goal.situations:
        aim = describe.aim_line(made.design.request.goal)
    return [
        ("question", f"{request.statistic.name}, by database"),
        (
            "databases",
            f"{len(tables):,} histograms of {tables.size_words} records over "
            f"{len(request.values)} values",
        ),
        ("neighbours", f"{tables.relation.words} record"),
        ("outputs", describe.space_line(made.mechanism.outputs)),
        ("goal", f"{goal.loss.name} loss, {aim}"),
        ("value", f"{made.value:.9g}"),
        ("proven lower bound", f"{made.lower_bound:.9g} (gap {made.gap:.1e})"),
        *describe.situation_rows(made.design.request, made.mechanism),
        ("solved", "; ".join(made.reductions)),
        ("method", f"{made.design.method} ({made.seconds:.3f} s)"),
        ("certified", f"✓ {made.certified.guarantee}"),
        ("certificate", made.certified.certificate.digest),
    ]


def _prior(goal: DatabaseGoal) -> str:
    return goal.prior if isinstance(goal.prior, str) else "given"
