"""Matrices that took seconds to find are kept on disk, and certified again when they come back."""

import time
from collections.abc import Callable
from typing import Protocol

from discreet.certifier import Certified, certify
from discreet.designer import Cache
from discreet.designer.entry import Design
from discreet.designer.request import Request
from discreet.model import Mechanism
from discreet.planning.candidates.candidate import Task


class KeptMatrix(Protocol):
    """A matrix still to be certified, what it costs, and a proven bound."""

    @property
    def mechanism(self) -> Mechanism:
        """The matrix."""

    @property
    def value(self) -> float:
        """What it costs."""

    @property
    def lower_bound(self) -> float:
        """What no other costs less than."""


def kept(task: Task, request: Request, method: str) -> Certified | None:
    """From the cache, if it is there and still certified."""
    shelf = Cache.of(task.cache)
    return None if shelf is None else shelf.certified(request, method)


def certified_once(
    task: Task, request: Request, method: str, find: Callable[[], KeptMatrix]
) -> Certified:
    """From the cache if it is there and still certified, else found now."""
    known = kept(task, request, method)
    if known is not None:
        return known
    shelf = Cache.of(task.cache)
    started = time.perf_counter()
    matrix = find()
    certified = certify(matrix.mechanism, task.epsilon)
    if shelf is not None:
        design = Design(
            request=request,
            certified=certified,
            value=matrix.value,
            lower_bound=min(matrix.lower_bound, matrix.value),
            method=method,
            tried=(),
            seconds=time.perf_counter() - started,
            expected_absolute_error=None,
        )
        shelf.store(request, method, design)
    return certified
