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
from discreet.curator.telling import bound_clause
from discreet.errors import DiscreetError
from discreet.planning import About, IntervalRule
from discreet.text import IF_PRIOR, IF_SAMPLE, brief, capital, percent, plural
from discreet.web.figures import Bar, Picture, answer_span, group_bars
from discreet.web.identity import Caller, service_of
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.datasets import answer_href, asked_words
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.pages.words import item_words
from discreet.web.served import ServedDataset
from discreet.web.service import receipt_of

router = APIRouter(include_in_schema=False)
_MOST_BARS = 60
_NO_VALUE = "There may be no rows at all, so no value is told."


@router.get("/datasets/{name}/answers/{receipt}")
def answer_page(name: str, receipt: str, request: Request, caller: Visitor) -> Response:
    """A stored answer: looking at it is free."""
    service = service_of(request)
    served = service.dataset(name, caller)
    answer = service.answer(served, receipt, caller)
    budget = service.budget(served, caller)
    names = _names(served, answer)
    results = [_row(result, names) for result in answer.results]
    return page(
        "answer.html",
        caller,
        here="/",
        twin="/api" + answer_href(served, answer.receipt),
        name=served.name,
        title=served.dataset.name,
        answer=answer,
        words=asked_words(served, answer.asked),
        single=_single(answer),
        rests_on=[f"{capital(line)}." for line in answer.rests_on],
        overview=_overview(answer),
        grouped=answer.results[0].group is not None,
        pictures=_pictures(answer, names),
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


def _row(result: Result, names: dict[str, str]) -> dict[str, str]:
    return {
        "group": result.group or "",
        "label": names.get(result.label, result.label),
        "text": result.text,
        "bound": result.bound,
        "rows": "–" if result.rows_about is None else f"about {result.rows_about:,}",
    }


def _single(answer: Answer) -> dict[str, Any] | None:
    if len(answer.results) != 1 or answer.results[0].group is not None:
        return None
    result, confidence = answer.results[0], percent(answer.confidence)
    if result.too_few_rows:
        return {"text": result.text, "sentence": _NO_VALUE, "is_words": True}
    sentence = "A category is drawn at random near the true one; it has no interval."
    if clause := bound_clause(result):
        wide = result.interval is not None and result.interval[0] < result.interval[1]
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
    groups = len({result.group for result in answer.results})
    each = len(answer.results) // groups
    if answer.results[0].group is None:
        sentence = f"{len(answer.results)} answers to one question."
    elif each == 1:
        sentence = f"One answer for each of {groups} groups."
    else:
        sentence = f"{each} answers each for {groups} groups."
    return sentence + _surely(answer)


def _names(served: ServedDataset, answer: Answer) -> dict[str, str]:
    """What each statistic is called, in words, by its label."""
    try:
        question = served.curator.question(answer.asked)
    except DiscreetError:
        return {}
    labels = dict.fromkeys(result.label for result in answer.results)
    if len(labels) != len(question.items):
        return {}
    phrases = (item_words(one, served.dataset) for one in question.items)
    return dict(zip(labels, phrases, strict=True))


def _pictures(answer: Answer, names: dict[str, str]) -> list[Picture]:
    labels = list(dict.fromkeys(result.label for result in answer.results))
    pictures = [_picture(answer, label, names.get(label, label)) for label in labels]
    return [picture for picture in pictures if picture is not None]


def _picture(answer: Answer, label: str, name: str) -> Picture | None:
    results = [result for result in answer.results if result.label == label]
    confidence = percent(answer.confidence)
    if (
        len(results) == 1
        and results[0].interval is not None
        and isinstance(value := results[0].value, int | Fraction)
    ):
        low, high = (float(end) for end in results[0].interval)
        message = f"Dot: the answer. Line: {bound_clause(results[0])}, {confidence} % confidence."
        return answer_span(float(value), low, high, message, possible=None)
    bars = [bar for result in results for bar in _bars(result)][:_MOST_BARS]
    if not bars or (len(results) == 1 and not isinstance(results[0].value, tuple)):
        return None
    highest = max(bars, key=lambda bar: bar.value)
    message = f"{capital(name)}: the largest is {highest.name} with {brief(highest.value)}"
    if any(bar.low is not None for bar in bars):
        message += f"; whiskers show {confidence} % intervals{_condition(results)}"
    few = sum(result.too_few_rows for result in results)
    if few:
        message += f"; {plural(few, 'group has', 'groups have')} too few rows and no bar"
    return group_bars(bars, message + ".", name=name[:40])


def _condition(results: list[Result]) -> str:
    """What the intervals of a picture rest on, where they do not hold for any data."""
    if any(result.supposed for result in results):
        return f" {IF_PRIOR}"
    return f", {IF_SAMPLE}" if results[0].about == About.POPULATION else ""


def _bars(result: Result) -> list[Bar]:
    """What is drawn of a result: nothing where there are too few rows for a value."""
    match result.value:
        case None | str():
            return []
        case tuple():
            return [Bar(word, float(many), None, None) for word, many in result.value]
    low, high = (None, None) if result.interval is None else map(float, result.interval)
    return [Bar(result.group or result.label, float(result.value), low, high)]


def _snippets(
    request: Request, served: ServedDataset, answer: Answer, caller: Caller
) -> list[dict[str, str]]:
    """The same question in code, with its own key, in the ways that bring this answer back.

    In Python and by curl for whoever asked: the server takes a key for the caller's own, so that
    others would pay again. On the command line for custodians, who alone have the dataset's file.
    """
    key = answer.receipt.partition(":")[2]
    charged = served.curator.ledger.charged(answer.receipt)
    wishes = _wishes(charged)
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


def _wishes(charged: Entry | None) -> dict[str, Any]:
    """What was asked for besides the question, without what is usual."""
    request = {} if charged is None else charged.facts().get("request", {})
    wanted = {name: request[name] for name in ("epsilon", "within") if request.get(name)}
    wishes = request.get("wishes", {})
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
