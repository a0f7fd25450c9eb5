"""The ledger's SQLite file: its tables and the rules in them, opening it, reading and appending.

The database itself enforces the budgets. apsw brings its own SQLite; the system's may carry a
write-ahead-log bug that loses commits.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import apsw

from discreet.budget.book import LookUp, Refused, Spending
from discreet.budget.entries import Entry, EntryKind, Head
from discreet.errors import LedgerError

VERSION = 2
OLDEST = 1
"""The oldest version that is read; it is brought up to date with the first entry that needs it."""

_ENTRIES = """
CREATE TABLE {name} (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    analyst TEXT NOT NULL,
    question TEXT NOT NULL,
    billionths INTEGER NOT NULL CHECK (billionths >= 0),
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
"""

_ACCOUNTS = """
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    allowed INTEGER CHECK (allowed >= 0),
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
    CHECK (allowed IS NULL OR spent <= allowed)
) STRICT;
"""

_RULES = f"""
CREATE UNIQUE INDEX one_charge ON entries (question) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_answer ON entries (question) WHERE kind = 'answer';
CREATE INDEX all_facts ON entries (seq) WHERE kind = 'facts';

CREATE TRIGGER no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER in_order BEFORE INSERT ON entries
WHEN NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM entries)
BEGIN SELECT RAISE (ABORT, 'entries follow one another'); END;
CREATE TRIGGER known_kinds BEFORE INSERT ON entries
WHEN NEW.kind NOT IN ('budget', 'charge', 'answer', 'acknowledged', 'facts')
BEGIN SELECT RAISE (ABORT, 'no such kind of entry'); END;

CREATE TRIGGER budgets AFTER INSERT ON entries WHEN NEW.kind = 'budget'
BEGIN
    INSERT INTO accounts (name, allowed) VALUES (NEW.analyst, NEW.billionths)
    ON CONFLICT (name) DO UPDATE SET allowed = excluded.allowed;
END;
CREATE TRIGGER charges AFTER INSERT ON entries WHEN NEW.kind = 'charge'
BEGIN
    SELECT RAISE (ABORT, 'no total budget')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE name = '' AND allowed IS NOT NULL);
    INSERT INTO accounts (name) VALUES (NEW.analyst) ON CONFLICT (name) DO NOTHING;
    UPDATE accounts SET spent = spent + NEW.billionths WHERE name IN ('', NEW.analyst);
END;
CREATE TRIGGER losses AFTER INSERT ON entries WHEN NEW.kind = 'acknowledged'
BEGIN
    UPDATE accounts SET spent = spent + NEW.billionths WHERE name = '';
END;
CREATE TRIGGER answers BEFORE INSERT ON entries WHEN NEW.kind = 'answer'
BEGIN
    SELECT RAISE (ABORT, 'no charge for this answer')
    WHERE NOT EXISTS (SELECT 1 FROM entries WHERE kind = 'charge' AND question = NEW.question);
END;
PRAGMA user_version = {VERSION};
"""

_LOG_PAGES = 1000
_LOG_BYTES = 32 + _LOG_PAGES * (24 + 4096)
"""A log of so many pages: a header, then every page after a header of its own."""

_MOST_ACCOUNTS = 1024
"""How many accounts one who writes remembers."""

_COLUMNS = "seq, at, kind, analyst, question, billionths, body, previous, hash"
_APPENDING = f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_FINDING = {
    kind: f"SELECT {_COLUMNS} FROM entries WHERE kind = '{kind}' AND question = ?"
    for kind in (EntryKind.CHARGE, EntryKind.ANSWER)
}
"""The kind is written out: only then does SQLite see that a partial index serves."""

force: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Wait until what a file holds is on the disk; not every system can leave out what it need not."""


def connect(path: Path, *, create: bool) -> apsw.Connection:
    """Open the file in write-ahead mode with full synchronisation."""
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    try:
        if create:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(30_000)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.wal_autocheckpoint(_LOG_PAGES)
        written = version(connection)
    except (apsw.Error, OSError) as problem:
        raise LedgerError(f"cannot open the ledger {path.name}: {problem}") from None
    if written not in (0, *range(OLDEST, VERSION + 1)):
        connection.close()
        raise LedgerError(
            f"{path.name} has version {written} of the ledger; "
            f"this program writes version {VERSION}"
        )
    return connection


