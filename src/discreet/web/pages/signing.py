"""Sign in with a token, and out again."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.web.identity import (
    service_of,
    set_cookie,
    sign_in,
    sign_out,
)
from discreet.web.pages.errors import safe_next
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import TooMany, Unauthorized

router = APIRouter(include_in_schema=False)


@router.get("/sign-in")
async def sign_in_page(request: Request) -> Response:
    """Where a token is shown; without accounts there is nothing to sign in to."""
    after = safe_next(request.query_params.get("next", "/"))
    if not service_of(request).has_accounts:
        return RedirectResponse(after, 303)
    return page("sign_in.html", None, next=after, error=None)


@router.post("/sign-in")
async def enter(request: Request) -> Response:
    """Open a session for a valid token."""
    form = await request.form(max_files=0, max_fields=10)
    after = safe_next(str(form.get("next", "/")))
    try:
        value = sign_in(request, str(form.get("token", "")))
    except (Unauthorized, TooMany) as refusal:
        error = "Invalid token: mistyped, expired or revoked."
        if isinstance(refusal, TooMany):
            error = refusal.detail
        return page("sign_in.html", None, status=refusal.status, next=after, error=error)
    reply = RedirectResponse(after, 303)
    set_cookie(reply, request, value)
    return reply


@router.post("/sign-out")
async def leave(request: Request, caller: Visitor) -> Response:
    """End the session."""
    reply = RedirectResponse("/sign-in", 303)
    sign_out(reply, request)
    return reply
