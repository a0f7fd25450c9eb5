"""Reading a ledger beside its writer: balances, entries, an audit."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import apsw

from discreet.budget import store
from discreet.budget.charging import Balance
from discreet.budget.entries import Entry, EntryKind, Premises
from discreet.budget.verify import Audit, audit
from discreet.budget.writer import FORKED
from discreet.closing import Closing
from discreet.errors import LedgerError


class LedgerReader(Closing):
    """What can be read of a ledger by many threads at once, while others write it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        self._reading, self._process = threading.local(), os.getpid()

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
        return store.find(self._reader(), EntryKind.CHARGE, question)

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first.

        Args:
            seq: The number of the entry.
            analyst: Whose charges.
            most: How many at most.

        Returns:
            The entries.
        """
        return store.charges_after(self._reader(), seq, analyst, most)

    def recorded_premises(self) -> Premises | None:
        """What the guarantee rests on since the last entry that says so; None before the first."""
        reader = self._reader()
        if store.facts_digest(reader) is None:
            return None
        entry = store.newest_facts(reader)
        return None if entry is None else Premises.recorded(entry)

    def _reader(self) -> apsw.Connection:
        """A connection of this thread's own, for reading beside the writer."""
        if os.getpid() != self._process:
            raise LedgerError(FORKED)
        if not hasattr(self._reading, "connection"):
            self._reading.connection = store.connect(self.path, create=False)
        connection: apsw.Connection = self._reading.connection
        return connection

    def _forget_connections(self) -> None:
        self._reading = threading.local()
