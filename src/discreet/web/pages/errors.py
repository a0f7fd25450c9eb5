"""Refusals as pages: the same words as problem+json."""

from http import HTTPStatus
from urllib.parse import SplitResult, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.web.identity import Caller, identify
from discreet.web.pages.rendering import address, page
from discreet.web.problems import Refusal

_HEADINGS = {
    400: "Bad request",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    409: "Conflict",
    413: "Too long",
    422: "This cannot be asked",
    429: "Too many requests",
    503: "Unavailable",
}


async def refused(request: Request, refusal: Refusal) -> Response:
    """A refusal for people; without a sign-in, the way to it."""
    if refusal.status == 401:
        return RedirectResponse(address("/sign-in", [("next", _here(request))]), 303)
    heading = _HEADINGS.get(refusal.status) or HTTPStatus(refusal.status).phrase
    reply = page(
        "problem.html",
        visitor_of(request),
        status=refusal.status,
        heading=heading,
        detail=_sentence(refusal.detail),
        code=refusal.status,
        spent_nothing=refusal.spent_nothing,
        back=_back(request),
    )
    reply.headers.update(refusal.headers)
    return reply


def _sentence(detail: str) -> str:
    """A detail as a sentence; a bare "Not Found" says nothing to people."""
    if detail == HTTPStatus.NOT_FOUND.phrase:
        return "There is no such page."
    return detail[:1].upper() + detail[1:] + ("" if detail.endswith((".", "?", "!")) else ".")


def safe_next(given: str) -> str:
    """Where to go after signing in: a place of ours, never another site.

    >>> safe_next("/datasets/survey"), safe_next("//evil.example/"), safe_next("https://x")
    ('/datasets/survey', '/', '/')
    """
    parts = _parts(given)
    ours = given.startswith("/") and not given.startswith(("//", "/\\"))
    return given if ours and not parts.netloc and given.isprintable() else "/"


def _parts(address: str) -> SplitResult:
    """The parts of an address; of one that is none, nothing that is ours."""
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "?", "", "", "")


def _here(request: Request) -> str:
    if request.method != "GET":
        return "/"
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


def _back(request: Request) -> str:
    parts = _parts(request.headers.get("referer", ""))
    if parts.netloc != request.headers.get("host", ""):
        return "/"
    return safe_next(parts.path + (f"?{parts.query}" if parts.query else "")) or "/"


def visitor_of(request: Request) -> Caller | None:
    """Who looks, where that does not matter much; None for strangers."""
    try:
        return identify(request)
    except Refusal:
        return None
