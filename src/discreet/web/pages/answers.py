"""The page of an answer: the value, what it means, what it cost, and how to fetch it again."""

import json
import shlex
from fractions import Fraction
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet import reports
from discreet.budget import Entry
from discreet.curator import Answer
from discreet.curator.shaping import held
from discreet.errors import UnknownReceipt
from discreet.planning import About, IntervalRule
from discreet.questions import Question
from discreet.questions.words import asked_again, asked_words, column_range
from discreet.requests import read_number
from discreet.text import decimal_text, moment
from discreet.web import reading
from discreet.web.identity import Caller, receipt_of, service_of
from discreet.web.pages.answer_view import AnswerView, Sorting
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.datasets import answer_href
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.publishing import MOST_ANSWERS
from discreet.web.served import ServedDataset
from discreet.web.statements import AnswerLine

router = APIRouter(include_in_schema=False)
_MOST_LISTED = 10
"""The newest so many are listed where the address names none."""
_MOST_OPEN = 12
"""So many lines of answers are shown at once: about a screen of a phone."""


@router.get("/datasets/{name}/answers")
def answers_page(name: str, request: Request, caller: Visitor) -> Response:
    """Answers side by side: those that the address names, or all; to look at, or to publish."""
    served = service_of(request).dataset(name, caller)
    wanted = request.query_params.getlist("receipt")[:MOST_ANSWERS]
    lines = {line.receipt: line for line in reading.answers(served, caller)}
    chosen = [lines[one] for one in dict.fromkeys(wanted) if one in lines]
    shown = chosen or list(lines.values())[:_MOST_LISTED]
    answers = _opened(
        [_listed(served, line, caller) for line in shown], _MOST_OPEN if chosen else 0
    )
    budget = reading.budget(served, caller)
    spent = sum((read_number(line.epsilon, "a cost") for line in shown), Fraction(0))
    return page(
        "answers.html",
        caller,
        here="/",
        twin=f"/api/datasets/{served.name}/answers",
        name=served.name,
        title=served.dataset.name,
        made_up=served.is_made_up,
        answers=answers,
        chosen=bool(chosen),
        more=len(lines) - len(shown),
        spent=decimal_text(spent),
        budget_sentence=budget.sentence,
    )


def _opened(listed: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first answers with their lines unfolded, as long as these are few in all."""
    opened = []
    for one in listed:
        view = one["view"]
        many = 0 if view is None or view.single else len(view.lines)
        most -= many
        opened.append({**one, "open": many > 0 and most >= 0})
    return opened


def _listed(served: ServedDataset, line: AnswerLine, caller: Caller) -> dict[str, Any]:
    """An answer in a few lines: its value, or a few of its groups."""
    facts: dict[str, Any] = {
        "receipt": line.receipt,
        "href": answer_href(served, line.receipt),
        "words": asked_words(line.asked, served.dataset),
        "epsilon": line.epsilon,
        "when": moment(line.at),
        "at": line.at,
        "view": None,
    }
    try:
        answer = reading.answer(served, line.receipt, caller)
    except UnknownReceipt:  # a synthetic table has a report of its own
        return facts
    return facts | {"view": AnswerView.of(answer, served.dataset)}


@router.get("/datasets/{name}/answers/{receipt:path}")
def answer_page(name: str, receipt: str, request: Request, caller: Visitor) -> Response:
    """A stored answer: looking at it is free."""
    service = service_of(request)
    served = service.dataset(name, caller)
    answer = reading.answer(served, receipt, caller)
    budget = reading.budget(served, caller)
    view = AnswerView.of(answer, served.dataset, Sorting.of(request.query_params.get("sort", "")))
    return page(
        "answer.html",
        caller,
        here="/",
        twin="/api" + answer_href(served, answer.receipt),
        name=served.name,
        title=served.dataset.name,
        made_up=served.is_made_up,
        answer=answer,
        words=asked_words(answer.asked, served.dataset),
        view=view,
        about=_columns_asked(served, view.question),
        pictures=reports.answer_pictures(answer, view.question, served.dataset),
        mechanisms=list(dict.fromkeys(result.mechanism for result in answer.results)),
        certificates=list(
            dict.fromkeys(one.certificate for one in answer.results if one.certificate)
        ),
        cost_sentence=f"{_cost(answer)} {budget.sentence}",
        budget_meter=meter_of(budget),
        snippets=_snippets(request, served, answer, caller),
    )


def _columns_asked(served: ServedDataset, question: Question | None) -> list[dict[str, str]]:
    """What the columns of a question are, where something is declared of them."""
    if question is None:
        return []
    names = [name for item in question.items for name in item.columns]
    names += [one.column for one in question.group_by]
    columns = [served.dataset.column(name) for name in dict.fromkeys(names)]
    return [
        {"name": column.name, "description": column.description, "range": column_range(column)}
        for column in columns
        if column.description
    ]


def _cost(answer: Answer) -> str:
    if answer.epsilon == "0":
        return "This answer cost nothing."
    return f"This answer cost ε = {answer.epsilon}."


def _snippets(
    request: Request, served: ServedDataset, answer: Answer, caller: Caller
) -> list[dict[str, str]]:
    """The same question in code, with its own key, in the ways that bring this answer back.

    In Python and by curl for whoever asked: the server takes a key for the caller's own, so that
    others would pay again. On the command line for custodians, who alone have the dataset's file.
    """
    key = answer.receipt.partition(":")[2]
    charged = served.curator.ledger.charged(answer.receipt)
    wishes = wishes_of(charged, asked_again(answer.asked, served.dataset))
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
    options = [option_of(name, value) for name, value in wishes.items()]
    who = caller.name if charged is None else charged.analyst
    options += [f"--id {shlex.quote(answer.receipt)}", f"--analyst {shlex.quote(who)}"]
    asked = f"{shlex.quote(served.curator.path.name)} {shlex.quote(answer.asked)}"
    line = f"discreet ask {asked} \\\n  {' '.join(options)}"
    mine = bool(key) and answer.receipt == receipt_of(caller, key)
    files = caller.is_custodian and charged is not None
    ways = [("Python", python, mine), ("Command line", line, files), ("curl", curl, mine)]
    return [{"name": name, "text": text} for name, text, suits in ways if suits]


def wishes_of(charged: Entry | None, question: Question | None) -> dict[str, Any]:
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


def option_of(name: str, value: Any) -> str:
    """A wish as an option of the command line."""
    flag = f"--{name.replace('_', '-')}"
    if value is True:
        return flag
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{flag} {shlex.quote(text)}"
