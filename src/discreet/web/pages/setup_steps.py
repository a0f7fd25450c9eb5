"""Set-up, step by step: the table, who is protected, the budget, and each column by itself."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.errors import DatasetError, DiscreetError
from discreet.measures.belief import risk_sentence
from discreet.tables import ColumnType, Dataset
from discreet.tables.dataset_file import examine_text
from discreet.tables.drafts.writing import (
    quoted_text,
    to_confirm,
    with_key,
    with_section,
    without_section,
)
from discreet.text import one_line
from discreet.web.identity import Caller
from discreet.web.pages.forms import lists_of
from discreet.web.pages.rendering import page
from discreet.web.pages.setup_start import desk_of
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import NotFound
from discreet.web.setup.desk import LEFT_OUT, Desk, declared, with_column, without_column
from discreet.web.setup.forms import (
    Form,
    budget_facts,
    column_facts,
    column_form,
    privacy_facts,
    toml_text,
    why_of,
)
from discreet.web.setup.steps import Draft
from discreet.web.setup.worth import worth_facts

router = APIRouter(include_in_schema=False)
Change = Callable[[str, Form], str]
"""The text of a draft and a form to the text as the form wants it."""


_PRIVACY_FIELDS = (*("unit", "most_rows_per_unit", "neighbours", "size", "size_at_most", "why"),)


async def _typed(request: Request) -> Form:
    """What was typed into a form that was not saved: it is shown again."""
    return Form(lists_of(await request.form()))


@dataclass(frozen=True)
class Remarks:
    """What the custodian is told of a column as it is declared."""

    told: tuple[str, ...] = ()
    problem: str = ""


def draft_of(desk: Desk, name: str) -> Draft:
    """A draft of the folder."""
    return Draft(name, desk.text(name))


def seen_by(desk: Desk, draft: Draft) -> tuple[dict[str, Any], Dataset | None]:
    """What the columns hold, and what is declared, where that can be read."""
    file = desk.file(draft.name)
    dataset, _ = examine_text(draft.text, file)
    source = declared(_only_source(draft), file).source if dataset is None else dataset.source
    return desk.look(source), dataset


def _only_source(draft: Draft) -> str:
    """A file with the same source and nothing that could be wrong besides."""
    text = draft.text
    for column in draft.section("columns"):
        text = without_section(text, ("columns", column), "")
    text = with_section(text, ("privacy",), {"size_at_most": "1"})
    text = with_section(text, ("budget",), {"total": '"1"'})
    return with_section(text, ("columns", "x"), {"type": '"boolean"'})


@router.get("/setup/{name}/source")
async def source_page(name: str, request: Request, caller: Visitor) -> Response:
    """What people call the table, and how it is read."""
    return await _source(name, request, caller)


@router.post("/setup/{name}/source")
async def save_source(name: str, request: Request, caller: Visitor) -> Response:
    """Confirm it."""
    return await _saved(name, request, caller, _source_changed, _source)


def _source_changed(text: str, form: Form) -> str:
    facts = {
        key: toml_text(value)
        for key, value in Draft("", text).section("source").items()
        if key != "why"
    }
    made = with_section(text, ("source",), {**facts, **why_of(form)})
    return with_key(made, "name", quoted_text(" ".join(form.text("name").split())))


async def _source(name: str, request: Request, caller: Caller, error: str = "") -> Response:
    draft, seen, _ = await _opened(name, request, caller)
    facts = {key: one for key, one in draft.section("source").items() if key != "why"}
    return _page(
        ShownSection(
            template="setup_source.html", draft=draft, seen=seen, path=("source",), error=error
        ),
        caller,
        facts={**facts, "why": draft.section("source").get("why", "")},
        called=(await _typed(request)).text("name") if error else draft.title,
        rows=seen["rows"],
        sampled=seen["sampled"],
        names=[one["name"] for one in seen["columns"]],
    )


@router.get("/setup/{name}/privacy")
async def privacy_page(name: str, request: Request, caller: Visitor) -> Response:
    """Who is protected, from what, and what is known of the number of rows."""
    return await _privacy(name, request, caller)


@router.post("/setup/{name}/privacy")
async def save_privacy(name: str, request: Request, caller: Visitor) -> Response:
    """Confirm it."""
    return await _saved(
        name,
        request,
        caller,
        lambda text, form: with_section(
            text, ("privacy",), {**privacy_facts(form), **why_of(form)}
        ),
        _privacy,
    )


async def _privacy(name: str, request: Request, caller: Caller, error: str = "") -> Response:
    draft, seen, _ = await _opened(name, request, caller)
    facts = draft.section("privacy")
    if error:
        typed = await _typed(request)
        facts = {key: typed.text(key) for key in _PRIVACY_FIELDS if typed.text(key)}
        facts.pop("size" if typed.text("size_is") == "bound" else "", None)
    return _page(
        ShownSection(
            template="setup_privacy.html", draft=draft, seen=seen, path=("privacy",), error=error
        ),
        caller,
        facts=facts,
        rows=seen["rows"],
        units=seen["units"],
        names=[one["name"] for one in seen["columns"]],
    )


@router.get("/setup/{name}/budget")
async def budget_page(name: str, request: Request, caller: Visitor) -> Response:
    """What all questions together may cost, and what that buys."""
    return await _budget(name, request, caller)


@router.post("/setup/{name}/budget")
async def save_budget(name: str, request: Request, caller: Visitor) -> Response:
    """Confirm it."""
    return await _saved(name, request, caller, _budget_changed, _budget)


def _budget_changed(text: str, form: Form) -> str:
    facts, shares = budget_facts(form)
    made = with_section(text, ("budget",), {**facts, **why_of(form)})
    if shares:
        return with_section(made, ("budget", "analysts"), shares)
    if "analysts" in Draft("", made).section("budget"):
        return without_section(made, ("budget", "analysts"), "no analyst has a limit of their own")
    return made


async def _budget(name: str, request: Request, caller: Caller, error: str = "") -> Response:
    draft, seen, dataset = await _opened(name, request, caller)
    worth = None if dataset is None else await asyncio.to_thread(worth_facts, dataset)
    facts = draft.section("budget")
    shares = "".join(f"{who} {share}\n" for who, share in facts.get("analysts", {}).items())
    if error:
        typed = await _typed(request)
        facts, shares = {key: typed.text(key) for key in ("total", "why")}, typed.text("analysts")
    return _page(
        ShownSection(
            template="setup_budget.html", draft=draft, seen=seen, path=("budget",), error=error
        ),
        caller,
        facts=facts,
        worth=worth,
        shares=shares,
        risk=_risk(dataset),
    )


def _risk(dataset: Dataset | None) -> str:
    """What the whole budget risks, for one person."""
    if dataset is None:
        return ""
    by = "all answers together, once the whole budget is spent"
    return risk_sentence(dataset.budget.total, dataset.relation, by)


@router.get("/setup/{name}/columns/{column:path}")
async def column_page(name: str, column: str, request: Request, caller: Visitor) -> Response:
    """One column: what it holds, for the custodian alone, and what is declared of it."""
    return await _column(name, column, request, caller)


@router.post("/setup/{name}/columns/{column:path}")
async def save_column(name: str, column: str, request: Request, caller: Visitor) -> Response:
    """Confirm it, or leave it out."""

    async def again(name: str, request: Request, caller: Caller, error: str = "") -> Response:
        given = Form(lists_of(await request.form()))
        return await _column(name, column, request, caller, error=error, given=given)

    return await _saved(name, request, caller, _column_change(column), again, column=column)


@router.post("/setup/{name}/check/{column:path}")
async def check_column(name: str, column: str, request: Request, caller: Visitor) -> Response:
    """What would be odd about a column if it were declared so; a piece of its page."""
    desk = desk_of(request, caller)
    form = Form(lists_of(await request.form()))
    try:
        draft = await asyncio.to_thread(draft_of, desk, name)
        facts = column_facts(form, draft.section("columns", column))
        text = with_column(draft.text, column, facts)
        await asyncio.to_thread(refuse_own_problem, desk, name, text, draft.text)
        findings = await asyncio.to_thread(desk.check, name, text, column)
        notes = [*findings["problems"], *(remark for _, remark in findings["remarks"])]
        problem = ""
    except DiscreetError as error:
        notes, problem = [], one_line(str(error)).removeprefix(f"{column}: ")
    if request.headers.get("x-part") == "remarks":
        return page("_setup_remarks.html", caller, remarks=notes, problem=problem, checked=True)
    remarks = Remarks(tuple(notes), problem)
    return await _column(name, column, request, caller, given=form, remarks=remarks)


def _column_change(column: str) -> Change:
    def changed(text: str, form: Form) -> str:
        if form.text("keep") == "no":
            return without_column(text, column, form.text("why") or LEFT_OUT)
        facts = column_facts(form, Draft("", text).section("columns", column))
        return with_column(text, column, {**facts, **why_of(form)})

    return changed


async def _column(
    name: str,
    column: str,
    request: Request,
    caller: Caller,
    *,
    error: str = "",
    given: Form | None = None,
    remarks: Remarks | None = None,
) -> Response:
    draft, seen, _ = await _opened(name, request, caller)
    seen_column = next((one for one in seen["columns"] if one["name"] == column), None)
    facts = draft.section("columns", column)
    if seen_column is None and not facts:
        raise NotFound("there is no such column")
    notes = remarks or Remarks()
    if remarks is None and facts and seen_column is not None and not error:
        try:
            desk = desk_of(request, caller)
            checked = await asyncio.to_thread(desk.check, name, draft.text, column)
            notes = Remarks(tuple(one for _, one in checked["remarks"]))
        except DiscreetError as problem:
            notes = Remarks(problem=one_line(str(problem)))
    return _page(
        ShownSection(
            template="setup_column.html",
            draft=draft,
            seen=seen,
            path=("columns", column),
            error=error,
        ),
        caller,
        facts=facts,
        column=column,
        seen=seen_column,
        form=column_form(facts, seen_column, given),
        types=list(ColumnType),
        remarks=notes.told,
        problem=notes.problem,
        checked=remarks is not None,
    )


async def _opened(
    name: str, request: Request, caller: Caller
) -> tuple[Draft, dict[str, Any], Dataset | None]:
    desk = desk_of(request, caller)

    def read() -> tuple[Draft, dict[str, Any], Dataset | None]:
        desk.check_draft(name)
        draft = draft_of(desk, name)
        return draft, *seen_by(desk, draft)

    return await asyncio.to_thread(read)


async def _saved(
    name: str,
    request: Request,
    caller: Caller,
    change: Change,
    again: Callable[..., Any],
    *,
    column: str | None = None,
) -> Response:
    """Write what a form confirms and go on to the next step; or show the form again with a line."""
    desk = desk_of(request, caller)
    form = Form(lists_of(await request.form()))

    def write() -> str:
        draft = draft_of(desk, name)
        made = change(draft.text, form)
        path = ("columns", column) if column is not None else ()
        if column is None or Draft(name, made).section(*path):
            refuse_own_problem(desk, name, made, draft.text)
        desk.write(name, made)
        return made

    try:
        made = await asyncio.to_thread(write)
    except DiscreetError as problem:
        reply: Response = await again(name, request, caller, one_line(str(problem)))
        reply.status_code = 422
        return reply
    seen, dataset = await asyncio.to_thread(seen_by, desk, Draft(name, made))
    columns = [one["name"] for one in seen["columns"]]
    steps = Draft(name, made).steps(columns, dataset)
    return RedirectResponse(
        next((one.href for one in steps if not one.done), f"/setup/{name}"), 303
    )


def refuse_own_problem(desk: Desk, name: str, made: str, before: str) -> None:
    """Refuse what makes the file worse: a problem that it did not have before."""
    file = desk.file(name)
    known = {problem.text for problem in examine_text(before, file)[1]}
    fresh = [one for one in examine_text(made, file)[1] if one.text not in known]
    if fresh:
        raise DatasetError(fresh[0].text)


@dataclass(frozen=True, kw_only=True)
class ShownSection:
    """A page of one section of a draft."""

    template: str
    draft: Draft
    seen: dict[str, Any]
    """What the rows hold, for the custodian alone."""
    path: tuple[str, ...]
    error: str


def _page(shown: ShownSection, caller: Caller, *, facts: dict[str, Any], **more: Any) -> Response:
    draft = shown.draft
    return page(
        shown.template,
        caller,
        here="/setup",
        twin=f"/setup/{draft.name}.json",
        status=422 if shown.error else 200,
        name=draft.name,
        title=draft.title,
        place=draft.place(shown.path, [one["name"] for one in shown.seen["columns"]]),
        error=shown.error,
        asked=to_confirm(draft.text).get(shown.path, ()),
        facts=facts,
        why=facts.get("why", ""),
        **more,
    )
