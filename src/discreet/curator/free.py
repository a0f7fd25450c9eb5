"""Answers that cost nothing: what is stored under an id, what public facts tell alone, and parts of
stored releases."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.budget import Charge, Claim, Ledger, Sequential, Unless, id_taken
from discreet.curator.answer import Answer
from discreet.curator.drawn import Drawn
from discreet.curator.prepared import Due, Prepared, label_of, released, requested
from discreet.curator.result import Result
from discreet.curator.shaping import SHOWN, shaped_as_stored, shown_of
from discreet.curator.stored import StoredPart, StoredReleases, find_part, tells
from discreet.errors import BudgetError, IdTaken, UnknownReceipt
from discreet.exact import show
from discreet.lifetimes import Recent
from discreet.planning import About
from discreet.questions.words import called, group_periods
from discreet.questions.written import is_written
from discreet.requests import Order
from discreet.tables import Dataset
from discreet.text import Resolution, brief, percent

_MOST_RESULTS = 1 << 16
_MOST_BOUNDS = 4
"""A plan tells so many bounds of what is stored."""


def checked_id(given: str) -> str:
    """A question id as people may choose it: short, printable."""
    if not isinstance(given, str) or not 1 <= len(given) <= 200 or not given.isprintable():
        raise BudgetError(
            f"a question id must have 1 to 200 printable characters, got {show(given)}"
        )
    return given


class PublicAnswers:
    """The public answers given last, by their receipts."""

    def __init__(self) -> None:
        self._kept = Recent[str, tuple[str, Drawn]](
            _MOST_RESULTS, lambda _, stored: len(stored[1].results)
        )

    def give(self, ready: Prepared) -> tuple[str, Drawn]:
        """The receipt and the answer of a question that looks at no row.

        What results are called is a part of it: it is whoever asks that names them.
        """
        asked = "\n".join([ready.claim.body, *ready.labels])
        receipt = f"public-{hashlib.sha256(asked.encode()).hexdigest()[:16]}"
        return receipt, self._kept.get(receipt, lambda: (ready.asked, ready.public()))[1]

    def find(self, receipt: str) -> tuple[str, Drawn] | None:
        """What was asked under a receipt and its answer, while they are remembered."""
        return self._kept.peek(receipt)


class FreeAnswers:
    """What a curator tells without a charge; no row is looked at."""

    def __init__(self, dataset: Dataset, ledger: Callable[[], Ledger]) -> None:
        self._dataset, self._ledger = dataset, ledger
        self._public = PublicAnswers()
        self._releases = StoredReleases(dataset)

    def public(
        self, ready: Prepared, order: Order, question_id: str | None, analyst: str
    ) -> Answer:
        """The answer of a question that public facts tell; it is never written down.

        What was written under this id, or is another's, stays.
        """
        known = None if question_id is None else self.known(checked_id(question_id), order, analyst)
        if known is not None:
            return known
        receipt, drawn = self._public.give(ready)
        return self._free(receipt, ready.asked, drawn, analyst)

    def found(self, receipt: str, analyst: str) -> Answer | None:
        """A public answer that was given under a receipt, while it is remembered."""
        given = self._public.find(receipt)
        return None if given is None else self._free(receipt, *given, analyst)

    def part(self, order: Order, analyst: str, shown: str | None = None) -> StoredPart | None:
        """The newest release to this analyst that tells the answer, or the one that a plan has
        shown; None where it must be drawn."""
        if order.fresh:
            return None
        ledger = self._ledger()
        releases = self._releases.to(analyst, ledger)
        return find_part(order, releases, self._dataset, ledger.answer, shown)

    def exactness(self, part: StoredPart, order: Order) -> str:
        """How exact what a release tells is, in words: of a few results their bounds, of many how
        far off any is at most, or the bounds of the first."""
        drawn = self._told(part, order)
        results, periods = drawn.results, group_periods(order.question, self._dataset)
        shown = _farthest_off(results) if len(results) > _MOST_BOUNDS else []
        if not shown:
            shown = [_bound_of(one, periods) for one in results[:_MOST_BOUNDS]]
            more = len(results) - len(shown)
            shown += [f"and {more} more"] if more else []
        return f"{percent(drawn.confidence)} %: {'; '.join(shown)}"

    def unless_told(self, order: Order) -> Unless | None:
        """Makes a charge needless where a release tells the answer that comes after this look.

        To be had before one looks for a release: then two who ask at one moment pay once, in
        whatever thread or process. None where a fresh draw is wanted.
        """
        if order.fresh:
            return None
        return Unless(
            since=self._ledger().entries_count(),
            tells=lambda entry: tells(entry, order, self._dataset),
        )

    def must_be_drawn(self, order: Order, analyst: str) -> bool:
        """Whether no release tells the answer; False also where finding that out would take long.

        For whoever must not wait.
        """
        if order.fresh:
            return True
        return self._releases.at_hand(analyst, self._ledger()) and self.part(order, analyst) is None

    def known(
        self, name: str, order: Order, analyst: str, *, shares: bool = False
    ) -> Answer | None:
        """The stored answer under this id, without planning or reading a row.

        A share of a total depends on what was stored when it was asked: of what `shares` one, the ε
        of today is not compared.
        """
        charge = self.charged(name, None)
        if charge is None or charge.answer is None:
            return None
        entry = self._ledger().charged(name)
        assert entry is not None
        facts, wanted = entry.facts(), requested(order, self._dataset)
        if shares:
            facts, wanted = _without_epsilon(facts), _without_epsilon(wanted)
        same = is_written(order.question, facts.get("question")) and all(
            facts.get(key) == value for key, value in wanted.items() if key != "question"
        )
        if not same or entry.analyst != analyst:
            raise id_taken(name)
        return released(charge, wanted["asked"])

    def stored(self, receipt: str, analyst: str | None, asker: str) -> Answer:
        """The answer under a receipt, of this analyst or of anybody, in the view it was asked."""
        charge = self.charged(receipt, analyst)
        public = self.found(receipt, asker) if charge is None else None
        if public is not None:
            return replace(public, free=True)
        if charge is None or charge.answer is None:
            raise UnknownReceipt(
                f"there is no answer with the receipt {show(receipt)}", receipt=receipt
            )
        entry = self._ledger().charged(receipt)
        facts = {} if entry is None else entry.facts()
        answer = released(charge, str(facts.get("asked", "")))
        return shaped_as_stored(answer, facts, self._dataset) if SHOWN in facts else answer

    def charged(self, name: str, analyst: str | None) -> Charge | None:
        """The charge under an id, with its answer: of this analyst, or of anybody."""
        ledger = self._ledger()
        entry = ledger.charged(name)
        if entry is None or (analyst is not None and entry.analyst != analyst):
            return None
        return Charge(
            question=name,
            billionths=entry.billionths,
            answer=ledger.answer(name),
            new=False,
            total=ledger.balance(""),
            own=ledger.balance(entry.analyst),
        )

    def serve(
        self, part: StoredPart, order: Order, question_id: str | None, analyst: str
    ) -> Answer:
        """A part of a stored release; under an id it is written down as well, at no charge."""
        if question_id is None:
            drawn, asked = self._told(part, order), requested(order, self._dataset)["asked"]
            return self._free(part.release.receipt, asked, drawn, analyst)
        due = self.due(part, order, question_id)
        try:
            charge = self._ledger().answered(question_id, due.claim, due.draw, analyst=analyst)
        except IdTaken:
            known = self.known(question_id, order, analyst)
            if known is None:
                raise
            return known
        return due.release(charge)

    def due(self, part: StoredPart, order: Order, question_id: str) -> Due:
        """A part of a stored release, to be written down under an id."""
        drawn, facts = self._told(part, order), requested(order, self._dataset)
        if order.question.view is not None:
            facts |= shown_of(order.question, self._dataset)
        return Due(
            question_id,
            _claim(facts, drawn, part.release.receipt),
            drawn.to_dict,
            lambda charge: released(charge, facts["asked"]),
        )

    def _told(self, part: StoredPart, order: Order) -> Drawn:
        labels = [label_of(item, self._dataset) for item in order.question.items]
        return part.told(labels, self._dataset)

    def _free(self, receipt: str, asked: str, drawn: Drawn, analyst: str) -> Answer:
        ledger = self._ledger()
        nothing = Charge(
            question=receipt,
            billionths=0,
            answer=None,
            new=True,
            total=ledger.balance(""),
            own=ledger.balance(analyst),
        )
        return released(nothing, asked, drawn)


def _without_epsilon(facts: dict[str, Any]) -> dict[str, Any]:
    return {**facts, "request": {**facts.get("request", {}), "epsilon": None}}


def _bound_of(result: Result, periods: Sequence[Resolution | None]) -> str:
    group = ", ".join(called(result.group_cells, periods))
    return " ".join(filter(None, (result.label, group and f"[{group}]", result.bound)))


def _farthest_off(results: Sequence[Result]) -> list[str]:
    """How far off any answer to each statistic is at most; nothing where that is not known."""
    farthest = dict[str, list[Fraction]]()
    for one in results:
        reach = _reach(one)
        if reach is None:
            return []
        farthest.setdefault(one.label, []).append(reach)
    named = len(farthest) > 1
    return [
        f"{f'{label}: ' * named}each of {len(reaches)} answers within ±{_rounded_up(max(reaches))}"
        for label, reaches in farthest.items()
    ]


def _reach(result: Result) -> Fraction | None:
    """How far the truth may be from what was told, for any data."""
    ends = () if result.interval is None or result.supposed else (result.value, *result.interval)
    numbers = [Fraction(one) for one in ends if isinstance(one, int | Fraction)]
    if len(numbers) < 3 or result.about != About.TABLE or result.clamped_at is not None:
        return None
    value, low, high = numbers
    return max(value - low, high - value)


def _rounded_up(distance: Fraction) -> str:
    """So that what is said of it holds."""
    places = 0 if distance == 0 else max(0, 3 - math.floor(math.log10(distance)))
    return brief(float(Fraction(math.ceil(distance * 10**places), 10**places)))


def _claim(facts: dict[str, Any], drawn: Drawn, receipt: str) -> Claim:
    """What the entry of a free answer says: that it costs nothing, and where it comes from."""
    public = {
        **facts,
        "plan": drawn.plan,
        "epsilon": "0",
        "mechanisms": list(dict.fromkeys(one.mechanism for one in drawn.results)),
        "from": receipt,
    }
    return Claim(Sequential(()), public)
