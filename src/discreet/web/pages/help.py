"""Help: two minutes on what ε means."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.figures import what_epsilon_means
from discreet.web.pages.errors import visitor_of
from discreet.web.pages.rendering import page

router = APIRouter(include_in_schema=False)
_SHOWN = {"0.1": 0.1, "0.5": 0.5, "1": 1.0, "2": 2.0}


@router.get("/help")
async def help_page(request: Request) -> Response:
    """For everybody, signed in or not."""
    epsilon = _SHOWN.get(request.query_params.get("epsilon", ""), 0.5)
    picture = what_epsilon_means(epsilon)
    return page("help.html", visitor_of(request), here="/help", picture=picture)
