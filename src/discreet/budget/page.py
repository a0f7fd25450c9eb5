"""The ledger inside one transaction: what a job of the writer reads and appends to."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar

import apsw

from discreet.budget import schema, store
from discreet.budget.entries import Entry, EntryKind, Event, Mark, following, now
from discreet.budget.premises import Premises

_Result = TypeVar("_Result")


class Page:
    """An open transaction with the newest entry at hand, so that a batch looks for it once.

    `before` is the last one that was committed here: where nothing came in between, what it knew of
    the ledger still holds.
    """

    def __init__(self, connection: apsw.Connection, before: "Page | None" = None) -> None:
        self.connection = connection
        self.head = store.head(connection)
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
        store.append(self.connection, entry)
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
        return store.facts_digest(self.connection)

    @property
    def premises(self) -> Premises | None:
        """The facts recorded last; None when none were."""
        if self.premises_digest is None:
            return None
        entry = store.newest_facts(self.connection)
        return None if entry is None else Premises.recorded(entry)

    def record(self, premises: Premises, reason: str = "") -> None:
        """Write down what the guarantee rests on from here on."""
        with self.whole():
            body = premises.body(self.premises, reason)
            if schema.version(self.connection) < schema.VERSION:
                schema.upgrade(self.connection)
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
        return store.find(self.connection, kind, question)

    def account(self, name: str) -> tuple[int | None, int]:
        """What an account is allowed (None: no limit of its own) and has spent."""
        return store.account(self.connection, name)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """When what is done here fails, nothing that it wrote stays."""
        before = self.head
        try:
            with self.connection:
                yield
        except BaseException:
            self.head = before
            raise


Job = Callable[[Page], _Result]
"""Something to be done in a transaction."""
