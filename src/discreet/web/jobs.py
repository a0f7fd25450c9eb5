"""Plans and designs that take a while: a few worker processes, progress, and a real cancel."""

import asyncio
import logging
import secrets
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from discreet import errors
from discreet.errors import DesignError, DiscreetError
from discreet.web.problems import NotFound, TooMany, refusal_of
from discreet.web.worker import Task, Told, receive, send

log = logging.getLogger("discreet.web")
KEPT_SECONDS = 1800.0
MOST_SECONDS = 600.0
MOST_KEPT = 500


class Gone(Exception):  # noqa: N818
    """A worker process has ended, by our hand or its own."""


class Bug(Exception):  # noqa: N818
    """A worker met an error that nobody meant; its message is the name of the error."""


@dataclass(eq=False)
class Job:
    """A task under way: running, then done, failed or cancelled."""

    id: str
    owner: str
    kind: str
    task: Task
    finish: Callable[[Any], Any]
    """Makes the result here of what the worker sent."""
    state: str = "running"
    message: str = "waiting for a worker"
    progress: float | None = None
    """The share of the way that is done, as far as anybody can tell."""
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

    def end(self, state: str, message: str, *, result: Any = None,
            error: DiscreetError | None = None) -> None:  # fmt: skip
        """The first end counts."""
        with self._lock:
            if self._over.is_set():
                return
            self.state, self.message, self.result, self.error = state, message, result, error
            self.progress = 1.0 if state == "done" else None
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


class Jobs:
    """A bounded pool: each thread keeps one worker process and feeds it."""

    def __init__(self, workers: int, most_of_one: int, *, warm: bool = True) -> None:
        self._most_of_one, self._first_at_once = most_of_one, warm
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._desk = _Desk(workers)
        self._benches = [_Bench(self._desk) for _ in range(workers)]
        self._started = False

    def start(self) -> None:
        """Start the threads and the first process; the others start when needed."""
        with self._lock:
            if self._started:
                return
            self._started = True
        for place, bench in enumerate(self._benches):
            bench.start(at_once=self._first_at_once and place == 0)

    def submit(self, owner: str, kind: str, task: Task, finish: Callable[[Any], Any]) -> Job:
        """Queue a task, or join the owner's same one; TooMany when they have enough."""
        self.start()
        with self._lock:
            self._forget_old()
            busy = [one for one in self._jobs.values() if not one.is_over and one.owner == owner]
            for same in busy:
                if same.task == task:
                    return same
            if len(busy) >= self._most_of_one:
                raise TooMany(f"{len(busy)} of your plans and designs are under way already", 2)
            job = Job(secrets.token_urlsafe(12), owner, kind, task, finish)
            self._jobs[job.id] = job
        self._desk.put(job)
        return job

    def find(self, id: str, owner: str) -> Job:
        """A job of an owner; NotFound for everybody else's."""
        job = self._jobs.get(id)
        if job is None or job.owner != owner:
            raise NotFound("there is no such job")
        return job

    def cancel(self, id: str, owner: str) -> Job:
        """End a job: its process is stopped if it is at work on it."""
        job = self.find(id, owner)
        job.end("cancelled", "cancelled")
        for bench in self._benches:
            bench.drop(job)
        return job

    def running(self) -> int:
        """How many jobs wait or run."""
        return sum(not job.is_over for job in list(self._jobs.values()))

    def stop(self) -> None:
        """End every job and every process."""
        for job in list(self._jobs.values()):
            job.end("cancelled", "the server stopped")
        self._desk.close()
        for bench in self._benches:
            bench.stop()

    def _forget_old(self) -> None:
        old = time.monotonic() - KEPT_SECONDS
        over = [job.id for job in self._jobs.values() if job.is_over]
        surplus = len(self._jobs) - MOST_KEPT
        for place, id in enumerate(over):
            if place < surplus or self._jobs[id].created < old:
                del self._jobs[id]


