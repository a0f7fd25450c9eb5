"""The workbench: from a described space and goal to a certified design, as one JSON document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discreet.designer import Design, Progress, design, queries
from discreet.errors import InvalidInput, NeighboursError, SpaceError
from discreet.exact import Epsilon, rational, show
from discreet.measures import properties
from discreet.model import (
    AllPairs,
    Goal,
    Grid,
    Labels,
    Listed,
    Loss,
    Neighbours,
    Prior,
    Requirements,
    Space,
    Within,
    extended,
    mechanism_to_dict,
    scaled,
)
from discreet.web.wanted import DesignWanted

ADDING = ("sum", "mean")
ORDERING = ("min", "max", "median")
STATISTICS = ("count", *ADDING, *ORDERING, "quantile", "custom")
MOST_SHOWN = 10_000
"""Cells of a matrix that is told in full."""
MOST_FILED = 4_000_000
"""Cells of a matrix that can be downloaded."""


@dataclass(frozen=True)
class Designed:
    """A design that is done: what is told of it, and the mechanism file."""

    document: dict[str, Any]
    mechanism: dict[str, Any] | None
    """As `discreet show` reads it; None when it is too large to write out."""


def designed(wanted: DesignWanted, progress: Callable[[Progress], None] | None = None) -> Designed:
    """Design what is wanted."""
    answers, neighbours = _space(wanted)
    outputs = _outputs(wanted.outputs, answers)
    goal = Goal.of(Loss.of(wanted.loss), _prior(wanted), worst_case=wanted.worst_case)
    found = design(
        answers, neighbours, Epsilon.of(wanted.epsilon), goal, Requirements.of(wanted.require),
        outputs=outputs, delta=wanted.delta, progress=progress,
    )  # fmt: skip
    return Designed(_document(wanted, found), _mechanism(found))


def _space(wanted: DesignWanted) -> tuple[Space, Neighbours]:
    name = wanted.statistic.strip().lower()
    if name not in STATISTICS:
        known = ", ".join(STATISTICS)
        raise InvalidInput(f"unknown statistic {show(wanted.statistic)}; there are {known}")
    if name == "custom":
        answers = _custom(wanted)
        return answers, _neighbours(wanted.neighbours, answers)
    if name == "count":
        query = queries.count(_records(wanted))
    else:
        low, high = _range(wanted)
        query = _named(name, wanted, low, high)
    return query.answers, query.neighbours


def _named(name: str, wanted: DesignWanted, low: Any, high: Any) -> queries.Query:
    if name == "sum":
        return queries.total(_records(wanted), low, high, wanted.step)
    if name == "mean":
        return queries.mean(_records(wanted), low, high, wanted.step)
    if name == "quantile":
        if wanted.share is None:
            raise SpaceError("a quantile needs its share, such as 0.9")
        return queries.quantile(wanted.share, low, high, wanted.step)
    ordering = {"min": queries.minimum, "max": queries.maximum, "median": queries.median}
    return ordering[name](low, high, wanted.step)


def _records(wanted: DesignWanted) -> int:
    if wanted.n is None:
        raise SpaceError(f"a {wanted.statistic} needs n, the number of records")
    return wanted.n


def _range(wanted: DesignWanted) -> tuple[Any, Any]:
    if wanted.low is None or wanted.high is None:
        raise SpaceError(f"{wanted.statistic} needs the range of the values: low and high")
    return wanted.low, wanted.high


def _custom(wanted: DesignWanted) -> Space:
    given = [wanted.low is not None, wanted.numbers is not None, wanted.labels is not None]
    if sum(given) != 1:
        raise SpaceError("say where the answers live, one way: low and high, numbers, or labels")
    if wanted.numbers is not None:
        return Listed.of(wanted.numbers)
    if wanted.labels is not None:
        if not all(label.isprintable() for label in wanted.labels):
            raise SpaceError("labels must be readable text")
        return Labels.of(wanted.labels)
    return Grid.between(*_range(wanted), wanted.step)


def _neighbours(given: int | str, answers: Space) -> Neighbours:
    word = str(given).strip().lower()
    if word == "all":
        return AllPairs()
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise NeighboursError(f"neighbours must be all or a number of steps, got {show(given)}")
    if isinstance(answers, Labels):
        raise NeighboursError("labels have no order to step along; neighbours must be all")
    return Within(int(word))


def _outputs(text: str, answers: Space) -> Space:
    kind, _, number = text.strip().lower().partition(":")
    if kind == "same" and not number:
        return answers
    if kind not in ("scaled", "extended") or not number:
        raise SpaceError(
            f"outputs must be same, scaled:2 (wider categories) or extended:300 (percent), "
            f"got {show(text)}"
        )
    if not isinstance(answers, Grid):
        raise SpaceError(f"outputs {kind} need evenly spaced answers: low and high")
    return scaled(answers, number) if kind == "scaled" else extended(answers, number)


def _prior(wanted: DesignWanted) -> Prior:
    given = wanted.prior
    if isinstance(given, str):
        if given.strip().lower() != "uniform":
            raise InvalidInput(f"a prior is uniform or a list of numbers, got {show(given)}")
        return Prior.of("uniform")
    return Prior.of([float(rational(weight, "a probability")) for weight in given])


def _document(wanted: DesignWanted, found: Design) -> dict[str, Any]:
    mechanism = found.mechanism
    cells = mechanism.shape[0] * mechanism.shape[1]
    facts = mechanism_to_dict(mechanism)
    held = None
    if cells <= MOST_FILED:
        held = {name: bool(verdict) for name, verdict in properties(mechanism).items()}
    return {
        "wanted": wanted.model_dump(),
        "epsilon": str(found.certified.guarantee.epsilon),
        "delta": str(found.certified.guarantee.delta),
        "answers": facts["answers"],
        "outputs": facts["outputs"],
        "neighbours": facts["neighbours"],
        "shape": list(mechanism.shape),
        **found.to_dict(),
        "properties": held,
        "matrix": mechanism.probabilities().tolist() if cells <= MOST_SHOWN else None,
        "digest": facts["digest"],
    }


def _mechanism(found: Design) -> dict[str, Any] | None:
    rows, columns = found.mechanism.shape
    return mechanism_to_dict(found.mechanism) if rows * columns <= MOST_FILED else None
