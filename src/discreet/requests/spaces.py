"""Spaces, neighbours and single values of a request (ε, δ, losses, priors), from what was given."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.errors import GoalError, InvalidInput, NeighboursError, SpaceError, about, named
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.model import (
    AllPairs,
    Grid,
    Labels,
    Listed,
    Loss,
    Neighbours,
    Prior,
    PriorLike,
    Space,
    Within,
    extended,
    scaled,
)

LossGiven: TypeAlias = Loss | str | list[list[Any]]
"""The name of a loss, or a table with a row for each output."""

SAME = "same"
"""The outputs are the answers."""

_MOST_DIGITS = 9


def read_epsilon(given: "EpsilonLike | None") -> Epsilon:
    """ε, which is never assumed."""
    if given is None:
        raise InvalidInput(f"{named('epsilon')} is required, for example {named('epsilon', 1)}")
    return Epsilon.of(given)


def read_delta(given: RationalLike) -> Fraction:
    """δ, at least 0 and below 1."""
    delta = rational(given, named("delta"))
    if not 0 <= delta < 1:
        raise InvalidInput(f"{named('delta')} must be at least 0 and below 1, got {show(given)}")
    return delta


def read_whole(given: str | int, field: str, *, error: type[InvalidInput] = SpaceError) -> int:
    """A whole number that is not negative.

    >>> read_whole(" 1_000 ", "n"), read_whole(12, "n")
    (1000, 12)
    """
    word = str(given).strip().replace("_", "")
    if isinstance(given, bool) or not (word.isascii() and word.isdigit()):
        raise error(f"{named(field)} must be a whole number, got {show(given)}")
    if len(word) > _MOST_DIGITS:
        raise error(f"{named(field)} must have at most {_MOST_DIGITS} digits, got {show(given)}")
    return int(word)


def read_loss(given: LossGiven) -> Loss:
    """A loss by its name, or from a table."""
    with about("loss"):
        if isinstance(given, str):
            return Loss.of(given)
        return given if isinstance(given, Loss) else Loss.of_table(given)


def read_prior(given: "PriorLike") -> Prior:
    """`uniform`, or a probability for each answer: as a list, or as text such as 0.2,0.8.

    >>> read_prior("0.2,0.8")
    Prior([0.2, 0.8])
    """
    if not isinstance(given, str) or given.strip().lower() == "uniform":
        with about("prior"):
            return Prior.of(given)
    if "," not in given:
        raise GoalError(
            f"{named('prior')} must be uniform or a probability for each answer, such as 0.2,0.8, "
            f"got {show(given)}"
        )
    with about("prior"):
        return Prior.of(given.split(","))  # type: ignore[arg-type]


Numbers: TypeAlias = str | Sequence[RationalLike]
"""Numbers in a list, or as text with commas between them."""
Names: TypeAlias = str | Sequence[str]
"""Names in a list, or as text with commas between them."""


def read_answers(
    *,
    low: RationalLike | None = None,
    high: RationalLike | None = None,
    step: RationalLike | None = None,
    numbers: Numbers | None = None,
    labels: Names | None = None,
) -> Space:
    """The one space that was described.

    >>> read_answers(low="0", high="1", step="0.5"), len(read_answers(numbers="0,1,2.5"))
    (Grid(0, 1, step 1/2), 3)
    """
    ranged = low is not None or high is not None
    if ranged + (numbers is not None) + (labels is not None) != 1:
        raise SpaceError(
            f"give the possible answers in exactly one way: {named('range')}, "
            f"{named('numbers', '0,1,2.5')} or {named('labels', 'a,b,c')}"
        )
    if step is not None and not ranged:
        raise SpaceError(f"{named('step')} is for {named('range')} only", field="step")
    if numbers is not None:
        return Listed.of(_parts(numbers))
    if labels is not None:
        return Labels.of([_readable(name) for name in _parts(labels)])
    return read_grid(low, high, step, "a custom space")


def read_grid(
    low: RationalLike | None,
    high: RationalLike | None,
    step: RationalLike | None,
    what: str,
) -> Grid:
    """Evenly spaced numbers from low to high; the step is 1 unless given."""
    if low is None or high is None:
        raise SpaceError(f"{named('range')} is required for {what}: the range of its values")
    return Grid.between(low, high, 1 if step is None else step)


def read_neighbours(given: str | int, answers: Space) -> Neighbours:
    """All pairs, or answers within so many steps of one another."""
    word = str(given).strip().lower()
    if word == "all":
        return AllPairs()
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise NeighboursError(
            f"{named('neighbours')} must be all or a number of steps, got {show(given)}"
        )
    if isinstance(answers, Labels):
        raise NeighboursError(f"labels have no order; use {named('neighbours', 'all')}")
    return Within(int(word))


def read_outputs(given: str, answers: Space) -> Space:
    """What may be answered: same, scaled:2 or extended:300."""
    kind, _, number = given.strip().lower().partition(":")
    if kind == SAME and not number:
        return answers
    if kind not in ("scaled", "extended") or not number:
        raise SpaceError(
            f"{named('outputs')} must be same, scaled:2 (wider categories) or extended:300 "
            f"(percent), got {show(given)}"
        )
    if not isinstance(answers, Grid):
        raise SpaceError(
            f"{named('outputs', given.strip())} needs evenly spaced answers; use {named('range')}"
        )
    return scaled(answers, number) if kind == "scaled" else extended(answers, number)


def _parts(given: str | Sequence[RationalLike]) -> list[RationalLike]:
    return list(given.split(",")) if isinstance(given, str) else list(given)


def _readable(name: object) -> str:
    text = str(name).strip()
    if not text.isprintable():
        raise SpaceError(f"{named('labels')} must be printable text, got {show(name)}")
    return text
