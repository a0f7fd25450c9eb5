"""An order made ready: all that answering it needs and that no row can change."""

from dataclasses import dataclass
from typing import Any

from discreet.budget import Claim
from discreet.curator.answer import Result
from discreet.curator.storing import Drawn
from discreet.errors import QuestionError
from discreet.planning import DrawnValue, Plan, Reading, ReadyPlan
from discreet.planning.settling import settled
from discreet.planning.subjects.subject import extremes
from discreet.questions import Item, item_text, question_text
from discreet.requests import Order
from discreet.tables import Dataset
from discreet.text import Amount, blanked


@dataclass(frozen=True, kw_only=True, eq=False)
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
        return cls(
            plan=made,
            asked=facts["asked"],
            labels=tuple(_label(item, dataset) for item in made.question.items),
            readings=tuple(
                Reading.of(made.question, part.subject, len(made.groups)) for part in made.parts
            ),
            claim=Claim(made.cost, facts),
        )

    def draw(self, waiting: ReadyPlan) -> Drawn:
        """Draw everything, once: to be called under a charge. No row is looked at any more."""
        drawn = waiting.draw()
        grouped = self.plan.question.group_by is not None
        results = tuple(
            self._result(which, name if grouped else None, drawn[which][place])
            for place, name in enumerate(self.plan.groups)
            for which in range(len(self.plan.parts))
        )
        return Drawn(results, self.plan.wishes.confidence, self.plan.digest)

    @property
    def is_public(self) -> bool:
        """Whether public facts answer it alone: nothing is spent, and no row is looked at."""
        looks = any(part.chosen.epsilon is not None for part in self.plan.parts)
        return not looks and self.claim.total == 0

    def public(self) -> Drawn:
        """The answer that public facts give; any table that they allow has the same."""
        many = len(self.plan.groups)
        tables = [extremes(part.subject)[:1] * many for part in self.plan.parts]
        return self.draw(self.plan.ready(tables))

    def _result(self, which: int, group: str | None, drawn: DrawnValue) -> Result:
        chosen = self.plan.parts[which].chosen
        return Result(
            label=self.labels[which],
            group=group,
            value=drawn.value,
            interval=drawn.interval,
            expected_error=chosen.figures.expected,
            mechanism=chosen.title,
            certificate=chosen.certificate,
            supposed=chosen.release.supposes,
            rows_off=chosen.figures.rows_off,
        )


def check_plan(made: Plan, order: Order, dataset: Dataset) -> None:
    """Refuse a plan of another question, with other wishes, or that costs more than was said."""
    dear = order.epsilon is not None and made.cost.total > order.epsilon.billionths
    if dear or made.wishes != order.wishes or made.question != settled(order.question, dataset):
        raise QuestionError("this is the plan of another order; plan the one that is asked")


def requested(order: Order, dataset: Dataset) -> dict[str, Any]:
    """What was asked for, as plain JSON values: the same question again is told by these."""
    return {
        "question": order.question.to_dict(),
        "asked": question_text(order.question, dataset),
        "request": order.request(),
    }


def _label(item: Item, dataset: Dataset) -> str:
    return blanked(item.label or item_text(item, dataset))
