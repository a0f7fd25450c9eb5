"""Worker processes, and the threads that feed them."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from discreet import errors
from discreet.errors import DesignError, DiscreetError
from discreet.web.job import Job, JobState
from discreet.web.job_queue import JobQueue
from discreet.web.problems import refusal_of
from discreet.web.worker import WorkerMessage, receive, send

log = logging.getLogger("discreet.web")
_LOW_PRIORITY = 15


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
                        "the worker ended unexpectedly, perhaps out of memory; ask for less at once"
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
            f"this {job.kind} was stopped after {self._patience.whole:g} s; "
            "ask for less at once, or use a larger step"
        )
        job.end(JobState.FAILED, str(problem), error=problem)
        self.drop(job)


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
        [sys.executable, "-c", "from discreet.web.worker import main; main()"],
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
