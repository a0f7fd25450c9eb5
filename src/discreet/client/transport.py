"""How conversations with a server travel: while a thread waits, or beside an event loop."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import httpx

from discreet.client.arguments import checked_retries, checked_seconds
from discreet.client.wire import HttpCall, Pause, Talk, Wire
from discreet.errors import InvalidInput
from discreet.exact import show

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_T = TypeVar("_T")


class _Shared(TypedDict):
    """What both kinds of connection are told."""

    base_url: httpx.URL
    headers: dict[str, str]
    timeout: float


def _settings(url: str, token: str | None, timeout: float, allow_http: bool) -> _Shared:
    if not isinstance(allow_http, bool):
        raise InvalidInput(f"allow_http must be True or False, got {show(allow_http)}")
    place = _checked(url, token is not None and not allow_http)
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return {"base_url": place, "headers": headers, "timeout": checked_seconds(timeout)}


class Transport:
    """HTTP with a token; the calling thread waits."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        retries: int,
        allow_http: bool,
        transport: httpx.BaseTransport | None,
    ) -> None:
        shared = _settings(url, token, timeout, allow_http)
        self.wire = Wire(str(shared["base_url"]), checked_retries(retries))
        self._http = httpx.Client(**shared, transport=transport)

    def run(self, talk: Talk[_T]) -> _T:
        """What a conversation comes to."""
        proceed: Callable[[], HttpCall | Pause] = lambda: next(talk)  # noqa: E731
        while True:
            try:
                step = proceed()
            except StopIteration as done:
                result: _T = done.value
                return result
            proceed = _after(talk, *self._done(step))

    def _done(self, step: HttpCall | Pause) -> tuple[httpx.Response | None, Exception | None]:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None, None
        try:
            return self._http.request(step.method, step.path, **step.more), None
        except httpx.TransportError as problem:
            return None, problem

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


class AsyncTransport:
    """The same beside an event loop, which goes on meanwhile; several may be under way at once."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        retries: int,
        allow_http: bool,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        shared = _settings(url, token, timeout, allow_http)
        self.wire = Wire(str(shared["base_url"]), checked_retries(retries))
        self._http = httpx.AsyncClient(**shared, transport=transport)

    async def run(self, talk: Talk[_T]) -> _T:
        """What a conversation comes to."""
        proceed: Callable[[], HttpCall | Pause] = lambda: next(talk)  # noqa: E731
        while True:
            try:
                step = proceed()
            except StopIteration as done:
                result: _T = done.value
                return result
            proceed = _after(talk, *await self._done(step))

    async def _done(self, step: HttpCall | Pause) -> tuple[httpx.Response | None, Exception | None]:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None, None
        try:
            return await self._http.request(step.method, step.path, **step.more), None
        except httpx.TransportError as problem:
            return None, problem

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _after(
    talk: Talk[Any], reply: httpx.Response | None, problem: Exception | None
) -> Callable[[], HttpCall | Pause]:
    """How a conversation goes on."""
    return (lambda: talk.send(reply)) if problem is None else (lambda: talk.throw(problem))


def _checked(url: str, needs_https: bool) -> httpx.URL:
    try:
        place = httpx.URL(url if isinstance(url, str | httpx.URL) else "")
    except (httpx.InvalidURL, TypeError, ValueError):
        raise InvalidInput(f"a server must be given by its address, got {show(url)}") from None
    if place.scheme not in {"http", "https"} or not place.host:
        raise InvalidInput(
            f"the address of a server must start with https:// or http://, got {show(url)}"
        )
    if needs_https and place.scheme == "http" and place.host not in _LOOPBACK:
        raise InvalidInput(
            f"over {place.scheme} others could read the token in transit to {place.host}; use "
            "https, or pass allow_http=True on a network you trust"
        )
    return place
