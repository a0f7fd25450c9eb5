"""What the routes share: callers, datasets, and the bodies and refusals the document lists."""

from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.requests import Request

from discreet.web.api.replies import JobReply
from discreet.web.identity import Caller, caller, service_of
from discreet.web.problems import MEDIA
from discreet.web.served import ServedDataset
from discreet.web.service import Service

_WORDS = {
    400: "The body cannot be parsed.",
    401: "No valid token.",
    403: "Not allowed, over budget, or a cross-site request.",
    404: "Not found, or not visible to this caller.",
    405: "Method not allowed.",
    409: "The key was used for another question, or the task was cancelled.",
    413: "Too large.",
    415: "The body must be application/json.",
    422: "The request is invalid; the detail says what to change.",
    429: "Too many requests.",
    503: "The ledger cannot be trusted or written.",
}
ALWAYS = (401, 403, 429)


async def serving(request: Request) -> Service:
    """The state of the server; a coroutine, so that no thread is borrowed for it."""
    return service_of(request)


Calling = Annotated[Caller, Depends(caller)]
Serving = Annotated[Service, Depends(serving)]
Name = Annotated[str, InPath(min_length=1, max_length=100)]
MOST_LINES = 1_000
Most = Annotated[int, Query(ge=1, le=100_000, description="At most this many, newest first.")]


async def served_of(dataset: Name, request: Request, calling: Calling) -> ServedDataset:
    """The dataset of the path, for those who may ask it."""
    return service_of(request).dataset(dataset, calling)


Served = Annotated[ServedDataset, Depends(served_of)]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an operation, for the OpenAPI document."""
    return {
        status: {
            "description": _WORDS[status],
            "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in sorted({*ALWAYS, *statuses})
    }


JOB: dict[int | str, dict[str, Any]] = {
    202: {"model": JobReply, "description": "Still working: poll `url`."}
}


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """What an operation that reads its own body says of it in the OpenAPI document."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}
