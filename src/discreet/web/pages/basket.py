"""The basket: questions that are planned together for free, and paid for once."""

import asyncio
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from discreet.errors import DiscreetError, PlanChanged
from discreet.planning.batch import numbered
from discreet.questions.words import asked_words
from discreet.text import Amount, brief, capital, one_line
from discreet.web import reading
from discreet.web.baskets import basket_receipts
from discreet.web.identity import Caller, service_of
from discreet.web.job import Job
from discreet.web.pages.ask import with_key
from discreet.web.pages.basket_form import BasketForm, BasketLine
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.forms import AskForm, lists_of, told_on_page
from discreet.web.pages.plans import PlanView
from discreet.web.pages.rendering import address, page
from discreet.web.pages.sentence import UnfinishedError
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import Refusal
from discreet.web.served import PricedBatch, ServedDataset

router = APIRouter(include_in_schema=False)
_MINE_TO_SHOW = (400, 403, 409, 422, 429)


@router.get("/datasets/{name}/basket")
async def basket_page(name: str, request: Request, caller: Visitor) -> Response:
    """What is in the basket and what it would cost: free of charge."""
    service = service_of(request)
    served = service.dataset(name, caller)
    given = lists_of(request.query_params)
    form = await asyncio.to_thread(_asked_for, request, served, given, caller)
    service.baskets.keep(caller.name, served.name, form.fields() if form.lines else [])
    here = address(_at(served), form.fields())
    if form.lines and (not given.get("q") or {"add", "remove", "join"} & set(given)):
        return RedirectResponse(here, 303)
    facts: dict[str, Any] = {"plan": None, "error": None, "job": None, "again": here}
    if form.lines:
        facts |= await _plan_facts(request, served, form, caller)
    budget = await asyncio.to_thread(reading.budget, served, caller)
    template = "_basket.html" if given.get("part") else "basket.html"
    return page(
        template,
        caller,
        here="/",
        twin=address(f"/datasets/{served.name}/basket.json", form.fields()),
        name=served.name,
        title=served.dataset.name,
        lines=await asyncio.to_thread(_lines, served, form, facts["plan"]),
        total=form.total,
        shared=form.shared,
        confidence=form.confidence,
        joinable=await asyncio.to_thread(form.joinable, served.dataset),
        budget_sentence=budget.sentence,
        budget_meter=meter_of(budget, facts["plan"]["total"] if facts["plan"] else "0"),
        **facts,
    )


@router.get("/datasets/{name}/basket.json")
async def basket_twin(name: str, request: Request, caller: Visitor) -> Response:
    """The basket for programs: what POST /api/datasets/{name}/plan-batch replies to the same."""
    service = service_of(request)
    served = service.dataset(name, caller)
    form = BasketForm.of(lists_of(request.query_params))
    if not form.lines:
        return JSONResponse(served.facts())
    planned = await service.baskets.plan(served, form.wanted(), caller)
    return JSONResponse(planned.to_dict(), 202 if isinstance(planned, Job) else 200)


@router.get("/datasets/{name}/basket/confirm")
async def confirm_page(name: str, request: Request, caller: Visitor) -> Response:
    """What would be spent on all of them; nothing is spent yet."""
    service = service_of(request)
    served = service.dataset(name, caller)
    key = request.query_params.get("key", "")
    if not key:
        return RedirectResponse(with_key(request), 303)
    form = BasketForm.of(lists_of(request.query_params))
    back = address(_at(served), form.fields())
    receipts = basket_receipts(caller, key, len(form.lines))
    stored = [await asyncio.to_thread(served.curator.is_stored, one) for one in receipts]
    if receipts and all(stored):
        return RedirectResponse(_answers_href(served, receipts), 303)
    try:
        planned = await service.baskets.plan(served, form.wanted(), caller)
    except (DiscreetError, Refusal):
        return RedirectResponse(back, 303)
    if isinstance(planned, Job) or planned.total > planned.left:
        return RedirectResponse(back, 303)
    facts = await asyncio.to_thread(_told, served, planned)
    return page(
        "basket_confirm.html",
        caller,
        here="/",
        twin=address(f"/datasets/{served.name}/basket.json", form.fields()),
        name=served.name,
        title=served.dataset.name,
        lines=await asyncio.to_thread(_lines, served, form, facts),
        plan=facts,
        key=key,
        hidden=form.fields(),
        digests=[one.plan.digest for one in planned.plans],
        back=back,
    )


