"""What an error costs: losses by name, as a function, or as a table."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import rational
from discreet.model.outputs import category_of
from discreet.model.spaces import Space, numbers_of
from discreet.text import Word, show

Floats: TypeAlias = npt.NDArray[np.float64]
LossLike: TypeAlias = "Loss | str | Callable[[Any, Any], float]"

_LARGEST_LOSS = 1e200


class LossName(Word):
    """The losses that have a name: |r − f|, (r − f)², and 0 or 1."""

    ABSOLUTE = "absolute"
    SQUARED = "squared"
    ZERO_ONE = "zero-one"


@dataclass(frozen=True)
class Loss:
    """What it costs to answer `output` when the truth is `answer`.

    Named losses: absolute |r − f|, squared (r − f)², zero-one (0 where the output's category holds
    the answer). Any other is a function of two values, or a table with a row for each output.
    """

    name: str
    function: Callable[[Any, Any], float] | None = field(default=None)
    table: tuple[tuple[float, ...], ...] | None = field(default=None)

    def __post_init__(self) -> None:
        by_name = self.function is None and self.table is None
        if by_name and LossName.read(self.name) != self.name:
            raise GoalError(f"a loss must be one of {LossName.listed()}, got {show(self.name)}")

    @classmethod
    def of(cls, loss: LossLike) -> "Loss":
        """Read a loss from its name, or take a function of (output, answer).

        Args:
            loss: A name, a function of (output, answer), or a loss.

        Returns:
            The loss.

        Raises:
            GoalError: There is no loss of this name, or this is no loss.

        >>> Loss.of("absolute").name
        'absolute'
        """
        if isinstance(loss, Loss):
            return loss
        if callable(loss):
            return cls(getattr(loss, "__name__", "custom"), function=loss)
        if named := LossName.read(loss):
            return cls(named)
        raise GoalError(
            f"a loss must be one of {LossName.listed()} or a function, got {show(loss)}"
        )

    @classmethod
    def of_table(cls, rows: Iterable[Iterable[float]], name: str = "table") -> "Loss":
        """A loss given cell by cell: a row for each output, a column for each answer.

        Args:
            rows: Numbers of at least 0, a row for each output.
            name: A name for people.

        Returns:
            The loss.

        Raises:
            GoalError: The rows differ in length, or hold something that is no loss.
        """
        try:
            table = tuple(tuple(_cost(cell) for cell in row) for row in rows)
        except TypeError:
            raise GoalError(f"a table of losses is a list of rows, got {show(rows)}") from None
        if not table or not table[0] or any(len(row) != len(table[0]) for row in table):
            raise GoalError("a table of losses must have rows of one length, with a cell or more")
        return cls(name, table=table)

    @property
    def named(self) -> LossName | None:
        """Which of the named losses it is; None for a function or a table, whatever its name."""
        if self.function is not None or self.table is not None:
            return None
        return LossName(self.name)

    def matrix(self, outputs: Space, answers: Space) -> Floats:
        """The loss of every output (rows) for every answer (columns).

        Args:
            outputs: What can be told: the rows.
            answers: What can be true: the columns.

        Returns:
            The losses as floats.

        Raises:
            GoalError: The loss needs numbers and got labels, a table has another shape, or a
                function returns no loss.
        """
        if self.table is not None:
            if (len(self.table), len(self.table[0])) != (len(outputs), len(answers)):
                raise GoalError(
                    f"the table of losses is {len(self.table)} by {len(self.table[0])}, wanted "
                    f"{len(outputs)} outputs by {len(answers)} answers"
                )
            return np.array(self.table)
        if self.function is not None:
            return self._called(self.function, outputs, answers)
        return _NAMED[LossName(self.name)](outputs, answers)

    def __repr__(self) -> str:
        return f"Loss({self.name!r})"

    def _called(
        self, function: Callable[[Any, Any], float], outputs: Space, answers: Space
    ) -> Floats:
        return np.array(
            [[_cost(function(r, f)) for f in answers.values()] for r in outputs.values()]
        )


def _cost(cell: object) -> float:
    """A loss as a float; it may come as any kind of number, and as true or false."""
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    exact = cell if is_plain(cell) else rational(cell, "a loss", GoalError)
    if not 0 <= exact <= _LARGEST_LOSS:
        raise GoalError(f"a loss must lie between 0 and 1e200, got {show(cell)}")
    return float(exact)


def is_plain(cell: object) -> TypeGuard[float]:
    """Whether it is a finite float already."""
    return isinstance(cell, float) and math.isfinite(cell)


def _differences(outputs: Space, answers: Space) -> Floats:
    rows = numbers_of(outputs, "this loss").floats()
    columns = numbers_of(answers, "this loss").floats()
    return rows[:, None] - columns[None, :]


def _absolute(outputs: Space, answers: Space) -> Floats:
    return np.abs(_differences(outputs, answers))


def _squared(outputs: Space, answers: Space) -> Floats:
    return _differences(outputs, answers) ** 2


def _zero_one(outputs: Space, answers: Space) -> Floats:
    wrong = np.ones((len(outputs), len(answers)))
    wrong[list(category_of(outputs, answers)), np.arange(len(answers))] = 0.0
    return wrong


_NAMED: dict[LossName, Callable[[Space, Space], Floats]] = {
    LossName.ABSOLUTE: _absolute,
    LossName.SQUARED: _squared,
    LossName.ZERO_ONE: _zero_one,
}
