"""One writer, group commit: jobs from many threads share one transaction and one fsync.

Whoever waits alone writes in its own thread; in a crowd the jobs are handed to the writer's, which
commits as many as have come. Between processes an advisory lock hands the turn over, so nobody
starves on SQLite's busy handler. A job's caller is told of success only after the commit is on the
disk and the anchor is written.

SQLite keeps a table of the locks of its own process; a forked child inherits the table, not the
locks, and believes that it holds what it does not. So a child leaves its parent's ledgers alone.
"""

import fcntl
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar

import apsw

from discreet.budget import store
from discreet.budget.charging import Job, Page
from discreet.budget.guard import Guard
from discreet.errors import LedgerError

_BATCH = 512
_SYNC_SECONDS = 0.5
_Result = TypeVar("_Result")

FORKED = (
    "this process was forked from one that has the ledger open; ask there, or start a fresh one "
    '(multiprocessing: the method "spawn")'
)

_open: Counter[tuple[int, int]] = Counter()
_inherited: set[tuple[int, int]] = set()


class Lock:
    """An advisory lock that processes hand to one another.

    `take` belongs inside the `try` whose `finally` lets go, for an interrupt may come in between.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise LedgerError(
                f"cannot open the ledger's lock {path.name}: {problem.strerror}; whoever asks must "
                "be able to write beside the ledger"
            ) from None
        told = os.fstat(self._file)
        self._who = told.st_dev, told.st_ino
        if self._who in _inherited:
            os.close(self._file)
            raise LedgerError(FORKED)
        _open[self._who] += 1

    def take(self) -> None:
        """Wait for one's turn."""
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        _open[self._who] -= 1
        os.close(self._file)


def _inherit() -> None:
    _inherited.update(who for who, times in _open.items() if times > 0)
    _open.clear()


os.register_at_fork(after_in_child=_inherit)


@dataclass(frozen=True, eq=False)
class _Order:
    """A job, and what follows it in the same transaction."""

    job: Job[Any]
    then: Callable[[Page, Any], Any] | None


@dataclass(frozen=True, eq=False)
class _Waiting:
    """An order whose outcome a future will tell."""

    order: _Order
    future: "Future[Any]"


class _Nudge(Enum):
    """What the writer's thread is told besides orders."""

    TIDY = auto()
    STOP = auto()


_Outcome = tuple[Any, BaseException | None]
"""What a job returned, or why it failed."""


