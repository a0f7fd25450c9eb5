"""The short way for questions: asking is what is done a thousand times a second.

It is the same function that the API's route documents, without the general machinery around it.
"""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from discreet.errors import DiscreetError
from discreet.web.api.common import json_reply, raw_body
from discreet.web.identity import caller, service_of
from discreet.web.job import Job
from discreet.web.problems import Refusal, problem_response, refusal_of

_ASK = re.compile(r"/api/datasets/([^/]{1,100})/ask")
ROUTE = "/api/datasets/{dataset}/ask"
PLAN = "Plan-Digest"
"""The header that names the plan which was confirmed."""


class AskMiddleware:
    """ASGI middleware that answers POST …/ask itself and hands on everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        dataset = asked_dataset(scope)
        if dataset is None:
            await self.app(scope, receive, send)
            return
        scope["route_path"] = ROUTE
        response = await _answered(Request(scope, receive), dataset)
        await response(scope, receive, send)


def asked_dataset(scope: Scope) -> str | None:
    """The dataset that a request asks; None for a request that does something else."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    match = _ASK.fullmatch(scope["path"])
    return None if match is None else match[1]


async def _answered(request: Request, dataset: str) -> Response:
    try:
        return await asked(request, dataset)
    except Refusal as refusal:
        return problem_response(refusal)
    except DiscreetError as error:
        return problem_response(refusal_of(error))


async def asked(request: Request, dataset: str) -> Response:
    """Read a question, answer it, and write the answer."""
    calling = await caller(request)
    service = service_of(request)
    served = service.dataset(dataset, calling)
    key = request.headers.get("idempotency-key", "")
    order = await service.order_of(served, await raw_body(request), calling)
    shown = request.headers.get(PLAN)
    outcome = await service.ask_order(served, order, key, calling, plan=shown)
    if isinstance(outcome, Job):
        return json_reply(outcome.to_dict(), 202, {"Location": outcome.url, "Retry-After": "1"})
    return json_reply(outcome.to_dict())