class _Desk:
    """Where jobs wait their turn.

    A bench whose process is running takes them before one that has none; whoever has least under
    way comes first; and designs leave one bench free for plans, where there are two.
    """

    def __init__(self, benches: int) -> None:
        self._most_designs = max(1, benches - 1)
        self._waiting: list[Job] = []
        self._working: list[Job] = []
        self._changed = threading.Condition()
        self._warm = 0
        self._closed = False

    def put(self, job: Job) -> None:
        with self._changed:
            self._waiting.append(job)
            self._changed.notify_all()

    def take(self, *, warm: bool) -> Job | None:
        """The next job; None when the desk is closed."""
        with self._changed:
            self._warm += warm
            try:
                while not self._closed:
                    ready = self._ready()
                    if len(ready) > (0 if warm else self._warm):
                        job = min(ready, key=self._under_way)
                        self._waiting.remove(job)
                        self._working.append(job)
                        return job
                    self._changed.wait()
            finally:
                self._warm -= warm
            return None

    def done(self, job: Job) -> None:
        with self._changed:
            self._working.remove(job)
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _ready(self) -> list[Job]:
        self._waiting = [job for job in self._waiting if not job.is_over]
        designs = sum(job.kind == "design" for job in self._working)
        if designs < self._most_designs:
            return self._waiting
        return [job for job in self._waiting if job.kind != "design"]

    def _under_way(self, job: Job) -> int:
        return sum(one.owner == job.owner for one in self._working)


class _Bench:
    """A thread and its worker process."""

    def __init__(self, desk: _Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._job: Job | None = None
        self._thread = threading.Thread(target=self._run, name="discreet-jobs", daemon=True)

    def start(self, *, at_once: bool) -> None:
        if at_once:
            self._process = _spawned()
        self._thread.start()

    def drop(self, job: Job) -> None:
        """Stop the process if it is at work on this job."""
        with self._lock:
            if self._job is job and self._process is not None:
                self._process.kill()

    def stop(self) -> None:
        with self._lock:
            process = self._process
        if process is not None:
            process.kill()
            process.wait()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        _close(process)

    def _run(self) -> None:
        while (job := self._desk.take(warm=self._process is not None)) is not None:
            try:
                self._work(job)
            except DiscreetError as refused:
                job.end("failed", refusal_of(refused).detail, error=refused)
            except Gone:
                problem = DesignError("the worker ended unexpectedly; ask for less")
                job.end("failed", str(problem), error=problem)
            except Exception as bug:
                log.error("bug", extra={"facts": {"kind": job.kind, "error": _name(bug)}})
                job.end("failed", "something went wrong on our side")
            finally:
                with self._lock:
                    self._job = None
                self._desk.done(job)

    def _work(self, job: Job) -> None:
        process = self._ready(job)
        clock = threading.Timer(MOST_SECONDS, self._too_long, (job,))
        clock.daemon = True
        clock.start()
        job.message = "started"
        try:
            told = self._talk(process, job)
        finally:
            clock.cancel()
        if told.error is not None:
            name, message = told.error
            kind = getattr(errors, name) if name else None
            raise Bug(message) if kind is None else kind(message)
        job.end("done", "done", result=job.finish(told.result))

    def _talk(self, process: "subprocess.Popen[bytes]", job: Job) -> Told:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, job.task)
            while True:
                told: Told = receive(process.stdout)
                if told.done:
                    return told
                job.message = told.progress or job.message
                if told.gap is not None:
                    job.progress = max(0.0, min(0.99, 1.0 - told.gap))
        except (EOFError, OSError, ValueError):
            raise Gone from None

    def _ready(self, job: Job) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                _close(self._process)
                self._process = _spawned()
            self._job = job
            return self._process

    def _too_long(self, job: Job) -> None:
        problem = DesignError(f"this took longer than {MOST_SECONDS:g} s; use a larger step")
        job.end("failed", str(problem), error=problem)
        self.drop(job)


def _name(bug: Exception) -> str:
    return str(bug) if isinstance(bug, Bug) else type(bug).__name__


def _spawned() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", "from discreet.web.worker import main; main()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def _close(process: "subprocess.Popen[bytes] | None") -> None:
    if process is None:
        return
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue
