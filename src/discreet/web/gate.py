"""The gate every request passes: limits before, headers after, one line of log and a count.

The log has the route, not the path, and never a body, a query, a token or an address.
"""

import json
import logging
import os
import time
from collections.abc import Callable
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.web.ask_middleware import asked_dataset
from discreet.web.identity import admit, turn_of
from discreet.web.limits import Turns
from discreet.web.metrics import Metrics
from discreet.web.problems import Refusal, problem_response
from discreet.web.service import Service

log = logging.getLogger("discreet.web")

POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
HSTS = (b"strict-transport-security", b"max-age=31536000")
LEFT = 499
"""What is noted of a request whose caller went away before it was whole."""
NO_STORE = (b"cache-control", b"no-store")


class TooLarge(Refusal):
    """A request longer than this server reads."""

    def __init__(self, most: int) -> None:
        super().__init__(413, "too-large", f"the request is larger than {most:,} bytes")


class Gate:
    """ASGI middleware; plain, for it is passed thousands of times a second."""

    def __init__(self, app: ASGIApp, service: Service, metrics: Metrics) -> None:
        self.app, self.service, self.metrics = app, service, metrics
        self._most = service.settings.most_bytes
        self._turns = Turns(service.settings.most_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(scope, message)
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await problem_response(refusal)(scope, receive, sending)
            else:
                await self._pass(scope, _limited(receive, self._most), sending)
        except ClientDisconnect:
            status = LEFT
        finally:
            self._note(scope, status, time.perf_counter() - started)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on in its turn; asking has turns of its own, for its slow parts alone."""
        if asked_dataset(scope) is not None:
            await self.app(scope, receive, send)
            return
        async with self._turns.of(turn_of(scope)):
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        return self._too_large(scope) or admit(scope, self.service)

    def _too_large(self, scope: Scope) -> Refusal | None:
        for name, value in scope["headers"]:
            if name == b"content-length" and not _within(value, self._most):
                return TooLarge(self._most)
        return None

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route_path") or getattr(scope.get("route"), "path", None) or "other"
        self.metrics.count(scope["method"], route, status, seconds)
        if log.isEnabledFor(logging.INFO):
            log.info(
                "request",
                extra={
                    "facts": {
                        "method": scope["method"],
                        "route": route,
                        "status": status,
                        "ms": round(1000 * seconds, 1),
                    }
                },
            )


class JsonLines(logging.Formatter):
    """One JSON object to a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its facts."""
        facts: dict[str, Any] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            facts["error"] = record.exc_info[0].__name__
            if os.environ.get("DISCREET_DEBUG"):
                facts["trace"] = self.formatException(record.exc_info)
        return json.dumps(facts)


def _within(length: bytes, most: int) -> bool:
    return length.isdigit() and int(length[:20]) <= most


def _limited(receive: Receive, most: int) -> Callable[[], Any]:
    """The same messages, until they are too long; for bodies that do not say their length."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > most:
                raise TooLarge(most)
        return message

    return receiving


def _add_headers(scope: Scope, message: Message) -> None:
    raw = message["headers"]
    raw.extend(HEADERS)
    if scope["scheme"] == "https":
        raw.append(HSTS)
    if "cache-control" not in MutableHeaders(raw=raw):
        raw.append(NO_STORE)
