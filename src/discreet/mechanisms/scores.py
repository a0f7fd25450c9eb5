"""What selection goes by: a score of every output for every answer (001 Def. 3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError, InvalidInput
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.exact.numbers import check_positive
from discreet.model import (
    AllPairs,
    Integers,
    Labels,
    Mechanism,
    Neighbours,
    Space,
    Within,
    places_apart,
)
from discreet.repair import integer_mechanism

ScoresLike: TypeAlias = Callable[[Any, Any], RationalLike] | Sequence[Sequence[RationalLike]]
"""A function of (output, answer), or a table with a row for each output."""

_CELLS = 2_000_000
_SAFE = 2**60
_HOPELESS = 10**12


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """Exact scores over one denominator: output i has the score table[i, j] / unit for answer j."""

    answers: Space
    outputs: Space
    neighbours: Neighbours
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
        each = self.share / self.unit
        if apart.dtype == object:
            return np.array(
                [[float(max(cell * each, -_HOPELESS)) for cell in row] for row in apart]
            )
        return np.asarray(apart.astype(np.float64) * float(each))

    def mechanism(
        self, name: str, law: Callable[[float], npt.NDArray[np.float64]], epsilon: EpsilonLike
    ) -> Mechanism:
        """The matrix that selects by these scores; `law` gives its probabilities at an ε."""
        best = np.asarray(self.table.argmax(axis=0), dtype=np.int64)
        return integer_mechanism(
            self.answers,
            self.outputs,
            self.neighbours,
            law,
            Epsilon.of(epsilon),
            name=name,
            home=best,
        )


def read_scores(
    answers: Space,
    outputs: Space | None,
    neighbours: Neighbours,
    scores: ScoresLike | None = None,
    *,
    sensitivity: RationalLike | None = None,
    monotone: bool = False,
) -> Scores:
    """Check a score and what is declared of it, exactly, over the whole (public) table.

    Outputs are the answers unless said. Without a score, numbers are scored by −|output − answer|
    and labels by 1 where they agree. A sensitivity smaller than the table's, or a `monotone` that
    does not hold, is an error.

    >>> from discreet.model import AllPairs, Grid
    >>> read_scores(Grid.between(0, 3), None, AllPairs()).sensitivity
    Fraction(3, 1)
    """
    rows = outputs or answers
    table, unit = _table(answers, rows, scores)
    change = Fraction(_largest_change(table, neighbours), unit)
    if monotone:
        _check_monotone(table, answers, neighbours)
    declared = _declared(sensitivity, change)
    return Scores(
        answers=answers,
        outputs=rows,
        neighbours=neighbours,
        table=table,
        unit=unit,
        sensitivity=declared,
        monotone=monotone,
    )


def _declared(sensitivity: RationalLike | None, change: Fraction) -> Fraction:
    if sensitivity is None:
        return change or Fraction(1)
    width = rational(sensitivity, "the sensitivity of the score")
    check_positive("sensitivity of the score", width)
    if width < change:
        raise InvalidInput(
            f"the score changes by {show(change)} between neighbours, which is more than the "
            f"declared sensitivity {show(width)}; declare at least that change"
        )
    return width


def _table(answers: Space, outputs: Space, scores: ScoresLike | None) -> tuple[Integers, int]:
    if callable(scores):
        return _stacked([[scores(r, f) for f in answers.values()] for r in outputs.values()])
    if scores is not None:
        rows = [list(row) for row in scores]
        if len(rows) != len(outputs) or any(len(row) != len(answers) for row in rows):
            raise GoalError(
                f"the table of scores must have {len(outputs)} rows (outputs) of {len(answers)} "
                "numbers (answers)"
            )
        return _stacked(rows)
    if isinstance(answers, Labels) or isinstance(outputs, Labels):
        agree = [[int(r == f) for f in answers.values()] for r in outputs.values()]
        return np.array(agree, dtype=np.int64), 1
    (rows_at, columns_at), unit = _over_one_unit([outputs.values(), answers.values()])
    return -np.abs(rows_at[:, None] - columns_at[None, :]), unit


def _stacked(cells: Sequence[Sequence[object]]) -> tuple[Integers, int]:
    rows, unit = _over_one_unit(cells)
    return np.stack(rows), unit


def _over_one_unit(cells: Sequence[Sequence[object]]) -> tuple[list[Integers], int]:
    """Rows of any numbers as rows of integers over one denominator."""
    exact = [[rational(cell, "a score", GoalError) for cell in row] for row in cells]
    unit = lcm(*(cell.denominator for row in exact for cell in row))
    whole = [[cell.numerator * (unit // cell.denominator) for cell in row] for row in exact]
    largest = max(abs(cell) for row in whole for cell in row)
    kind = np.int64 if largest < _SAFE else object
    return [np.array(row, dtype=kind) for row in whole], unit


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
