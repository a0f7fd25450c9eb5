"""The tour: five minutes on a made-up clinic survey, with the pages that everybody uses."""

import asyncio
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.tables.drafts.writing import quoted_text, with_key
from discreet.web import reading
from discreet.web.identity import service_of
from discreet.web.pages.examples import question_link
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.served import MARK

router = APIRouter(include_in_schema=False)
NAME = f"{MARK}tour"
_BUNDLED = ("clinic.csv", "clinic.toml")
_ASKED = (
    "SELECT COUNT(*) WHERE clinic = 'North'",
    "SELECT MEDIAN(satisfaction)",
    "SELECT COUNT(*) GROUP BY clinic",
)


@router.get("/tour")
async def tour_page(request: Request, caller: Visitor) -> Response:
    """Five steps, each a link into the survey; the first visit opens it."""
    service = service_of(request)
    served = service.scratch.find(NAME, caller.name)
    if served is None:
        served = await asyncio.to_thread(service.scratch.open, NAME, caller.name, _survey)
    budget = await asyncio.to_thread(reading.budget, served, caller)
    answers = await asyncio.to_thread(reading.answers, served, caller)
    return page(
        "tour.html",
        caller,
        here="/help",
        name=served.name,
        asked=[question_link(served, sql) for sql in _ASKED],
        left=budget.left,
        many=len(answers),
    )


@router.post("/tour")
async def begin_again(request: Request, caller: Visitor) -> Response:
    """The same survey with its budget unspent."""
    await asyncio.to_thread(service_of(request).scratch.open, NAME, caller.name, _survey)
    return RedirectResponse("/tour", 303)


def _survey(folder: Path) -> Path:
    """The packaged survey under a name that says what it is."""
    bundled = files("discreet") / "examples"
    table, facts = ((bundled / name).read_text(encoding="utf-8") for name in _BUNDLED)
    (folder / _BUNDLED[0]).write_text(table, encoding="utf-8")
    named = with_key(facts, "name", quoted_text("Tour: a made-up clinic survey"))
    (folder / _BUNDLED[1]).write_text(named, encoding="utf-8")
    return folder / _BUNDLED[1]
