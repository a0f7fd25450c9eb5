"""Cancelling a long design without JavaScript."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.web.identity import service_of
from discreet.web.pages.errors import safe_next
from discreet.web.pages.visitor import Visitor

router = APIRouter(include_in_schema=False)


@router.post("/jobs/{id}/cancel")
async def cancel(id: str, request: Request, caller: Visitor) -> Response:
    """Stop it and go back to where it began, with nothing asked yet."""
    service_of(request).cancel(id, caller)
    form = await request.form()
    back = safe_next(str(form.get("back", "/")))
    return RedirectResponse(back.partition("?")[0], 303)
