"""Ask: play with a question for free, confirm it, and spend; only the last is a POST."""

import asyncio
import secrets
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from discreet.curator import Answer
from discreet.errors import DiscreetError, PlanChanged, QuestionError
from discreet.exact import Epsilon
from discreet.measures.belief import risk_sentence
from discreet.questions.words import asked_words, column_range, column_words, question_words
from discreet.statistics import EXAMPLES
from discreet.tables import CategoryColumn, Dataset, DateColumn, NumberColumn
from discreet.text import capital, one_line
from discreet.web import reading
from discreet.web.identity import Caller, receipt_of, service_of
from discreet.web.job import Job
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.datasets import answer_href
from discreet.web.pages.examples import nearest_link
from discreet.web.pages.forms import REQUIREMENTS, AskForm, lists_of, told_on_page
from discreet.web.pages.plans import PlanView
from discreet.web.pages.rendering import address, page
from discreet.web.pages.sentence import (
    By,
    Clause,
    UnfinishedError,
    between,
    columns_for,
    date_groups,
    needs_value,
    relations_for,
    seconds_for,
    statistics_for,
    usual_width,
)
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import Refusal
from discreet.web.served import PricedPlan, ServedDataset

router = APIRouter(include_in_schema=False)
_MINE_TO_SHOW = (400, 409, 422, 429)
_PIECES = {"sentence": "_sentence.html", "plan": "_pieces.html"}


@router.get("/datasets/{name}/ask")
async def ask_page(name: str, request: Request, caller: Visitor) -> Response:
    """The form and, once it is filled in, the plan: free of charge."""
    served = service_of(request).dataset(name, caller)
    form = AskForm.of(lists_of(request.query_params), served.dataset)
    part = request.query_params.get("part", "")
    facts = await asyncio.to_thread(_form_facts, served, form)
    facts |= {"plan": None, "error": None, "nearest": None, "unfinished": None, "job": None}
    facts["in_basket"] = service_of(request).baskets.many(caller.name, served.name)
    if form.filled and part != "sentence":
        facts |= await _plan_facts(request, served, form, caller)
    facts["within"] = _followed(form, facts["plan"], "within", form.within)
    facts["epsilon"] = _followed(form, facts["plan"], "epsilon", form.epsilon)
    template = _PIECES.get(part, "ask.html")
    return page(template, caller, here="/", twin=_twin(served, form), **facts)


@router.get("/datasets/{name}/ask.json")
async def ask_twin(name: str, request: Request, caller: Visitor) -> Response:
    """The Ask page for programs: what POST /api/datasets/{name}/plan replies to the same wishes."""
    service = service_of(request)
    served = service.dataset(name, caller)
    form = AskForm.of(lists_of(request.query_params), served.dataset)
    if not form.filled:
        return JSONResponse(served.facts())
    planned = await service.plan(served, form.wanted(served.dataset), caller)
    return JSONResponse(planned.to_dict(), 202 if isinstance(planned, Job) else 200)


@router.get("/datasets/{name}/confirm")
async def confirm_page(name: str, request: Request, caller: Visitor) -> Response:
    """What would be spent, in one sentence; nothing is spent yet.

    The key is part of the address, so that coming back or reloading never draws another one.
    """
    service = service_of(request)
    served = service.dataset(name, caller)
    key = request.query_params.get("key", "")
    if not key:
        return RedirectResponse(with_key(request), 303)
    form = AskForm.of(lists_of(request.query_params), served.dataset)
    back = address(f"/datasets/{served.name}/ask", form.fields())
    receipt = receipt_of(caller, key)
    if await asyncio.to_thread(served.curator.is_stored, receipt):
        answer = await asyncio.to_thread(reading.answer, served, receipt, caller)
        return _answered(served, answer, back, caller)
    try:
        exact = await asyncio.to_thread(form.written_out, served.dataset)
        planned = await service.plan(served, exact.wanted(served.dataset), caller)
    except (DiscreetError, Refusal) as problem:
        _mine_to_show(problem)
        return RedirectResponse(back, 303)
    if isinstance(planned, Job) or not planned.enough:
        return RedirectResponse(back, 303)
    question = planned.plan.question
    return page(
        "confirm.html",
        caller,
        here="/",
        twin=_twin(served, exact),
        name=served.name,
        title=served.dataset.name,
        plan=await asyncio.to_thread(_shown, served, planned),
        words=question_words(question, served.dataset),
        sql=planned.asked,
        key=key,
        digest=planned.plan.digest,
        hidden=exact.fields(),
        back=back,
    )