def make_room(connection: apsw.Connection) -> None:
    """Let the write-ahead log be as long as it will become before its pages go to the ledger.

    A sync that need not record a new length takes half as long. SQLite passes over what follows
    the last whole frame, as it does over frames of an earlier round.
    """
    log = os.open(connection.filename_wal, os.O_RDWR)
    try:
        length = os.fstat(log).st_size
        os.pwrite(log, bytes(max(0, _LOG_BYTES - length)), length)
        force(log)
    finally:
        os.close(log)


def version(connection: apsw.Connection) -> int:
    """The version of the file; 0 for one that holds nothing yet."""
    written = int(str(connection.execute("PRAGMA user_version").fetchall()[0][0]))
    if written == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        return -1
    return written


def create(connection: apsw.Connection) -> None:
    """Make the tables; to be called within a transaction."""
    connection.execute(_ENTRIES.format(name="entries") + _ACCOUNTS + _RULES)


def upgrade(connection: apsw.Connection) -> None:
    """Bring a file of version 1 up to date, entry by entry as they are; within a transaction.

    Its table names the kinds of entries that there were, and SQLite cannot change that in place.
    """
    connection.execute(
        _ENTRIES.format(name="renewed")
        + "INSERT INTO renewed SELECT * FROM entries ORDER BY seq;"
        + "DROP TABLE entries; ALTER TABLE renewed RENAME TO entries;"
        + _RULES
    )


def is_empty(connection: apsw.Connection) -> bool:
    """Whether there is no entry yet; a file that cannot be read is closed again."""
    try:
        return version(connection) == 0 or SqliteBook(connection).head() is None
    except apsw.Error as problem:
        connection.close()
        raise LedgerError(f"the ledger cannot be read: {problem}") from None


class SqliteBook:
    """A ledger's file as one connection sees it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def expect(self, about: Sequence[LookUp]) -> None:
        """Nothing to do: every look is a quick one."""

    def head(self) -> Head | None:
        """The number and the hash of the newest entry."""
        rows = self.connection.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1")
        return next((Head(*row) for row in rows), None)

    def entry_at(self, seq: int) -> Entry | None:
        """The entry of a number."""
        rows = self.connection.execute(f"SELECT {_COLUMNS} FROM entries WHERE seq = ?", (seq,))
        return next((Entry.of_row(row) for row in rows), None)

    def find(self, kind: EntryKind, question: str) -> Entry | None:
        """The charge or the answer of a question."""
        rows = self.connection.execute(_FINDING[kind], (question,))
        return next((Entry.of_row(row) for row in rows), None)

    def any_charge(self) -> bool:
        """Whether anything was ever charged."""
        rows = self.connection.execute(
            f"SELECT 1 FROM entries WHERE kind = '{EntryKind.CHARGE}' LIMIT 1"
        )
        return next(iter(rows), None) is not None

    def lost_since(self, seq: int) -> bool:
        """Whether a loss was acknowledged after the entry of that number."""
        rows = self.connection.execute(
            f"SELECT 1 FROM entries WHERE kind = '{EntryKind.ACKNOWLEDGED}' AND seq > ? LIMIT 1",
            (seq,),
        )
        return next(iter(rows), None) is not None

    def facts_digest(self) -> str | None:
        """The digest of the facts recorded last: such an entry has it in place of a question."""
        if version(self.connection) < VERSION:
            return None
        rows = self.connection.execute(
            f"SELECT question FROM entries WHERE kind = '{EntryKind.FACTS}' "
            "ORDER BY seq DESC LIMIT 1"
        )
        return next((str(row[0]) for row in rows), None)

    def resting_since(self, digest: str) -> int | None:
        """The number of the newest entry of facts, if it is of these."""
        rows = self.connection.execute(
            f"SELECT seq, question FROM entries WHERE kind = '{EntryKind.FACTS}' "
            "ORDER BY seq DESC LIMIT 1"
        )
        return next((int(str(seq)) for seq, recorded in rows if recorded == digest), None)

    def newest_facts(self) -> Entry | None:
        """The facts recorded last."""
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM entries WHERE kind = '{EntryKind.FACTS}' "
            "ORDER BY seq DESC LIMIT 1"
        )
        return next((Entry.of_row(row) for row in rows), None)

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first."""
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM entries WHERE seq > ? AND kind = '{EntryKind.CHARGE}' "
            "AND analyst = ? AND billionths > 0 ORDER BY seq DESC LIMIT ?",
            (seq, analyst, most),
        )
        return [Entry.of_row(row) for row in rows]

    def append(self, entry: Entry) -> None:
        """Add an entry; the schema refuses what breaks a rule."""
        try:
            self.connection.execute(
                _APPENDING,
                (entry.seq, entry.at, entry.kind, entry.analyst, entry.question, entry.billionths,
                 entry.body, entry.previous, entry.hash),
            )  # fmt: skip
        except apsw.ConstraintError as problem:
            raise Refused(str(problem)) from None

    def all_entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first."""
        chosen = "" if analyst is None else "WHERE analyst = ?"
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM entries {chosen} ORDER BY seq",
            () if analyst is None else (analyst,),
        )
        return [Entry.of_row(row) for row in rows]

    def account(self, name: str) -> Spending:
        """What an account is allowed (None: no limit of its own) and has spent."""
        rows = self.connection.execute(
            "SELECT allowed, spent FROM accounts WHERE name = ?", (name,)
        )
        return next(((row[0], row[1]) for row in rows), (None, 0))

    def both(self, name: str) -> tuple[Spending, Spending]:
        """The total account and an analyst's own, in one look."""
        accounts = {
            whose: (allowed, spent)
            for whose, allowed, spent in self.connection.execute(
                "SELECT name, allowed, spent FROM accounts WHERE name IN ('', ?)", (name,)
            )
        }
        return accounts.get("", (None, 0)), accounts.get(name, (None, 0))

    def accounts(self) -> dict[str, Spending]:
        """Every account; the total has the empty name."""
        rows = self.connection.execute("SELECT name, allowed, spent FROM accounts ORDER BY name")
        return {name: (allowed, spent) for name, allowed, spent in rows}

    def whole(self) -> AbstractContextManager[object]:
        """When what is done within fails, nothing that it added stays."""
        return self.connection

    def ready_for_facts(self) -> None:
        """See that entries of facts can be kept: the first version of the file had none."""
        if version(self.connection) < VERSION:
            upgrade(self.connection)


