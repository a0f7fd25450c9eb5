"""The ledger: charge, then draw, then store the answer, then release.

`answered` does the first three in one transaction: nothing is released before the charge and the
answer are both on the disk. A crash may waste budget, never privacy: an answer that was not stored
was not released, and it is not drawn again under the same charge (docs/proofs/one-commit.md).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from discreet.budget.book import LookUp, Refused
from discreet.budget.charging import (
    Charge,
    Claim,
    Job,
    Page,
    Unless,
    analyst_name,
    answering,
    charging,
    storing,
)
from discreet.budget.composition import Cost
from discreet.budget.entries import Change, EntryKind, Event, Premises
from discreet.budget.guard import Anchor, Guard
from discreet.budget.postgresql.store import SharedBook
from discreet.budget.reader import LedgerReader, opened_store, refuse_missing
from discreet.budget.second_anchor import SecondAnchor
from discreet.budget.several import Asked, answering_all
from discreet.budget.writer import Writer
from discreet.errors import BudgetError, LedgerError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.text import Amount


class Ledger(LedgerReader):
    """An append-only, hash-chained book of charges and answers, in one SQLite file or PostgreSQL.

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

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        premises: Premises | None = None,
        second_anchor: SecondAnchor | None = None,
        shared: SharedBook | None = None,
        _budgets: Mapping[str, int] | None = None,
    ) -> None:
        """Open a ledger that is there.

        Args:
            path: Its file.
            premises: What the guarantee rests on; a charge under other facts than the recorded
                ones is refused. Without, charges are not compared with any.
            second_anchor: Where else the newest entry is marked.
            shared: The ledger in PostgreSQL that is meant; the path is then where this server keeps
                its own head of it.
        """
        super().__init__(path)
        self._premises, self._closed = premises, False
        if _budgets is None and shared is None:
            refuse_missing(self.path, path)
        self._store = opened_store(self.path, shared, exclusive=second_anchor is not None)
        try:
            self._anchor = self._opened(create=_budgets is not None)
        except BaseException:
            self._store.close()
            raise
        self._writer = Writer(
            self._store, Guard(self._anchor, second_anchor, adopting=shared is not None)
        )
        try:
            self._writer.run(_beginning(_budgets, premises))
        except BaseException:
            self.close()
            raise

    def _opened(self, *, create: bool) -> Anchor:
        """Under the turn: who comes while another makes the ledger finds it made."""
        try:
            self._store.take_turn()
            self._store.connect(create=create)
            return self._store.anchor(create=create)
        finally:
            self._store.let_go()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        total: EpsilonLike,
        analysts: Mapping[str, EpsilonLike] | None = None,
        *,
        premises: Premises | None = None,
        second_anchor: SecondAnchor | None = None,
        shared: SharedBook | None = None,
    ) -> "Ledger":
        """A new ledger with its total budget and, if wanted, budgets of single analysts.

        Args:
            path: The file, which must not exist.
            total: The whole budget.
            analysts: Budgets of single analysts, by name.
            premises: What the guarantee rests on.
            second_anchor: Where else the newest entry is marked.
            shared: The ledger in PostgreSQL that is meant.

        Returns:
            The ledger, open.

        Raises:
            LedgerError: There is a file already, or it cannot be written.
            EpsilonError: A budget is not a positive number.
        """
        if Path(path).exists():
            raise LedgerError(f"there is already a ledger at {show(str(path))}")
        return cls.open_or_create(
            path, total, analysts, premises=premises, second_anchor=second_anchor, shared=shared
        )

    @classmethod
    def open_or_create(
        cls,
        path: str | os.PathLike[str],
        total: EpsilonLike,
        analysts: Mapping[str, EpsilonLike] | None = None,
        *,
        premises: Premises | None = None,
        second_anchor: SecondAnchor | None = None,
        shared: SharedBook | None = None,
    ) -> "Ledger":
        """The ledger that is there, or a new one; the budgets are for one without an entry.

        A new one is made in one transaction, with everything that belongs to it or not at all.

        Args:
            path: The file.
            total: The whole budget of a new one.
            analysts: Budgets of single analysts, by name.
            premises: What the guarantee rests on.
            second_anchor: Where else the newest entry is marked.
            shared: The ledger in PostgreSQL that is meant.

        Returns:
            The ledger, open.

        Raises:
            LedgerError: The ledger cannot be trusted, or written.
        """
        budgets = first_budgets(total, analysts or {})
        return cls(
            path, premises=premises, second_anchor=second_anchor, shared=shared, _budgets=budgets
        )

    def check_premises(self) -> None:
        """Refuse facts that are not the recorded ones, before anything is charged.

        Raises:
            FactsChanged: The ledger was opened with other facts than it rests on.
        """
        recorded, declared = self.recorded_premises(), self._premises
        if recorded is not None and declared is not None and recorded != declared:
            raise declared.refused_after(recorded)

    def resting_since(self) -> int | None:
        """The number of the entry since which it rests on the facts it was opened with.

        Returns:
            None where it rests on others, or where none were recorded.
        """
        if self._premises is None:
            return None
        digest = self._premises.digest
        return self._store.read(lambda book: book.resting_since(digest))

    def acknowledge_premises(self, reason: str = "") -> tuple[Change, ...]:
        """Go on under the facts that this ledger was opened with; what changed is recorded.

        Args:
            reason: Kept in the ledger.

        Returns:
            What changed.

        Raises:
            BudgetError: Nothing has changed.
            LedgerError: The ledger was opened without facts.
        """
        premises = self._premises
        if premises is None:
            raise LedgerError("name the dataset file, whose facts are acknowledged")

        def job(page: Page) -> tuple[Change, ...]:
            if page.premises_digest == premises.digest:
                raise BudgetError("nothing has changed: the ledger already rests on these facts")
            changes = premises.changes_from(page.premises)
            page.record(premises, reason)
            return changes

        return self._writer.run(job)

    def allow(self, analyst: str, epsilon: EpsilonLike) -> None:
        """Set a budget: the total for the empty name, else an analyst's own.

        Args:
            analyst: A name, or the empty one for the total.
            epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.

        Raises:
            BudgetError: More than that is spent already.
            EpsilonError: The budget is not a positive number.
            LedgerError: The ledger has not begun: its first question begins it.
        """
        allowed, name = Epsilon.of(epsilon).billionths, analyst and analyst_name(analyst)

        def job(page: Page) -> None:
            if page.head is None:
                raise LedgerError("this ledger is empty; it begins with the first question")
            try:
                page.append(Event(EntryKind.BUDGET, name, billionths=allowed))
            except Refused:
                spent = page.account(name)[1]
                raise BudgetError(
                    f"ε = {Amount(spent)} is already spent, so a budget cannot be {Amount(allowed)}"
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
            The charge, or the earlier one with its answer.

        Raises:
            OverBudget: It would cost more than is left; nothing was charged.
            IdTaken: The id was used for another question.
        """
        return self._writer.run(
            charging(question, Claim(cost, facts or {}), analyst, self._premises),
            about=(LookUp(question, analyst),),
        )

    def answered(
        self,
        question: str,
        claim: Claim,
        draw: Callable[[], dict[str, Any]],
        *,
        analyst: str,
        unless: Unless | None = None,
    ) -> Charge:
        """Charge a question, draw its answer and store it, once; asked again, what was stored.

        `draw` is called only under a charge, and what it returns may be released afterwards.

        Args:
            question: The id of the question.
            claim: What it costs, and what was asked.
            draw: Draws the answer, as plain JSON values.
            analyst: Whose budget is charged, besides the total.
            unless: What would make the charge needless; looked at within the transaction, which
                then charges nothing and raises `discreet.budget.ToldMeanwhile`.

        Returns:
            The charge, with the answer that may be released.

        Raises:
            OverBudget: It would cost more than is left; nothing was charged.
            IdTaken: The id was used for another question.
        """
        return self._writer.run(
            *answering(question, claim, draw, analyst, premises=self._premises, unless=unless),
            about=(LookUp(question, analyst),),
        )

    def answered_all(self, parts: Sequence[Asked], *, analyst: str) -> tuple[Charge, ...]:
        """Charge several questions, draw and store their answers: all in one transaction, or none.

        What was answered before under its id is returned again, and only the others are charged.

        Args:
            parts: The questions, each with its id, its claim and its draw.
            analyst: Whose budget is charged, besides the total.

        Returns:
            The charge of each, with the answer that may be released.

        Raises:
            OverBudget: All together would cost more than is left; nothing was charged.
            IdTaken: An id was used for another question; nothing was charged.
            LedgerError: An id was charged and its answer was lost; nothing was charged.
        """
        return self._writer.run(
            *answering_all(parts, analyst, premises=self._premises),
            about=tuple(LookUp(one.question, analyst) for one in parts),
        )

    def answered_soon(
        self,
        question: str,
        claim: Claim,
        draw: Callable[[], dict[str, Any]],
        *,
        analyst: str,
        unless: Unless | None = None,
    ) -> "Future[Charge]":
        """The same without waiting: the future is done when the answer may be released.

        Args:
            question: The id of the question.
            claim: What it costs, and what was asked.
            draw: Draws the answer, as plain JSON values.
            analyst: Whose budget is charged, besides the total.
            unless: What would make the charge needless.

        Returns:
            A future that holds the charge, or raises what `answered` raises.
        """
        return self._writer.submit(
            *answering(question, claim, draw, analyst, premises=self._premises, unless=unless),
            about=(LookUp(question, analyst),),
        )

    def store_answer(self, question: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Store what was drawn; return what may be released: the answer stored first.

        Args:
            question: The id of the question.
            answer: What was drawn, as plain JSON values.

        Returns:
            The answer that was stored first.
        """
        return self._writer.run(storing(question, answer))

    def answer(self, question: str) -> dict[str, Any] | None:
        """The stored answer of a question.

        Args:
            question: The id of the question.

        Returns:
            Plain JSON values, or None when nothing is stored.
        """
        entry = self._store.read(lambda book: book.find(EntryKind.ANSWER, question))
        if entry is None:
            return None
        self._writer.confirm(entry.seq)
        return entry.facts()

    def close(self) -> None:
        """Finish what is queued and let go of the files, once; a forked child leaves them alone."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        self._writer.close()
        self._anchor.close()
        self._store.close()


def first_budgets(total: EpsilonLike, analysts: Mapping[str, EpsilonLike]) -> dict[str, int]:
    """Budgets in billionths by checked names; the total has the empty one."""
    own = {analyst_name(name): Epsilon.of(share).billionths for name, share in analysts.items()}
    return {"": Epsilon.of(total).billionths, **own}


def _beginning(budgets: Mapping[str, int] | None, premises: Premises | None) -> Job[None]:
    """The first entries of a ledger that has none."""

    def job(page: Page) -> None:
        if page.head is None and budgets is not None:
            page.begin(budgets, premises)

    return job
