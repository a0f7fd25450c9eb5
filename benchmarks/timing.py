"""Measuring two ways of doing the same work, turn by turn."""

import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One line of the table: the same work, ours and somebody else's."""

    work: str
    seconds: float
    """Ours."""
    count: int = 1
    """How many results that work gives; more than 1 is shown as results per second."""
    peer: str = ""
    peer_seconds: float | None = None
    wanted_ratio: float | None = None
    wanted_seconds: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds

    @property
    def reached(self) -> bool | None:
        """Whether what was wanted is there; None when nothing was, or it cannot be told."""
        if self.wanted_seconds is not None:
            return self.seconds <= self.wanted_seconds
        if self.wanted_ratio is None or self.ratio is None:
            return None
        return self.ratio >= self.wanted_ratio


def beside(
    work: str,
    ours: Work,
    theirs: Work | None = None,
    *,
    peer: str = "",
    count: int = 1,
    theirs_count: int | None = None,
    rounds: int = 5,
    wanted: float | None = None,
    within: float | None = None,
    wall: bool = False,
) -> Row:
    """Time both in turn, `rounds` times, and keep the best of each.

    `count` and `theirs_count` are how many results one call gives; the peer's time is scaled to
    the same number of results as ours. Processor time is measured, or the clock on the `wall` where
    waiting for the disk is part of the work.
    """
    ours()
    best, peer_best = float("inf"), None
    for _ in range(rounds):
        best = min(best, _seconds(ours, wall))
        if theirs is not None:
            scaled = _seconds(theirs, wall) * count / (theirs_count or count)
            peer_best = scaled if peer_best is None else min(peer_best, scaled)
    return Row(work, best, count, peer, peer_best, wanted, within)


def _seconds(work: Work, wall: bool) -> float:
    clock = time.perf_counter if wall else time.process_time
    start = clock()
    work()
    return clock() - start
