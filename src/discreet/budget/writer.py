"""One writer, group commit: jobs from many threads share one transaction and one fsync.

Between processes an advisory lock hands the turn over, so nobody starves on SQLite's busy handler.
A job's caller is told of success only after the commit and the anchor are both on the disk.
"""

import fcntl
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import apsw

from discreet.budget import store
from discreet.budget.anchor import Anchor, Head
from discreet.errors import DiscreetError, LedgerError

_BATCH = 512
_Result = TypeVar("_Result")
_Job = tuple[Callable[[apsw.Connection], Any], "Future[Any]"]


class Writer:
    """The only place where a ledger's file is written."""

    def __init__(self, connection: apsw.Connection, anchor: Anchor, lock: Path) -> None:
        self._connection = connection
        self._anchor = anchor
        self._lock = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="discreet-ledger", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[apsw.Connection], _Result]) -> _Result:
        """Run a job inside the next transaction; return when it is durable."""
        if os.getpid() != self._process:
            raise LedgerError("this ledger was opened before a fork; open it again here")
        if not self._thread.is_alive():
            raise LedgerError("the ledger is closed")
        future: Future[_Result] = Future()
        self._jobs.put((job, future))
        return future.result()

    def close(self) -> None:
        """Finish what is queued and stop."""
        if os.getpid() == self._process and self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()
        os.close(self._lock)

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            batch, stop = [first], False
            while len(batch) < _BATCH and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    stop = True
                    break
                batch.append(job)
            self._commit(batch)
            if stop:
                return

    def _commit(self, batch: list[_Job]) -> None:
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            try:
                with self._connection:
                    self._refuse_older_copy()
                    outcomes = [self._attempt(job, future) for job, future in batch]
                self._write_anchor()
            finally:
                fcntl.flock(self._lock, fcntl.LOCK_UN)
        except (apsw.Error, OSError) as problem:
            self._fail(batch, LedgerError(f"the ledger cannot be written: {problem}"))
        except DiscreetError as problem:
            self._fail(batch, problem)
        else:
            for future, result, error in outcomes:
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

    def _attempt(
        self, job: Callable[[apsw.Connection], Any], future: "Future[Any]"
    ) -> tuple["Future[Any]", Any, BaseException | None]:
        error: DiscreetError
        try:
            with self._connection:
                result = job(self._connection)
        except DiscreetError as problem:
            error = problem
        except apsw.ConstraintError as problem:
            error = LedgerError(f"the ledger refused an entry: {problem}")
        else:
            return future, result, None
        return future, None, error

    def _refuse_older_copy(self) -> None:
        anchored = self._anchor.read()
        if anchored is None:
            return
        here = store.entry_at(self._connection, anchored.seq)
        if here is None or here.hash != anchored.hash:
            raise LedgerError(
                f"this ledger is an older or another copy: entry {anchored.seq} was written and "
                "is not here; put the newest copy back, or acknowledge the loss "
                "(discreet ledger acknowledge)"
            )

    def _write_anchor(self) -> None:
        newest = store.head(self._connection)
        anchored = self._anchor.read()
        if newest is not None and (anchored is None or anchored.seq < newest.seq):
            self._anchor.write(Head(newest.seq, newest.hash))

    @staticmethod
    def _fail(batch: list[_Job], problem: DiscreetError) -> None:
        for _, future in batch:
            if not future.done():
                future.set_exception(problem)
