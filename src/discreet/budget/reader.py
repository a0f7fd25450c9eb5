"""Which store a ledger is in, and reading it beside its writer: balances, entries, an audit."""

import os
from dataclasses import replace
from pathlib import Path

from discreet.budget.book import Book, Store
from discreet.budget.charging import Balance
from discreet.budget.entries import Entry, EntryKind, Premises
from discreet.budget.file_store import FileStore
from discreet.budget.postgresql.store import SharedBook, SharedStore
from discreet.budget.verify import Audit, audit
from discreet.errors import LedgerError, Remedy
from discreet.lifetimes import Closing


class LedgerReader(Closing):
    """What can be read of a ledger by many threads at once, while others write it."""

    _store: Store

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        self._process = os.getpid()

    def balance(self, analyst: str = "") -> Balance:
        """The total account, or an analyst's own.

        Args:
            analyst: A name, or the empty one for the total.

        Returns:
            What was spent, and the limit.
        """
        return Balance(*self._store.read(lambda book: book.account(analyst)))

    def balances(self) -> dict[str, Balance]:
        """Every account; the total has the empty name."""
        found = self._store.read(lambda book: book.accounts())
        return {name: Balance(*row) for name, row in found.items()}

    def entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first.

        Args:
            analyst: Whose entries; all, if left out.

        Returns:
            The entries.
        """
        return self._store.read(lambda book: book.all_entries(analyst))

    def audit(self) -> Audit:
        """Recompute everything from the entries, and compare it with the accounts.

        Entries and accounts are read in one snapshot: others may go on asking meanwhile.
        """
        entries, accounts = self._store.read(
            lambda book: (book.all_entries(), book.accounts()), snapshot=True
        )
        found = audit(entries)
        wrong = tuple(
            f"account {name or 'total'}: the book says {spent}, its entries {recomputed}"
            for name, (_, spent) in accounts.items()
            if (recomputed := found.spent.get(name, 0)) != spent
        )
        return replace(found, problems=found.problems + wrong)

    def entries_count(self) -> int:
        """How many entries there are."""
        newest = self._store.read(lambda book: book.head())
        return 0 if newest is None else newest.seq

    def charged(self, question: str) -> Entry | None:
        """The charge of a question.

        Args:
            question: The id of the question.

        Returns:
            The entry, or None when nothing was charged.
        """
        return self._store.read(lambda book: book.find(EntryKind.CHARGE, question))

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first.

        Args:
            seq: The number of the entry.
            analyst: Whose charges.
            most: How many at most.

        Returns:
            The entries.
        """
        return self._store.read(lambda book: book.charges_after(seq, analyst, most))

    def recorded_premises(self) -> Premises | None:
        """What the guarantee rests on since the last entry that says so; None before the first."""
        return self._store.read(_premises)


def _premises(book: Book) -> Premises | None:
    if book.facts_digest() is None:
        return None
    entry = book.newest_facts()
    return None if entry is None else Premises.recorded(entry)


def opened_store(path: Path, shared: SharedBook | None, *, exclusive: bool) -> Store:
    """The store, not reached yet; a file that was spent from is never passed over."""
    if shared is None:
        return FileStore(path)
    if path.is_file():
        raise LedgerError(
            f"there is a ledger in the file {path.name}, which has spent on these rows too: move "
            "it into PostgreSQL",
            Remedy.MOVE,
        )
    return SharedStore(shared, path, exclusive=exclusive)
