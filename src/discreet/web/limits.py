"""How much one account or one address may ask for: in a second, at once, and how slowly.

uvicorn waits for a request, and for a reply to be taken, as long as that takes: a few thousand
sockets that send a byte a minute would hold the server. Here a request arrives whole, head and
body, within so many seconds of its connection or its first byte, and a reply that nobody takes is
given up.
"""

import asyncio
import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

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


MOST_HEAD_BYTES = 64 * 1024
MOST_PIPELINED = 32
LEAST_BYTES_A_SECOND = 1024
_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"
    b"content-length: 0\r\n\r\n"
)


def protocol(seconds: float) -> Any:
    """The protocol of connections that may be slow for so many seconds, as uvicorn wants it."""
    return partial(TimedProtocol, seconds=seconds)


class TimedProtocol(HttpToolsProtocol):
    """HTTP/1.1 by httptools with a clock for what comes in and one for what goes out."""

    def __init__(self, *given: Any, seconds: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self._seconds = seconds
        self._receiving: asyncio.TimerHandle | None = None
        self._sending: asyncio.TimerHandle | None = None
        self._head_bytes: int | None = 0
        """Bytes of a head that is not whole yet; None once it is."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected: their request has begun."""
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._stop_receiving()
        self._stop_sending()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A piece of a request; a head that never ends is refused."""
        if self._head_bytes is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes is not None and self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(_LONG)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        if self._receiving is None:
            self._await_request()

    def on_headers_complete(self) -> None:
        """The head is whole; requests that pile up before the first reply are refused."""
        self._head_bytes = None
        if len(self.pipeline) >= MOST_PIPELINED:
            raise ValueError("too many requests before a reply")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole; the next one begins with its first byte."""
        self._head_bytes = 0
        self._stop_receiving()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The reply is written; one that ends the connection must also be taken."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._await_reader()

    def send_400_response(self, msg: str) -> None:
        """What was sent is no request: the connection ends, taken or not."""
        super().send_400_response(msg)
        self._await_reader()

    def pause_writing(self) -> None:
        """More is written than is taken."""
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        """It was taken after all."""
        super().resume_writing()
        self._stop_sending()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing came for a while."""
        super().timeout_keep_alive_handler()
        self._await_reader()

    def _await_request(self) -> None:
        self._receiving = self.loop.call_later(self._seconds, self._too_slow)

    def _await_reader(self) -> None:
        self._stop_sending()
        left = self.transport.get_write_buffer_size()
        self._sending = self.loop.call_later(self._seconds, self._give_up, left)

    def _stop_receiving(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None

    def _stop_sending(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def _too_slow(self) -> None:
        """The request is not whole in time; unless it is we who do not read on."""
        self._receiving = None
        if self.flow.read_paused or self._is_answering:
            self._await_request()
        else:
            self._refuse(_SLOW)

    @property
    def _is_answering(self) -> bool:
        """Whether an earlier request, which came whole, waits for its reply."""
        cycle = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def _give_up(self, before: int) -> None:
        """Half a reply was not taken in time; whoever takes a bearable share of it goes on."""
        taken = before - self.transport.get_write_buffer_size()
        if taken >= LEAST_BYTES_A_SECOND * self._seconds:
            self._await_reader()
        else:
            self.transport.abort()

    def _refuse(self, reply: bytes) -> None:
        """End the connection: with a reply, where something was asked and none has begun."""
        if self.transport.is_closing():
            return
        in_head = self._head_bytes is not None
        if self._head_bytes or not (in_head or self.cycle.response_started):
            self.transport.write(reply)
        self.transport.close()
        self._await_reader()
