"""What is asked of the service and what it replies: the bodies of requests, read so that no digit
is lost, and replies in JSON."""

import json
import math
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request
from starlette.responses import Response

from discreet.accounts import Role
from discreet.curator import Curator
from discreet.errors import standing
from discreet.model import LossName
from discreet.planning import About, IntervalRule
from discreet.requests import (
    BatchOrder,
    DesignRequest,
    Order,
    place_text,
    read_design,
    read_explained,
    read_wanted,
)
from discreet.requests.design import COUNT, CUSTOM
from discreet.text import one_line
from discreet.web.problems import BadRequest, Refusal, Unprocessable

Word = Annotated[str, Field(max_length=400)]
Number = Annotated[
    Annotated[str, Field(max_length=400)] | int | float,
    Field(description="A number; as a string it is read exactly: 0.5, 1/3 or log 3."),
]
Weights = Annotated[list[Number], Field(max_length=20_000)]
Labels = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=2_000)]
_Model = TypeVar("_Model", bound=BaseModel)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Strict(BaseModel):
    """A body that says nothing we do not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Sql = Annotated[str, Field(max_length=10_000, examples=["SELECT MEDIAN(satisfaction)"])]
MOST_QUESTIONS = 200


class WishesBody(Strict):
    """What a good answer is."""

    loss: Word | None = None
    prior: Word | Weights | None = None
    worst_case: bool = False
    require: Word | None = None
    unbiased: bool = False
    confidence: Number = "95%"
    remap: Word | Weights | None = None
    consistent: bool = False
    mechanism: Word | None = None
    interval: Word = IntervalRule.USUAL
    about: Word = About.TABLE
    clamp: bool = False


class QuestionBody(WishesBody):
    """A question and what a good answer is: exactly one of `epsilon` and `within`."""

    sql: Sql
    epsilon: Number | None = None
    within: Number | None = None
    importance: Word | Weights | None = None
    fresh: Annotated[
        bool, Field(description="pay for a new draw even where a stored answer gives this one")
    ] = False

    def order(self, curator: Curator) -> Order:
        """The order, read by the dataset's public facts; what was left out takes no time."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        explains, question = read_explained(given.pop("sql"), curator.question)
        return Order.of(question, explains=explains, **given)


class BatchQuestion(Strict):
    """One of several questions: its own ε or accuracy, or how much its error counts."""

    sql: Sql
    epsilon: Number | None = None
    within: Number | None = None
    importance: Number = 1


class BatchBody(WishesBody):
    """Questions to plan as one, with ε for all of them, or how accurate their answers must be."""

    questions: Annotated[list[BatchQuestion], Field(min_length=1, max_length=MOST_QUESTIONS)]
    total: Number | None = None
    within: Annotated[
        Number | None, Field(description="for questions without an accuracy of their own")
    ] = None

    def order(self, curator: Curator) -> BatchOrder:
        """The order, read by the dataset's public facts; an error says which question it is of."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        asked, usual = given.pop("questions"), given.pop("within", None)
        questions = []
        for place, one in enumerate(asked):
            with standing(place_text(place)):
                questions.append(curator.question(one.sql))
        wanted = read_wanted(
            questions,
            epsilon=[one.epsilon for one in asked],
            within=[
                usual if one.within is None and one.epsilon is None else one.within for one in asked
            ],
            importance=[one.importance for one in asked],
        )
        return BatchOrder.of(wanted, **given)


class BasketBody(BatchBody):
    """Questions to ask as they were planned together."""

    plans: Annotated[
        list[Annotated[str, Field(pattern="^[0-9a-f]{64}$")]] | None,
        Field(
            max_length=MOST_QUESTIONS,
            description="`digest` of each plan that was shown; if one has changed, nothing is "
            "charged (409).",
        ),
    ] = None

    def order(self, curator: Curator) -> BatchOrder:
        """The order of its questions."""
        given = {name: getattr(self, name) for name in self.model_fields_set - {"plans"}}
        return BatchBody.model_construct(_fields_set=set(given), **given).order(curator)


class DesignBody(Strict):
    """A mechanism to design: a named statistic, or a space of one's own (custom)."""

    statistic: Annotated[Word, Field(examples=[COUNT])] = CUSTOM
    epsilon: Number
    n: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    share: Number | None = None
    numbers: Weights | None = None
    labels: Labels | None = None
    neighbours: (
        Annotated[
            Annotated[int, Field(ge=1, le=1_000_000_000)] | Word,
            Field(
                description="`all` (unless given), or how many steps one record moves the answer."
            ),
        ]
        | None
    ) = None
    outputs: Annotated[Word, Field(description="same, scaled:K or extended:PERCENT.")] = "same"
    delta: Number = "0"
    loss: Word = LossName.ABSOLUTE
    prior: Word | Weights = "uniform"
    worst_case: bool = False
    situations: (
        Annotated[
            Word,
            Field(description="`all`, or some of answers, even, low, high, ends; needs `n`."),
        ]
        | None
    ) = None
    minimax: Annotated[Word, Field(description="ratio or regret.")] | None = None
    require: Word = "none"

    def request(self) -> DesignRequest:
        """The design to make, in exact values."""
        return read_design(**{name: getattr(self, name) for name in type(self).model_fields})


class AccountBody(Strict):
    """An account to create."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    role: Annotated[Word, Field(description="analyst or custodian.")] = Role.ANALYST
    datasets: Annotated[list[Word], Field(max_length=1_000)] = []
    epsilon: Number | None = None
    expires: Annotated[Word, Field(description="12h, 30d, 8w, 1y or a day.")] | None = None


async def body(request: Request, model: type[_Model]) -> _Model:
    """The body of a request."""
    return read(model, await raw_body(request))


async def raw_body(request: Request) -> bytes:
    """The body of a request that says it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "not-json", "send application/json")
    return await request.body()


def read(model: type[_Model], body: bytes) -> _Model:
    """A body as its model; numbers keep every digit they were written with."""
    try:
        data = json.loads(body, parse_float=str, parse_constant=_no_constant)
        if b"\\u" in body:
            json.dumps(data, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError):
        raise BadRequest("the body must be one JSON document", "not-json") from None
    return check(model, data)


def check(model: type[_Model], data: Any) -> _Model:
    """Plain values as their model, or a refusal that names the first thing to mend."""
    try:
        return model.model_validate(data, strict=True)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise Unprocessable(_told(first), field=_field(first)) from None


def _told(error: ErrorDetails) -> str:
    place = ".".join(str(part) for part in error["loc"] if not str(part).startswith("constrained"))
    return one_line(f"{place or 'the body'}: {error['msg']}")


def _field(error: ErrorDetails) -> str | None:
    return str(error["loc"][0]) if error["loc"] else None


def _no_constant(_: str) -> NoReturn:
    raise ValueError("no such number in JSON")


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
