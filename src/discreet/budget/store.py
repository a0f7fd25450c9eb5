"""The ledger's SQLite file: opening it, and what is read and appended.

apsw brings its own SQLite; the system's may carry a write-ahead-log bug that loses commits.
"""

import os
from pathlib import Path

import apsw

from discreet.budget import schema
from discreet.budget.anchor import force
from discreet.budget.entries import Entry, EntryKind, Head
from discreet.errors import LedgerError

_LOG_PAGES = 1000
_LOG_BYTES = 32 + _LOG_PAGES * (24 + 4096)
"""A log of so many pages: a header, then every page after a header of its own."""

_COLUMNS = "seq, at, kind, analyst, question, billionths, body, previous, hash"
_APPENDING = f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_FINDING = {
    kind: f"SELECT {_COLUMNS} FROM entries WHERE kind = '{kind}' AND question = ?"
    for kind in (EntryKind.CHARGE, EntryKind.ANSWER)
}
"""The kind is written out: only then does SQLite see that a partial index serves."""


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
        version = schema.version(connection)
    except (apsw.Error, OSError) as problem:
        raise LedgerError(f"cannot open the ledger {path.name}: {problem}") from None
    if version not in (0, *range(schema.OLDEST, schema.VERSION + 1)):
        connection.close()
        raise LedgerError(
            f"{path.name} is version {version} of the ledger, this program writes {schema.VERSION}"
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


def head(connection: apsw.Connection) -> Head | None:
    """The number and the hash of the newest entry."""
    rows = connection.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1")
    return next((Head(*row) for row in rows), None)


def is_empty(connection: apsw.Connection) -> bool:
    """Whether there is no entry yet; a file that cannot be read is closed again."""
    try:
        return schema.version(connection) == 0 or head(connection) is None
    except apsw.Error as problem:
        connection.close()
        raise LedgerError(f"the ledger cannot be read: {problem}") from None


def entry_at(connection: apsw.Connection, seq: int) -> Entry | None:
    """The entry of a number."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM entries WHERE seq = ?", (seq,))
    return next((Entry.of_row(row) for row in rows), None)


def find(connection: apsw.Connection, kind: EntryKind, question: str) -> Entry | None:
    """The charge or the answer of a question."""
    rows = connection.execute(_FINDING[kind], (question,))
    return next((Entry.of_row(row) for row in rows), None)


def any_charge(connection: apsw.Connection) -> bool:
    """Whether anything was ever charged."""
    rows = connection.execute(f"SELECT 1 FROM entries WHERE kind = '{EntryKind.CHARGE}' LIMIT 1")
    return next(iter(rows), None) is not None


def lost_since(connection: apsw.Connection, seq: int) -> bool:
    """Whether a loss was acknowledged after the entry of that number."""
    rows = connection.execute(
        f"SELECT 1 FROM entries WHERE kind = '{EntryKind.ACKNOWLEDGED}' AND seq > ? LIMIT 1", (seq,)
    )
    return next(iter(rows), None) is not None


def facts_digest(connection: apsw.Connection) -> str | None:
    """The digest of the facts recorded last: an entry of facts has it in place of a question."""
    if schema.version(connection) < schema.VERSION:
        return None
    rows = connection.execute(
        f"SELECT question FROM entries WHERE kind = '{EntryKind.FACTS}' ORDER BY seq DESC LIMIT 1"
    )
    return next((str(row[0]) for row in rows), None)


def newest_facts(connection: apsw.Connection) -> Entry | None:
    """The facts recorded last."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entries WHERE kind = '{EntryKind.FACTS}' ORDER BY seq DESC LIMIT 1"
    )
    return next((Entry.of_row(row) for row in rows), None)


def append(connection: apsw.Connection, entry: Entry) -> None:
    """Add an entry; the schema refuses what breaks a rule."""
    connection.execute(
        _APPENDING,
        (entry.seq, entry.at, entry.kind, entry.analyst, entry.question, entry.billionths,
         entry.body, entry.previous, entry.hash),
    )  # fmt: skip


def all_entries(connection: apsw.Connection, analyst: str | None = None) -> list[Entry]:
    """Every entry, or every one of an analyst's, oldest first."""
    chosen = "" if analyst is None else "WHERE analyst = ?"
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entries {chosen} ORDER BY seq",
        () if analyst is None else (analyst,),
    )
    return [Entry.of_row(row) for row in rows]


def account(connection: apsw.Connection, name: str) -> tuple[int | None, int]:
    """What an account is allowed (None: no limit of its own) and has spent."""
    rows = connection.execute("SELECT allowed, spent FROM accounts WHERE name = ?", (name,))
    return next(((row[0], row[1]) for row in rows), (None, 0))


def both(
    connection: apsw.Connection, name: str
) -> tuple[tuple[int | None, int], tuple[int | None, int]]:
    """The total account and an analyst's own, in one look."""
    found = {
        whose: (allowed, spent)
        for whose, allowed, spent in connection.execute(
            "SELECT name, allowed, spent FROM accounts WHERE name IN ('', ?)", (name,)
        )
    }
    return found.get("", (None, 0)), found.get(name, (None, 0))


def accounts(connection: apsw.Connection) -> dict[str, tuple[int | None, int]]:
    """Every account; the total has the empty name."""
    rows = connection.execute("SELECT name, allowed, spent FROM accounts ORDER BY name")
    return {name: (allowed, spent) for name, allowed, spent in rows}
