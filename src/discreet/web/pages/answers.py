"""The page of an answer: the value, what it means, what it cost, and how to fetch it again."""

import json
import shlex
from fractions import Fraction
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.budget import Entry
from discreet.curator import Answer, Result
from discreet.curator.answer import NO_GROUP
from discreet.curator.result import bound_clause
from discreet.curator.shaping import held
from discreet.planning import About, IntervalRule
from discreet.planning.grouping import ALL
from discreet.questions import Question
from discreet.questions.words import asked_again, asked_words, group_heads
from discreet.reports import answer_pictures, statistic_names
from discreet.text import capital, percent
from discreet.web import reading
from discreet.web.identity import Caller, service_of
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.datasets import answer_href
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.served import ServedDataset
from discreet.web.service import receipt_of

router = APIRouter(include_in_schema=False)
_MOST_ACROSS = 12
"""Wider tables are told line by line alone."""
_NO_VALUE = "There may be no rows at all, so no value is told."


@router.get("/datasets/{name}/answers/{receipt}")
def answer_page(name: str, receipt: str, request: Request, caller: Visitor) -> Response:
    """A stored answer: looking at it is free."""
    service = service_of(request)
    served = service.dataset(name, caller)
    answer = reading.answer(served, receipt, caller)
    budget = reading.budget(served, caller)
    question = asked_again(answer.asked, served.dataset)
    names = statistic_names(question, answer, served.dataset)
    heads = group_heads(question, answer.grouped_by, served.dataset)
    totals = question is not None and bool(question.totals)
    results = [_row(result, names, totals=totals) for result in answer.results]
    return page(
        "answer.html",
        caller,
        here="/",
        twin="/api" + answer_href(served, answer.receipt),
        name=served.name,
        title=served.dataset.name,
        answer=answer,
        words=asked_words(answer.asked, served.dataset),
        single=_single(answer),
        rests_on=[f"{capital(line)}." for line in answer.rests_on],
        overview=_overview(answer),
        crossed=_crossed(answer, heads, names, totals=totals),
        grouped_by=heads,
        pictures=answer_pictures(answer, question, served.dataset),
        several=len({result.label for result in answer.results}) > 1,
        results=results,
        tells_rows=any(result.rows_about is not None for result in answer.results),
        confidence=percent(answer.confidence),
        mechanisms=list(dict.fromkeys(result.mechanism for result in answer.results)),
        certificates=list(
            dict.fromkeys(one.certificate for one in answer.results if one.certificate)
        ),
        cost_sentence=f"{_cost(answer)} {budget.sentence}",
        budget_meter=meter_of(budget),
        snippets=_snippets(request, served, answer, caller),
    )


def _row(result: Result, names: dict[str, str], *, totals: bool) -> dict[str, Any]:
    return {
        "is_total": totals and ALL in result.group_cells,
        "groups": result.group_cells,
        "label": names.get(result.label, result.label),
        "text": result.text,
        "bound": result.bound,
        "rows": result.rows_text,
    }


def _single(answer: Answer) -> dict[str, Any] | None:
    if len(answer.results) != 1 or answer.results[0].group is not None:
        return None
    result, confidence = answer.results[0], percent(answer.confidence)
    if result.too_few_rows:
        return {"text": result.text, "sentence": _NO_VALUE, "is_words": True}
    sentence = "A category is drawn at random near the true one; it has no interval."
    if clause := bound_clause(result):
        wide = result.interval is not None and result.interval[0] != result.interval[1]
        what = "true value" if wide else "answer"
        sentence = f"The {what} is {clause}, with {confidence} % confidence."
    sentence += _surely(answer)
    words = isinstance(result.value, str | tuple)
    return {"text": result.text, "sentence": sentence, "is_words": words}


def _cost(answer: Answer) -> str:
    if answer.epsilon == "0":
        return "This answer cost nothing."
    return f"This answer cost ε = {answer.epsilon}."


def _surely(answer: Answer) -> str:
    """What holds whatever the rows are, where intervals do not."""
    sure = f"with {percent(answer.confidence)} % confidence"
    return "".join(f" {capital(line)}, {sure}." for line in answer.surely)


def _overview(answer: Answer) -> str:
    if not answer.results:
        return NO_GROUP
    groups = len({result.group for result in answer.results})
    each = len(answer.results) // groups
    if answer.results[0].group is None:
        sentence = f"{len(answer.results)} answers to one question."
    elif each == 1:
        sentence = f"One answer for each of {groups} groups."
    else:
        sentence = f"{each} answers each for {groups} groups."
    return sentence + _surely(answer)


