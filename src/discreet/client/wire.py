"""What is said to a server, and what is made of its replies; how it travels is another's business.

A conversation is a generator: it yields a request, or a pause, and is sent the reply. `Transport`
carries it while its thread waits, `AsyncTransport` while its event loop does other things.
"""

import random
from collections.abc import Generator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

import httpx

from discreet import errors
from discreet.client.arguments import checked_name
from discreet.client.reading import answer_from
from discreet.curator import Answer
from discreet.errors import DiscreetError, InvalidInput, OverBudget, ServiceError
from discreet.text import BILLION

_AGAIN = {429, 502, 503, 504}
_LONGEST_PAUSE = 8.0
_KNOWN: dict[str, type[DiscreetError]] = {
    kind.word: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DiscreetError)
}
_T = TypeVar("_T")


@dataclass(frozen=True)
class HttpCall:
    """A request; what is sent back is the reply, what is thrown is an `httpx.TransportError`."""

    method: str
    path: str
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    """So many seconds before going on; nothing is sent back."""

    seconds: float


Talk: TypeAlias = Generator[HttpCall | Pause, httpx.Response | None, _T]
"""A conversation that comes to something."""


@dataclass(frozen=True)
class Wire:
    """A server as it is talked to: JSON in, JSON out, tried again where a reply got lost."""

    url: str
    retries: int

    def get(self, path: str) -> Talk[dict[str, Any]]:
        """The JSON of a resource."""
        return _content((yield from self._sent(HttpCall("GET", path))))

    def post(
        self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> Talk[tuple[int, dict[str, Any]]]:
        """The status and the JSON of what came of a body that may safely be sent twice."""
        call = HttpCall("POST", path, {"json": body, "headers": headers})
        reply = yield from self._sent(call)
        return reply.status_code, _content(reply)

    def datasets(self) -> Talk[list[str]]:
        """The names of the datasets you may ask."""
        reply = yield from self.get("/api/datasets")
        return [str(one["name"]) for one in reply["datasets"]]

    def answer(self, dataset: str, receipt: str) -> Talk[Answer]:
        """What was answered under a receipt."""
        under = quote(checked_name(receipt, "a receipt"), safe="")
        return answer_from((yield from self.get(f"{place_of(dataset)}/answers/{under}")))

    def answers(self, dataset: str) -> Talk[list[dict[str, Any]]]:
        """Your answered questions, the newest first."""
        answers: list[dict[str, Any]]
        answers = (yield from self.get(f"{place_of(dataset)}/answers"))["answers"]
        return answers

    def _sent(self, call: HttpCall) -> Talk[httpx.Response]:
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                reply = yield call
            except httpx.TransportError as problem:
                if last:
                    raise ServiceError(
                        f"no reply from {self.url}: {problem or type(problem).__name__}; is the "
                        "server running (discreet serve)? The same id may be asked again",
                        url=self.url,
                    ) from None
                yield Pause(_pause(attempt))
                continue
            assert reply is not None
            if reply.status_code not in _AGAIN or last:
                return reply
            yield Pause(_pause(attempt, reply.headers.get("Retry-After")))
        raise AssertionError("the last attempt returns or raises")


def place_of(dataset: str) -> str:
    """Where a dataset is on a server."""
    return f"/api/datasets/{quote(checked_name(dataset, 'a dataset'), safe='')}"


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
    detail = str(problem.get("detail") or f"the server replied {reply.status_code}")
    word = str(problem.get("type", "")).rsplit("/", 1)[-1]
    error = _KNOWN.get(word, ServiceError)(detail)
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
