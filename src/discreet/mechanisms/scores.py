"""What selection goes by: a score of every output for every answer (001 Def. 3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError, InvalidInput
from discreet.exact import RationalLike, rational
from discreet.mechanisms.reading import check_positive
from discreet.mechanisms.sensitivity import places_apart
from discreet.model import AllPairs, Integers, Labels, Neighbours, Space, Within

ScoresLike: TypeAlias = Callable[[Any, Any], RationalLike] | Sequence[Sequence[RationalLike]]
"""A function of (output, answer), or a table with a row for each output."""

_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class Scores:
    """Exact scores over one denominator: output i has the score table[i, j] / unit for answer j."""

    table: Integers
    unit: int
    sensitivity: Fraction
    monotone: bool
    """Whether scores of neighbours are known to differ in one direction only."""

    @property
    def share(self) -> Fraction:
        """How much ε one unit of score may carry: ε/(2Δu), or ε/Δu for a monotone score."""
        return 1 / (self.sensitivity * (1 if self.monotone else 2))

    def below_best(self) -> npt.NDArray[np.float64]:
        """Each score less the best of its column, times `share`: the exponent at ε = 1."""
        apart = self.table - self.table.max(axis=0)
        return np.asarray(apart.astype(np.float64) * float(self.share / self.unit))

    def home(self) -> npt.NDArray[np.int64]:
        """For each answer, the first output of the best score."""
        return np.asarray(self.table.argmax(axis=0), dtype=np.int64)


def read_scores(
    answers: Space,
    outputs: Space,
    neighbours: Neighbours,
    scores: ScoresLike | None = None,
    *,
    sensitivity: RationalLike | None = None,
    monotone: bool = False,
) -> Scores:
    """Check a score and what is declared of it, exactly, over the whole (public) table.

    Without a score, numbers are scored by −|output − answer| and labels by 1 where they agree. A
    sensitivity smaller than the table's, or a `monotone` that does not hold, is an error.

    >>> from discreet.model import AllPairs, Grid
    >>> grid = Grid.between(0, 3)
    >>> read_scores(grid, grid, AllPairs()).sensitivity
    Fraction(3, 1)
    """
    table, unit = _over_one_unit(_cells(answers, outputs, scores))
    found = Fraction(_largest_change(table, neighbours), unit)
    if monotone:
        _check_monotone(table, answers, neighbours)
    return Scores(table, unit, _declared(sensitivity, found), monotone)


def _declared(sensitivity: RationalLike | None, found: Fraction) -> Fraction:
    if sensitivity is None:
        return found or Fraction(1)
    width = rational(sensitivity, "the sensitivity of the score")
    check_positive("sensitivity of the score", width)
    if width < found:
        raise InvalidInput(
            f"the score changes by {found} between neighbours, which is more than the declared "
            f"sensitivity {width}; declare at least {found}"
        )
    return width


def _cells(answers: Space, outputs: Space, scores: ScoresLike | None) -> list[list[Fraction]]:
    if callable(scores):
        return [[_number(scores(r, f)) for f in answers.values()] for r in outputs.values()]
    if scores is not None:
        table = [[_number(cell) for cell in row] for row in scores]
        if len(table) != len(outputs) or any(len(row) != len(answers) for row in table):
            raise GoalError(
                f"the table of scores must have {len(outputs)} rows (outputs) of {len(answers)} "
                "numbers (answers)"
            )
        return table
    if isinstance(answers, Labels) or isinstance(outputs, Labels):
        return [[Fraction(r == f) for f in answers.values()] for r in outputs.values()]
    return [[-abs(r - f) for f in answers.values()] for r in outputs.values()]


def _number(cell: object) -> Fraction:
    return rational(cell, "a score", GoalError)


def _over_one_unit(cells: list[list[Fraction]]) -> tuple[Integers, int]:
    unit = lcm(*(cell.denominator for row in cells for cell in row))
    whole = [[cell.numerator * (unit // cell.denominator) for cell in row] for row in cells]
    largest = max(abs(cell) for row in whole for cell in row)
    return np.array(whole, dtype=np.int64 if largest < 2**60 else object), unit


def _largest_change(table: Integers, neighbours: Neighbours) -> int:
    if isinstance(neighbours, AllPairs):
        return int((table.max(axis=1) - table.min(axis=1)).max())
    if isinstance(neighbours, Within):
        steps = range(1, places_apart(table.shape[1], neighbours) + 1)
        changes = (np.abs(table[:, step:] - table[:, :-step]).max() for step in steps)
        return int(max(changes, default=0))
    return max((int(abs(change).max()) for _, change in _changes(table, neighbours)), default=0)


def _changes(
    table: Integers, neighbours: Neighbours
) -> Iterator[tuple[npt.NDArray[np.int64], Integers]]:
    """Score differences of neighbours, some pairs at a time."""
    pairs = list(neighbours.pairs(table.shape[1]))
    at_once = max(1, _CELLS // len(table))
    for first in range(0, len(pairs), at_once):
        ends = np.array(pairs[first : first + at_once])
        yield ends, table[:, ends[:, 0]] - table[:, ends[:, 1]]


def _check_monotone(table: Integers, answers: Space, neighbours: Neighbours) -> None:
    for ends, change in _changes(table, neighbours):
        both = (change > 0).any(axis=0) & (change < 0).any(axis=0)
        if both.any():
            one, other = (answers.value(int(j)) for j in ends[int(both.argmax())])
            raise InvalidInput(
                f"the score is not monotone: between answers {one} and {other} some outputs gain "
                "and others lose; leave monotone out"
            )
