"""Requests that are tried again, and problems that come back as the library's own errors."""

import random
import time
from fractions import Fraction
from typing import Any

import httpx

from discreet import errors
from discreet.client.arguments import checked_retries, checked_seconds
from discreet.errors import DiscreetError, InvalidInput, OverBudget, ServiceError
from discreet.exact import show
from discreet.text import BILLION

_AGAIN = {429, 502, 503, 504}
_LONGEST_PAUSE = 8.0
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_KNOWN: dict[str, type[DiscreetError]] = {
    kind.word: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DiscreetError)
}


class Transport:
    """HTTP with a token: JSON in, JSON out."""

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
        if not isinstance(allow_http, bool):
            raise InvalidInput(f"allow_http is True or False, got {show(allow_http)}")
        place = _checked(url, token is not None and not allow_http)
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self.url, self._retries = str(place), checked_retries(retries)
        self._http = httpx.Client(
            base_url=place,
            headers=headers,
            timeout=checked_seconds(timeout),
            transport=transport,
        )

    def get(self, path: str) -> dict[str, Any]:
        """The JSON of a resource."""
        return _content(self._sent("GET", path))

    def post(
        self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The status and the JSON of what came of a body that may safely be sent twice."""
        reply = self._sent("POST", path, json=body, headers=headers)
        return reply.status_code, _content(reply)

    def _sent(self, method: str, path: str, **more: Any) -> httpx.Response:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                reply = self._http.request(method, path, **more)
            except httpx.TransportError as problem:
                if last:
                    raise ServiceError(
                        f"no reply from {self.url}: {problem or type(problem).__name__}; is the "
                        "server running (discreet serve)? The same id may be asked again",
                        url=self.url,
                    ) from None
                time.sleep(_pause(attempt))
                continue
            if reply.status_code not in _AGAIN or last:
                return reply
            time.sleep(_pause(attempt, reply.headers.get("Retry-After")))
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()


def _checked(url: str, needs_https: bool) -> httpx.URL:
    try:
        place = httpx.URL(url if isinstance(url, str | httpx.URL) else "")
    except (httpx.InvalidURL, TypeError, ValueError):
        raise InvalidInput(f"a server is named by its address, got {show(url)}") from None
    if place.scheme not in {"http", "https"} or not place.host:
        raise InvalidInput(f"a server's address starts with https:// or http://, got {show(url)}")
    if needs_https and place.scheme == "http" and place.host not in _LOOPBACK:
        raise InvalidInput(
            f"over {place.scheme} others could read the token on its way to {place.host}; use "
            "https, or say allow_http=True on a network you trust"
        )
    return place


def _pause(attempt: int, wanted: str | None = None) -> float:
    if wanted is not None and wanted.isdigit():
        return min(float(wanted), _LONGEST_PAUSE)
    return float(min(0.1 * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.5, 1.0))


def _content(reply: httpx.Response) -> dict[str, Any]:
    try:
        content = reply.json()
    except ValueError:
        content = None
    if reply.is_success and isinstance(content, dict):
        return content
    problem = content if isinstance(content, dict) else {}
    told = str(problem.get("detail") or f"the server replied {reply.status_code}")
    word = str(problem.get("type", "")).rsplit("/", 1)[-1]
    error = _KNOWN.get(word, ServiceError)(told)
    if isinstance(error, InvalidInput) and isinstance(problem.get("field"), str):
        error.field = problem["field"]
    if isinstance(error, OverBudget):
        error.cost, error.left = (_billionths(problem.get(name)) for name in ("cost", "left"))
    raise error


def _billionths(amount: object) -> int | None:
    """An amount of ε as the server writes it, in billionths."""
    try:
        return int(Fraction(amount) * BILLION) if isinstance(amount, str) else None
    except ValueError:
        return None
