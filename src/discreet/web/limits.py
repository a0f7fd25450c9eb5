"""How much one account or one address may ask for: in a second, and at once."""

import asyncio
import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from discreet.web.settings import Settings

_FAILURE_SECONDS = 300.0
_MOST_KEPT = 20_000


class Bucket:
    """So many a second, and twice as many at once, for each key.

    >>> clock = iter([0.0, 0.0, 0.0, 10.0]).__next__
    >>> bucket = Bucket(rate=1, burst=2, clock=clock)
    >>> [bucket.take("ana") for _ in range(4)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take one; 0 when granted, else the seconds until one is there again."""
        with self._lock:
            at = self._clock()
            level, since = self._levels.pop(key, (self._burst, at))
            level = min(self._burst, level + (at - since) * self._rate)
            granted = level >= 1
            self._levels[key] = (level - 1 if granted else level, at)
            if len(self._levels) > _MOST_KEPT:
                self._levels.popitem(last=False)
        return 0.0 if granted else (1 - level) / self._rate


class Limits:
    """The limits of a server."""

    def __init__(self, settings: Settings) -> None:
        self._accounts = Bucket(settings.rate, 2 * settings.rate)
        self._addresses = Bucket(settings.anonymous_rate, 5 * settings.anonymous_rate)
        self._failures = Bucket(settings.failures / _FAILURE_SECONDS, settings.failures)

    def of_account(self, name: str) -> float:
        """A request of an account: 0, or the seconds to wait."""
        return self._accounts.take(name)

    def of_address(self, address: str) -> float:
        """A request without a verified account."""
        return self._addresses.take(network_of(address))

    def failed(self, address: str) -> float:
        """A failed sign-in."""
        return self._failures.take(network_of(address))


def network_of(address: str) -> str:
    """What one subscriber has: an address of IPv4, or 64 bits of IPv6 with all that is in them.

    >>> network_of("10.0.0.7"), network_of("2001:db8:0:1::7"), network_of("::ffff:10.0.0.7")
    ('10.0.0.7', '2001:db8:0:1::', '10.0.0.7')
    """
    if ":" not in address:
        return address
    try:
        whole = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    if whole.ipv4_mapped is not None:
        return str(whole.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(whole) >> 64 << 64))


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
