"""The workbench: design a mechanism from a query string; everything is in the link."""

import asyncio
import json
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from discreet.errors import DiscreetError
from discreet.text import one_line
from discreet.web.bodies import DesignBody
from discreet.web.designing import Designed
from discreet.web.identity import Caller, service_of
from discreet.web.job import Job
from discreet.web.pages import design_view
from discreet.web.pages.design_form import LOSSES, DesignForm
from discreet.web.pages.errors import safe_next
from discreet.web.pages.forms import REQUIREMENTS, lists_of
from discreet.web.pages.rendering import address, page
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import NotFound, Refusal

router = APIRouter(include_in_schema=False)
_MINE_TO_SHOW = (400, 409, 422, 429)


@router.get("/workbench")
async def workbench(request: Request, caller: Visitor) -> Response:
    """The form and its design."""
    form = DesignForm.of(lists_of(request.query_params))
    again = address("/workbench", form.fields())
    facts: dict[str, Any] = {"error": None, "job": None, "view": None, "again": again}
    try:
        wanted = form.wanted()
        designed = await service_of(request).design(wanted, caller)
        if isinstance(designed, Job):
            facts["job"] = designed
        else:
            facts["view"] = await _view(request, wanted, designed, form, caller)
    except (DiscreetError, Refusal) as problem:
        if isinstance(problem, Refusal) and problem.status not in _MINE_TO_SHOW:
            raise
        facts["error"] = one_line(str(problem))
    template = "_design.html" if request.query_params.get("part") == "design" else "workbench.html"
    return page(
        template,
        caller,
        here="/workbench",
        twin=address("/workbench.json", form.fields()),
        form=form,
        losses=LOSSES,
        requirements=REQUIREMENTS,
        **facts,
    )


@router.get("/workbench.json")
async def workbench_twin(request: Request, caller: Visitor) -> Response:
    """The workbench for programs: what POST /api/designs replies to the same wishes."""
    form = DesignForm.of(lists_of(request.query_params))
    designed = await service_of(request).design(form.wanted(), caller)
    if isinstance(designed, Job):
        return JSONResponse(designed.to_dict(), 202)
    return JSONResponse(designed.document)


@router.get("/workbench/mechanism")
async def mechanism_file(request: Request, caller: Visitor) -> Response:
    """The mechanism as a file that `discreet show`, `certify` and `draw` read."""
    form = DesignForm.of(lists_of(request.query_params))
    designed = await service_of(request).design(form.wanted(), caller, patience=30.0)
    if isinstance(designed, Job) or designed.mechanism is None:
        raise NotFound("this mechanism is too large for a file; use a larger step")
    return Response(
        json.dumps(designed.mechanism, ensure_ascii=False, indent=1),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="mechanism.json"'},
    )


async def _view(
    request: Request, wanted: DesignBody, designed: Designed, form: DesignForm, caller: Caller
) -> design_view.DesignView:
    shown = await asyncio.to_thread(design_view.shown, designed)
    errors = None
    if shown is not None and shown.has_curve:
        errors = await _errors(request, wanted, caller)
    fields = form.fields()
    base = str(request.base_url).rstrip("/")
    return await asyncio.to_thread(
        design_view.view,
        designed,
        shown,
        errors,
        link=base + address("/workbench", fields),
        download=address("/workbench/mechanism", fields),
    )


async def _errors(request: Request, wanted: DesignBody, caller: Caller) -> tuple[float, ...] | None:
    """The same design at every ε of the curve, by the workers; None when one takes too long."""
    errors = []
    for epsilon in design_view.EPSILONS:
        there = wanted.model_copy(update={"epsilon": epsilon})
        try:
            designed = await service_of(request).design(there, caller)
        except DiscreetError:
            return None
        if isinstance(designed, Job):
            service_of(request).cancel(designed.id, caller)
            return None
        errors.append(float(designed.document["value"]))
    return tuple(errors)


@router.post("/jobs/{id}/cancel")
async def cancel_design(id: str, request: Request, caller: Visitor) -> Response:
    """Stop a long design and go back to where it began, with nothing asked yet."""
    service_of(request).cancel(id, caller)
    form = await request.form()
    back = safe_next(str(form.get("back", "/")))
    return RedirectResponse(back.partition("?")[0], 303)
