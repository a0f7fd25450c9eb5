"""Plans and designs that take a while: a few worker processes, progress, and a real cancel."""

import logging
import os
import secrets
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from discreet import errors
from discreet.errors import DesignError, DiscreetError
from discreet.web.job import Job, JobKind, JobQueue, JobState, Task, WorkerMessage, receive, send
from discreet.web.problems import NotFound, Refusal, TooMany, refusal_of

log = logging.getLogger("discreet.web")
_LOW_PRIORITY = 15
KEPT_SECONDS = 1800.0
MOST_KEPT = 500
_WORK = (
    "from discreet.lifetimes import collect_rarely; collect_rarely(); "
    "from discreet.web.worker import main; main()"
)


class Gone(Exception):  # noqa: N818
    """A worker process has ended, by our hand or its own."""


class Bug(Exception):  # noqa: N818
    """A worker met an error that nobody meant; its message is the name of the error."""


@dataclass(frozen=True)
class Patience:
    """How many seconds a job may run."""

    quick: float
    """At full priority, before it gives way to others."""
    whole: float
    """In all, before it is given up."""


class Worker:
    """A thread and the process that it feeds."""

    def __init__(self, queue: JobQueue, patience: Patience) -> None:
        self._queue, self._patience = queue, patience
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._greeted = False
        """Whether the process has said that it is ready."""
        self._job: Job | None = None
        self._gives_way = False
        """Whether the job was stopped for others and is to begin anew."""
        self._thread = threading.Thread(target=self._run, name="discreet-jobs", daemon=True)

    @property
    def process_id(self) -> int | None:
        """The process, if it has one now."""
        return None if self._process is None else self._process.pid

    def start(self, *, at_once: bool) -> None:
        """Begin; the process at once, or with the first job."""
        if at_once:
            self._process = _spawned()
        self._thread.start()

    def drop(self, job: Job, *, gives_way: bool = False) -> None:
        """Stop the process if it is at work on this job."""
        with self._lock:
            if self._job is job and self._process is not None:
                self._gives_way = gives_way
                self._process.kill()
                self._process.wait()

    def stop(self) -> None:
        """End the process and the thread."""
        with self._lock:
            process = self._process
        if process is not None:
            process.kill()
            process.wait()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        _close(process)

    def _run(self) -> None:
        while (job := self._queue.take(warm=self._process is not None)) is not None:
            try:
                self._work(job)
            except DiscreetError as refused:
                job.end(JobState.FAILED, refusal_of(refused).detail, error=refused)
            except Gone:
                if not self._gives_way:
                    problem = DesignError(
                        "the worker ended unexpectedly, perhaps out of memory; ask for less at "
                        "a time"
                    )
                    job.end(JobState.FAILED, str(problem), error=problem)
            except Exception as bug:
                log.error("bug", extra={"facts": {"kind": job.kind, "error": _name(bug)}})
                job.end(JobState.FAILED, "internal error")
            finally:
                self._leave(job)

    def _leave(self, job: Job) -> None:
        """Make room for the next; a process that was slowed down stays slow, so it goes too."""
        with self._lock:
            again, self._gives_way, self._job = self._gives_way, False, None
            if job.is_long and self._process is not None:
                self._process.kill()
                self._process.wait()
                _close(self._process)
                self._process = None
        if again:
            job.message = "waiting for a worker"
        self._queue.done(job, again=again)

    def _work(self, job: Job) -> None:
        with _after(self._patience.whole, self._too_long, job):
            process = self._ready(job)
            job.message = "started"
            with _after(self._patience.quick, self._slow_down, job):
                last = self._talk(process, job)
        if last.error is not None:
            name, message = last.error
            kind = getattr(errors, name) if name else None
            raise Bug(message) if kind is None else kind(message)
        job.end(JobState.DONE, "done", result=job.finish(last.result))

    def _talk(self, process: "subprocess.Popen[bytes]", job: Job) -> WorkerMessage:
        assert process.stdin is not None
        assert process.stdout is not None
        with _gone():
            send(process.stdin, job.task)
            while True:
                message: WorkerMessage = receive(process.stdout)
                if message.done:
                    return message
                job.message = message.progress or job.message
                if message.gap is not None:
                    job.progress = max(0.0, min(0.99, 1.0 - message.gap))

    def _ready(self, job: Job) -> "subprocess.Popen[bytes]":
        """The process once it can begin: a job's quick turn does not pay for its start."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                _close(self._process)
                self._process, self._greeted = _spawned(), False
            if job.is_long:
                _slow_down(self._process)
            self._job = job
            process = self._process
        if not self._greeted:
            assert process.stdout is not None
            with _gone():
                receive(process.stdout)
            self._greeted = True
        return process

    def _slow_down(self, job: Job) -> None:
        """A job has had its quick turn: it goes on slowly, or gives way and begins anew."""
        if job.is_long:
            return
        if not self._queue.slow_down(job):
            self.drop(job, gives_way=True)
            return
        with self._lock:
            if self._job is job and self._process is not None:
                _slow_down(self._process)

    def _too_long(self, job: Job) -> None:
        problem = DesignError(
            f"this {job.kind} was stopped after {self._patience.whole:g} s; ask for less at a "
            "time, or use a larger step"
        )
        job.end(JobState.FAILED, str(problem), error=problem)
        self.drop(job)


class Jobs:
    """A bounded pool: each thread keeps one worker process and feeds it.

    There are twice as many threads as workers: as many for what has taken long already, at a low
    priority, as for what has just begun.
    """

    def __init__(
        self, workers: int, most_of_one: int, patience: Patience, *, warm: bool = True
    ) -> None:
        self._most_of_one, self._first_at_once = most_of_one, warm
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._queue = JobQueue(workers)
        self._workers = [Worker(self._queue, patience) for _ in range(2 * workers)]
        self._started = False

    def start(self) -> None:
        """Start the threads and the first process; the others start when needed."""
        with self._lock:
            if self._started:
                return
            self._started = True
        for place, worker in enumerate(self._workers):
            worker.start(at_once=self._first_at_once and place == 0)

    def submit(self, owner: str, kind: JobKind, task: Task, finish: Callable[[Any], Any]) -> Job:
        """Queue a task, or join the owner's same one; TooMany when they have enough."""
        self.start()
        with self._lock:
            self._forget_old()
            busy = [one for one in self._jobs.values() if not one.is_over and one.owner == owner]
            for same in busy:
                if same.task == task:
                    return same
            if len(busy) >= self._most_of_one:
                raise TooMany(
                    f"you have {len(busy)} plans and designs in progress; wait for one, or "
                    "cancel one",
                    2,
                )
            job = Job(
                id=secrets.token_urlsafe(12), owner=owner, kind=kind, task=task, finish=finish
            )
            self._jobs[job.id] = job
        self._queue.put(job)
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
        job.end(JobState.CANCELLED, "cancelled")
        for worker in self._workers:
            worker.drop(job)
        return job

    def process_ids(self) -> set[int]:
        """The worker processes there are now."""
        ids = {worker.process_id for worker in self._workers}
        return {one for one in ids if one is not None}

    def running(self) -> int:
        """How many jobs wait or run."""
        return sum(not job.is_over for job in list(self._jobs.values()))

    def stop(self) -> None:
        """End every job and every process."""
        for job in list(self._jobs.values()):
            job.end(JobState.CANCELLED, "the server stopped")
        self._queue.close()
        for worker in self._workers:
            worker.stop()

    def _forget_old(self) -> None:
        old = time.monotonic() - KEPT_SECONDS
        over = [job.id for job in self._jobs.values() if job.is_over]
        surplus = len(self._jobs) - MOST_KEPT
        for place, id in enumerate(over):
            if place < surplus or self._jobs[id].created < old:
                del self._jobs[id]


@contextmanager
def _gone() -> Iterator[None]:
    """Whatever comes of talking with a process that has ended."""
    try:
        yield
    except (EOFError, OSError, ValueError):
        raise Gone from None


@contextmanager
def _after(seconds: float, act: Callable[[Job], None], job: Job) -> Iterator[None]:
    """Meanwhile, a clock that acts when it is too late."""
    clock = threading.Timer(seconds, act, (job,))
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


def _name(bug: Exception) -> str:
    return str(bug) if isinstance(bug, Bug) else type(bug).__name__


def _spawned() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _WORK],  # no code of the folder it serves
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _slow_down(process: "subprocess.Popen[bytes]") -> None:
    """Let everybody else's work go first: all threads of the process, which is its own group."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PGRP, process.pid, _LOW_PRIORITY)


def _close(process: "subprocess.Popen[bytes] | None") -> None:
    if process is None:
        return
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def raise_failed(job: Job) -> None:
    """Raise what ended a job, unless it is done."""
    if job.state is JobState.DONE:
        return
    if job.state is JobState.CANCELLED:
        raise Refusal(409, "cancelled", "this was cancelled")
    raise job.error or Refusal(500, "bug", "internal error")
