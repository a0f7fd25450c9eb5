"""Turns: a caller has a few things under way at once, and the rest wait without a thread."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class _Turn:
    free: asyncio.Semaphore
    wanted: int = 0
    """How many have a turn or wait for one."""


class Turns:
    """At most so many at once for each key; for the coroutines of one loop.

    A server has a bounded number of threads. Without turns, somebody who asks for sixty slow things
    at once would hold them all, and everybody else would wait.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back."""
        turn = self._turns.setdefault(key, _Turn(asyncio.Semaphore(self._most)))
        turn.wanted += 1
        try:
            async with turn.free:
                yield
        finally:
            turn.wanted -= 1
            if not turn.wanted:
                del self._turns[key]
