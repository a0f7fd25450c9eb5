"""Where jobs wait for a worker: in turns, so that nobody's long plans hold up another's short ones.

Every job begins in the quick lane, which has a place for each worker, and stays there for a few
seconds at most. What takes longer goes on in the slow lane, at a low priority; when that has no
place for it, it is stopped and begins again when there is one. So whoever comes waits for others'
quick turns, never for the end of their long work.
"""

import threading
from collections import defaultdict
from itertools import count

from discreet.web.job import Job, JobKind


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
