"""An order made ready, drawn under its charge, and released when that is on the disk.

Ready means: all that answering needs and that no row can change. What public facts answer alone is
not charged, and no row is looked at.
"""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from discreet.budget import Charge, Claim
from discreet.curator.answer import Answer, Result
from discreet.curator.storing import Drawn
from discreet.errors import QuestionError
from discreet.planning import Counting, DrawnValue, Plan, Reading, ReadyPlan, Recent
from discreet.planning.percentiles import percentiles_of, rows_behind
from discreet.planning.settling import settled
from discreet.planning.subjects.subject import Subject, extremes
from discreet.questions import Item, item_text, question_text
from discreet.requests import Order
from discreet.statistics import Counted
from discreet.tables import Dataset, Table
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
                Reading.of(
                    made.question,
                    part.subject,
                    made.grouping,
                    by_value=part.chosen.release.needs_values,
                )
                for part in made.parts
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
        return Drawn(results, self.plan.wishes.confidence, self.plan.digest, self.plan.imputed)

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
        part, wishes = self.plan.parts[which], self.plan.wishes
        chosen, supposed = part.chosen, part.chosen.release.supposes
        figures = chosen.figures
        return Result(
            label=self.labels[which],
            group=group,
            value=drawn.value,
            interval=None if supposed and wishes.safe else drawn.interval,
            expected_error=figures.expected if figures.same_everywhere else None,
            mechanism=chosen.title,
            certificate=chosen.certificate,
            supposed=supposed and not wishes.safe,
            rows_off=figures.rows_off,
            rows_about=None if drawn.rows is None else drawn.rows.about,
            percentiles=None
            if drawn.value is None
            else percentiles_of(part.subject, wishes, chosen, drawn.rows),
            rows_behind=rows_behind(part.subject, figures),
            run=drawn.run,
            about=wishes.about,
            whole_range=_is_whole_range(part.subject, drawn),
            clamped_at=drawn.clamped_at,
        )


def _is_whole_range(subject: Subject, drawn: DrawnValue) -> bool:
    """Whether an interval says no more than what was declared."""
    return subject.size > 1 and drawn.interval == (subject.start, subject.last)


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


_MOST_RESULTS = 1 << 16


class PublicAnswers:
    """The public answers given last, by their receipts."""

    def __init__(self) -> None:
        self._kept = Recent[str, tuple[str, Drawn]](
            _MOST_RESULTS, lambda _, told: len(told[1].results)
        )

    def give(self, ready: Prepared) -> tuple[str, Drawn]:
        """The receipt and the answer of a question that looks at no row."""
        receipt = f"public-{hashlib.sha256(ready.claim.body.encode()).hexdigest()[:16]}"
        return receipt, self._kept.get(receipt, lambda: (ready.asked, ready.public()))[1]

    def find(self, receipt: str) -> tuple[str, Drawn] | None:
        """What was asked under a receipt and its answer, while they are remembered."""
        return self._kept.peek(receipt)


_AT_ONCE = 1 << 14
"""With more counts than this, making answers ready is left to a thread that may wait."""
_COUNTS_KEPT = 1 << 22
"""How many counts of rows are kept in memory, occupied or not."""


class KeptCounts:
    """Counts of rows, kept because rows do not change, in a space that public facts decide."""

    def __init__(self, most: int = _COUNTS_KEPT) -> None:
        self._kept = Recent[Counting, tuple[Counted, ...]](
            most, lambda counting, _: counting.weight
        )

    def of(
        self, readings: Sequence[Reading], table: Callable[[], Table]
    ) -> list[tuple[Counted, ...]]:
        """The counts of every reading; rows are looked at where they are not kept."""
        return [self._of(one, table) for one in readings]

    def _of(self, reading: Reading, table: Callable[[], Table]) -> tuple[Counted, ...]:
        return self._kept.get(reading.key, lambda: reading.counted(table()))

    def at_hand(self, readings: Sequence[Reading]) -> list[tuple[Counted, ...]] | None:
        """The same, if all are kept and public facts say that it takes no time."""
        keys = [reading.key for reading in readings]
        if sum(key.weight for key in keys) > _AT_ONCE:
            return None
        kept = [counted for key in keys if (counted := self._kept.peek(key)) is not None]
        return kept if len(kept) == len(keys) else None

    def __contains__(self, key: Counting) -> bool:
        return key in self._kept

    def clear(self) -> None:
        """Forget all counts."""
        self._kept.clear()


class Drawing:
    """A draw that is made under its charge, and what leaves the house when it is on the disk."""

    def __init__(self, ready: Prepared, waiting: ReadyPlan) -> None:
        self._ready, self._waiting = ready, waiting
        self._drawn: Drawn | None = None

    def __call__(self) -> dict[str, Any]:
        """Draw, once, and tell it as the ledger keeps it."""
        self._drawn = self._ready.draw(self._waiting)
        return self._drawn.to_dict()

    def released(self, charge: Charge) -> Answer:
        """The answer, when its charge is there."""
        return released(charge, self._ready.asked, self._drawn)


def done(answer: Answer) -> "Future[Answer]":
    """A future that need not be waited for."""
    answering: Future[Answer] = Future()
    answering.set_result(answer)
    return answering


def after(charging: "Future[Charge]", release: Callable[[Charge], Answer]) -> "Future[Answer]":
    """What follows a charge, when it is there."""
    answering: Future[Answer] = Future()

    def finish(charged: "Future[Charge]") -> None:
        try:
            answering.set_result(release(charged.result()))
        except Exception as problem:
            answering.set_exception(problem)

    charging.add_done_callback(finish)
    return answering


def released(charge: Charge, asked: str, drawn: Drawn | None = None) -> Answer:
    """What leaves the house: it is on the disk by now. `drawn` spares reading it back."""
    drawn = drawn or Drawn.from_dict(charge.answer or {})
    return Answer(
        receipt=charge.question,
        asked=asked,
        results=drawn.results,
        confidence=drawn.confidence,
        epsilon=str(Amount(charge.billionths)),
        spent=str(Amount(charge.total.spent)),
        left=str(Amount(least(charge.total.left, charge.own.left))),
        free=not charge.new,
        plan=drawn.plan,
        imputed=drawn.imputed,
        own_spent=str(Amount(charge.own.spent)),
    )


def least(*limits: int | None) -> int:
    """The tightest limit; nothing where there is none."""
    return min((limit for limit in limits if limit is not None), default=0)
