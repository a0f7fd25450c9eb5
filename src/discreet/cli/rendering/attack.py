"""What an attack found, for people and for programs."""

import math
from typing import TYPE_CHECKING, Any

from discreet.attack.attack import Distinction, Report
from discreet.attack.plans import PlanTarget
from discreet.cli.rendering.description import facts_table
from discreet.questions import question_text
from discreet.tables import GAP, Dataset
from discreet.tables.columns import CategoryColumn
from discreet.text import Amount

if TYPE_CHECKING:
    from rich.console import RenderableType


def document(report: Report, dataset: Dataset) -> dict[str, Any]:
    """What was found as plain JSON values."""
    target = report.target
    assert isinstance(target, PlanTarget)
    return {
        "dataset": dataset.name,
        "asked": question_text(target.plan.question, dataset),
        "epsilon": str(Amount(target.plan.cost.total)),
        "holds": report.holds,
        "tables": report.tables,
        "pairs": report.pairs,
        "every_table": report.every,
        "declared_rows": target.small.dataset.most_rows,
        "rows_that_vary": target.small.varied,
        "different_rows": len(target.small.palette),
        "every_row": target.small.complete,
        "law": "stated" if target.stated else "from the sampler's bits",
        "largest_loss": report.largest if math.isfinite(report.largest) else None,
        "shares_a_draw": report.shared,
        "tells_more_than_was_drawn": report.leaks,
        "broken": None if report.broken is None else _pair(report.broken, report, dataset),
    }


def lines(report: Report, dataset: Dataset) -> "list[RenderableType]":
    """What was found, in a few lines."""
    target, small = report.target, report.target.small
    assert isinstance(target, PlanTarget)
    vary = f"{small.varied} of {small.dataset.most_rows:,} rows vary"
    kinds = f"over {len(small.palette)} different rows"
    which = ", all that the question distinguishes" if small.complete else ""
    law = (
        "noise of several answers by its stated gauge, all else from the sampler's bits"
        if target.stated
        else "from the sampler's bits"
    )
    rows = [
        ("asked", question_text(target.plan.question, dataset)),
        ("mechanism", "; ".join(dict.fromkeys(report.titles))),
        ("charged", f"ε = {Amount(target.plan.cost.total)}"),
        ("tables", f"{report.tables:,}: {vary}, {kinds}{which}"),
        ("neighbours", f"{report.pairs:,} pairs{_left_out(report)}"),
        ("law", law),
        ("largest loss", _share(report.largest)),
        ("verdict", _verdict(report, dataset)),
    ]
    return [facts_table(rows)]


def _left_out(report: Report) -> str:
    if report.every:
        return ""
    return f", of some of about {report.target.small.many:,} tables; fewer --rows try all of them"


def _share(largest: float) -> str:
    return f"{100 * largest:.4f} % of ε" if math.isfinite(largest) else "without bound"


def _verdict(report: Report, dataset: Dataset) -> str:
    if report.broken is not None:
        pair = _pair(report.broken, report, dataset)
        return (
            f"BROKEN: {_rows(pair['one'])} and {_rows(pair['other'])} are distinguished by "
            "more than is charged"
        )
    if report.shared:
        return "BROKEN: answers that share a draw are charged as if they did not"
    if report.leaks:
        return "BROKEN: what is released of the same draw depends on the table"
    return "no fault found: no outcome distinguishes neighbouring tables by more than is charged"


def _rows(table: list[dict[str, Any]]) -> str:
    return "a table of " + ", ".join(
        f"{row['times']} × ({', '.join(str(one) for one in row['row'].values())})" for row in table
    )


def _pair(finding: Distinction, report: Report, dataset: Dataset) -> dict[str, Any]:
    return {
        "one": _table(finding.one, report, dataset),
        "other": _table(finding.other, report, dataset),
    }


def _table(table: tuple[int, ...], report: Report, dataset: Dataset) -> list[dict[str, Any]]:
    small = report.target.small
    return [
        {
            "times": times,
            "row": {
                name: _cell(dataset, name, index)
                for name, index in zip(small.columns, row, strict=True)
            },
        }
        for row, times in zip(small.palette, table, strict=True)
        if times
    ]


def _cell(dataset: Dataset, name: str, index: int) -> str | None:
    column = dataset.column(name)
    if index == GAP:
        return None
    if isinstance(column, CategoryColumn):
        return column.labels.names[index]
    return column.text(column.grid.start + column.grid.step * index)
