"""Help: two minutes on what ε means."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from discreet.figures import Picture, what_epsilon_means
from discreet.measures.belief import risk_sentence, sure_text
from discreet.model import Relation
from discreet.requests import read_epsilon
from discreet.web.pages.errors import visitor_of
from discreet.web.pages.rendering import address, page

router = APIRouter(include_in_schema=False)
_USUAL = "0.5"
_RISKS = ("0.01", "0.1", "0.5", "1", "2", "3", "5")
_SHOWN = {"0.1": 0.1, "0.5": 0.5, "1": 1.0, "2": 2.0}


@router.get("/help")
async def help_page(request: Request) -> Response:
    """For everybody, signed in or not."""
    epsilon = request.query_params.get("epsilon", "")
    twin = address("/help.json", [("epsilon", epsilon)] if epsilon in _SHOWN else [])
    return page(
        "help.html",
        visitor_of(request),
        here="/help",
        twin=twin,
        picture=_picture(request),
        risk=risk_sentence(
            read_epsilon(epsilon if epsilon in _SHOWN else _USUAL), Relation.CHANGE, "the answer"
        ),
        risks=[(one, sure_text(read_epsilon(one))) for one in _RISKS],
    )


@router.get("/help.json")
async def help_twin(request: Request) -> Response:
    """The picture's message and its numbers, for programs."""
    picture = _picture(request)
    return JSONResponse({"message": picture.message, "head": picture.head, "rows": picture.rows})


def _picture(request: Request) -> Picture:
    return what_epsilon_means(_SHOWN.get(request.query_params.get("epsilon", ""), float(_USUAL)))
