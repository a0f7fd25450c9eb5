"""A process that plans and designs: it reads tasks, tells how far it is, and replies.

It sees public facts alone: what the dataset file says, never the rows and never a ledger. It speaks
pickles with its parent, the only one that can write to it, and ends when the parent does.
"""

import os
import queue
import resource
import sys
import threading
from collections.abc import Callable
from typing import Any

from discreet.designer import Progress
from discreet.errors import DiscreetError
from discreet.lifetimes import collect_as_usual
from discreet.web.job import BatchTask, DesignTask, PlanTask, Task, WorkerMessage, receive, send

MOST_MEMORY = 8 << 30
"""Addresses that a worker may use: a task that wants more fails, and nothing else does."""


def perform(task: Task, tell: Callable[[WorkerMessage], None]) -> WorkerMessage:
    """Do a task; what it comes to."""

    def report(progress: Progress) -> None:
        tell(WorkerMessage(progress=f"{progress.method}: {progress.stage}", gap=progress.gap))

    try:
        result = _performed(task, report)
    except DiscreetError as problem:
        return WorkerMessage(error=(type(problem).__name__, str(problem)), done=True)
    except (OverflowError, RecursionError):
        return WorkerMessage(
            error=("DesignError", "a number is too large, or an expression is nested too deeply"),
            done=True,
        )
    except MemoryError:
        return WorkerMessage(
            error=("DesignError", "not enough memory; use a larger step"), done=True
        )
    except Exception as problem:
        return WorkerMessage(error=("", type(problem).__name__), done=True)
    return WorkerMessage(result=result, done=True)


def _performed(task: Task, report: Callable[[Progress], None]) -> Any:
    if isinstance(task, PlanTask):
        return _planned(task, report)
    if isinstance(task, BatchTask):
        return task.batch.plan(task.dataset)
    return _designed(task, report)


def _planned(task: PlanTask, report: Callable[[Progress], None]) -> Any:
    from discreet.planning import plan  # noqa: PLC0415  a worker's first task may be another

    order = task.order
    return plan(
        order.question,
        task.dataset,
        epsilon=order.epsilon,
        within=order.within,
        wishes=order.wishes,
        progress=report,
    )


def _designed(task: DesignTask, report: Callable[[Progress], None]) -> Any:
    from discreet.web.designing import designed  # noqa: PLC0415

    return designed(task.request, task.wanted, report)


def main() -> None:
    """Serve tasks until the parent goes away."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(receive(sys.stdin.buffer))
        except EOFError:
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    import discreet.planning.planner  # noqa: PLC0415  ready before the first task
    import discreet.web.designing  # noqa: F401, PLC0415

    collect_as_usual()

    send(replies, WorkerMessage(progress="ready"))
    while True:
        task = tasks.get()
        send(replies, perform(task, lambda message: send(replies, message)))
