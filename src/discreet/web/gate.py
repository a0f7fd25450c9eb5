"""The gate every request passes: limits before, headers after, one line of log and a count.

Figures and lines have OpenTelemetry's names; a line is a span, of the trace that the caller names
by `traceparent` or of a new one. They have the route, not the path, and never a body, a query, a
token or an address. Behind the gate, questions have a short way of their own: asking is what is
done a thousand times a second.
"""

import asyncio
import json
import logging
import os
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.errors import DiscreetError
from discreet.text import Amount
from discreet.web.bodies import json_reply, raw_body
from discreet.web.identity import admit, caller, may_upload, service_of, turn_of
from discreet.web.job import Job
from discreet.web.limits import Turns
from discreet.web.problems import BadRequest, Refusal, problem_response, refusal_of
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
_ASK = re.compile(r"/api/datasets/([^/]{1,100})/ask")
_LETTERS = (b"utf-8", b"utf8", b"us-ascii", b"ascii")
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
DURATION = "http_server_request_duration_seconds"
_TRACE = re.compile(rb"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
UPLOAD = "/setup/upload"
"""Where tables are sent to."""
ROUTE = "/api/datasets/{dataset}/ask"
PLAN = "Plan-Digest"
"""The header that names the plan which was confirmed."""


class TooLarge(Refusal):
    """A request longer than this server reads."""

    def __init__(self, most: int) -> None:
        super().__init__(413, "too-large", f"the request is larger than {most:,} bytes")


_Kind = tuple[str, str, int]
"""Method, route and status."""


class Metrics:
    """What was served, by method, route and status, for Prometheus; nothing private is counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: defaultdict[_Kind, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[_Kind, float] = defaultdict(float)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        place = 0
        while place < len(BUCKETS) and seconds > BUCKETS[place]:
            place += 1
        kind = (_known(method), route, status)
        with self._lock:
            self._buckets[kind][place] += 1
            self._seconds[kind] += seconds

    def text(self, service: Service) -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            buckets = sorted((kind, list(counts)) for kind, counts in self._buckets.items())
            seconds = dict(self._seconds)
        lines = [f"# TYPE {DURATION} histogram"]
        for kind, counts in buckets:
            lines += _histogram(kind, counts, seconds[kind])
        lines.append("# TYPE discreet_answers_total counter")
        lines += [
            f'discreet_answers_total{{dataset="{name}"}} {many}'
            for name, many in sorted(service.asks.items())
        ]
        lines.append("# TYPE discreet_spent_epsilon gauge")
        lines += [
            f'discreet_spent_epsilon{{dataset="{served.name}"}} '
            f"{Amount(served.curator.ledger.balance().spent)}"
            for served in service.every_dataset()
        ]
        lines += ["# TYPE discreet_jobs gauge", f"discreet_jobs {service.jobs.running()}"]
        return "\n".join(lines) + "\n"


def _histogram(kind: _Kind, counts: list[int], seconds: float) -> list[str]:
    method, route, status = kind
    labels = (
        f'http_request_method="{method}",http_route="{route}",http_response_status_code="{status}"'
    )
    lines, total = [], 0
    for bound, many in zip([*BUCKETS, "+Inf"], counts, strict=True):
        total += many
        lines.append(f'{DURATION}_bucket{{{labels},le="{bound}"}} {total}')
    lines.append(f"{DURATION}_sum{{{labels}}} {seconds:.6f}")
    lines.append(f"{DURATION}_count{{{labels}}} {total}")
    return lines


def _known(method: str) -> str:
    return method if method in METHODS else "_OTHER"


def _span(scope: Scope) -> dict[str, str]:
    """The trace that a request belongs to, if it says so in full, or a new one."""
    given = dict(scope.get("headers", ())).get(b"traceparent", b"")
    match = _TRACE.fullmatch(given)
    if match is None:
        return {"trace_id": os.urandom(16).hex(), "span_id": os.urandom(8).hex()}
    trace, parent = match[1].decode(), match[2].decode()
    return {"trace_id": trace, "span_id": os.urandom(8).hex(), "parent_span_id": parent}


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
            if self.service.accounts_are_far:
                refusal = await asyncio.to_thread(self._refusal, scope)
            else:
                refusal = self._refusal(scope)
            if refusal is not None:
                await problem_response(refusal)(scope, receive, sending)
            else:
                await self._pass(scope, _limited(receive, self._most_of(scope)), sending)
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
        return admit(scope, self.service) or self._too_large(scope) or _misspelt(scope)

    def _most_of(self, scope: Scope) -> int:
        """How long a request may be: a table that a custodian uploads longer than any other."""
        uploads = scope["path"] == UPLOAD and scope["method"] == "POST" and may_upload(scope)
        return self.service.settings.most_upload if uploads else self._most

    def _too_large(self, scope: Scope) -> Refusal | None:
        for name, value in scope["headers"]:
            if name == b"content-length" and not _within(value, self._most_of(scope)):
                return TooLarge(self._most_of(scope))
        return None

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route_path") or getattr(scope.get("route"), "path", None) or "other"
        self.metrics.count(scope["method"], route, status, seconds)
        if log.isEnabledFor(logging.INFO):
            log.info(
                "request",
                extra={
                    "facts": {
                        "http.request.method": _known(scope["method"]),
                        "http.route": route,
                        "http.response.status_code": status,
                        "duration_ms": round(1000 * seconds, 1),
                        **_span(scope),
                    }
                },
            )


def _misspelt(scope: Scope) -> Refusal | None:
    """Refuse bodies in other letters than UTF-8: not every codec reads every text."""
    for name, value in scope["headers"]:
        _, mark, charset = value.lower().partition(b"charset=")
        if name == b"content-type" and mark and _letters(charset) not in _LETTERS:
            return BadRequest("send the body in UTF-8; leave out charset, or send charset=utf-8")
    return None


def _letters(charset: bytes) -> bytes:
    return charset.partition(b";")[0].strip(b' \t"')


class AskMiddleware:
    """ASGI middleware that answers POST …/ask itself and hands on everything else.

    It is the same function that the API's route documents, without the general machinery around it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        dataset = asked_dataset(scope)
        if dataset is None:
            await self.app(scope, receive, send)
            return
        scope["route_path"] = ROUTE
        response = await _answered(Request(scope, receive), dataset)
        await response(scope, receive, send)


def asked_dataset(scope: Scope) -> str | None:
    """The dataset that a request asks; None for a request that does something else."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    match = _ASK.fullmatch(scope["path"])
    return None if match is None else match[1]


async def _answered(request: Request, dataset: str) -> Response:
    try:
        return await asked(request, dataset)
    except Refusal as refusal:
        return problem_response(refusal)
    except DiscreetError as error:
        return problem_response(refusal_of(error))


async def asked(request: Request, dataset: str) -> Response:
    """Read a question, answer it, and write the answer."""
    calling = await caller(request)
    service = service_of(request)
    served = service.dataset(dataset, calling)
    key = request.headers.get("idempotency-key", "")
    order = await service.order_of(served, await raw_body(request), calling)
    shown = request.headers.get(PLAN)
    outcome = await service.ask_order(served, order, key, calling, plan=shown)
    if isinstance(outcome, Job):
        return json_reply(outcome.to_dict(), 202, {"Location": outcome.url, "Retry-After": "1"})
    return json_reply(outcome.to_dict())


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
