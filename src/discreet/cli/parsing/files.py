"""From words and files to an order or a design: what the command line reads."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.databases.goal import PRIORS
from discreet.designer.request import PATIENCE
from discreet.errors import FileError, GoalError, InvalidInput, named
from discreet.exact import show
from discreet.model import Loss, Mechanism, PriorLike, save_mechanism
from discreet.requests import (
    DatabaseRequest,
    DesignRequest,
    read_database_design,
    read_design,
    read_loss,
    read_number,
)

Between = tuple[str, str] | None
"""--range LOW HIGH."""
MOST_BYTES = 64 * 2**20


def question_prior(text: str) -> PriorLike:
    """A prior over the answers of a question, which may stand in a file."""
    return prior_of(text, "databases")


def seconds_of(patience: str | None) -> float:
    """How long a search may take."""
    return PATIENCE if patience is None else float(read_number(patience, "patience", GoalError))


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


def text_of(path: str, what: str, encoding: str = "utf-8", holds: str = "numbers") -> str:
    """The content of a text file of bearable size."""
    try:
        source = Path(path)
        if source.stat().st_size > MOST_BYTES:
            raise FileError(f"{show(path)} is larger than {MOST_BYTES >> 20} MB")
        return source.read_text(encoding=encoding)
    except OSError as problem:
        raise FileError(f"cannot read the {what} {show(path)}: {problem.strerror}") from None
    except ValueError as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise FileError(f"{show(path)} is not a text file of {holds}") from None


def prior_of(text: str, *names: str) -> PriorLike:
    """A prior by its name, its numbers (0.2,0.8), or a file that holds them."""
    if text.strip().lower() in ("uniform", *names):
        return text.strip().lower()
    return text if "," in text else _numbers_in(text)


def loss_of(text: str) -> Loss:
    """A loss by its name, or a table in a CSV or JSON file."""
    if not Path(text).suffix:
        return read_loss(text)
    return Loss.of_table(_rows(text, text_of(text, "losses")), name=Path(text).stem)


def save(mechanism: Mechanism, path: str) -> str:
    """Write a mechanism file where the user said; the path, for the reply."""
    if not path.strip():
        raise FileError(f"{named('save')} needs the name of a file, got an empty one")
    try:
        return str(save_mechanism(mechanism, path))
    except ValueError as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise FileError(f"cannot write {show(path)}: {problem}") from None


def _numbers_in(path: str) -> Sequence[Any]:
    try:
        text = text_of(path, "prior")
    except FileError as problem:
        raise FileError(
            f"{problem}; {named('prior')} must be uniform, a file of numbers, or numbers such as "
            "0.2,0.8"
        ) from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text.replace(",", " ").split()
    if not isinstance(data, list):
        raise GoalError(f"{show(path)} must hold a list of probabilities, got {show(data)}")
    return data


def _rows(path: str, content: str) -> Any:
    if not content.lstrip().startswith("["):
        return [row for row in csv.reader(content.splitlines()) if row]
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError):
        raise FileError(f"{show(path)} is not a JSON list of rows") from None
    if not all(isinstance(row, list) for row in rows):
        raise GoalError(f"{show(path)} must hold a list of rows of numbers")
    return rows
