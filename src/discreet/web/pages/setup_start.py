"""Set-up, the way in: the one-time link, and choosing, uploading or connecting to a table."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.connection import CONNECTION_KEYS, declared_connection
from discreet.errors import DatasetError, DiscreetError
from discreet.text import one_line, plural
from discreet.web.identity import (
    SETUP_COOKIE,
    Caller,
    check_csrf,
    check_origin,
    identify,
    service_of,
    set_cookie,
    too_many_failures,
)
from discreet.web.pages.forms import lists_of
from discreet.web.pages.rendering import address, page
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import BadRequest, Forbidden, NotFound
from discreet.web.setup.desk import Desk, DraftFile
from discreet.web.setup.forms import Form

router = APIRouter(include_in_schema=False)
_MOST_FIELDS = 10


def desk_of(request: Request, caller: Caller) -> Desk:
    """The desk, for whoever may sit at it; on a server without one there is no such page."""
    desk = service_of(request).desk
    if desk is None:
        raise NotFound("there is no such page; start the server with discreet serve --setup")
    caller.require_set_up()
    return desk


@router.get("/setup/enter")
async def enter_page(request: Request, caller: Visitor) -> Response:
    """Where the printed link leads: a button, so that no program that follows links uses it up."""
    if service_of(request).desk is None:
        raise NotFound("there is no such page; start the server with discreet serve --setup")
    caller.require_custodian()
    if caller.may_set_up:
        return RedirectResponse("/setup", 303)
    return page("setup_enter.html", caller, key=request.query_params.get("key", "")[:100])


@router.post("/setup/enter")
async def enter(request: Request, caller: Visitor) -> Response:
    """Hand the desk to this browser: the key works once, and the next one is printed."""
    service = service_of(request)
    if service.desk is None:
        raise NotFound("there is no such page; start the server with discreet serve --setup")
    caller.require_custodian()
    form = await request.form(max_files=0, max_fields=_MOST_FIELDS)
    value = service.desk.enter(str(form.get("key", "")))
    if value is None:
        raise too_many_failures(request, service) or Forbidden(
            "this link is wrong, or was used already; open the newest one that discreet serve "
            "--setup printed: it moves set-up here from the other browser",
            "setup-link",
        )
    reply = RedirectResponse("/setup", 303)
    set_cookie(reply, request, value, SETUP_COOKIE)
    return reply


@router.get("/setup")
async def start_page(request: Request, caller: Visitor) -> Response:
    """Tables to choose from, drafts to go on with, and two other ways to come by a table."""
    return await _start(request, caller)


async def _start(
    request: Request, caller: Caller, error: str | None = None, status: int = 200
) -> Response:
    desk = desk_of(request, caller)
    tables, drafts = await asyncio.to_thread(lambda: (desk.tables(), desk.drafts()))
    served = {one.name for one in service_of(request).every_dataset()}
    return page(
        "setup_start.html",
        caller,
        here="/setup",
        twin="/setup.json",
        status=status,
        error=error,
        tables=[{"name": one.name, "size": _size(one.size)} for one in tables],
        drafts=[_draft_facts(one, served) for one in drafts],
        most=service_of(request).settings.most_upload >> 20,
        keys=CONNECTION_KEYS,
    )


def _draft_facts(one: DraftFile, served: set[str]) -> dict[str, Any]:
    state = f"{plural(one.left, 'step')} to confirm" if one.left else "ready to be confirmed"
    if one.confirmed:
        state = "served" if one.name in served else "confirmed, not served here yet"
    return {"name": one.name, "title": one.title, "state": state, "confirmed": one.confirmed}


@router.post("/setup/choose")
async def choose(request: Request, caller: Visitor) -> Response:
    """Draft a table of the folder."""
    desk = desk_of(request, caller)
    form = Form(lists_of(await request.form()))
    try:
        path = await asyncio.to_thread(desk.table, form.text("table"))
        return await _drafted(desk, path, form.text("inside"), caller)
    except DiscreetError as problem:
        return await _start(request, caller, one_line(str(problem)), 422)


@router.post("/setup/upload")
async def upload(request: Request) -> Response:
    """Keep a table in the folder and draft it; one that cannot be read is not kept."""
    caller = identify(request)
    check_origin(request)
    desk = desk_of(request, caller)
    form = await request.form(max_files=1, max_fields=_MOST_FIELDS)
    check_csrf(caller, str(form.get("csrf", "")))
    given = form.get("table")
    if not isinstance(given, UploadFile) or not given.filename:
        return await _start(request, caller, "choose a file to upload", 422)
    path = None
    try:
        path = await asyncio.to_thread(desk.save_upload, given.filename, given.file)
        return await _drafted(desk, path, "", caller)
    except DiscreetError as problem:
        if path is not None:
            path.unlink(missing_ok=True)
        return await _start(request, caller, one_line(str(problem)), 422)
    finally:
        await form.close()


@router.post("/setup/connect")
async def connect(request: Request, caller: Visitor) -> Response:
    """Draft a table of PostgreSQL; where the server is stays outside of the file."""
    desk = desk_of(request, caller)
    form = Form(lists_of(await request.form()))
    key, wrong = form.text("key"), []
    if key not in CONNECTION_KEYS:
        raise BadRequest("choose how the database is named")
    where = declared_connection(
        {key: form.text("value")}, desk.folder, lambda _, message: wrong.append(message)
    )
    try:
        if where is None:
            raise DatasetError(wrong[0])
        table = form.text("table")
        if not all(table.split(".")) or table.count(".") > 1:
            raise DatasetError("name the table or the view with its schema: research.stays")
        name = await asyncio.to_thread(desk.draft_served, where, table)
        return RedirectResponse(f"/setup/{name}", 303)
    except DiscreetError as problem:
        return await _start(request, caller, one_line(str(problem)), 422)


async def _drafted(desk: Desk, path: Path, inside: str, caller: Caller) -> Response:
    """The draft of a table; of a file that holds several, first the question which."""
    names = await asyncio.to_thread(desk.inside, path)
    if len(names) > 1 and not inside:
        return page("setup_inside.html", caller, here="/setup", table=path.name, names=names[:200])
    name = await asyncio.to_thread(desk.draft, path, inside or None)
    return RedirectResponse(address(f"/setup/{name}"), 303)


def _size(count: int) -> str:
    if not count:
        return "empty"
    if count < 1 << 20:
        return f"{max(1, count >> 10):,} KB"
    return f"{count / (1 << 20):,.1f} MB"
