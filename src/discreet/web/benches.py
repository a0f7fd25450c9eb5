"""Worker processes: where jobs wait for them, and the threads that feed them."""

import logging
import subprocess
import sys
import threading

from discreet import errors
from discreet.errors import DesignError, DiscreetError
from discreet.web.job import Job
from discreet.web.problems import refusal_of
from discreet.web.worker import Told, receive, send

log = logging.getLogger("discreet.web")
MOST_SECONDS = 600.0


class Gone(Exception):  # noqa: N818
    """A worker process has ended, by our hand or its own."""


class Bug(Exception):  # noqa: N818
    """A worker met an error that nobody meant; its message is the name of the error."""


class Desk:
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
        """A job takes its place."""
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
        """A job has ended: the next may come."""
        with self._changed:
            self._working.remove(job)
            self._changed.notify_all()

    def close(self) -> None:
        """Let every bench go."""
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


class Bench:
    """A thread and its worker process."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._job: Job | None = None
        self._thread = threading.Thread(target=self._run, name="discreet-jobs", daemon=True)

    def start(self, *, at_once: bool) -> None:
        """Begin; the process at once, or with the first job."""
        if at_once:
            self._process = _spawned()
        self._thread.start()

    def drop(self, job: Job) -> None:
        """Stop the process if it is at work on this job."""
        with self._lock:
            if self._job is job and self._process is not None:
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
