"""What an error costs, and how likely each answer is: the two halves of an expected loss.

Losses go by name, as a function, or as a table; a prior is uniform, or a list of probabilities.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import rational
from discreet.model.mechanism import category_of
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
            GoalError: There is no loss of this name, or this is not a loss.

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
            GoalError: The rows differ in length, or hold something that is not a loss.
        """
        try:
            table = tuple(tuple(_cost(cell) for cell in row) for row in rows)
        except TypeError:
            raise GoalError(f"a table of losses must be a list of rows, got {show(rows)}") from None
        if not table or not table[0] or any(len(row) != len(table[0]) for row in table):
            raise GoalError(
                "a table of losses must have rows of the same length, with at least one cell"
            )
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
            outputs: The possible outputs: the rows.
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


PriorLike: TypeAlias = "Prior | str | Sequence[float]"

_SLACK = 1.001e-6
"""How far the sum of a prior may lie from 1: people write 0.333333 three times."""


def _probability(number: object) -> float:
    exact = number if is_plain(number) else rational(number, "a probability", GoalError)
    if not 0 <= exact <= 1:
        raise GoalError(f"a probability must lie between 0 and 1, got {show(number)}")
    return float(exact)


@dataclass(frozen=True)
class Prior:
    """How likely each true answer is assumed to be; `None` means uniform.

    It weighs the loss and nothing else: privacy never depends on it.
    """

    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.weights is not None and not (
            all(weight >= 0 for weight in self.weights)
            and abs(math.fsum(self.weights) - 1) <= _SLACK
        ):
            raise GoalError(
                f"a prior must be probabilities that sum to 1, got {show(self.weights)}"
            )

    @classmethod
    def of(cls, prior: PriorLike) -> "Prior":
        """Read `"uniform"` or a list of probabilities that sums to 1 (to within 1e-6).

        Args:
            prior: `"uniform"`, a list of probabilities, or a prior.

        Returns:
            The prior.

        Raises:
            GoalError: The numbers are not a distribution.

        >>> Prior.of([0.5, 0.25, 0.25]).probabilities(3).tolist()
        [0.5, 0.25, 0.25]
        """
        if isinstance(prior, Prior):
            return prior
        if isinstance(prior, str):
            if prior.strip().lower() == "uniform":
                return cls()
            raise GoalError(f"a prior must be uniform or a list of numbers, got {show(prior)}")
        try:
            numbers = [_probability(number) for number in prior]
        except TypeError:
            raise GoalError(
                f"a prior must be uniform or a list of numbers, got {show(prior)}"
            ) from None
        total = math.fsum(numbers)
        if abs(total - 1) > _SLACK:
            raise GoalError(
                f"a prior must sum to 1, got {total:.6g}; divide each number by the sum"
            )
        return cls(tuple(number / total for number in numbers))

    def __repr__(self) -> str:
        return f"Prior({'uniform' if self.weights is None else list(self.weights)})"

    @property
    def is_uniform(self) -> bool:
        """Whether it is just "uniform"."""
        return self.weights is None

    def probabilities(self, size: int) -> Floats:
        """The probabilities of `size` answers.

        Args:
            size: How many answers the space has.

        Returns:
            A probability for each answer.

        Raises:
            GoalError: The prior is for another number of answers.
        """
        self.check(size)
        if self.weights is None:
            return np.full(size, 1.0 / size)
        return np.array(self.weights)

    def check(self, size: int, what: str = "the prior") -> None:
        """Refuse a prior that is for another number of answers.

        Args:
            size: How many answers the space has.
            what: What the prior is called in the message.

        Raises:
            GoalError: The prior is for another number of answers.
        """
        if self.weights is not None and len(self.weights) != size:
            raise GoalError(
                f"{what} has {len(self.weights)} numbers, but the space has {size} answers"
            )

    @classmethod
    def mixture(cls, priors: Sequence["Prior"], shares: Sequence[float], size: int) -> "Prior":
        """Each prior with its share; shares need not sum to 1.

        Args:
            priors: What is mixed.
            shares: How much of each, none negative, not all 0.
            size: How many answers the space has.

        Returns:
            The mixture.

        Raises:
            GoalError: A prior is for another number of answers, or the shares are none.

        >>> Prior.mixture([Prior(), Prior.of([1, 0])], [1, 1], 2).weights
        (0.75, 0.25)
        """
        amounts = np.array([float(share) for share in shares])
        if len(amounts) != len(priors) or not (amounts >= 0).all() or not amounts.sum() > 0:
            raise GoalError(
                "a mixture needs a share for each prior, none negative and not all 0, "
                f"got {show(shares)}"
            )
        mixed = amounts @ np.array([prior.probabilities(size) for prior in priors])
        return cls(tuple((mixed / math.fsum(mixed)).tolist()))
