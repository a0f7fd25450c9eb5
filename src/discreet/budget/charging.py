"""The ledger inside one transaction: the page that a job reads and appends to, and the jobs of
asking, which charge a question once, then draw and store its answer."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from discreet.budget.book import Book, Refused, Spending
from discreet.budget.composition import Cost, cost_to_dict
from discreet.budget.entries import (
    Entry,
    EntryKind,
    Event,
    Mark,
    Premises,
    canonical,
    following,
    now,
)
from discreet.errors import BudgetError, IdTaken, LedgerError, OverBudget
from discreet.exact import show
from discreet.lifetimes import holding
from discreet.text import Amount

_Result = TypeVar("_Result")


class Page:
    """An open transaction with the newest entry at hand, so that a batch looks for it once.

    `before` is the last one that was committed here: where nothing came in between, what it knew of
    the ledger still holds.
    """

    def __init__(self, book: Book, before: "Page | None" = None) -> None:
        self.book = book
        self.head = book.head()
        self._at = now()
        if before is not None and before.head == self.head:
            known = before.__dict__
            if "premises_digest" in known:
                self.premises_digest = known["premises_digest"]
            if "spent" in known:
                self.spent = known["spent"]

    def append(self, event: Event) -> Entry:
        """Add an entry for an event; the schema refuses what breaks a rule."""
        entry = following(self.head, event, self._at)
        self.book.append(entry)
        self.head = entry.head
        return entry

    def begin(self, budgets: Mapping[str, int], premises: Premises | None = None) -> None:
        """The first budgets in billionths, the total under the empty name, and what they protect.

        All of them or none: a book without an analyst's limit would let that analyst spend more.
        """
        with self.whole():
            for name, allowed in budgets.items():
                self.append(Event(EntryKind.BUDGET, name, billionths=allowed))
            if premises is not None:
                self.record(premises)

    @cached_property
    def premises_digest(self) -> str | None:
        """The digest of the facts recorded last; None when none were."""
        return self.book.facts_digest()

    @property
    def premises(self) -> Premises | None:
        """The facts recorded last; None when none were."""
        if self.premises_digest is None:
            return None
        entry = self.book.newest_facts()
        return None if entry is None else Premises.recorded(entry)

    def record(self, premises: Premises, reason: str = "") -> None:
        """Write down what the guarantee rests on from here on."""
        with self.whole():
            body = premises.body(self.premises, reason)
            self.book.ready_for_facts()
            self.append(Event(EntryKind.FACTS, "", question=premises.digest, body=body))
        self.premises_digest = premises.digest

    @cached_property
    def spent(self) -> int:
        """What all entries have spent, in billionths; whoever appends a charge says it anew."""
        return self.account("")[1]

    def mark(self) -> Mark | None:
        """How far the ledger has come; None before its first entry."""
        return None if self.head is None else Mark(self.head, self.spent)

    def find(self, kind: EntryKind, question: str) -> Entry | None:
        """The charge or the answer of a question."""
        return self.book.find(kind, question)

    def account(self, name: str) -> Spending:
        """What an account is allowed (None: no limit of its own) and has spent."""
        return self.book.account(name)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """When what is done here fails, nothing that it wrote stays, nor what was known of it."""
        before = dict(vars(self))
        try:
            with self.book.whole():
                yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise


Job = Callable[[Page], _Result]
"""Something to be done in a transaction; done again, from the beginning, where that was lost."""


@dataclass(frozen=True)
class Claim:
    """A cost with public facts about the question; written out once, however often it is made.

    >>> from discreet.budget import Single
    >>> Claim(Single(7), {"asked": "COUNT(*)"}).body
    '{"asked":"COUNT(*)","cost":{"single":7}}'
    """

    cost: Cost
    facts: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def total(self) -> int:
        """What it costs, in billionths of ε."""
        return self.cost.total

    @cached_property
    def body(self) -> str:
        """What the charge's entry says: the same text for the same claim."""
        return canonical({"cost": cost_to_dict(self.cost), **self.facts})


class Balance(NamedTuple):
    """What an account may spend and has spent, in billionths of ε."""

    allowed: int | None
    spent: int

    @property
    def left(self) -> int | None:
        """What is left; None without a limit."""
        return None if self.allowed is None else self.allowed - self.spent


@dataclass(frozen=True, kw_only=True)
class Charge:
    """A charge that is on the disk; `answer` is what was stored for it, if anything was."""

    question: str
    billionths: int
    answer: dict[str, Any] | None
    new: bool
    """Whether it was charged this time."""
    total: Balance
    own: Balance
    """The analyst's own account."""

    def with_answer(self, answer: dict[str, Any]) -> "Charge":
        """The same charge, with what was drawn for it."""
        return holding(Charge, {**self.__dict__, "answer": answer})


def charging(
    question: str, claim: Claim, analyst: str, premises: Premises | None = None
) -> Job[Charge]:
    """Charge a question; one that was charged before comes with what was stored for it.

    With `premises`, a new charge is refused when they are not the recorded ones.
    """
    name = analyst_name(analyst)

    def job(page: Page) -> Charge:
        if premises is not None and page.premises_digest != premises.digest:
            _refuse_changed(page, question, premises)
        try:
            page.append(
                holding(
                    Event,
                    {
                        "kind": EntryKind.CHARGE,
                        "analyst": name,
                        "question": question,
                        "billionths": claim.total,
                        "body": claim.body,
                    },
                )
            )
        except Refused:
            earlier = page.find(EntryKind.CHARGE, question)
            if earlier is None:
                raise over_budget(page, name, claim.total) from None
            answer = _stored(page, earlier, claim, name)
        else:
            earlier = answer = None
        total, own = page.book.both(name)
        page.spent = total[1]
        return Charge(
            question=question,
            billionths=claim.total,
            answer=answer,
            new=earlier is None,
            total=Balance(*total),
            own=Balance(*own),
        )

    return job


