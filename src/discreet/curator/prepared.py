"""An order made ready, drawn under its charge, and released when that is on the disk.

Ready means: all that answering needs and that no row can change. What public facts answer alone is
not charged, and no row is looked at.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, TypeAlias

from discreet.budget import Asked, Charge, Claim
from discreet.curator.answer import Answer
from discreet.curator.drawn import Drawn
from discreet.curator.result import Ends, Number, Result
from discreet.curator.shaping import shown_of
from discreet.designer import Progress
from discreet.errors import PlanChanged, QuestionError
from discreet.lifetimes import Recent, holding
from discreet.planning import (
    Counting,
    DrawnValue,
    Interval,
    Part,
    Plan,
    Reading,
    ReadyPlan,
)
from discreet.planning.percentiles import ByRows, percentiles_by_rows, rows_behind
from discreet.planning.reading import counted_together
from discreet.planning.settling import check_tells, settled, tells
from discreet.planning.subjects.subject import extremes
from discreet.questions import Item, item_text, question_text
from discreet.requests import Order, checked_order
from discreet.statistics import Counted
from discreet.tables import Dataset, Table
from discreet.text import amount_text, blanked

Watcher: TypeAlias = Callable[[Progress], None]
_PLANS_BYTES = 256 << 20
_CHANGED = (
    "the plan is not the one that was shown; plan the question again and confirm the new plan"
)


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
            "epsilon": amount_text(made.cost.total),
            "mechanisms": [part.chosen.title for part in made.parts],
        }
        if made.booked:
            facts["together"] = made.booked
        return cls(
            plan=made,
            asked=facts["asked"],
            labels=tuple(label_of(item, dataset) for item in made.question.items),
            readings=tuple(
                Reading.of(
                    made.question,
                    part.subject,
                    made.grouping,
                    facts=dataset,
                    by_value=part.chosen.release.needs_values,
                )
                for part in made.parts
            ),
            claim=Claim(made.cost, facts),
        )

    def claim_of(self, order: Order, dataset: Dataset) -> Claim:
        """The claim, with what will be shown: orders that are alike may be shown otherwise."""
        if order.question.view is None:
            return self.claim
        return replace(self.claim, facts={**self.claim.facts, **shown_of(order.question, dataset)})

    def draw(self, waiting: ReadyPlan) -> Drawn:
        """Draw everything, once: to be called under a charge. No row is looked at any more."""
        drawn, grouping = waiting.draw(), self.plan.grouping
        results = [
            template.filled(name if grouping.axes else None, values, drawn[which][place])
            for place, (name, values) in enumerate(
                zip(grouping.names, grouping.values, strict=True)
            )
            for which, template in enumerate(self._templates)
        ]
        return Drawn(
            results=tuple(results),
            confidence=self.plan.wishes.confidence,
            plan=self.plan.digest,
            imputed=self.plan.imputed,
            uncounted=self.plan.uncounted,
        )

    @property
    def is_public(self) -> bool:
        """Whether public facts answer it alone: nothing is spent, and no row is looked at."""
        return not self.claim.total and all(one.chosen.epsilon is None for one in self.plan.parts)

    def public(self) -> Drawn:
        """The answer that public facts give; any table that they allow has the same."""
        tables = [extremes(one.subject)[:1] * self.plan.grouping.counted for one in self.plan.parts]
        return self.draw(self.plan.ready(tables))

    @cached_property
    def _templates(self) -> "tuple[_Template, ...]":
        return tuple(
            _Template.of(label, part, self.plan)
            for label, part in zip(self.labels, self.plan.parts, strict=True)
        )


@dataclass(frozen=True, kw_only=True)
class _Template:
    """The results of one statistic, but for what is drawn: the rest is public, worked out once."""

    fields: dict[str, Any]
    """All that is the same in every group, by the fields of a result."""
    percentiles: ByRows | None
    """None where nothing is promised in rows."""
    tells_interval: bool
    declared: tuple[tuple[int, int], tuple[int, int]] | None
    """The ends of all that was declared as ratios, where that is more than one value."""
    told: Callable[[Fraction | int], Number] | None
    """Numbers as they are told, where that is otherwise: dates, of a column of dates."""

    @classmethod
    def of(cls, label: str, part: Part, plan: Plan) -> "_Template":
        """What public facts say of every result of a part."""
        subject, chosen, wishes = part.subject, part.chosen, plan.wishes
        figures, supposed, mended = chosen.figures, chosen.release.supposes, plan.mends(part)
        result = Result(
            label=label,
            group=None,
            value=None,
            interval=None,
            expected_error=figures.expected if figures.same_everywhere and not mended else None,
            mechanism=chosen.title,
            certificate=chosen.certificate,
            supposed=supposed and not wishes.safe,
            rows_off=figures.rows_off,
            rows_behind=rows_behind(subject, figures) if figures.by_rows else None,
            about=wishes.about,
        )
        return cls(
            fields=dict(result.__dict__),
            percentiles=percentiles_by_rows(subject, wishes, chosen) if figures.by_rows else None,
            tells_interval=not (supposed and wishes.safe),
            declared=_ratios(subject.start, subject.last) if subject.size > 1 else None,
            told=None if subject.dates is None else subject.told,
        )

    def filled(
        self, group: str | None, groups: tuple[tuple[str, str], ...], drawn: DrawnValue
    ) -> Result:
        """The result of a group, by its name and by its value of each column."""
        interval, value, as_shown = drawn.interval, drawn.value, self.told
        fields = self.fields.copy()
        fields["group"], fields["groups"], fields["value"] = group, groups, value
        if as_shown is not None and isinstance(value, int | Fraction):
            fields["value"] = as_shown(value)
        if interval is not None and self.tells_interval:
            fields["interval"] = _ends(interval, as_shown)
        if interval is not None and _ratios(*interval) == self.declared:
            fields["whole_range"] = True
        if self.percentiles is not None and value is not None:
            fields["percentiles"] = self.percentiles(drawn.rows)
        if drawn.expected_error is not None:
            fields["expected_error"] = drawn.expected_error
        if drawn.rows is not None:
            fields["rows_about"], fields["rows_within"] = drawn.rows.about, drawn.rows.within
        if drawn.run is not None:
            fields["run"] = _ends(drawn.run, as_shown)
        if drawn.clamped_at is not None:
            fields["clamped_at"] = (
                drawn.clamped_at if as_shown is None else as_shown(drawn.clamped_at)
            )
        if drawn.drawn is not None:
            fields["drawn"] = drawn.drawn
        if drawn.surer is not None:
            fields["surer"] = drawn.surer
        if drawn.mean is not None:
            fields["mean"] = drawn.mean
        return Result.holding(fields)


def _ratios(low: Fraction, high: Fraction) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two ends, which are quicker to compare like this."""
    return low.as_integer_ratio(), high.as_integer_ratio()


