"""Set-up for programs: what the folder holds, and a draft with all that its pages show.

For custodians alone, as the pages are: what the columns hold is in it.
"""

import asyncio
import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.bodies import json_reply
from discreet.web.identity import service_of
from discreet.web.pages.setup_start import desk_of
from discreet.web.pages.setup_steps import draft_of, seen_by
from discreet.web.pages.visitor import Visitor
from discreet.web.setup.desk import Desk
from discreet.web.setup.worth import worth_facts

router = APIRouter(include_in_schema=False)


@router.get("/setup.json")
async def folder_twin(request: Request, caller: Visitor) -> Response:
    """Tables to choose from, and drafts to go on with."""
    desk = desk_of(request, caller)
    tables, drafts = await asyncio.to_thread(lambda: (desk.tables(), desk.drafts()))
    served = {one.name for one in service_of(request).every_dataset()}
    return json_reply(
        {
            "tables": [asdict(one) for one in tables],
            "drafts": [{**asdict(one), "served": one.name in served} for one in drafts],
        }
    )


@router.get("/setup/{name}.json")
async def draft_twin(name: str, request: Request, caller: Visitor) -> Response:
    """A draft: what it declares, what is left to confirm, what the columns hold, what is odd."""
    desk = desk_of(request, caller)
    return json_reply(await asyncio.to_thread(_told, desk, name))


def _told(desk: Desk, name: str) -> dict[str, Any]:
    draft = draft_of(desk, name)
    seen, dataset = seen_by(desk, draft)
    steps = draft.steps([one["name"] for one in seen["columns"]], dataset)
    findings = desk.check(name, draft.text)
    facts = {
        "name": name,
        "title": draft.title,
        "confirmed": draft.facts.get("confirmed") is True,
        "steps": [asdict(one) for one in steps],
        "left": sum(not one.done for one in steps),
        "declared": draft.facts,
        "seen": seen,
        "problems": findings["problems"],
        "remarks": [{"column": column, "told": remark} for column, remark in findings["remarks"]],
        "worth": None if dataset is None else worth_facts(dataset),
    }
    plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))  # days are written as text
    return plain
