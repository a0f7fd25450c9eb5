"""From the words of `discreet design` to a request."""

from typing import Any

from discreet.cli.parsing.files import loss_of, prior_of
from discreet.databases.goal import PRIORS
from discreet.errors import InvalidInput, named
from discreet.exact import show
from discreet.requests import (
    DatabaseRequest,
    DesignRequest,
    read_database_design,
    read_design,
)

Between = tuple[str, str] | None
"""--range LOW HIGH."""


def ends_of(between: Between) -> dict[str, str]:
    """A range as the fields of a request."""
    return {} if between is None else {"low": between[0], "high": between[1]}


def request_of(
    by: str, *, between: Between, loss: str, prior: str, **words: Any
) -> DesignRequest | DatabaseRequest:
    """The design that the words describe: by the answer alone, or by the whole table."""
    words |= ends_of(between) | {"loss": loss_of(loss)}
    if _wants_database(by):
        for field, usual in (("require", "none"), ("delta", "0")):
            if words.pop(field).strip().lower() != usual:
                raise InvalidInput(f"{named(field)} is for designs by answer; leave it out")
        return read_database_design(prior=prior_of(prior, *PRIORS), **words)
    if words.pop("threshold") is not None:
        raise InvalidInput(
            f"{named('threshold')} is for count-above with {named('by', 'database')}"
        )
    return read_design(prior=prior_of(prior), **words)


def _wants_database(by: str) -> bool:
    word = by.strip().lower()
    if word not in ("answer", "database"):
        raise InvalidInput(f"{named('by')} must be answer or database, got {show(by)}")
    return word == "database"
