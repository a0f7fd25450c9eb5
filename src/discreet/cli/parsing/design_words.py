"""From the words of `discreet design` and `discreet curve` to a query and what is asked of it."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.cli.parsing import spaces as reading
from discreet.designer import queries
from discreet.errors import FileError, GoalError, InvalidInput, NeighboursError, SpaceError
from discreet.exact import Epsilon, RationalLike, show
from discreet.model import Goal, Loss, Neighbours, Requirements, Space

ADDING = ("sum", "mean")
ORDERING = ("min", "max", "median", "quantile")
STATISTICS = ("count", *ADDING, *ORDERING, "custom")
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Asked:
    """A question by its space: what may be true, and what one record can change."""

    name: str
    answers: Space
    neighbours: Neighbours


@dataclass(frozen=True)
class Order:
    """What is asked of a design: outputs, promise, goal, requirements."""

    outputs: Space
    epsilon: Epsilon
    delta: str
    goal: Goal
    requirements: Requirements


def wants_database(by: str) -> bool:
    """Whether a design is by database; InvalidInput for other words."""
    word = by.strip().lower()
    if word not in ("answer", "database"):
        raise InvalidInput(f"--by is answer or database, got {show(by)}")
    return word == "database"


def query_of(
    statistic: str,
    *,
    n: str | None,
    between: tuple[str, str] | None,
    step: str | None,
    share: str | None = None,
    numbers: str | None = None,
    labels: str | None = None,
    neighbours: str | None = None,
) -> Asked:
    """The space of a named statistic, or a custom one."""
    name = statistic.strip().lower()
    if name not in STATISTICS:
        raise InvalidInput(
            f"unknown statistic {show(statistic)}; there are {', '.join(STATISTICS)}"
        )
    if name == "custom":
        if n is not None or share is not None:
            raise InvalidInput("--n and --share belong to named statistics, not to custom")
        answers = reading.answers_of(between, step, numbers, labels)
        if neighbours is None:
            raise NeighboursError("a custom space needs --neighbours all, or a number of steps")
        return Asked("custom", answers, reading.neighbours_of(neighbours, answers))
    if numbers is not None or labels is not None or neighbours is not None:
        raise InvalidInput(
            f"--numbers, --labels and --neighbours belong to custom; {name} knows its own"
        )
    if share is not None and name != "quantile":
        raise InvalidInput("--share belongs to quantile")
    query = _named(name, n, between, step, share)
    return Asked(name, query.answers, query.neighbours)


def _named(
    name: str,
    n: str | None,
    between: tuple[str, str] | None,
    step: str | None,
    share: str | None,
) -> queries.Query:
    if name == "count":
        if between is not None or step is not None:
            raise SpaceError("a count of n records lies in 0..n: give --n alone")
        return queries.count(records_of(n, name))
    if between is None:
        raise SpaceError(f"a {name} needs the range of the values: --range LOW HIGH")
    low, high = between
    stride: RationalLike = "1" if step is None else step
    if name in ADDING:
        adding = queries.total if name == "sum" else queries.mean
        return adding(records_of(n, name), low, high, stride)
    if n is not None:
        raise InvalidInput(
            f"by its answer alone, a {name} does not depend on the number of records; leave --n "
            "out, or use --by database"
        )
    if name == "quantile":
        if share is None:
            raise SpaceError("a quantile needs --share, such as --share 0.9")
        return queries.quantile(share, low, high, stride)
    chosen = {"min": queries.minimum, "max": queries.maximum, "median": queries.median}
    return chosen[name](low, high, stride)


def records_of(text: str | None, name: str) -> int:
    """How many records, from the command line."""
    if text is None:
        raise SpaceError(f"a {name} needs the number of records: --n 10")
    word = text.strip().replace("_", "")
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise SpaceError(f"--n must be a whole number, got {show(text)}")
    return int(word)


def order_of(
    query: Asked,
    *,
    outputs: str,
    epsilon: str | None,
    delta: str,
    loss: str,
    prior: str,
    worst_case: bool,
    require: str,
) -> Order:
    """Everything else that defines a design."""
    return Order(
        reading.outputs_of(outputs, query.answers),
        reading.epsilon_of(epsilon),
        delta,
        Goal.of(loss_of(loss), reading.prior_of(prior), worst_case=worst_case),
        Requirements.of(require),
    )


def loss_of(text: str) -> Loss:
    """A named loss, or a table in a CSV or JSON file."""
    if not Path(text).suffix:
        return Loss.of(text)
    try:
        if Path(text).stat().st_size > MOST_BYTES:
            raise FileError(f"{show(text)} is larger than {MOST_BYTES >> 20} MB")
        content = Path(text).read_text(encoding="utf-8")
    except OSError as problem:
        raise FileError(f"cannot read the losses {show(text)}: {problem.strerror}") from None
    except ValueError:
        raise FileError(f"{show(text)} is not a text file of numbers") from None
    return Loss.of_table(_rows(text, content), name=Path(text).stem)


def _rows(path: str, content: str) -> Any:
    if content.lstrip().startswith("["):
        try:
            rows = json.loads(content)
        except (ValueError, RecursionError):
            raise FileError(f"{show(path)} is not a JSON list of rows") from None
        if not all(isinstance(row, list) for row in rows):
            raise GoalError(f"{show(path)} must hold a list of rows of numbers")
        return rows
    return [row for row in csv.reader(content.splitlines()) if row]
