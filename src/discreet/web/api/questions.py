"""Plan (free), ask (spends, never by GET), and the answers."""

from typing import Annotated

from fastapi import APIRouter, Header
from fastapi import Path as InPath
from starlette.requests import Request
from starlette.responses import Response

from discreet.curator import Answer
from discreet.web import reading
from discreet.web.api.common import (
    JOB,
    MOST_LINES,
    Calling,
    Most,
    Name,
    Served,
    Serving,
    body_of,
    problems,
)
from discreet.web.api.replies import AnswerReply, AnswersReply, BasketReply, BatchReply, PlanReply
from discreet.web.bodies import BasketBody, BatchBody, QuestionBody, body, json_reply
from discreet.web.gate import PLAN, asked
from discreet.web.job import Job

router = APIRouter(prefix="/api/datasets/{dataset}", tags=["questions"])
Receipt = Annotated[str, InPath(min_length=1, max_length=200)]
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern="^[!-9;-~]([ -9;-~]{0,98}[!-9;-~])?$",
        description="1 to 100 printable ASCII characters without a colon; the same key returns the "
        "same answer, free.",
    ),
]
Confirmed = Annotated[
    str | None,
    Header(
        alias=PLAN,
        pattern="^[0-9a-f]{64}$",
        description="`digest` of the plan that was shown; if it has changed, nothing is "
        "charged (409).",
    ),
]


@router.post(
    "/plan",
    response_model=PlanReply,
    responses={**JOB, **problems(400, 404, 409, 413, 415, 422, 503)},
    openapi_extra=body_of(QuestionBody),
)
async def plan(request: Request, service: Serving, served: Served, calling: Calling) -> Response:
    """Plan a question: mechanism, accuracy and cost. Free."""
    planned = await service.plan(served, await body(request, QuestionBody), calling)
    return _job(planned) if isinstance(planned, Job) else json_reply(planned.to_dict())


@router.post(
    "/plan-batch",
    response_model=BatchReply,
    responses={**JOB, **problems(400, 404, 409, 413, 415, 422, 503)},
    openapi_extra=body_of(BatchBody),
)
async def plan_batch(
    request: Request, service: Serving, served: Served, calling: Calling
) -> Response:
    """Plan several questions as one: how a total is split, or what accuracies cost. Free.

    Ask each with its entry of `orders`.
    """
    planned = await service.baskets.plan(served, await body(request, BatchBody), calling)
    return _job(planned) if isinstance(planned, Job) else json_reply(planned.to_dict())


@router.post(
    "/ask",
    response_model=AnswerReply | PlanReply,
    responses={**JOB, **problems(400, 404, 409, 413, 415, 422, 503)},
    openapi_extra=body_of(QuestionBody),
)
async def ask(request: Request, dataset: Name, key: Key, confirmed: Confirmed = None) -> Response:
    """Answer a question and charge its cost; of EXPLAIN SELECT …, reply with the plan, free.

    202 means that planning takes a while and nothing was spent: ask again with the same key.
    """
    return await asked(request, dataset)


@router.post(
    "/ask-batch",
    response_model=BasketReply,
    responses={**JOB, **problems(400, 404, 409, 413, 415, 422, 503)},
    openapi_extra=body_of(BasketBody),
)
async def ask_batch(
    request: Request, service: Serving, served: Served, calling: Calling, key: Key
) -> Response:
    """Answer several questions that were planned together; all are charged at once, or none is.

    The answer to question N is stored under the key with -N behind it; the same key again brings
    all of them back, free. 202 means that planning takes a while and nothing was spent.
    """
    answers = await service.baskets.ask(served, await body(request, BasketBody), key, calling)
    if isinstance(answers, Job):
        return _job(answers)
    return json_reply({"answers": [one.to_dict() for one in answers]})


@router.get("/answers", response_model=AnswersReply, responses=problems(404, 422, 503))
def answers(served: Served, calling: Calling, most: Most = MOST_LINES) -> Response:
    """List the caller's answers, newest first; custodians see everyone's."""
    return json_reply(
        {"answers": [line.to_dict() for line in reading.answers(served, calling)[:most]]}
    )


@router.get(
    "/answers/{receipt:path}.csv",
    response_class=Response,
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
        **problems(404, 422, 503),
    },
)
def answer_csv(served: Served, calling: Calling, receipt: Receipt) -> Response:
    """A stored answer as CSV: one line per result; for TOP, one per value."""
    stored = reading.answer(served, receipt, calling)
    return Response(
        stored.to_csv(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="answer.csv"'},
    )


@router.get(
    "/answers/{receipt:path}", response_model=AnswerReply, responses=problems(404, 422, 503)
)
def answer(served: Served, calling: Calling, receipt: Receipt) -> Response:
    """A stored answer. Free."""
    stored: Answer = reading.answer(served, receipt, calling)
    return json_reply(stored.to_dict())


def _job(job: Job) -> Response:
    return json_reply(job.to_dict(), 202, {"Location": job.url, "Retry-After": "1"})
