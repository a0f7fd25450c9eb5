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


def document(found: Report, dataset: Dataset) -> dict[str, Any]:
    """What was found as plain JSON values."""
    target = found.target
    assert isinstance(target, PlanTarget)
    return {
        "dataset": dataset.name,
        "asked": question_text(target.plan.question, dataset),
        "epsilon": str(Amount(target.plan.cost.total)),
        "holds": found.holds,
        "tables": found.tables,
        "pairs": found.pairs,
        "every_table": found.every,
        "declared_rows": target.small.dataset.most_rows,
        "rows_that_vary": target.small.varied,
        "different_rows": len(target.small.palette),
        "every_row": target.small.complete,
        "law": "stated" if target.stated else "from the sampler's bits",
        "largest_loss": found.largest if math.isfinite(found.largest) else None,
        "shares_a_draw": found.shared,
        "tells_more_than_was_drawn": found.leaks,
        "broken": None if found.broken is None else _pair(found.broken, found, dataset),
    }


def lines(found: Report, dataset: Dataset) -> "list[RenderableType]":
    """What was found, in a few lines."""
    target, small = found.target, found.target.small
    assert isinstance(target, PlanTarget)
    vary = f"{small.varied} of {small.dataset.most_rows:,} rows vary"
    kinds = f"over {len(small.palette)} different rows"
    which = ", all that the question distinguishes" if small.complete else ""
    law = (
        "noise of several answers by its stated gauge, all else from the sampler's bits"
        if target.stated
        else "from the sampler's bits"
    )
    told = [
        ("asked", question_text(target.plan.question, dataset)),
        ("mechanism", "; ".join(dict.fromkeys(found.titles))),
        ("charged", f"ε = {Amount(target.plan.cost.total)}"),
        ("tables", f"{found.tables:,}: {vary}, {kinds}{which}"),
        ("neighbours", f"{found.pairs:,} pairs{_left_out(found)}"),
        ("law", law),
        ("largest loss", _share(found.largest)),
        ("verdict", _verdict(found, dataset)),
    ]
    return [facts_table(told)]


def _left_out(found: Report) -> str:
    if found.every:
        return ""
    return f", of some of about {found.target.small.many:,} tables; fewer --rows try all of them"


def _share(largest: float) -> str:
    return f"{100 * largest:.4f} % of ε" if math.isfinite(largest) else "without bound"


def _verdict(found: Report, dataset: Dataset) -> str:
    if found.broken is not None:
        pair = _pair(found.broken, found, dataset)
        return (
            f"BROKEN: {_rows(pair['one'])} and {_rows(pair['other'])} are distinguished by "
            "more than is charged"
        )
    if found.shared:
        return "BROKEN: answers that share a draw are charged as if they did not"
    if found.leaks:
        return "BROKEN: what is released of the same draw depends on the table"
    return "no fault found: no outcome distinguishes neighbouring tables by more than is charged"


def _rows(table: list[dict[str, Any]]) -> str:
    return "a table of " + ", ".join(
        f"{row['times']} × ({', '.join(str(one) for one in row['row'].values())})" for row in table
    )


def _pair(finding: Distinction, found: Report, dataset: Dataset) -> dict[str, Any]:
    return {
        "one": _table(finding.one, found, dataset),
        "other": _table(finding.other, found, dataset),
    }


def _table(table: tuple[int, ...], found: Report, dataset: Dataset) -> list[dict[str, Any]]:
    small = found.target.small
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
