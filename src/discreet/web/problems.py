"""What goes wrong, as application/problem+json (RFC 9457); it depends on public facts alone."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from discreet.errors import DiscreetError, InvalidInput, LedgerError, OverBudget, UnknownReceipt
from discreet.text import Amount, one_line

TYPES = "https://discreet.example/problems/"
MEDIA = "application/problem+json"


class Refusal(Exception):  # noqa: N818
    """A request that is not granted: a status, a short word for programs, a sentence for people."""

    spent_nothing = True
    """Whether the budget is surely as it was before the request."""

    def __init__(
        self,
        status: int,
        word: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        *,
        field: str | None = None,
        amounts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.amounts = dict(amounts or {})
        self.status, self.word, self.detail, self.field = status, word, detail, field
        self.headers = dict(headers or {})


class NotFound(Refusal):
    """Nothing is here, or nothing for this caller: nobody can tell which."""

    def __init__(self, what: str = "not found") -> None:
        super().__init__(404, "not-found", what)


class Unauthorized(Refusal):
    """No token, or one that opens nothing; unknown, expired and revoked ones look alike."""

    def __init__(self, detail: str = "a valid token is required") -> None:
        super().__init__(401, "unauthorized", detail, {"WWW-Authenticate": "Bearer"})


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    def __init__(self, detail: str, word: str = "forbidden") -> None:
        super().__init__(403, word, detail)


class TooMany(Refusal):
    """Too many requests for now."""

    def __init__(self, detail: str, seconds: float) -> None:
        super().__init__(429, "too-many", detail, {"Retry-After": str(max(1, round(seconds)))})


class BadRequest(Refusal):
    """What was sent cannot be read."""

    def __init__(self, detail: str, word: str = "bad-request") -> None:
        super().__init__(400, word, detail)


class Unprocessable(Refusal):
    """What was sent can be read and makes no sense."""

    def __init__(self, detail: str, word: str = "invalid", field: str | None = None) -> None:
        super().__init__(422, word, detail, field=field)


class Unwritable(Refusal):
    """The server's own files cannot be read or written: accounts, releases, drafts."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "no-room",
            "the server cannot read or write its own files at the moment, perhaps because its "
            "disk is full; nothing was charged: try again later",
        )


def refusal_of(error: DiscreetError) -> Refusal:
    """The refusal that the library's error comes to."""
    if isinstance(error, UnknownReceipt):
        return NotFound("there is no answer under this receipt")
    field = error.field if isinstance(error, InvalidInput) else None
    amounts = _amounts(error) if isinstance(error, OverBudget) else None
    refusal = Refusal(error.status, error.word, one_line(str(error)), field=field, amounts=amounts)
    refusal.spent_nothing = not isinstance(error, LedgerError)
    return refusal


def _amounts(error: OverBudget) -> dict[str, str]:
    amounts = {"cost": error.cost, "left": error.left}
    return {name: str(Amount(many)) for name, many in amounts.items() if many is not None}


def problem_document(
    status: int, word: str, detail: str, field: str | None = None
) -> dict[str, Any]:
    """The members of RFC 9457, and the field of the body to correct where it is one."""
    about = {} if field is None else {"field": field}
    return {
        "type": TYPES + word,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **about,
    }


def problem_response(refusal: Refusal) -> Response:
    """The refusal as a response for programs."""
    content = {
        **problem_document(refusal.status, refusal.word, refusal.detail, refusal.field),
        **refusal.amounts,
    }
    return Response(
        json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"),
        status_code=refusal.status,
        headers=refusal.headers,
        media_type=MEDIA,
    )