class Writer:
    """The only place where a ledger's file is written.

    `_turn` is held by the thread that writes, `_door` while something is queued; `_crowded` says
    whether the last commit of the writer's own thread was of several jobs, so that it is worth
    waiting for company. Both are held by `with` alone, which an interrupt cannot come between.
    """

    def __init__(self, connection: apsw.Connection, guard: Guard, lock: Lock) -> None:
        self._connection = connection
        self._turn, self._door = threading.Lock(), threading.Lock()
        self._crowded = self._roomy = self._closed = False
        self._guard, self._anchor = guard, guard.anchor
        self._blank = store.version(connection) == 0
        self._last: Page | None = None
        self._synced = time.monotonic()
        self._lock = lock
        self._orders: queue.SimpleQueue[_Waiting | _Nudge] = queue.SimpleQueue()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="discreet-ledger", daemon=True)
        self._thread.start()

    def submit(
        self, job: Job[_Result], then: Callable[[Page, _Result], _Result] | None = None
    ) -> "Future[_Result]":
        """Run a job, and what follows it, inside the next transaction; done when it is durable.

        When the two together cannot be stored, the job is tried again without what follows: a
        charge must not hang on whether an answer, which may be long or short, finds room.
        """
        waiting = _Waiting(_Order(job, then), Future())
        self._refuse_forked()
        with self._door:
            self._refuse_closed()
            self._orders.put(waiting)
        return waiting.future

    def run(
        self, job: Job[_Result], then: Callable[[Page, _Result], _Result] | None = None
    ) -> _Result:
        """The same, waited for: in this thread, when nobody else is writing or waiting to."""
        self._refuse_forked()
        if self._crowded or self._turn.locked() or not self._orders.empty():
            return self.submit(job, then).result()
        try:
            result, problem = self._alone(_Order(job, then))
        except BaseException:  # an interrupt may have come before the lock was let go
            self._orders.put(_Nudge.TIDY)
            raise
        if problem is not None:
            raise problem
        done: _Result = result
        return done

    def _alone(self, order: _Order) -> _Outcome:
        with self._turn:
            self._refuse_closed()
            was_dirty = self._anchor.dirty
            outcome = self._committed([order])[0]
            if self._anchor.dirty and not was_dirty:
                self._orders.put(_Nudge.TIDY)
        return outcome

    def _refuse_forked(self) -> None:
        if os.getpid() != self._process:
            raise LedgerError(FORKED)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise LedgerError("the ledger is closed")

    def confirm(self, seq: int) -> None:
        """See that an entry is marked wherever it must be before what it says is released."""
        if not self._guard.is_confirmed(seq):
            self.run(lambda _: None)

    def close(self) -> None:
        """Finish what is queued and stop."""
        self._orders.put(_Nudge.STOP)
        self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            try:
                batch = [self._orders.get(timeout=_SYNC_SECONDS if self._anchor.dirty else None)]
            except queue.Empty:
                self._tidy()
                continue
            while len(batch) < _BATCH and not self._orders.empty():
                batch.append(self._orders.get())
            self._answer([one for one in batch if isinstance(one, _Waiting)])
            if _Nudge.STOP in batch:
                self._end()
            elif time.monotonic() - self._synced > _SYNC_SECONDS:
                self._tidy()

    def _answer(self, batch: list[_Waiting]) -> None:
        """Commit what waits and tell whoever does; the thread must outlive whatever happens."""
        waiting = [one for one in batch if one.future.set_running_or_notify_cancel()]
        with self._turn:
            self._lock.let_go()  # an interrupted caller may have left it taken
            self._crowded = len(waiting) > 1
            try:
                outcomes = self._committed([one.order for one in waiting]) if waiting else []
            except BaseException as stopped:
                outcomes = [(None, stopped)] * len(waiting)
        for one, (result, problem) in zip(waiting, outcomes, strict=True):
            if problem is None:
                one.future.set_result(result)
            else:
                one.future.set_exception(problem)

    def _end(self) -> None:
        """The last one turns nobody away without a word: what came late is done as well."""
        with self._turn, self._door:
            self._closed = True
        late = []
        while not self._orders.empty():
            late.append(self._orders.get())
        self._answer([one for one in late if isinstance(one, _Waiting)])
        self._tidy()

    def _tidy(self) -> None:
        """What can wait until nobody does: save the anchor from a power cut, make room in the log.

        Where that fails, the next commit says so.
        """
        with self._turn, suppress(OSError, apsw.Error):
            self._sync_anchor()
            if not (self._roomy or self._closed):
                self._roomy = True
                self._make_room()

    def _sync_anchor(self) -> None:
        self._synced = time.monotonic()
        self._anchor.sync()

    def _make_room(self) -> None:
        try:
            self._lock.take()
            store.make_room(self._connection)
        finally:
            self._lock.let_go()

    def _committed(self, orders: list[_Order]) -> list[_Outcome]:
        try:
            return self._written(orders, whole=True)
        except (apsw.Error, OSError):
            return self._written_in_part(orders)
        except Exception as problem:
            return [(None, problem)] * len(orders)

    def _written_in_part(self, orders: list[_Order]) -> list[_Outcome]:
        try:
            return self._written(orders, whole=False)
        except LedgerError as problem:
            return [(None, problem)] * len(orders)
        except (apsw.Error, OSError) as problem:
            error = LedgerError(f"the ledger cannot be written: {problem}")
            return [(None, error)] * len(orders)

    def _written(self, orders: list[_Order], *, whole: bool) -> list[_Outcome]:
        try:
            self._lock.take()
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self._sync_anchor()
            marks = self._guard.marks()
            with self._connection:
                if self._blank and store.version(self._connection) == 0:
                    store.create(self._connection)
                page = Page(self._connection, self._last)
                self._guard.refuse_other_copy(marks, page)
                self._guard.adopt(marks, page)
                outcomes = [_attempt(page, order, whole=whole) for order in orders]
                mark = page.mark()
            self._blank, self._last = False, page
            self._guard.write(marks, mark)
            return outcomes
        finally:
            self._lock.let_go()


def _attempt(page: Page, order: _Order, *, whole: bool) -> _Outcome:
    """Do a job and what follows it; a job appends once, last, or within `page.whole`."""
    try:
        result = order.job(page)
        if order.then is None:
            return result, None
        if not whole:
            raise LedgerError(
                "the answer could not be stored; the charge stays, and nothing was told"
            )
        return order.then(page, result), None
    except apsw.ConstraintError as problem:
        return None, LedgerError(f"the ledger refused an entry: {problem}")
    except (apsw.Error, OSError):
        raise
    except Exception as problem:
        return None, problem
