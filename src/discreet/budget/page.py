"""The ledger inside one transaction: what a job of the writer reads and appends to."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import apsw

from discreet.budget import store
from discreet.budget.entries import Entry, Event, following, now

_Result = TypeVar("_Result")


class Page:
    """An open transaction with the newest entry at hand, so that a batch looks for it once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.head = store.head(connection)
        self._at = now()

    def append(self, event: Event) -> Entry:
        """Add an entry for an event; the schema refuses what breaks a rule."""
        entry = following(self.head, event, self._at)
        store.append(self.connection, entry)
        self.head = entry.head
        return entry

    def begin(self, budgets: Mapping[str, int]) -> None:
        """The first budgets in billionths, the total under the empty name: all of them or none."""
        with self.whole():
            for name, allowed in budgets.items():
                self.append(Event("budget", name, billionths=allowed))

    def find(self, kind: str, question: str) -> Entry | None:
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