def _crossed(
    answer: Answer, heads: list[str], names: dict[str, str], *, totals: bool
) -> dict[str, Any] | None:
    """Two columns crossed as people draw them, totals at the ends; or one column, with a column of
    the table for each statistic."""
    labels = dict.fromkeys(one.label for one in answer.results)
    if len(heads) == 1 and len(labels) > 1:
        told = {(*one.group_cells, names.get(one.label, one.label)): one for one in answer.results}
        corner = heads[0]
    elif len(heads) == 2 and len(labels) == 1:
        told = {one.group_cells: one for one in answer.results}
        corner = " × ".join(heads)
    else:
        return None
    down, across = (list(dict.fromkeys(cells[side] for cells in told)) for side in (0, 1))
    if len(across) > _MOST_ACROSS or len(down) < 2:
        return None

    def head(name: str) -> dict[str, Any]:
        return {"name": name, "is_total": totals and name == ALL}

    return {
        "corner": corner,
        "columns": [head(column) for column in across],
        "rows": [
            head(row)
            | {"cells": [_cell(told.get((row, column))) | head(column) for column in across]}
            for row in down
        ],
    }


def _cell(result: Result | None) -> dict[str, Any]:
    if result is None:
        return {"text": "", "bound": ""}
    return {"text": result.text, "bound": "" if result.too_few_rows else result.bound}


def _snippets(
    request: Request, served: ServedDataset, answer: Answer, caller: Caller
) -> list[dict[str, str]]:
    """The same question in code, with its own key, in the ways that bring this answer back.

    In Python and by curl for whoever asked: the server takes a key for the caller's own, so that
    others would pay again. On the command line for custodians, who alone have the dataset's file.
    """
    key = answer.receipt.partition(":")[2]
    charged = served.curator.ledger.charged(answer.receipt)
    wishes = _wishes(charged, asked_again(answer.asked, served.dataset))
    base = str(request.base_url).rstrip("/")
    body = json.dumps({"sql": answer.asked, **wishes}, ensure_ascii=False)
    said = ", ".join(f"{name}={value!r}" for name, value in wishes.items())
    curl = (
        f"curl {base}/api/datasets/{served.name}/ask \\\n"
        + ("" if caller.is_local else '  -H "Authorization: Bearer $DISCREET_TOKEN" \\\n')
        + "  -H 'Content-Type: application/json' \\\n"
        f"  -H {shlex.quote(f'Idempotency-Key: {key}')} \\\n"
        f"  -d {shlex.quote(body)}"
    )
    token = "" if caller.is_local else "  # the token: DISCREET_TOKEN, or Client(url, token=…)"
    python = (
        "from discreet import Client\n\n"
        f"client = Client({base!r}){token}\n"
        f"asked = client.dataset({served.name!r}).sql({answer.asked!r})\n"
        f"answer = asked.ask({said}, id={key!r})"
    )
    options = [_option(name, value) for name, value in wishes.items()]
    who = caller.name if charged is None else charged.analyst
    options += [f"--id {shlex.quote(answer.receipt)}", f"--analyst {shlex.quote(who)}"]
    asked = f"{served.curator.path.name} {shlex.quote(answer.asked)}"
    line = f"discreet ask {asked} \\\n  {' '.join(options)}"
    mine = bool(key) and answer.receipt == receipt_of(caller, key)
    files = caller.is_custodian and charged is not None
    ways = [("Python", python, mine), ("Command line", line, files), ("curl", curl, mine)]
    return [{"name": name, "text": text} for name, text, suits in ways if suits]


def _wishes(charged: Entry | None, question: Question | None) -> dict[str, Any]:
    """What was asked for besides the question, without what is usual."""
    request = {} if charged is None else charged.facts().get("request", {})
    wanted = {name: request[name] for name in ("epsilon", "within") if request.get(name)}
    wishes = dict(request.get("wishes", {}))
    if question is not None and question.view is not None and wishes:
        wishes["confidence"] = str(held(Fraction(wishes["confidence"]), question.view))
    usual = {
        "loss": None,
        "prior": "uniform",
        "worst_case": False,
        "unbiased": False,
        "confidence": "19/20",
        "remap": None,
        "consistent": False,
        "mechanism": None,
        "interval": IntervalRule.USUAL,
        "about": About.TABLE,
        "clamp": False,
        "importance": None,
    }
    wanted |= {name: wishes[name] for name, same in usual.items() if wishes.get(name, same) != same}
    if wishes.get("prior_stated"):
        wanted["prior"] = wishes["prior"]
    if wishes.get("requirements"):
        wanted["require"] = ",".join(wishes["requirements"])
    return wanted


def _option(name: str, value: Any) -> str:
    flag = f"--{name.replace('_', '-')}"
    if value is True:
        return flag
    told = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{flag} {shlex.quote(told)}"
