"""Plans of several questions, for people and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.cli.rendering import plan as single
from discreet.cli.rendering.terminal import Beside, Column, Row
from discreet.planning import Part, Plan, promise_text
from discreet.planning.batch import Batch, numbered, repeats
from discreet.questions import item_text, shown_text
from discreet.tables import Dataset
from discreet.text import Amount, brief, percent, span_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_COLUMNS = (
    Column("question", wraps=True),
    Column("ε", right=True),
    Column("usually off by", right=True),
    Column("for any data", wraps=True),
)


def document(batch: Batch, dataset: Dataset) -> dict[str, Any]:
    """The plans as one JSON document."""
    return {
        "dataset": dataset.name,
        "total": str(Amount(batch.total)),
        "repeats": numbered(batch.repeats),
        "plans": [single.document(one, dataset) for one in batch.plans],
    }


def lines(batch: Batch, dataset: Dataset) -> "list[RenderableType]":
    """The table, and what can be done now."""
    last = (
        "No row was looked at, and nothing was spent; ask each with its --epsilon, or all with "
        "discreet ask --batch."
    )
    return [*table(batch.plans, dataset), last]


def table(plans: Sequence[Plan], dataset: Dataset) -> "list[RenderableType]":
    """A line for each answer, with the ε of its question; then what all of them cost."""
    again = repeats([(one.digest, one.cost.total) for one in plans])
    paid = [one for one, earlier in zip(plans, again, strict=True) if earlier is None]
    rows = [row for one in paid for row in _rows(one, dataset)]
    together = str(Amount(sum(one.cost.total for one in paid)))
    rows.append(Row(("together", together, "", ""), "bold"))
    remarks = [
        f"  question {place} repeats question {earlier}: it is asked and paid for once"
        for place, earlier in enumerate(numbered(again), start=1)
        if earlier is not None
    ]
    remarks += [
        f"  {shown_text(one.question, dataset)}: {remark}" for one in paid for remark in one.remarks
    ]
    notes = dict.fromkeys(f"! {note}" for one in plans for note in single.warnings(one))
    return [Beside(_COLUMNS, tuple(rows), 1), "", *remarks, *notes]


def _rows(made: Plan, dataset: Dataset) -> list[Row]:
    asked, cost = shown_text(made.question, dataset), str(Amount(made.cost.total))
    if len(made.parts) == 1:
        return [Row((asked, cost, *_figures(made, made.parts[0])))]
    each = [
        Row((f"  {item_text(part.subject.item, dataset)}", "", *_figures(made, part)))
        for part in made.parts
    ]
    return [Row((asked, cost, "", "")), *each]


def _figures(made: Plan, part: Part) -> tuple[str, str]:
    """How far off an answer usually is, and what holds of it for any data."""
    figures = part.chosen.figures
    usual = span_text(figures.typical) if made.wishes.safe else brief(figures.expected)
    sure = f"{percent(made.wishes.confidence)} %"
    if promise := promise_text(part.subject, made.wishes, part.chosen):
        return usual, f"{sure}: {promise}"
    if figures.within is None:
        return usual, "with its interval"
    return usual, f"{sure} within {brief(figures.within)} {figures.rests_on}".rstrip()