def _ends(ends: Interval, as_shown: "Callable[[Fraction], Number] | None") -> Ends:
    return ends if as_shown is None else (as_shown(ends[0]), as_shown(ends[1]))


class PreparedOrders:
    """The orders that were made ready last, each by its plan."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._kept = Recent[Order, Prepared](
            _PLANS_BYTES, lambda _, known: min(known.plan.bytes, _PLANS_BYTES)
        )  # the last one stays, however large: whoever was shown a plan may ask by it

    def of(self, order: Order, progress: Watcher | None = None) -> Prepared:
        """An order made ready by the best plan there is; that is made unless it is kept."""
        return self._kept.get(checked_order(order), lambda: self._planned(order, progress))

    def confirmed(
        self, order: Order, shown: "Plan | str | None", progress: Watcher | None
    ) -> Prepared:
        """The order made ready by the plan that was shown, where one was, and worth its charge."""
        ready = self._as_shown(order, shown, progress)
        check_tells(ready.claim.total, self._dataset)
        return ready

    def _as_shown(
        self, order: Order, shown: "Plan | str | None", progress: Watcher | None
    ) -> Prepared:
        if isinstance(shown, Plan):
            if shown.origin is not None:
                raise PlanChanged(_CHANGED, shown=shown.digest)
            check_plan(shown, checked_order(order), self._dataset)
            ready = self.remember(order, shown)
            same = ready.plan.digest == shown.digest
            return ready if same else Prepared.of(order, shown, self._dataset)
        ready = self.of(order, progress)
        if shown is not None and ready.plan.digest != shown:
            raise PlanChanged(_CHANGED, shown=shown, current=ready.plan.digest)
        return ready

    def remember(self, order: Order, made: Plan) -> Prepared:
        """Keep a plan of an order, unless one is kept."""
        return self._kept.get(order, lambda: Prepared.of(order, made, self._dataset))

    def peek(self, order: Order) -> Prepared | None:
        """An order that is kept and may be charged; nothing is planned."""
        ready = self._kept.peek(checked_order(order))
        return ready if ready is None or tells(ready.claim.total, self._dataset) else None

    def __contains__(self, order: Order) -> bool:
        return checked_order(order) in self._kept

    def clear(self) -> None:
        """Forget all plans."""
        self._kept.clear()

    def _planned(self, order: Order, progress: Watcher | None) -> Prepared:
        from discreet.planning import plan  # noqa: PLC0415  a server's workers plan, it does not

        made = plan(
            order.question,
            self._dataset,
            epsilon=order.epsilon,
            within=order.within,
            wishes=order.wishes,
            progress=progress,
        )
        return Prepared.of(order, made, self._dataset)


def check_plan(made: Plan, order: Order, dataset: Dataset) -> None:
    """Refuse a plan of another question, with other wishes, or that costs more than was said."""
    dear = order.epsilon is not None and made.cost.total > order.epsilon.billionths
    if dear or made.wishes != order.wishes or made.question != settled(order.question, dataset):
        raise QuestionError("this is the plan of another order; plan this one first")


def requested(order: Order, dataset: Dataset) -> dict[str, Any]:
    """What was asked for, as plain JSON values: the same question again is told by these."""
    return {
        "question": order.question.to_dict(),
        "asked": question_text(order.question, dataset),
        "request": order.request(),
    }


def label_of(item: Item, dataset: Dataset) -> str:
    """What the answer of a statistic is called."""
    return blanked(item.label or item_text(item, dataset))


_AT_ONCE = 1 << 14
"""With more counts than this, making answers ready is left to a thread that may wait."""
_COUNTS_KEPT = 1 << 22
"""How many counts of rows are kept in memory, occupied or not."""


class KeptCounts:
    """Counts of rows, kept where rows cannot change, in a space that public facts decide."""

    def __init__(self, most: int = _COUNTS_KEPT) -> None:
        self._kept = Recent[Counting, tuple[Counted, ...]](
            most, lambda counting, _: counting.weight
        )

    def waiting(self, ready: Prepared, table: Callable[[], Table]) -> ReadyPlan:
        """Answers that wait to be drawn: rows are looked at where their counts are not kept."""
        kept = [self._kept.peek(reading.key) for reading in ready.readings]
        known = [counted for counted in kept if counted is not None]
        if len(known) < len(kept):
            known = self._counted(ready.readings, table())
        return ready.plan.ready(known)

    def waiting_at_hand(self, ready: Prepared) -> ReadyPlan | None:
        """The same, if all counts are kept and public facts say that it takes no time."""
        kept = self._at_hand(ready.readings)
        return None if kept is None else ready.plan.ready(kept)

    def _counted(self, readings: Sequence[Reading], table: Table) -> list[tuple[Counted, ...]]:
        if not table.fixed:
            return counted_together(readings, table)
        return [self._kept.get(one.key, partial(one.counted, table)) for one in readings]

    def _at_hand(self, readings: Sequence[Reading]) -> list[tuple[Counted, ...]] | None:
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
        """The answer, when its charge is there.

        What was drawn here is told under its own charge alone: where another server charged the
        same id while this one had lost its store, what that one drew is the answer.
        """
        return released(charge, self._ready.asked, self._drawn if charge.new else None)


@dataclass(frozen=True, eq=False)
class Due(Asked):
    """A question of several that is to be written down, and what leaves the house afterwards."""

    release: Callable[[Charge], Answer]


def done(answer: Answer) -> "Future[Answer]":
    """A future that need not be waited for."""
    (answering := Future[Answer]()).set_result(answer)
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
    all_spent, own_spent = charge.total.spent, charge.own.spent
    spent = amount_text(all_spent)
    return holding(
        Answer,
        {
            "receipt": charge.question,
            "asked": asked,
            "results": drawn.results,
            "confidence": drawn.confidence,
            "epsilon": amount_text(charge.billionths),
            "spent": spent,
            "left": amount_text(least(charge.total.left, charge.own.left)),
            "free": drawn.origin is not None or not charge.new,
            "plan": drawn.plan,
            "imputed": drawn.imputed,
            "uncounted": drawn.uncounted,
            "own_spent": spent if own_spent == all_spent else amount_text(own_spent),
            "origin": drawn.origin,
        },
    )


def least(*limits: int | None) -> int:
    """The tightest limit; nothing where there is none."""
    return min([limit for limit in limits if limit is not None], default=0)
