"""A job: a plan or a design that somebody waits for."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from discreet.errors import DiscreetError
from discreet.web.worker import Task


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
