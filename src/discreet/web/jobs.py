"""Plans and designs that take a while: a few worker processes, progress, and a real cancel."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from discreet.web.job import Job, JobKind, JobState
from discreet.web.job_queue import JobQueue
from discreet.web.problems import NotFound, TooMany
from discreet.web.worker import Task
from discreet.web.worker_pool import Patience, Worker

KEPT_SECONDS = 1800.0
MOST_KEPT = 500


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
                    f"you have {len(busy)} plans and designs under way; wait for one or cancel one",
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
