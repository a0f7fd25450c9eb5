"""An order made ready: all that answering it needs and that no row can change."""

from dataclasses import dataclass
from typing import Any

from discreet.budget import Claim
from discreet.curator.answer import Result
from discreet.curator.order import Order
from discreet.curator.storing import Drawn
from discreet.planning import Histogram, Plan, Reading
from discreet.questions import Item, item_text, question_text
from discreet.tables import Dataset
from discreet.text import Amount, blanked


@dataclass(frozen=True, eq=False)
class Prepared:
    """A plan with the words and the readings that belong to it."""

    plan: Plan
    asked: str
    labels: tuple[str, ...]
    readings: tuple[Reading, ...]
    """For each statistic, how its rows are counted."""
    claim: Claim
    """What is charged, with what the charge's entry says was asked: public facts only."""

    @classmethod
    def of(cls, order: Order, made: Plan, dataset: Dataset) -> "Prepared":
        """Everything about an order that depends on public facts alone."""
        facts = {
            **requested(order, dataset),
            "plan": made.digest,
            "epsilon": str(Amount(made.cost.total)),
            "mechanisms": [part.chosen.title for part in made.parts],
        }
        items = made.question.items
        return cls(
            made,
            facts["asked"],
            tuple(_label(item, dataset) for item in items),
            tuple(Reading.of(made.question, item, len(made.groups), dataset) for item in items),
            Claim(made.cost, facts),
        )

    def draw(self, counted: list[list[Histogram]]) -> Drawn:
        """Draw everything, once: to be called under a charge."""
        answers = self.plan.answers(counted)
        grouped = self.plan.question.group_by is not None
        results = tuple(
            Result(
                self.labels[which],
                name if grouped else None,
                answers[which][place].value,
                answers[which][place].interval,
                part.chosen.figures.expected,
                part.chosen.title,
                part.chosen.certificate,
                part.chosen.release.supposes,
                part.chosen.figures.rows_off,
            )
            for place, name in enumerate(self.plan.groups)
            for which, part in enumerate(self.plan.parts)
        )
        return Drawn(results, self.plan.wishes.confidence, self.plan.digest)


def requested(order: Order, dataset: Dataset) -> dict[str, Any]:
    """What was asked for, as plain JSON values: the same question again is told by these."""
    return {
        "question": order.question.to_dict(),
        "asked": question_text(order.question, dataset),
        "request": order.request(),
    }


def _label(item: Item, dataset: Dataset) -> str:
    return blanked(item.label or item_text(item, dataset))
