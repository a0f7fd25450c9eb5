"""Set-up, the overview of a draft: what is left, a rehearsal, and at last serving it."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.errors import DatasetError, DiscreetError
from discreet.tables.drafts.rehearsal import MOST_ROWS, rehearse
from discreet.tables.drafts.writing import to_confirm, with_key, without_opening
from discreet.text import one_line
from discreet.web.identity import Caller, service_of
from discreet.web.pages.examples import examples_of
from discreet.web.pages.forms import lists_of
from discreet.web.pages.rendering import page
from discreet.web.pages.setup_start import desk_of
from discreet.web.pages.setup_steps import draft_of, refuse_own_problem, seen_by
from discreet.web.pages.visitor import Visitor
from discreet.web.served import MARK
from discreet.web.setup.desk import LEFT_OUT, declared, without_column
from discreet.web.setup.worth import worth_facts

router = APIRouter(include_in_schema=False)


@router.get("/setup/{name}")
async def overview(name: str, request: Request, caller: Visitor) -> Response:
    """Every step with its state."""
    return await _overview(name, request, caller)


async def _overview(name: str, request: Request, caller: Caller, error: str = "") -> Response:
    desk = desk_of(request, caller)
    draft = await asyncio.to_thread(draft_of, desk, name)
    if draft.facts.get("confirmed") is True:
        return await _served_page(name, request, caller)
    seen, dataset = await asyncio.to_thread(seen_by, desk, draft)
    steps = draft.steps([one["name"] for one in seen["columns"]], dataset)
    left = [one for one in steps if not one.done]
    findings: dict[str, Any] = {"problems": [], "remarks": []}
    if not left:
        findings = await asyncio.to_thread(desk.check, name, draft.text)
    return page(
        "setup_overview.html",
        caller,
        here="/setup",
        twin=f"/setup/{name}.json",
        status=422 if error else 200,
        name=name,
        title=draft.title,
        steps=steps,
        left=len(left),
        kept=list(draft.section("columns")),
        next=left[0] if left else None,
        seen=seen,
        worth=None if dataset is None else await asyncio.to_thread(worth_facts, dataset),
        can_rehearse=dataset is not None,
        problems=findings["problems"],
        remarks=[
            f"{column}: {remark}" if column else remark for column, remark in findings["remarks"]
        ],
        error=error,
    )


@router.post("/setup/{name}/leave-out")
async def leave_out(name: str, request: Request, caller: Visitor) -> Response:
    """Leave several columns out: that needs no reason, for nothing is said of them."""
    desk = desk_of(request, caller)
    chosen = lists_of(await request.form()).get("column", [])

    def write() -> None:
        before = text = desk.text(name)
        kept = draft_of(desk, name).section("columns")
        for column in chosen:
            if column in kept:
                text = without_column(text, column, LEFT_OUT)
        refuse_own_problem(desk, name, text, before)
        desk.write(name, text)

    try:
        await asyncio.to_thread(write)
    except DiscreetError as problem:
        return await _overview(name, request, caller, one_line(str(problem)))
    return RedirectResponse(f"/setup/{name}", 303)


@router.post("/setup/{name}/rehearse")
async def begin_rehearsal(name: str, request: Request, caller: Visitor) -> Response:
    """Made-up rows of the declared shape, asked as analysts will ask."""
    desk = desk_of(request, caller)

    def make(folder: Path) -> Path:
        draft, file = draft_of(desk, name), desk.file(name)
        dataset = declared(draft.text, file)
        return rehearse(draft.text, dataset, desk.folder, folder, f"Rehearsal: {draft.title}")

    try:
        await asyncio.to_thread(
            service_of(request).scratch.open, _rehearsal(name), caller.name, make
        )
    except DiscreetError as problem:
        return await _overview(name, request, caller, one_line(str(problem)))
    return RedirectResponse(f"/setup/{name}/rehearsal", 303)


@router.get("/setup/{name}/rehearsal")
async def rehearsal_page(name: str, request: Request, caller: Visitor) -> Response:
    """Where to go in a rehearsal."""
    desk = desk_of(request, caller)
    served = service_of(request).scratch.find(_rehearsal(name), caller.name)
    if served is None:
        return RedirectResponse(f"/setup/{name}", 303)
    return page(
        "setup_rehearsal.html",
        caller,
        here="/setup",
        name=name,
        title=draft_of(desk, name).title,
        scratch=served.name,
        rows=min(served.dataset.most_rows, MOST_ROWS),
        examples=await asyncio.to_thread(examples_of, served),
    )


@router.post("/setup/{name}/finish")
async def finish(name: str, request: Request, caller: Visitor) -> Response:
    """Confirm the file as a whole, and serve it."""
    desk = desk_of(request, caller)

    def confirm() -> None:
        text = desk.text(name)
        draft = draft_of(desk, name)
        seen, dataset = seen_by(desk, draft)
        columns = [one["name"] for one in seen["columns"]]
        left = [one for one in draft.steps(columns, dataset) if not one.done]
        if left or to_confirm(text):
            raise DatasetError(f"{len(left)} of its steps are still to be confirmed")
        findings = desk.check(name, text)
        if findings["problems"]:
            raise DatasetError(findings["problems"][0])
        desk.write(name, with_key(without_opening(text), "confirmed", "true"))

    try:
        await asyncio.to_thread(confirm)
        await asyncio.to_thread(service_of(request).open_dataset, name, desk.file(name), caller)
    except DiscreetError as problem:
        return await _overview(name, request, caller, one_line(str(problem)))
    return RedirectResponse(f"/setup/{name}", 303)


@router.post("/setup/{name}/serve")
async def serve_now(name: str, request: Request, caller: Visitor) -> Response:
    """Serve a file of the folder that is confirmed already."""
    desk = desk_of(request, caller)
    await asyncio.to_thread(service_of(request).open_dataset, name, desk.file(name), caller)
    return RedirectResponse(f"/setup/{name}", 303)


async def _served_page(name: str, request: Request, caller: Caller) -> Response:
    desk, service = desk_of(request, caller), service_of(request)
    return page(
        "setup_done.html",
        caller,
        here="/setup",
        name=name,
        title=draft_of(desk, name).title,
        served=any(one.name == name for one in service.every_dataset()),
        file=desk.file(name).name,
    )


def _rehearsal(name: str) -> str:
    return f"{MARK}rehearsal-{name}"
