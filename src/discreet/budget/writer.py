"""One writer, group commit: jobs from many threads share one transaction and one fsync.

Whoever waits alone writes in its own thread; in a crowd the jobs are handed to the writer's, which
commits as many as have come. Between processes an advisory lock hands the turn over, so nobody
starves on SQLite's busy handler. A job's caller is told of success only after the commit is on the
disk and the anchor is written.
"""

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

from discreet.budget.book import Book, InDoubt, LookUp, Lost, Refused, Store
from discreet.budget.charging import Job, Page
from discreet.budget.entries import Head, Mark
from discreet.budget.guard import FORKED, Guard
from discreet.errors import LedgerError

_BATCH = 512
_SYNC_SECONDS = 0.5
_PATIENCE_SECONDS = 20
_PAUSE_SECONDS = 0.1
"""How long a store that was lost is looked for, and how often."""
_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class _Queued:
    """A job, what follows it in the same transaction, and what both will look for."""

    job: Job[Any]
    then: Callable[[Page, Any], Any] | None
    about: tuple[LookUp, ...]


@dataclass(frozen=True, eq=False)
class _Waiting:
    """An order whose outcome a future will tell."""

    order: _Queued
    future: "Future[Any]"


class _Nudge(Enum):
    """What the writer's thread is told besides orders."""

    TIDY = auto()
    STOP = auto()


_Outcome = tuple[Any, BaseException | None]
"""What a job returned, or why it failed."""


@dataclass(eq=False)
class _Batch:
    """Orders of one transaction; it may be tried more than once."""

    orders: list[_Queued]
    joining: Callable[[], list[_Queued]] | None = None
    """Who came while the book was waited for; asked once."""
    done: "_Done | None" = None
    """What was to be committed when the store was lost."""

    def failed(self, problem: BaseException) -> list[_Outcome]:
        """The same for everybody."""
        return [(None, problem)] * len(self.orders)


@dataclass(frozen=True, eq=False)
class _Done:
    """What a transaction came to."""

    page: Page
    head: Head | None
    mark: Mark | None
    outcomes: list[_Outcome]


