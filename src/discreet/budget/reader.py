"""Where a ledger is kept, and reading it there beside its writer: balances, entries, an audit.

A file of SQLite has a lock for the one that writes, and a connection for each thread that reads;
PostgreSQL has its own (`postgresql.store`).
"""

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import apsw

from discreet.budget import store
from discreet.budget.book import Book, Store
from discreet.budget.charging import Balance
from discreet.budget.entries import Entry, EntryKind, Premises
from discreet.budget.guard import FORKED, Anchor, Lock, other_copy
from discreet.budget.postgresql.store import SharedBook, SharedStore
from discreet.budget.store import SqliteBook, SqliteWritingBook
from discreet.budget.verify import Audit, audit
from discreet.errors import LedgerError, Remedy
from discreet.exact import show
from discreet.lifetimes import Closing

_Result = TypeVar("_Result")


class FileStore:
    """The file and the lock beside it; `connect` before anything else, under the turn."""

    failures: tuple[type[Exception], ...] = (apsw.Error, OSError)
    shared = False

    def __init__(self, path: Path) -> None:
        self.path, self._process = path, os.getpid()
        self._reading = threading.local()
        self._connection: apsw.Connection | None = None
        self._book: SqliteWritingBook | None = None
        self._blank = self._roomy = False
        self._lock = Lock(path.with_name(path.name + ".lock"))

    def is_there(self) -> bool:
        """Whether there is a file."""
        return self.path.is_file()

    def connect(self, *, create: bool) -> None:
        """Open the file; its tables are made in the first transaction."""
        self._connection = store.connect(self.path, create=create)
        self._book = SqliteWritingBook(self._connection)
        self._blank = store.version(self._connection) == 0

    def anchor(self, *, create: bool) -> Anchor:
        """The head beside it, which an empty ledger may lack; `create` lets a new one be begun."""
        assert self._connection is not None
        anchor = Anchor(_head(self.path), create=store.is_empty(self._connection))
        if self._blank and not create:
            mark = anchor.read()
            anchor.close()
            if mark is not None:
                raise other_copy(mark)
            raise LedgerError(
                f"creating {self.path.name} was interrupted; the next question creates it"
            )
        return anchor

    def any_anchor(self) -> Anchor:
        """The head beside it, whatever it says, or a new one: for acknowledged losses alone."""
        return Anchor(_head(self.path), create=True)

    def why(self, problem: Exception) -> str:
        """What may be told of a failure."""
        return str(problem)

    def take_turn(self) -> None:
        """Wait until this process is the one that writes."""
        self._lock.take()

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""
        self._lock.let_go()

    def written(self, work: Callable[[Book], _Result]) -> _Result:
        """Do something with the book in one transaction, on the disk when this returns."""
        connection, book = self._connection, self._book
        assert connection is not None
        assert book is not None
        with connection:
            if self._blank and store.version(connection) == 0:
                store.create(connection)
            book.begin()
            done = work(book)
        book.committed()
        self._blank = False
        return done

    def read(self, look: Callable[[Book], _Result], *, snapshot: bool = False) -> _Result:
        """Look into the book beside the writer; all at one moment where `snapshot` says so."""
        book = self._reader()
        if not snapshot:
            return look(book)
        with book.connection:
            seen = [look(book)]
        return seen[0]

    def _reader(self) -> SqliteBook:
        """A connection of this thread's own."""
        if os.getpid() != self._process:
            raise LedgerError(FORKED)
        if not hasattr(self._reading, "book"):
            self._reading.book = SqliteBook(store.connect(self.path, create=False))
        book: SqliteBook = self._reading.book
        return book

    def is_durable(self, seq: int) -> bool:
        """Whether an entry that was read is known to be where it must be: no other file has it."""
        return True

    def tidy(self) -> None:
        """Let the write-ahead log be as long as it will become, once."""
        if self._roomy or self._connection is None:
            return
        self._roomy = True
        try:
            self._lock.take()
            store.make_room(self._connection)
        finally:
            self._lock.let_go()

    def disconnect(self) -> None:
        """Let go of the file, with everything in it and nothing in its log; the turn is kept."""
        self._reading = threading.local()
        if self._connection is not None:
            self._connection.close()

    def close(self) -> None:
        """Let go of the files."""
        self.disconnect()
        self._lock.close()


def refuse_missing(path: Path, called: object) -> None:
    """A ledger that is to be opened, and not made, is there."""
    if not path.is_file():
        raise LedgerError(
            f"there is no ledger at {show(str(called))}; the first question creates it"
        )


def _head(path: Path) -> Path:
    return path.with_name(path.name + ".head")


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
        accounts = self._store.read(lambda book: book.accounts())
        return {name: Balance(*row) for name, row in accounts.items()}

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
        audited = audit(entries)
        wrong = tuple(
            f"account {name or 'total'}: the book says {spent:,} billionths, "
            f"its entries {recomputed:,}"
            for name, (_, spent) in accounts.items()
            if (recomputed := audited.spent.get(name, 0)) != spent
        )
        return replace(audited, problems=audited.problems + wrong)

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
