"""Spaces of answers and outputs, and neighbouring relations, from what was given."""

from collections.abc import Sequence
from typing import TypeAlias

from discreet.errors import NeighboursError, SpaceError, named
from discreet.exact import RationalLike, show
from discreet.model import (
    AllPairs,
    Grid,
    Labels,
    Listed,
    Neighbours,
    Space,
    Within,
    extended,
    scaled,
)

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

    >>> read_answers(low="0", high="1", step="0.5"), read_answers(numbers="0,1,2.5").size
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
    if kind == "same" and not number:
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
