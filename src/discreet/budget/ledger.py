"""The ledger: charge, then draw, then store the answer, then release.

`answered` does the first three in one transaction: nothing is released before the charge and the
answer are both on the disk. A crash may waste budget, never privacy: an answer that was not stored
was not released, and it is not drawn again under the same charge (docs/proofs/one-commit.md).
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from discreet.budget import store
from discreet.budget.anchor import Anchor
from discreet.budget.claim import Claim
from discreet.budget.composition import Cost
from discreet.budget.entries import Entry, Event, canonical
from discreet.budget.lock import FORKED, Lock
from discreet.budget.page import Job, Page
from discreet.budget.verify import Audit, audit
from discreet.budget.writer import Writer
from discreet.closing import Closing
from discreet.errors import BudgetError, IdTaken, LedgerError, OverBudget
from discreet.exact import Epsilon, EpsilonLike, show


@dataclass(frozen=True)
class Balance:
    """What an account may spend and has spent, in billionths of ε."""

    allowed: int | None
    spent: int

    @property
    def left(self) -> int | None:
        """What is left; None without a limit."""
        return None if self.allowed is None else self.allowed - self.spent


@dataclass(frozen=True)
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


class Ledger(Closing):
    """An append-only, hash-chained book of charges and answers in one SQLite file.

    >>> import tempfile
    >>> from discreet.budget import Single
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger.create(Path(folder.name) / "survey.ledger", "1") as ledger:
    ...     first = ledger.charge("q1", Single.of(Epsilon.of("0.4")), analyst="ana")
    ...     stored = ledger.store_answer("q1", {"value": "3"})
    ...     again = ledger.charge("q1", Single.of(Epsilon.of("0.4")), analyst="ana")
    ...     again.answer, again.new, ledger.balance().left
    ({'value': '3'}, False, 600000000)
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, _create: bool = False) -> None:
        self.path = Path(path)
        if not _create and not self.path.is_file():
            raise LedgerError(
                f"there is no ledger at {show(str(path))}; it is made with the first question"
            )
        self._reading = threading.local()
        self._process, self._closed = os.getpid(), False
        self._lock = Lock(self._beside(".lock"))
        try:
            self._connection, self._anchor = self._opened(_create)
        except BaseException:
            self._lock.close()
            raise
        self._writer = Writer(self._connection, self._anchor, self._lock)
        try:
            self._writer.run(lambda _: None)
        except BaseException:
            self.close()
            raise

    def _opened(self, create: bool) -> tuple[apsw.Connection, Anchor]:
        """Under the lock: who comes while another makes the ledger finds it made."""
        try:
            self._lock.take()
            connection = store.connect(self.path, create=create)
            empty = create or store.is_empty(connection)
            try:
                return connection, Anchor(self._beside(".head"), create=empty)
            except BaseException:
                connection.close()
                raise
        finally:
            self._lock.let_go()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        total: EpsilonLike,
        analysts: dict[str, EpsilonLike] | None = None,
    ) -> "Ledger":
        """A new ledger with its total budget and, if wanted, budgets of single analysts."""
        if Path(path).exists():
            raise LedgerError(f"there is a ledger at {show(str(path))} already")
        return cls.open_or_create(path, total, analysts)

    @classmethod
    def open_or_create(
        cls,
        path: str | os.PathLike[str],
        total: EpsilonLike,
        analysts: dict[str, EpsilonLike] | None = None,
    ) -> "Ledger":
        """The ledger that is there, or a new one; the budgets are for one without an entry."""
        ledger = cls(path, _create=not Path(path).is_file())
        try:
            ledger.set_up(total, analysts)
        except BaseException:
            ledger.close()
            raise
        return ledger

    def set_up(self, total: EpsilonLike, analysts: dict[str, EpsilonLike] | None = None) -> None:
        """The first budgets, all of them or none; a book that has begun is left as it is."""
        budgets = {"": Epsilon.of(total).billionths}
        for analyst, epsilon in (analysts or {}).items():
            budgets[analyst_name(analyst)] = Epsilon.of(epsilon).billionths

        def job(page: Page) -> None:
            if page.head is None:
                page.begin(budgets)

        self._writer.run(job)

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def allow(self, analyst: str, epsilon: EpsilonLike) -> None:
        """Set a budget: the total for the empty name, else an analyst's own."""
        allowed = Epsilon.of(epsilon).billionths

        def job(page: Page) -> None:
            try:
                page.append(Event("budget", analyst, billionths=allowed))
            except apsw.ConstraintError:
                spent = page.account(analyst)[1]
                raise BudgetError(
                    f"{_decimal(spent)} is spent already: a budget cannot be {_decimal(allowed)}"
                ) from None

        self._writer.run(job)

    def charge(
        self, question: str, cost: Cost, *, analyst: str, facts: dict[str, Any] | None = None
    ) -> Charge:
        """Charge a question once; asked again, return what was stored, free of charge.

        `facts` says what was asked (public facts only); the same id with other facts is refused.
        """
        return self._writer.run(_charging(question, Claim(cost, facts or {}), analyst))

    def answered(
        self, question: str, claim: Claim, draw: Callable[[], dict[str, Any]], *, analyst: str
    ) -> Charge:
        """Charge a question, draw its answer and store it, once; asked again, what was stored.

        `draw` is called only under a charge, and what it returns may be released afterwards.
        """
        return self._writer.run(*_answering(question, claim, draw, analyst))

    def answered_soon(
        self, question: str, claim: Claim, draw: Callable[[], dict[str, Any]], *, analyst: str
    ) -> "Future[Charge]":
        """The same without waiting: the future is done when the answer may be released."""
        return self._writer.submit(*_answering(question, claim, draw, analyst))

    def store_answer(self, question: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Store what was drawn; return what may be released: the answer stored first."""

        def job(page: Page) -> dict[str, Any]:
            earlier = page.find("answer", question)
            if earlier is not None:
                return earlier.facts()
            charged = page.find("charge", question)
            if charged is None:
                raise LedgerError(f"question {show(question)} was never charged")
            _refuse_void(page, charged)
            stored = Event("answer", charged.analyst, question, body=canonical(answer))
            return page.append(stored).facts()

        return self._writer.run(job)

    def balance(self, analyst: str = "") -> Balance:
        """The total account, or an analyst's own."""
        return Balance(*store.account(self._reader(), analyst))

    def balances(self) -> dict[str, Balance]:
        """Every account; the total has the empty name."""
        return {name: Balance(*row) for name, row in store.accounts(self._reader()).items()}

    def entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first."""
        return store.all_entries(self._reader(), analyst)

    def audit(self) -> Audit:
        """Recompute everything from the entries, and compare it with the accounts.

        Entries and accounts are read in one snapshot: others may go on asking meanwhile.
        """
        reader = self._reader()
        with reader:
            entries, accounts = store.all_entries(reader), store.accounts(reader)
        found = audit(entries)
        wrong = tuple(
            f"account {name or 'total'}: the book says {spent}, its entries {recomputed}"
            for name, (_, spent) in accounts.items()
            if (recomputed := found.spent.get(name, 0)) != spent
        )
        return replace(found, problems=found.problems + wrong)

    def entries_count(self) -> int:
        """How many entries there are."""
        newest = store.head(self._reader())
        return 0 if newest is None else newest.seq

    def charged(self, question: str) -> Entry | None:
        """The charge of a question."""
        return store.find(self._reader(), "charge", question)

    def answer(self, question: str) -> dict[str, Any] | None:
        """The stored answer of a question."""
        found = store.find(self._reader(), "answer", question)
        return found.facts() if found else None

    def _reader(self) -> apsw.Connection:
        """A connection of this thread's own, for reading beside the writer."""
        if os.getpid() != self._process:
            raise LedgerError(FORKED)
        if not hasattr(self._reading, "connection"):
            self._reading.connection = store.connect(self.path, create=False)
        connection: apsw.Connection = self._reading.connection
        return connection

    def close(self) -> None:
        """Finish what is queued and let go of the files, once; a forked child leaves them alone."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        self._writer.close()
        self._anchor.close()
        self._reading = threading.local()
        self._connection.close()
        self._lock.close()


def _charging(question: str, claim: Claim, analyst: str) -> Job[Charge]:
    name = analyst_name(analyst)

    def job(page: Page) -> Charge:
        try:
            page.append(Event("charge", name, question, claim.total, claim.body))
        except apsw.ConstraintError:
            earlier = page.find("charge", question)
            if earlier is None:
                raise OverBudget(_why_refused(page, name, claim.total)) from None
            answer = _stored(page, earlier, claim, name)
        else:
            earlier = answer = None
        return Charge(
            question,
            claim.total,
            answer,
            earlier is None,
            *(Balance(*account) for account in store.both(page.connection, name)),
        )

    return job


def _stored(page: Page, charged: Entry, claim: Claim, analyst: str) -> dict[str, Any] | None:
    """What was stored for a question that was charged before, if it is the same one."""
    if charged.body != claim.body or charged.analyst != analyst:
        raise IdTaken(
            f"question id {show(charged.question)} was used for another question, ε or analyst; "
            "choose a new id"
        )
    answer = page.find("answer", charged.question)
    if answer is None:
        _refuse_void(page, charged)
        return None
    return answer.facts()


def _answering(
    question: str, claim: Claim, draw: Callable[[], dict[str, Any]], analyst: str
) -> tuple[Job[Charge], Callable[[Page, Charge], Charge]]:
    """The charge, and what follows it in the same transaction."""

    def drawing(page: Page, charge: Charge) -> Charge:
        if charge.answer is not None:
            return charge
        if not charge.new:
            raise LedgerError(
                f"question {show(question)} was charged and its answer was lost; ask under a new id"
            )
        drawn = draw()
        page.append(Event("answer", analyst, question, body=canonical(drawn)))
        return replace(charge, answer=drawn)

    return _charging(question, claim, analyst), drawing


def _refuse_void(page: Page, charged: Entry) -> None:
    """A charge without an answer from before a loss: the answer may have been released there."""
    if store.lost_since(page.connection, charged.seq):
        raise LedgerError(
            f"question {show(charged.question)} was charged before entries were lost, and its "
            "answer with them; ask under a new id"
        )


def _why_refused(page: Page, analyst: str, cost: int) -> str:
    for name, whose in ((analyst, f"{analyst}'s budget"), ("", "the total budget")):
        allowed, spent = page.account(name)
        if allowed is not None and spent + cost > allowed:
            return (
                f"this would cost ε = {_decimal(cost)}, and {whose} has {_decimal(allowed - spent)}"
                " left; ask for less, or have the custodian raise it"
            )
    return "there is no total budget; the custodian must set one"


def analyst_name(analyst: str) -> str:
    """A name that an account may have: short, printable, and not that of the whole budget."""
    named = isinstance(analyst, str) and analyst.strip() and analyst.isprintable()
    if not named or len(analyst) > 200:
        raise BudgetError(f"an analyst needs a printable name, got {show(analyst)}")
    if analyst.strip().lower() == "total":
        raise BudgetError(
            "an analyst cannot be called total, as the whole budget is; choose another"
        )
    return analyst


def _decimal(billionths: int) -> str:
    return str(Epsilon(billionths)) if billionths else "0"
