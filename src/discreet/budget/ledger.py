"""The ledger: charge, then draw, then store the answer, then release.

`answered` does the first three in one transaction: nothing is released before the charge and the
answer are both on the disk. A crash may waste budget, never privacy: an answer that was not stored
was not released, and it is not drawn again under the same charge (docs/proofs/one-commit.md).
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from discreet.budget import store
from discreet.budget.anchor import Anchor
from discreet.budget.charging import (
    Balance,
    Charge,
    analyst_name,
    answering,
    charging,
    storing,
)
from discreet.budget.claim import Claim
from discreet.budget.composition import Cost
from discreet.budget.entries import Entry, Event
from discreet.budget.lock import FORKED, Lock
from discreet.budget.page import Page
from discreet.budget.verify import Audit, audit
from discreet.budget.writer import Writer
from discreet.closing import Closing
from discreet.errors import BudgetError, LedgerError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.text import Amount


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
        self.path = Path(path).resolve()
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
        """A new ledger with its total budget and, if wanted, budgets of single analysts.

        Args:
            path: The file, which must not exist.
            total: The whole budget.
            analysts: Budgets of single analysts, by name.

        Returns:
            The ledger, open.

        Raises:
            LedgerError: There is a file already, or it cannot be written.
            EpsilonError: A budget is not a positive number.
        """
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
        """The ledger that is there, or a new one; the budgets are for one without an entry.

        Args:
            path: The file.
            total: The whole budget of a new one.
            analysts: Budgets of single analysts, by name.

        Returns:
            The ledger, open.

        Raises:
            LedgerError: The ledger cannot be trusted, or written.
        """
        ledger = cls(path, _create=not Path(path).is_file())
        try:
            ledger.set_up(total, analysts)
        except BaseException:
            ledger.close()
            raise
        return ledger

    def set_up(self, total: EpsilonLike, analysts: dict[str, EpsilonLike] | None = None) -> None:
        """The first budgets, all of them or none; a book that has begun is left as it is.

        Args:
            total: The whole budget.
            analysts: Budgets of single analysts, by name.

        Raises:
            EpsilonError: A budget is not a positive number.
        """
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
        """Set a budget: the total for the empty name, else an analyst's own.

        Args:
            analyst: A name, or the empty one for the total.
            epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.

        Raises:
            BudgetError: More than that is spent already.
            EpsilonError: The budget is not a positive number.
        """
        allowed, name = Epsilon.of(epsilon).billionths, analyst and analyst_name(analyst)

        def job(page: Page) -> None:
            try:
                page.append(Event("budget", name, billionths=allowed))
            except apsw.ConstraintError:
                spent = page.account(name)[1]
                raise BudgetError(
                    f"{Amount(spent)} is spent already: a budget cannot be {Amount(allowed)}"
                ) from None

        self._writer.run(job)

    def charge(
        self, question: str, cost: Cost, *, analyst: str, facts: dict[str, Any] | None = None
    ) -> Charge:
        """Charge a question once; asked again, return what was stored, free of charge.

        `facts` says what was asked (public facts only); the same id with other facts is refused.

        Args:
            question: The id of the question.
            cost: What it costs.
            analyst: Whose budget is charged, besides the total.
            facts: What was asked, of public facts alone.

        Returns:
            The charge, or the one of before with its answer.

        Raises:
            OverBudget: It would cost more than is left; nothing was charged.
            IdTaken: The id was used for another question.
        """
        return self._writer.run(charging(question, Claim(cost, facts or {}), analyst))

    def answered(
        self, question: str, claim: Claim, draw: Callable[[], dict[str, Any]], *, analyst: str
    ) -> Charge:
        """Charge a question, draw its answer and store it, once; asked again, what was stored.

        `draw` is called only under a charge, and what it returns may be released afterwards.

        Args:
            question: The id of the question.
            claim: What it costs, and what was asked.
            draw: Draws the answer, as plain JSON values.
            analyst: Whose budget is charged, besides the total.

        Returns:
            The charge, with the answer that may be released.

        Raises:
            OverBudget: It would cost more than is left; nothing was charged.
            IdTaken: The id was used for another question.
        """
        return self._writer.run(*answering(question, claim, draw, analyst))

    def answered_soon(
        self, question: str, claim: Claim, draw: Callable[[], dict[str, Any]], *, analyst: str
    ) -> "Future[Charge]":
        """The same without waiting: the future is done when the answer may be released.

        Args:
            question: The id of the question.
            claim: What it costs, and what was asked.
            draw: Draws the answer, as plain JSON values.
            analyst: Whose budget is charged, besides the total.

        Returns:
            A future that holds the charge, or raises what `answered` raises.
        """
        return self._writer.submit(*answering(question, claim, draw, analyst))

    def store_answer(self, question: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Store what was drawn; return what may be released: the answer stored first.

        Args:
            question: The id of the question.
            answer: What was drawn, as plain JSON values.

        Returns:
            The answer that was stored first.
        """
        return self._writer.run(storing(question, answer))

    def balance(self, analyst: str = "") -> Balance:
        """The total account, or an analyst's own.

        Args:
            analyst: A name, or the empty one for the total.

        Returns:
            What was spent, and the limit.
        """
        return Balance(*store.account(self._reader(), analyst))

    def balances(self) -> dict[str, Balance]:
        """Every account; the total has the empty name."""
        return {name: Balance(*row) for name, row in store.accounts(self._reader()).items()}

    def entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first.

        Args:
            analyst: Whose entries; all, if left out.

        Returns:
            The entries.
        """
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
        """The charge of a question.

        Args:
            question: The id of the question.

        Returns:
            The entry, or None when nothing was charged.
        """
        return store.find(self._reader(), "charge", question)

    def answer(self, question: str) -> dict[str, Any] | None:
        """The stored answer of a question.

        Args:
            question: The id of the question.

        Returns:
            Plain JSON values, or None when nothing is stored.
        """
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
