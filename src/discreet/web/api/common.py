"""What the routes share: callers, bodies, JSON replies and the refusals the document lists."""

import json
import math
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.api.replies import JobReply
from discreet.web.bodies import read
from discreet.web.identity import Caller, caller, service_of
from discreet.web.problems import MEDIA, Refusal
from discreet.web.served import ServedDataset
from discreet.web.service import Service

_Model = TypeVar("_Model", bound=BaseModel)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
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
Most = Annotated[int, Query(ge=1, le=100_000, description="The newest so many.")]


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


async def body(request: Request, model: type[_Model]) -> _Model:
    """The body of a request."""
    return read(model, await raw_body(request))


async def raw_body(request: Request) -> bytes:
    """The body of a request that says it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "not-json", "send application/json")
    return await request.body()


def json_reply(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A reply in JSON; numbers that JSON does not know become null."""
    try:
        text = _encode(content)
    except ValueError:
        text = _encode(_finite(content))
    return Response(text.encode("utf-8", "replace"), status, headers, "application/json")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
