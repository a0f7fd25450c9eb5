"""What is asked of the service: the bodies of requests, read so that no digit is lost."""

import json
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from discreet.accounts import Role
from discreet.curator import Curator
from discreet.model import LossName
from discreet.planning import About, IntervalRule
from discreet.requests import DesignRequest, Order, read_design
from discreet.requests.design import COUNT, CUSTOM
from discreet.text import one_line
from discreet.web.problems import BadRequest, Unprocessable

Word = Annotated[str, Field(max_length=400)]
Number = Annotated[
    Annotated[str, Field(max_length=400)] | int | float,
    Field(description="A number; as a string it is read exactly: 0.5, 1/3 or log 3."),
]
Weights = Annotated[list[Number], Field(max_length=20_000)]
Labels = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=2_000)]
_Model = TypeVar("_Model", bound=BaseModel)


class Strict(BaseModel):
    """A body that says nothing we do not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class QuestionBody(Strict):
    """A question and what a good answer is: exactly one of `epsilon` and `within`."""

    sql: Annotated[str, Field(max_length=10_000, examples=["SELECT MEDIAN(satisfaction)"])]
    epsilon: Number | None = None
    within: Number | None = None
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

    def order(self, curator: Curator) -> Order:
        """The order, read by the dataset's public facts; what was left out takes no time."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return Order.of(curator.question(given.pop("sql")), **given)


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
