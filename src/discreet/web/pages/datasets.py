"""The list of datasets, and the page of each: public facts and the caller's budget."""

from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.model import Relation
from discreet.questions.words import (
    asked_words,
    column_kind,
    column_missing,
    column_range,
    protection_words,
    size_words,
)
from discreet.statistics import MEDIAN, Count
from discreet.tables import CategoryColumn, Column, Dataset
from discreet.text import capital, moment
from discreet.web import reading
from discreet.web.identity import service_of
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.rendering import address, page
from discreet.web.pages.visitor import Visitor
from discreet.web.served import ServedDataset
from discreet.web.statements import AnswerLine

router = APIRouter(include_in_schema=False)
_MOST_ANSWERS = 5
"""The newest so many; the others are on a page of their own."""


@router.get("/")
def datasets(request: Request, caller: Visitor) -> Response:
    """Every dataset that the caller may ask."""
    service = service_of(request)
    shown = []
    for served in service.datasets(caller):
        budget = reading.budget(served, caller)
        shown.append(
            {
                "name": served.name,
                "title": served.dataset.name,
                "size": capital(size_words(served.dataset)),
                "columns": ", ".join(column.name for column in served.dataset.every_column),
                "sentence": budget.sentence,
                "meter": meter_of(budget),
            }
        )
    return page("datasets.html", caller, here="/", twin="/api/datasets", shown=shown)


@router.get("/datasets/{name}")
def dataset(name: str, request: Request, caller: Visitor) -> Response:
    """What is in a dataset, who is protected, what may still be spent."""
    service = service_of(request)
    served = service.dataset(name, caller)
    budget = reading.budget(served, caller)
    facts, answers = served.dataset, reading.answers(served, caller)
    return page(
        "dataset.html",
        caller,
        here="/",
        twin=f"/api/datasets/{served.name}",
        name=served.name,
        title=facts.name,
        made_up=served.is_made_up,
        columns=[_column(served, column) for column in facts.every_column],
        answers=[_line(served, line) for line in answers[:_MOST_ANSWERS]],
        many_answers=len(answers),
        in_basket=service.baskets.many(caller.name, served.name),
        budget_meter=meter_of(budget),
        budget_sentence=budget.sentence,
        protection=protection_words(facts),
        size=size_words(facts),
        relation=_relation(facts),
    )


def answer_href(served: ServedDataset, receipt: str) -> str:
    """Where an answer is shown."""
    return f"/datasets/{served.name}/answers/{quote(receipt, safe='')}"


def _line(served: ServedDataset, line: AnswerLine) -> dict[str, str]:
    return {
        "asked": asked_words(line.asked, served.dataset),
        "at": line.at,
        "when": moment(line.at),
        "epsilon": line.epsilon,
        "href": answer_href(served, line.receipt),
    }


def _column(served: ServedDataset, column: Column) -> dict[str, str]:
    query = [("statistic", MEDIAN.name), ("column", column.name)]
    if isinstance(column, CategoryColumn):
        query = [("statistic", Count().name), ("by", column.name)]
    return {
        "name": column.name,
        "description": column.description,
        "kind": column_kind(column),
        "range": column_range(column),
        "missing": column_missing(column),
        "ask": address(f"/datasets/{served.name}/ask", query),
    }


def _relation(dataset: Dataset) -> str:
    what = "one row" if dataset.unit.id_column is None else "one person’s rows"
    if dataset.relation == Relation.CHANGE:
        return f"tables that differ in {what}"
    return f"tables with and without {what}"