_MOST_NEWER = 512
"""How many newer charges are looked at: as many as are remembered of an analyst."""


class ToldMeanwhile(Exception):  # noqa: N818
    """A newer release tells the answer: nothing was charged. For whoever charges, not for users."""


@dataclass(frozen=True, kw_only=True)
class Unless:
    """When a charge is not wanted any more: what was released meanwhile tells the answer."""

    since: int
    """The newest entry that whoever charges has seen."""
    tells: Callable[[Entry], bool]
    """Whether a charge paid for what is asked, as its public facts say."""

    def refuse(self, page: Page, question: str, analyst: str, premises: Premises) -> None:
        """Refuse a charge of this analyst where a newer one, under the same facts, paid for it."""
        if page.head is None or page.head.seq <= self.since:
            return
        resting = page.book.resting_since(premises.digest)
        if resting is None:
            return
        newer = page.book.charges_after(max(self.since, resting), analyst, _MOST_NEWER)
        if any(one.question != question and self.tells(one) for one in newer):
            raise ToldMeanwhile


def answering(
    question: str,
    claim: Claim,
    draw: Callable[[], dict[str, Any]],
    analyst: str,
    *,
    premises: Premises | None = None,
    unless: Unless | None = None,
) -> tuple[Job[Charge], Callable[[Page, Charge], Charge]]:
    """The charge, and what follows it in the same transaction; ToldMeanwhile is its refusal.

    It is drawn once: where a transaction is lost and done again, with what was drawn for it.
    """
    charge = charging(question, claim, analyst, premises)
    kept: list[dict[str, Any] | BaseException] = []

    def drawn_once() -> dict[str, Any]:
        if not kept:
            try:
                kept.append(draw())
            except BaseException as problem:
                kept.append(problem)
        if isinstance(kept[0], BaseException):
            raise kept[0]
        return kept[0]

    def wanted(page: Page) -> Charge:
        if unless is not None and premises is not None:
            unless.refuse(page, question, analyst, premises)
        return charge(page)

    def drawing(page: Page, charge: Charge) -> Charge:
        if charge.answer is not None:
            return charge
        if not charge.new:
            raise answer_lost(question)
        drawn = drawn_once()
        page.append(Event(EntryKind.ANSWER, analyst, question=question, body=canonical(drawn)))
        return charge.with_answer(drawn)

    return wanted, drawing


def storing(question: str, answer: dict[str, Any]) -> Job[dict[str, Any]]:
    """Store what was drawn, unless something was stored before; what may be released."""

    def job(page: Page) -> dict[str, Any]:
        earlier = page.find(EntryKind.ANSWER, question)
        if earlier is not None:
            return earlier.facts()
        charged = page.find(EntryKind.CHARGE, question)
        if charged is None:
            raise LedgerError(f"question {show(question)} was never charged")
        _refuse_void(page, charged)
        stored = Event(EntryKind.ANSWER, charged.analyst, question=question, body=canonical(answer))
        return page.append(stored).facts()

    return job


def id_taken(question: str) -> IdTaken:
    """What to say of an id that stands for something else."""
    return IdTaken(
        f"question id {show(question)} was used for another question, ε or analyst; choose a new "
        "id",
        question=question,
    )


def _refuse_changed(page: Page, question: str, premises: Premises) -> None:
    """Where no facts were recorded yet, these are; what was charged before them is told again."""
    if page.find(EntryKind.CHARGE, question) is not None:
        return
    recorded = page.premises
    if recorded is not None:
        raise premises.refused_after(recorded)
    page.record(premises)


def _stored(page: Page, charged: Entry, claim: Claim, analyst: str) -> dict[str, Any] | None:
    """What was stored for a question that was charged before, if it is the same one."""
    if charged.body != claim.body or charged.analyst != analyst:
        raise id_taken(charged.question)
    answer = page.find(EntryKind.ANSWER, charged.question)
    if answer is None:
        _refuse_void(page, charged)
        return None
    return answer.facts()


def _refuse_void(page: Page, charged: Entry) -> None:
    """A charge without an answer from before a loss: the answer may have been released there."""
    if page.book.lost_since(charged.seq):
        raise LedgerError(
            f"question {show(charged.question)} was charged before entries were lost, and its "
            "answer was lost too; ask under a new id"
        )


def answer_lost(question: str) -> LedgerError:
    """What to say of a charge whose answer is not there: it is void."""
    return LedgerError(
        f"question {show(question)} was charged and its answer was lost; ask under a new id"
    )


def over_budget(page: Page, analyst: str, cost: int, what: str = "this") -> OverBudget:
    """Whose budget does not suffice for what is asked, and what is left of it."""
    for name, whose in ((analyst, f"{analyst}'s budget"), ("", "the total budget")):
        left = Balance(*page.account(name)).left
        if left is not None and cost > left:
            return OverBudget(
                f"{what} would cost ε = {Amount(cost)}, but {whose} has only {Amount(left)} "
                "left; ask for less, or ask the custodian to raise it",
                cost=cost,
                left=left,
                analyst=name,
            )
    return OverBudget(
        "there is no total budget; the custodian must set one", cost=cost, left=0, analyst=""
    )


def analyst_name(analyst: str) -> str:
    """A name that an account may have: short, printable, and not that of the whole budget."""
    named = isinstance(analyst, str) and analyst.strip() and analyst.isprintable()
    if not named or len(analyst) > 200:
        raise BudgetError(f"an analyst needs a printable name, got {show(analyst)}")
    if analyst.strip().lower() == "total":
        raise BudgetError(
            "an analyst cannot be called total, which names the whole budget; choose another name"
        )
    return analyst