class Writer:
    """The only place where a ledger's file is written.

    `_turn` is held by the thread that writes, `_door` while something is queued; `_crowded` says
    whether the last commit of the writer's own thread was of several jobs, so that it is worth
    waiting for company. Both are held by `with` alone, which an interrupt cannot come between.
    """

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store = store
        self._turn, self._door = threading.Lock(), threading.Lock()
        self._crowded = self._closed = False
        self._guard, self._anchor = guard, guard.anchor
        self._last: Page | None = None
        self._synced = time.monotonic()
        self._orders: queue.SimpleQueue[_Waiting | _Nudge] = queue.SimpleQueue()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="discreet-ledger", daemon=True)
        self._thread.start()

    def submit(
        self,
        job: Job[_Result],
        then: Callable[[Page, _Result], _Result] | None = None,
        *,
        about: tuple[LookUp, ...] = (),
    ) -> "Future[_Result]":
        """Run a job, and what follows it, inside the next transaction; done when it is durable.

        When the two together cannot be stored, the job is tried again without what follows: a
        charge must not hang on whether an answer, which may be long or short, finds room.
        """
        waiting = _Waiting(_Queued(job, then, about), Future())
        self._enqueue(waiting)
        return waiting.future

    def _enqueue(self, waiting: _Waiting) -> None:
        self._refuse_forked()
        with self._door:
            self._refuse_closed()
            self._orders.put(waiting)

    def run(
        self,
        job: Job[_Result],
        then: Callable[[Page, _Result], _Result] | None = None,
        *,
        about: tuple[LookUp, ...] = (),
    ) -> _Result:
        """The same, waited for: in this thread, when nobody else is writing or waiting to."""
        self._refuse_forked()
        if self._crowded or self._turn.locked() or not self._orders.empty():
            outcome: _Result = self._together(_Waiting(_Queued(job, then, about), Future()))
            return outcome
        try:
            result, problem = self._alone(_Queued(job, then, about))
        except BaseException:  # an interrupt may have come before the lock was let go
            self._orders.put(_Nudge.TIDY)
            raise
        if problem is not None:
            raise problem
        done: _Result = result
        return done

    def _together(self, waiting: _Waiting) -> Any:
        """The outcome of an order that the writer's thread carries out with others.

        A future that is waited for and interrupted may keep its lock, on which the writer's thread
        would wait for ever: so a plain lock is waited for, and the future asked when it is over.
        """
        over = threading.Lock()
        over.acquire()
        waiting.future.add_done_callback(lambda _: over.release())
        self._enqueue(waiting)
        with over:
            return waiting.future.result()

    def _alone(self, order: _Queued) -> _Outcome:
        with self._turn:
            self._refuse_closed()
            was_dirty = self._anchor.dirty
            outcome = self._committed(_Batch([order]))[0]
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
        if not (self._guard.is_confirmed(seq) and self._store.is_durable(seq)):
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
            self._answer(batch)
            if _Nudge.STOP in batch:
                self._end()
            elif time.monotonic() - self._synced > _SYNC_SECONDS:
                self._tidy()

    def _answer(self, batch: "list[_Waiting | _Nudge]") -> None:
        """Commit what waits and tell whoever does; the thread must outlive whatever happens."""
        waiting = _ready(batch)

        def joining() -> list[_Queued]:
            """Who came while another server held the book; nudges stay in the batch."""
            late: list[_Waiting | _Nudge] = []
            while len(waiting) + len(late) < _BATCH and not self._orders.empty():
                late.append(self._orders.get())
            batch.extend(one for one in late if isinstance(one, _Nudge))
            ready = _ready(late)
            waiting.extend(ready)
            return [one.order for one in ready]

        with self._turn:
            self._store.let_go()  # an interrupted caller may have left it taken
            try:
                tried = _Batch([one.order for one in waiting], joining)
                outcomes = self._committed(tried) if waiting else []
            except BaseException as stopped:
                outcomes = [(None, stopped)] * len(waiting)
            self._crowded = len(waiting) > 1
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
        self._answer(late)
        self._tidy()

    def _tidy(self) -> None:
        """What can wait until nobody does: save the anchor from a power cut, make room in the log.

        Where that fails, the next commit says so.
        """
        with self._turn, suppress(OSError, *self._store.failures):
            self._sync_anchor()
            if not self._closed:
                self._store.tidy()

    def _sync_anchor(self) -> None:
        self._synced = time.monotonic()
        self._anchor.sync()

    def _committed(self, batch: _Batch) -> list[_Outcome]:
        try:
            return self._written(batch, whole=True)
        except (Lost, InDoubt) as lost:
            return self._settled(batch, lost)
        except self._store.failures:
            return self._written_in_part(batch)
        except Exception as problem:
            return batch.failed(problem)

    def _settled(self, batch: _Batch, lost: Exception) -> list[_Outcome]:
        """Reach the store again, and find what was in doubt there; else do it once more.

        What was drawn is kept with its job, so that nothing is drawn twice.
        """
        doubtful, until = isinstance(lost, InDoubt), time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return self._written(batch, whole=True)
            except (Lost, InDoubt) as again:
                lost, doubtful = again, doubtful or isinstance(again, InDoubt)
            except self._store.failures:
                return self._written_in_part(batch)
            except Exception as problem:
                return batch.failed(problem)
            if time.monotonic() > until:
                return batch.failed(_out_of_reach(lost, doubtful=doubtful))
            time.sleep(_PAUSE_SECONDS)

    def _written_in_part(self, batch: _Batch) -> list[_Outcome]:
        try:
            return self._written(batch, whole=False)
        except LedgerError as problem:
            return batch.failed(problem)
        except (Lost, InDoubt) as lost:
            return batch.failed(_out_of_reach(lost, doubtful=isinstance(lost, InDoubt)))
        except self._store.failures as problem:
            return batch.failed(
                LedgerError(f"the ledger cannot be written: {self._store.why(problem)}")
            )

    def _written(self, batch: _Batch, *, whole: bool) -> list[_Outcome]:
        try:
            self._store.take_turn()
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self._sync_anchor()
            marks, failures = self._guard.marks(), (*self._store.failures, Lost)

            def work(book: Book) -> _Done:
                if self._store.shared:
                    _gather(batch, book)
                page = Page(book, self._last)
                self._guard.refuse_other_copy(marks, page)
                self._guard.adopt(marks, page)
                if batch.done is not None and _is_there(batch.done.head, page):
                    return _Done(page, page.head, page.mark(), batch.done.outcomes)
                outcomes = [_attempt(page, order, failures, whole=whole) for order in batch.orders]
                batch.done = _Done(page, page.head, page.mark(), outcomes)
                return batch.done

            done = self._store.written(work)
            self._last = done.page
            self._guard.write(marks, done.mark)
            return done.outcomes
        finally:
            self._store.let_go()


def _ready(batch: "list[_Waiting | _Nudge]") -> list[_Waiting]:
    """Those who wait still."""
    waiting = [one for one in batch if isinstance(one, _Waiting)]
    return [one for one in waiting if one.future.set_running_or_notify_cancel()]


def _gather(batch: _Batch, book: Book) -> None:
    """With the book in hand: who came meanwhile joins, and all say what they will look for."""
    if batch.joining is not None:
        joining, batch.joining = batch.joining, None
        batch.orders.extend(joining())
    book.expect([about for order in batch.orders for about in order.about])


def _is_there(head: Head | None, page: Page) -> bool:
    """Whether the last entry of a transaction that was in doubt is in the book."""
    if head is None or head == page.head:
        return head == page.head
    entry = page.book.entry_at(head.seq)
    return entry is not None and entry.head == head


def _out_of_reach(lost: Exception, *, doubtful: bool) -> LedgerError:
    charged = (
        "it is not known whether it was charged: ask again under the same id, which is charged "
        "only once"
        if doubtful
        else "nothing was charged"
    )
    return LedgerError(f"the ledger cannot be reached: {lost}; {charged}")


def _attempt(
    page: Page, order: _Queued, failures: tuple[type[Exception], ...], *, whole: bool
) -> _Outcome:
    """Do a job and what follows it; what appends more than once does so within `page.whole`."""
    try:
        result = order.job(page)
        if order.then is None:
            return result, None
        if not whole:
            raise LedgerError(
                "the answer could not be stored; the charge stands, and nothing was released"
            )
        return order.then(page, result), None
    except Refused as problem:
        return None, LedgerError(f"the ledger refused an entry: {problem}")
    except failures:
        raise
    except Exception as problem:
        return None, problem