@router.post("/datasets/{name}/ask")
async def ask(name: str, request: Request, caller: Visitor) -> Response:
    """Spend, and go to the answer; the same key again goes to the same answer."""
    service = service_of(request)
    served = service.dataset(name, caller)
    given = lists_of(await request.form())
    form = AskForm.of(given, served.dataset)
    key, shown = ((given.get(name) or [""])[0] for name in ("key", "plan"))
    wanted = form.wanted(served.dataset)
    try:
        answer = await service.ask(served, wanted, key, caller, plan=shown or None)
    except PlanChanged:
        return RedirectResponse(address(f"/datasets/{served.name}/confirm", form.fields()), 303)
    if not isinstance(answer, Answer):
        return RedirectResponse(address(f"/datasets/{served.name}/ask", form.fields()), 303)
    return RedirectResponse(answer_href(served, answer.receipt), 303)


def with_key(request: Request) -> str:
    """The same address with a fresh key."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "key"]
    return address(request.url.path, [*kept, ("key", secrets.token_urlsafe(12))])


def _answered(served: ServedDataset, answer: Answer, back: str, caller: Caller) -> Response:
    """Instead of the button, the way to the answer that this key has bought already."""
    href = answer_href(served, answer.receipt)
    return page(
        "answered.html",
        caller,
        here="/",
        twin="/api" + href,
        name=served.name,
        title=served.dataset.name,
        words=asked_words(answer.asked, served.dataset),
        epsilon=answer.epsilon,
        href=href,
        back=back,
    )


async def _plan_facts(
    request: Request, served: ServedDataset, form: AskForm, caller: Caller
) -> dict[str, Any]:
    service = service_of(request)
    try:
        planned = await service.plan(served, form.wanted(served.dataset), caller)
    except UnfinishedError as missing:
        return {"unfinished": capital(one_line(str(missing)))}
    except (DiscreetError, Refusal) as problem:
        _mine_to_show(problem)
        message = told_on_page(problem)
        return {"error": message, "nearest": await asyncio.to_thread(_near, served, form, problem)}
    if isinstance(planned, Job):
        return {"job": planned, "again": address(f"/datasets/{served.name}/ask", form.fields())}
    shown = await asyncio.to_thread(_shown, served, planned)
    budget = await asyncio.to_thread(reading.budget, served, caller)
    shown["meter"] = meter_of(budget, planned.epsilon)
    shown["cost_sentence"] = _cost_sentence(planned)
    return {"plan": shown}


def _near(
    served: ServedDataset, form: AskForm, problem: DiscreetError | Refusal
) -> dict[str, str] | None:
    """What can be asked instead of a question that cannot; None where the question is not why."""
    if not isinstance(problem, QuestionError):
        return None
    try:
        asked = form.sql if form.how == "sql" else form.asked(served.dataset)
    except DiscreetError:
        asked = ""
    return nearest_link(served, asked, problem)


def _shown(served: ServedDataset, planned: PricedPlan) -> dict[str, Any]:
    view = PlanView.of(planned.plan, served.dataset)
    return {
        "epsilon": view.epsilon,
        "within": view.within,
        "promises": view.promises,
        "details": view.details,
        "notes": view.notes,
        "parts": view.parts,
        "several": view.several,
        "enough": planned.enough,
        "left": planned.left,
        "risk": _risk(served, planned),
    }


def _risk(served: ServedDataset, planned: PricedPlan) -> str:
    """What the cost of a plan risks, for one person; nothing where it costs nothing."""
    cost = planned.plan.cost.total
    return risk_sentence(Epsilon(cost), served.dataset.relation) if cost else ""


def _cost_sentence(planned: PricedPlan) -> str:
    if planned.plan.stored is not None:
        return "The answer is stored and costs nothing."
    if planned.epsilon == "0":
        return "The answer is public and costs nothing."
    return f"Cost: ε = {planned.epsilon}. You have ε = {planned.left} left."


def _form_facts(served: ServedDataset, form: AskForm) -> dict[str, Any]:
    dataset = served.dataset
    asked = None
    if form.how == "sentence":
        try:
            asked = form.asked(dataset)
        except DiscreetError:
            asked = None
    as_sql = [
        ("how", "sql"),
        ("sql", asked or "SELECT COUNT(*)"),
        ("aim", form.aim),
        (form.aim, form.within if form.aim == "within" else form.epsilon),
    ]
    return {
        "name": served.name,
        "title": dataset.name,
        "how": form.how,
        "sql": form.sql,
        "sentence": form.sentence,
        "statistics": statistics_for(dataset),
        "examples": ", ".join(EXAMPLES),
        "columns": [column.name for column in columns_for(form.sentence.statistic, dataset)],
        "seconds": seconds_for(form.sentence.statistic, form.sentence.column, dataset),
        "between": between(form.sentence.statistic),
        "labels": {one.name: column_words(one.name, dataset) for one in dataset.every_column},
        "told_columns": _about(form, dataset),
        "all_columns": [column.name for column in dataset.every_column],
        "clauses": _clauses(form, dataset),
        "groups": _groups(form, dataset),
        "can_total": form.sentence.can_total,
        "can_run": form.sentence.can_run(dataset),
        "asked": asked,
        "as_sql": address(f"/datasets/{served.name}/ask", as_sql),
        "aim": form.aim,
        "confidence": form.confidence,
        "loss": form.loss,
        "prior": form.prior,
        "require": form.require,
        "requirements": REQUIREMENTS,
        "unbiased": form.unbiased,
        "consistent": form.consistent,
        "clamp": form.clamp,
        "interval": form.interval,
        "about": form.about,
        "fresh": form.fresh,
        "importance": form.importance,
        "wishes_open": form.wishes_open,
    }


def _about(form: AskForm, dataset: Dataset) -> list[dict[str, str]]:
    """What is declared of the columns that were chosen: a description, and the possible values."""
    chosen = form.sentence
    names = [chosen.column, chosen.second, *(one.column for one in chosen.by)]
    known = {column.name: column for column in dataset.every_column}
    return [
        {
            "name": name,
            "told": "; ".join(filter(None, (known[name].description, column_range(known[name])))),
        }
        for name in dict.fromkeys(names)
        if name in known
    ]


def _clauses(form: AskForm, dataset: Dataset) -> list[dict[str, Any]]:
    """The conditions so far, and an empty one to go on with."""
    named = {column.name: column for column in dataset.every_column}
    clauses = []
    for clause in (*form.sentence.clauses, Clause("", "=", "")):
        column = named.get(clause.column)
        words = column.labels.names if isinstance(column, CategoryColumn) else None
        first, last = "", ""
        if isinstance(column, NumberColumn):
            first, last = column.text(column.grid.start), column.text(column.grid.last)
        dates = isinstance(column, DateColumn)
        timed = isinstance(column, DateColumn) and column.timed
        clauses.append(
            {
                "column": clause.column if column else "",
                "relation": clause.relation,
                "value": clause.value,
                "relations": relations_for(column),
                "needs_value": needs_value(clause.relation),
                "words": words,
                "type": ("datetime-local" if timed else "date") if dates else "text",
                "first": first.replace(" ", "T"),
                "last": last.replace(" ", "T"),
                "unit": column.unit if isinstance(column, NumberColumn) else "",
            }
        )
    return clauses


def _groups(form: AskForm, dataset: Dataset) -> list[dict[str, Any]]:
    """The columns to group by so far, and an empty choice to go on with; each with what is left."""
    named = {column.name: column for column in dataset.every_column}
    names, chosen = list(named), form.sentence.by
    taken = [one.column for one in chosen]
    more = [By("")] if set(names) - set(taken) else []
    return [
        {
            "column": one.column,
            "width": one.width,
            "is_number": bool(usual_width(one.column, dataset)),
            "units": date_groups(named.get(one.column)),
            "columns": [name for name in names if name == one.column or name not in taken],
        }
        for one in (*chosen, *more)
    ]


def _followed(form: AskForm, plan: dict[str, Any] | None, which: str, given: str) -> str:
    """The number that was chosen, or the one that follows from it."""
    if plan is None or form.aim == which:
        return given
    return str(plan[which])


def _twin(served: ServedDataset, form: AskForm) -> str:
    query = form.fields() if form.filled or form.how == "sql" else []
    return address(f"/datasets/{served.name}/ask.json", query)


def _mine_to_show(problem: DiscreetError | Refusal) -> None:
    """The form itself says what is wrong; what is not about it is for the error page."""
    if isinstance(problem, Refusal) and problem.status not in _MINE_TO_SHOW:
        raise problem
