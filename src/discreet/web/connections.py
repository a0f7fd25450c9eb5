"""Connections that keep nobody waiting: slow senders and slow readers are cut.

uvicorn waits for a request, and for a reply to be taken, as long as that takes: a few thousand
sockets that send a byte a minute would hold the server. Here a request arrives whole, head and
body, within so many seconds of its connection or its first byte, and a reply that nobody takes is
given up.
"""

import asyncio
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

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
