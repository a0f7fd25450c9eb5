"""A job: a plan or a design that somebody waits for; what is said of it between the server and a
worker; and the queue where jobs wait for one.

They wait in turns, so that nobody's long plans hold up another's short ones. Every job begins in
the quick lane, which has a place for each worker, and stays there for a few seconds at most. What
takes longer goes on in the slow lane, at a low priority; when that has no place for it, it is
stopped and begins again when there is one. So whoever comes waits for others' quick turns, never
for the end of their long work.
"""

import asyncio
import pickle
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import IO, Any

from discreet.errors import DiscreetError
from discreet.requests import BatchOrder, DesignRequest, Order
from discreet.tables import Dataset

_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True)
class PlanTask:
    """Plan an order of a dataset."""

    dataset: Dataset
    """As the server holds it, whatever has become of its file since."""
    order: Order


@dataclass(frozen=True)
class BatchTask:
    """Plan several questions of a dataset as one."""

    dataset: Dataset
    batch: BatchOrder


@dataclass(frozen=True)
class DesignTask:
    """Make a design."""

    request: DesignRequest
    wanted: dict[str, Any]
    """The body that asked for it."""


Task = PlanTask | BatchTask | DesignTask


@dataclass(frozen=True, kw_only=True)
class WorkerMessage:
    """What a worker says: progress, or at last a result or an error."""

    progress: str | None = None
    gap: float | None = None
    result: Any = None
    error: tuple[str, str] | None = None
    """The name of the error's class, and its message."""
    done: bool = False


def send(stream: IO[bytes], value: object) -> None:
    """Write one value."""
    packed = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(packed)) + packed)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one value; EOFError when the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    packed = stream.read(length)
    if len(packed) < length:
        raise EOFError
    return pickle.loads(packed)


class JobKind(StrEnum):
    """What a job makes."""

    PLAN = "plan"
    DESIGN = "design"


class JobState(StrEnum):
    """How far a job is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False, kw_only=True)
class Job:
    """A task under way: running, then done, failed or cancelled."""

    id: str
    owner: str
    kind: JobKind
    task: Task
    finish: Callable[[Any], Any]
    """Makes the result here of what the worker sent."""
    state: JobState = JobState.RUNNING
    message: str = "waiting for a worker"
    progress: float | None = None
    """The share of the way that is done, as far as anybody can tell."""
    is_long: bool = False
    """Whether it has taken longer than a quick turn, and gives way to others since."""
    result: Any = None
    error: DiscreetError | None = None
    created: float = field(default_factory=time.monotonic)
    _over: threading.Event = field(default_factory=threading.Event)
    _watchers: list[Callable[[], None]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """Where to come back to."""
        return f"/api/jobs/{self.id}"

    def end(
        self,
        state: JobState,
        message: str,
        *,
        result: Any = None,
        error: DiscreetError | None = None,
    ) -> None:
        """The first end counts."""
        with self._lock:
            if self._over.is_set():
                return
            self.state, self.message, self.result, self.error = state, message, result, error
            self.progress = 1.0 if state is JobState.DONE else None
            self._over.set()
            watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher()

    @property
    def is_over(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self._over.is_set()

    async def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it came."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(over.set)

        with self._lock:
            if self._over.is_set():
                return True
            self._watchers.append(wake)
        try:
            await asyncio.wait_for(over.wait(), seconds)
        except TimeoutError:
            return self.is_over
        return True

    def to_dict(self, result: Any = None) -> dict[str, Any]:
        """The job as plain JSON values."""
        return {
            "id": self.id,
            "kind": self.kind,
            "state": self.state,
            "message": self.message,
            "progress": self.progress,
            "result": result,
            "url": self.url,
        }


class JobQueue:
    """Two lanes with a place for each of `workers`, and who may take one."""

    def __init__(self, workers: int) -> None:
        self._places = workers
        self._most_of_one = max(1, workers - 1)
        self._waiting: list[Job] = []
        self._quick: list[Job] = []
        self._slow: list[Job] = []
        self._turn = count(1)
        self._last_turn: defaultdict[str, int] = defaultdict(int)
        self._changed = threading.Condition()
        self._warm = 0
        self._closed = False

    def put(self, job: Job) -> None:
        """A job takes its place at the end."""
        with self._changed:
            self._waiting.append(job)
            self._changed.notify_all()

    def take(self, *, warm: bool) -> Job | None:
        """The next job, when there is one; None when the queue is closed.

        A worker whose process is running (`warm`) takes jobs before one that has none.
        """
        with self._changed:
            self._warm += warm
            try:
                while not self._closed:
                    ready = self._ready()
                    if len(ready) > (0 if warm else self._warm):
                        return self._started(min(ready, key=self._precedence))
                    self._changed.wait()
            finally:
                self._warm -= warm
            return None

    def slow_down(self, job: Job) -> bool:
        """A job has had its quick turn: whether it may go on, in the slow lane."""
        with self._changed:
            job.is_long = True
            if job not in self._quick or not self._has_place(job):
                return False
            self._quick.remove(job)
            self._slow.append(job)
            self._changed.notify_all()
            return True

    def done(self, job: Job, *, again: bool = False) -> None:
        """A job has left its lane: the next may come; one that was stopped waits `again`."""
        with self._changed:
            for lane in (self._quick, self._slow):
                if job in lane:
                    lane.remove(job)
            if again:
                self._waiting.append(job)
            self._changed.notify_all()

    def close(self) -> None:
        """Let every worker go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _ready(self) -> list[Job]:
        self._waiting = [job for job in self._waiting if not job.is_over]
        return [job for job in self._waiting if self._has_place(job)]

    def _has_place(self, job: Job) -> bool:
        """Whether a job may run now: one of an owner's in the slow lane, a few in the quick one,
        and designs leave a worker to plans, where there are two."""
        lane, most = (self._slow, 1) if job.is_long else (self._quick, self._most_of_one)
        if len(lane) >= self._places or sum(one.owner == job.owner for one in lane) >= most:
            return False
        designs = sum(one.kind == JobKind.DESIGN for one in lane)
        return job.kind != JobKind.DESIGN or designs < self._most_of_one

    def _precedence(self, job: Job) -> tuple[int, int]:
        """Whoever has least under way comes first, then whoever's last turn is longest ago."""
        running = sum(one.owner == job.owner for one in (*self._quick, *self._slow))
        return running, self._last_turn[job.owner]

    def _started(self, job: Job) -> Job:
        self._waiting.remove(job)
        (self._slow if job.is_long else self._quick).append(job)
        self._last_turn[job.owner] = next(self._turn)
        return job
