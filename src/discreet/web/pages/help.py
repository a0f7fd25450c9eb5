"""Help: two minutes on what ε means."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from discreet.figures import Picture, what_epsilon_means
from discreet.web.pages.errors import visitor_of
from discreet.web.pages.rendering import address, page

router = APIRouter(include_in_schema=False)
_SHOWN = {"0.1": 0.1, "0.5": 0.5, "1": 1.0, "2": 2.0}


@router.get("/help")
async def help_page(request: Request) -> Response:
    """For everybody, signed in or not."""
    epsilon = request.query_params.get("epsilon", "")
    twin = address("/help.json", [("epsilon", epsilon)] if epsilon in _SHOWN else [])
    return page(
        "help.html", visitor_of(request), here="/help", twin=twin, picture=_picture(request)
    )


@router.get("/help.json")
async def help_twin(request: Request) -> Response:
    """The picture's message and its numbers, for programs."""
    picture = _picture(request)
    return JSONResponse({"message": picture.message, "head": picture.head, "rows": picture.rows})


def _picture(request: Request) -> Picture:
    return what_epsilon_means(_SHOWN.get(request.query_params.get("epsilon", ""), 0.5))
