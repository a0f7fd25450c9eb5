"""A ledger in PostgreSQL: reaching it, one transaction at a time, and what a failure means.

Until COMMIT is sent a lost connection undoes everything. From then on it is in doubt: whoever holds
the head next finds the entries or does not (docs/proofs/one-commit.md). A warning at COMMIT says
that a standby did not get it, and the next commit waits for the standby again.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from discreet.budget.book import Book, InDoubt, Lost
from discreet.budget.entries import Head
from discreet.budget.guard import FORKED, Anchor, Lock
from discreet.budget.postgresql.book import PostgresBook, PostgresWritingBook
from discreet.budget.postgresql.schema import VERSION
from discreet.connection import Connection, driver_of_postgresql, why_unreached
from discreet.errors import DatasetError, LedgerError, NotPrepared, Remedy
from discreet.exact import show

_Result = TypeVar("_Result")

_PURPOSE = "discreet-ledger"
_MOST_READERS = 4
_SESSION = """
SELECT set_config('lock_timeout', '30s', false), set_config('statement_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('default_transaction_read_only', 'off', false),
    set_config('synchronous_commit',
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
        ELSE current_setting('synchronous_commit') END, false)
"""
_STATE = """
SELECT current_setting('fsync') = 'on', pg_is_in_recovery(),
    has_schema_privilege((SELECT oid FROM pg_namespace WHERE nspname = 'discreet'), 'USAGE')
"""
_SAFE = ("42501", "53100", "25006", "55P03", "57014", "P0001", "23514", "23505")
"""States whose message is PostgreSQL's or our own words, and quotes nothing that was written."""


@dataclass(frozen=True)
class SharedBook:
    """Which ledger in PostgreSQL: several may be in one database, by name."""

    connection: Connection
    name: str

    def __str__(self) -> str:
        return f"{self.name} in PostgreSQL at {self.connection}"


class SharedStore:
    """One server's hold of a ledger in PostgreSQL; its own head is beside `path`."""

    shared = True

    def __init__(self, book: SharedBook, path: Path, *, exclusive: bool = False) -> None:
        """Nothing is reached yet.

        Args:
            book: Which ledger.
            path: Where this server keeps its head and its lock.
            exclusive: Whether the turn lasts until `let_go`, also for servers elsewhere: a second
                anchor must be written in the order of the commits.
        """
        self._driver = driver_of_postgresql()
        self.failures: tuple[type[Exception], ...] = (self._driver.Error, OSError)
        self.book, self.path, self._exclusive = book, path, exclusive
        self._connection: Any = None
        self._idle: list[Any] = []
        self._door, self._process = threading.Lock(), os.getpid()
        self._warnings: list[str] = []
        self._durable, self._serving = 0, False
        self._lock = Lock(path.with_name(path.name + ".lock"))

    def is_there(self) -> bool:
        """Whether there may be a ledger: the database says so when it is reached."""
        return True

    def connect(self, *, create: bool) -> None:
        """Reach it; a book that is not there yet is entered where it may be begun."""
        opened = self._opened()
        try:
            self._serving = opened.execute(
                "SELECT row_security_active('discreet.entries')"
            ).fetchone()[0]
            known = opened.execute(
                "SELECT 1 FROM discreet.heads WHERE book = %s", (self.book.name,)
            ).fetchone()
            if known is None:
                if self._serving or not create:
                    raise NotPrepared(
                        f"there is no ledger {show(self.book.name)} in this database that this "
                        "role may use; its custodian creates it and names the role"
                    )
                opened.execute(
                    "INSERT INTO discreet.heads (book) VALUES (%s) ON CONFLICT DO NOTHING",
                    (self.book.name,),
                )
        except self._driver.Error as problem:
            opened.close()
            raise LedgerError(f"the ledger cannot be read: {self.why(problem)}") from None
        except BaseException:
            opened.close()
            raise
        opened.add_notice_handler(self._notice)
        self._connection = opened

    def _notice(self, notice: Any) -> None:
        if notice.severity_nonlocalized not in ("NOTICE", "INFO", "DEBUG", "LOG"):
            self._warnings.append(notice.severity_nonlocalized)

    def _opened(self) -> Any:
        """A connection to a server that keeps what it says it has kept."""
        opened = self.book.connection.open(_PURPOSE)
        try:
            opened.execute(_SESSION)
            synced, standby, usable = opened.execute(_STATE).fetchone()
            if not usable:
                raise NotPrepared(
                    "this database has no ledgers, or this role may not use them; its custodian "
                    "prepares the database and the role"
                )
            if standby:
                raise NotPrepared(
                    "it is a standby, which is read-only; connect to the primary", None
                )
            if not synced:
                raise NotPrepared(
                    "PostgreSQL runs with fsync = off and may lose charges; turn it on", None
                )
            version = opened.execute("SELECT version FROM discreet.version").fetchone()[0]
            if version != VERSION:
                raise NotPrepared(
                    f"the ledgers in this database have version {version}; this program writes "
                    f"version {VERSION}"
                )
        except self._driver.Error as problem:
            opened.close()
            raise LedgerError(f"the ledger cannot be reached: {self.why(problem)}") from None
        except BaseException:
            opened.close()
            raise
        return opened

    def anchor(self, *, create: bool) -> Anchor:
        """This server's own head; one that never saw the book takes it as it finds it."""
        return self.any_anchor()

    def any_anchor(self) -> Anchor:
        """This server's own head, or a new one."""
        return Anchor(self.path.with_name(self.path.name + ".head"), create=True)

    def why(self, problem: Exception) -> str:
        """What may be told of a failure: never a value that was to be written."""
        state = getattr(problem, "sqlstate", None)
        if state is None:
            return why_unreached(problem)
        message = getattr(getattr(problem, "diag", None), "message_primary", None)
        return f"PostgreSQL says: {message}" if state in _SAFE else f"PostgreSQL's error {state}"

    def take_turn(self) -> None:
        """Wait until this process is the one of this machine that writes."""
        self._lock.take()

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""
        if self._exclusive and self._connection is not None and not self._connection.closed:
            try:
                self._connection.execute("SELECT pg_advisory_unlock_all()")
            except self._driver.Error:
                self._drop()
        self._lock.let_go()

    def written(self, work: Callable[[Book], _Result]) -> _Result:
        """Do something with the book in one transaction, durable when this returns."""
        connection = self._ready()
        try:
            book = self._held(connection)
            done = work(book)
            book.send()
        except self._driver.Error as problem:
            raise self._failed(problem) from None
        except BaseException:
            self._undo()
            raise
        self._commit(connection)
        head = book.head()
        self._durable = 0 if head is None else head.seq
        return done

    def _ready(self) -> Any:
        """The writer's connection, outside of any transaction; reached again where it was lost."""
        if os.getpid() != self._process:
            raise LedgerError(FORKED)
        idle = self._driver.pq.TransactionStatus.IDLE
        if self._connection is not None and (
            self._connection.closed or self._connection.info.transaction_status != idle
        ):
            self._drop()
        if self._connection is None:
            try:
                self.connect(create=False)
            except (DatasetError, LedgerError) as problem:
                raise Lost(str(problem)) from None
        return self._connection

    def _held(self, connection: Any) -> PostgresWritingBook:
        """The book with its head in hand: until the end nobody else adds to it."""
        if self._exclusive:
            connection.execute(
                "SELECT pg_advisory_lock(hashtextextended('discreet:' || %s, 0))", (self.book.name,)
            )
        with connection.pipeline():
            connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            reply = connection.execute("SELECT seq, hash FROM discreet.turn(%s)", (self.book.name,))
        seq, digest = reply.fetchone()
        if seq is None:
            raise LedgerError(
                f"the ledger {show(self.book.name)} is gone from its database; restore the "
                "newest copy, or acknowledge the loss",
                Remedy.ACKNOWLEDGE_LOSS,
            )
        head = Head(seq, digest) if seq else None
        return PostgresWritingBook(connection, self.book.name, head, serving=self._serving)

    def _commit(self, connection: Any) -> None:
        self._warnings.clear()
        try:
            done = connection.execute("COMMIT")
        except self._driver.Error as problem:
            alive = not connection.closed and problem.sqlstate is not None
            if alive and not problem.sqlstate.startswith(("57", "08", "XX", "58")):
                self._undo()
                raise
            self._drop()
            raise InDoubt(self.why(problem)) from None
        except BaseException:
            self._drop()
            raise
        if done.statusmessage != "COMMIT":
            raise Lost("PostgreSQL undid the transaction")
        if self._warnings:
            raise InDoubt("PostgreSQL warned that a standby may not have it")

    def _failed(self, problem: Exception) -> Exception:
        """What a failure before COMMIT is: the store is lost, or something cannot be stored."""
        state = getattr(problem, "sqlstate", None)
        lost = self._connection is None or self._connection.closed
        if lost or state is None or state.startswith(("57", "08", "55P03", "40", "53300")):
            self._drop()
            return Lost(self.why(problem))
        self._undo()
        return problem

    def _undo(self) -> None:
        try:
            self._connection.execute("ROLLBACK")
        except (self._driver.Error, AttributeError):
            self._drop()

    def _drop(self) -> None:
        """Forget a connection: the server undoes what it had begun."""
        lost, self._connection = self._connection, None
        if lost is not None:
            lost.close()

    def read(self, look: Callable[[Book], _Result], *, snapshot: bool = False) -> _Result:
        """Look into the book beside the writer; all at one moment where `snapshot` says so."""
        if os.getpid() != self._process:
            raise LedgerError(FORKED)
        try:
            return self._looked(look, snapshot=snapshot)
        except self._driver.OperationalError:
            with self._door:
                idle, self._idle = self._idle, []
            for one in idle:
                one.close()
        try:
            return self._looked(look, snapshot=snapshot)
        except self._driver.Error as problem:
            raise LedgerError(f"the ledger cannot be read: {self.why(problem)}") from None

    def _looked(self, look: Callable[[Book], _Result], *, snapshot: bool) -> _Result:
        with self._door:
            reader = self._idle.pop() if self._idle else None
        if reader is None:
            try:
                reader = self._opened()
            except DatasetError as problem:  # it was there when the ledger was opened
                raise LedgerError(f"the ledger cannot be reached: {problem}") from None
        try:
            if snapshot:
                reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            seen = look(PostgresBook(reader, self.book.name))
            if snapshot:
                reader.execute("COMMIT")
        except BaseException:
            reader.close()
            raise
        with self._door:
            kept = len(self._idle) < _MOST_READERS
            if kept:
                self._idle.append(reader)
        if not kept:
            reader.close()
        return seen

    def is_durable(self, seq: int) -> bool:
        """Whether an entry that was read is known to be where it must be.

        What another server wrote may be here and not yet on a standby; a commit of one's own tells.
        """
        return seq <= self._durable

    def tidy(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Let go of the connections and the lock."""
        self._drop()
        with self._door:
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()
        self._lock.close()
