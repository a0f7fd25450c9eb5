"""“What can I ask?”: examples from the declared columns, each a link to its plan."""

import asyncio
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from discreet.errors import DiscreetError
from discreet.questions.examples import example_questions
from discreet.questions.possible import possible_question
from discreet.questions.words import question_words
from discreet.requests import read_question
from discreet.text import capital
from discreet.web.identity import service_of
from discreet.web.pages.rendering import address, page
from discreet.web.pages.visitor import Visitor
from discreet.web.served import ServedDataset

router = APIRouter(include_in_schema=False)
_EPSILON = "0.5"


@router.get("/datasets/{name}/examples")
async def examples_page(name: str, request: Request, caller: Visitor) -> Response:
    """What can be asked of these columns."""
    served = service_of(request).dataset(name, caller)
    return page(
        "examples.html",
        caller,
        here="/",
        twin=f"/datasets/{served.name}/examples.json",
        name=served.name,
        title=served.dataset.name,
        examples=await asyncio.to_thread(examples_of, served),
    )


@router.get("/datasets/{name}/examples.json")
async def examples_twin(name: str, request: Request, caller: Visitor) -> Response:
    """The same for programs."""
    served = service_of(request).dataset(name, caller)
    return JSONResponse(await asyncio.to_thread(example_questions, served.dataset))


def examples_of(served: ServedDataset) -> list[dict[str, Any]]:
    """Examples by what they are good for, each with its words and its link."""
    return [
        {"kind": kind, "questions": [question_link(served, sql) for sql in questions]}
        for kind, questions in example_questions(served.dataset).items()
    ]


def question_link(served: ServedDataset, sql: str) -> dict[str, str]:
    """A question in words, as SQL, and where it is planned."""
    asked = [("how", "sql"), ("sql", sql), ("aim", "epsilon"), ("epsilon", _EPSILON)]
    question = read_question(sql, served.dataset)
    return {
        "sql": sql,
        "words": capital(question_words(question, served.dataset)),
        "href": address(f"/datasets/{served.name}/ask", asked),
    }


def nearest_link(
    served: ServedDataset, sql: str, refused: DiscreetError | None
) -> dict[str, str] | None:
    """What can be asked instead of a question that was refused; None where it is the same."""
    near = possible_question(sql, served.dataset, refused)
    return None if near == sql.strip() else question_link(served, near)