class SqliteWritingBook(SqliteBook):
    """What the one who writes sees: what it knew holds as long as nobody else has written.

    SQLite counts what was written, by anybody, whenever a transaction begins (`data_version`): by
    the same count it decides whether its own pages still hold.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        connection.transaction_mode = "IMMEDIATE"  # so that it is counted at once
        self._version: int | None = None
        self._forget()

    def begin(self) -> None:
        """To be called first in a transaction: forget what may have changed since the last."""
        if self._version is None or self.connection.data_version() != self._version:
            self._forget()
        self._version = None

    def committed(self) -> None:
        """To be called when a transaction is on the disk: all that is known now holds."""
        self._version = self.connection.data_version()

    def _forget(self) -> None:
        self._head: Head | None = None
        self._accounts: dict[str, Spending] = {}

    def head(self) -> Head | None:
        """The number and the hash of the newest entry."""
        if self._head is None:
            self._head = super().head()
        return self._head

    def append(self, entry: Entry) -> None:
        """Add an entry; a charge is spent by its analyst and in total, as the schema has it."""
        super().append(entry)
        self._head, known = entry.head, self._accounts
        if entry.kind == EntryKind.CHARGE:
            for name in ("", entry.analyst):
                if name in known:
                    allowed, spent = known[name]
                    known[name] = allowed, spent + entry.billionths
        elif entry.kind != EntryKind.ANSWER:
            known.clear()

    def account(self, name: str) -> Spending:
        """What an account is allowed (None: no limit of its own) and has spent."""
        known = self._accounts.get(name)
        if known is None:
            known = self._accounts[name] = super().account(name)
        return known

    def both(self, name: str) -> tuple[Spending, Spending]:
        """The total account and an analyst's own."""
        if len(self._accounts) > _MOST_ACCOUNTS:
            self._accounts.clear()
        return self.account(""), self.account(name)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """When what is done within fails, nothing that it added stays, nor what is known of it."""
        try:
            with self.connection:
                yield
        except BaseException:
            self._forget()
            raise
