"""What a budget buys, for people and as JSON."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.cli.rendering.terminal import Beside, Column, Row
from discreet.planning import Price, Worth
from discreet.planning.worth import buys
from discreet.questions import EVERY_ROW, question_text
from discreet.tables import Dataset
from discreet.text import Amount, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVENLY = "Groups and selections are assumed to be as large as with evenly spread rows."


def document(worth: Worth, dataset: Dataset, left: int | None = None) -> dict[str, Any]:
    """The same as one JSON document; with what is left, where anything was spent or could be."""
    rest = replace(worth, total=worth.total if left is None else left)
    return {
        "dataset": dataset.name,
        "questions": [
            {
                "question": question_text(price.question, dataset),
                "epsilon": str(Amount(price.cost)),
                "within": [
                    {
                        "amount": float(one.amount),
                        "in_rows": one.in_rows,
                        "rests_on": one.rests_on or None,
                    }
                    for one in price.allowed
                ],
            }
            for price in worth.prices
        ],
        "needed": str(Amount(worth.needed)),
        "total": str(Amount(worth.total)),
        "times": worth.times,
        "buys": worth.questions,
        "left": str(Amount(rest.total)),
        "left_buys": rest.questions,
        "refused": list(worth.refused),
    }


def lines(
    worth: Worth, dataset: Dataset, confidence: str, left: int | None = None
) -> "list[RenderableType]":
    """A line for each question, and what the budget, and what is left of it, is enough for."""
    columns = (
        Column("question", wraps=True),
        Column("within", right=True),
        Column("ε", right=True),
    )
    rows = [Row(_cells(price, dataset)) for price in worth.prices]
    rows.append(Row(("together", "", str(Amount(worth.needed))), "bold"))
    blocks: list[RenderableType] = [Beside(columns, tuple(rows), 1), "", *buys(worth)]
    if left is not None and left < worth.total and worth.needed:
        blocks.append(_rest(replace(worth, total=left)))
    if len(worth.refused) > 1:  # of a single one the error says why
        blocks += ["", "Not priced:", *(f"  {one}" for one in worth.refused)]
    if any(_is_selective(price) for price in worth.prices):
        blocks.append(_EVENLY)
    return [*blocks, f"Confidence {confidence}; no row was looked at, and nothing was spent."]


def _rest(worth: Worth) -> str:
    """What is left, and what it is enough for."""
    left = f"ε = {Amount(worth.total)} of it is left"
    if not worth.times:
        return f"{left}: not enough for all of this."
    return f"{left}: about {plural(worth.questions or 0, 'question')} like these."


def _cells(price: Price, dataset: Dataset) -> tuple[str, ...]:
    allowed = ", ".join(one.text for one in price.allowed)
    return question_text(price.question, dataset), allowed, str(Amount(price.cost))


def _is_selective(price: Price) -> bool:
    question = price.question
    return bool(question.group_by) or question.where != EVERY_ROW


def comment(worth: Worth, accuracy: str, dataset: Dataset) -> list[str]:
    """What a drafted budget buys, in the draft itself, at one accuracy for all."""
    if not worth.questions:
        return []
    many = plural(worth.questions, "question")
    return [
        f"ε = {Amount(worth.total)} buys about {many} like these at ±{accuracy}:",
        *(
            f"  {question_text(price.question, dataset)} for ε = {Amount(price.cost)}"
            for price in worth.prices
        ),
        "`discreet budget` prices your own questions, also at other accuracies.",
    ]