@router.post("/datasets/{name}/basket")
async def pay(name: str, request: Request, caller: Visitor) -> Response:
    """Spend once for all, and go to the answers; the same key again goes to the same ones."""
    service = service_of(request)
    served = service.dataset(name, caller)
    given = lists_of(await request.form())
    form = BasketForm.of(given)
    key = (given.get("key") or [""])[0]
    try:
        wanted = form.wanted(given.get("plan"))
        answers = await service.baskets.ask(served, wanted, key, caller)
    except PlanChanged:
        return RedirectResponse(address(f"{_at(served)}/confirm", form.fields()), 303)
    if isinstance(answers, Job):
        return RedirectResponse(address(_at(served), form.fields()), 303)
    service.baskets.keep(caller.name, served.name, [])
    return RedirectResponse(_answers_href(served, [one.receipt for one in answers]), 303)


def _asked_for(
    request: Request, served: ServedDataset, given: dict[str, list[str]], caller: Caller
) -> BasketForm:
    """The basket of the address; of an address that names none, the one that was left off with."""
    form = BasketForm.of(given)
    if not form.lines:
        kept = service_of(request).baskets.kept(caller.name, served.name)
        form = BasketForm.of(
            {**_lists(kept), **({"total": given["total"]} if "total" in given else {})}
        )
    if "add" in given:
        asked = AskForm.of(given, served.dataset)
        try:
            sql = asked.asked(served.dataset)
        except DiscreetError:
            return form
        aimed = {"within": asked.within} if asked.aim == "within" else {"epsilon": asked.epsilon}
        form = form.with_question(sql, **aimed)
    form = form.without((given.get("remove") or [""])[0])
    return form.joined((given.get("join") or [""])[0], served.dataset)


async def _plan_facts(
    request: Request, served: ServedDataset, form: BasketForm, caller: Caller
) -> dict[str, Any]:
    try:
        planned = await service_of(request).baskets.plan(served, form.wanted(), caller)
    except UnfinishedError as missing:
        return {"error": f"{capital(one_line(str(missing)))}."}
    except (DiscreetError, Refusal) as problem:
        if isinstance(problem, Refusal) and problem.status not in _MINE_TO_SHOW:
            raise
        return {"error": f"{told_on_page(problem)}."}
    if isinstance(planned, Job):
        return {"job": planned}
    return {"plan": await asyncio.to_thread(_told, served, planned)}


def _told(served: ServedDataset, planned: PricedBatch) -> dict[str, Any]:
    views = [PlanView.of(one.plan, served.dataset) for one in planned.plans]
    return {
        "total": str(Amount(planned.total)),
        "left": str(Amount(planned.left)),
        "after": str(Amount(max(0, planned.left - planned.total))),
        "enough": planned.total <= planned.left,
        "each": [
            {
                "repeats": earlier,
                "epsilon": view.epsilon,
                "about": brief(float(view.epsilon), 3),
                "share": 0 if earlier else _share(one.plan.cost.total, planned.total),
                "accuracy": view.accuracy,
                "remarks": view.promises[len(view.accuracy) :],
                "details": view.details,
                "notes": view.notes,
                "warnings": view.notes[-1:],
                "within": view.within,
                "free": not one.plan.cost.total,
            }
            for one, view, earlier in zip(
                planned.plans, views, numbered(planned.planned.repeats), strict=True
            )
        ],
    }


def _share(cost: int, total: int) -> int:
    """Percent of the total, in whole numbers, for a bar."""
    return round(100 * cost / total) if total else 0


def _lines(
    served: ServedDataset, form: BasketForm, plan: dict[str, Any] | None
) -> list[dict[str, Any]]:
    each = [None] * len(form.lines) if plan is None else plan["each"]
    return [
        {
            "words": capital(asked_words(line.sql, served.dataset)),
            "sql": line.sql,
            "within": line.within,
            "epsilon": line.epsilon,
            "weight": line.weight,
            "most_weight": line.most_weight,
            "edit": address(
                f"/datasets/{served.name}/ask",
                [("how", "sql"), ("sql", line.sql), *_aim(line, priced)],
            ),
            "plan": priced,
        }
        for line, priced in zip(form.lines, each, strict=True)
    ]


def _aim(line: BasketLine, plan: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What the Ask page is to be opened with: what the line was given, or else its share."""
    if line.within:
        return [("aim", "within"), ("within", line.within)]
    paid = plan is not None and not plan["free"]
    return [("epsilon", plan["epsilon"])] if plan and paid else [("epsilon", line.epsilon)]


def _lists(fields: list[tuple[str, str]]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for name, value in fields:
        lists.setdefault(name, []).append(value)
    return lists


def _answers_href(served: ServedDataset, receipts: list[str]) -> str:
    return address(
        f"/datasets/{served.name}/answers", [("receipt", receipt) for receipt in receipts]
    )


def _at(served: ServedDataset) -> str:
    return f"/datasets/{served.name}/basket"
