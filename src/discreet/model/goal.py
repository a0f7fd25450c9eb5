"""What "best" means: a loss, and a prior over the true answers or the worst of them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import rational, show
from discreet.model.outputs import category_of
from discreet.model.spaces import Space, numbers_of

Floats: TypeAlias = npt.NDArray[np.float64]
PriorLike: TypeAlias = "Prior | str | Sequence[float]"
LossLike: TypeAlias = "Loss | str | Callable[[Any, Any], float]"

_LARGEST_LOSS = 1e200


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
        if self.function is None and self.table is None and self.name not in _NAMED:
            raise GoalError(f"a loss must be one of {', '.join(_NAMED)}, got {show(self.name)}")

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
        if isinstance(loss, str) and loss.strip().lower() in _NAMED:
            return cls(loss.strip().lower())
        raise GoalError(
            f"a loss must be one of {', '.join(_NAMED)} or a function, got {show(loss)}"
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
        return _NAMED[self.name](outputs, answers)

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
    exact = cell if _is_plain(cell) else rational(cell, "a loss", GoalError)
    if not 0 <= exact <= _LARGEST_LOSS:
        raise GoalError(f"a loss must lie between 0 and 1e200, got {show(cell)}")
    return float(exact)


def _is_plain(cell: object) -> TypeGuard[float]:
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


_NAMED: dict[str, Callable[[Space, Space], Floats]] = {
    "absolute": _absolute,
    "squared": _squared,
    "zero-one": _zero_one,
}


_SLACK = 1.001e-6
"""How far the sum of a prior may lie from 1: people write 0.333333 three times."""


def _probability(number: object) -> float:
    exact = number if _is_plain(number) else rational(number, "a probability", GoalError)
    if not 0 <= exact <= 1:
        raise GoalError(f"a probability must lie between 0 and 1, got {show(number)}")
    return float(exact)


@dataclass(frozen=True)
class Prior:
    """How likely each true answer is held to be; `None` means uniform.

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
            GoalError: The numbers are no distribution.

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
        """Whether nothing but "uniform" was said."""
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
        if self.weights is None:
            return np.full(size, 1.0 / size)
        if len(self.weights) != size:
            raise GoalError(f"the prior has {len(self.weights)} numbers, the space {size} answers")
        return np.array(self.weights)


@dataclass(frozen=True)
class Goal:
    """Minimise the expected loss under a prior, or the loss of the worst true answer.

    >>> Goal.of("squared")
    Goal(loss=Loss('squared'), prior=Prior(uniform))
    """

    loss: Loss = field(default_factory=lambda: Loss("absolute"))
    prior: Prior = field(default_factory=Prior)
    worst_case: bool = False

    @classmethod
    def of(
        cls,
        loss: LossLike = "absolute",
        prior: PriorLike = "uniform",
        *,
        worst_case: bool = False,
    ) -> "Goal":
        """Read a goal from names, numbers and functions.

        Args:
            loss: A name (`"absolute"`, `"squared"`, `"zero-one"`), a `Loss`, or a function of
                (output, answer).
            prior: `"uniform"`, a `Prior`, or a probability for each answer.
            worst_case: Whether the largest expected loss over all answers counts instead of the
                mean.

        Returns:
            The goal.

        Raises:
            GoalError: The loss or the prior makes no sense, or a prior is given with the worst
                case.
        """
        if worst_case and not Prior.of(prior).is_uniform:
            raise GoalError("a goal has a prior or the worst case, not both; leave the prior out")
        return cls(Loss.of(loss), Prior.of(prior), worst_case)

    def __repr__(self) -> str:
        aim = "worst_case" if self.worst_case else f"prior={self.prior!r}"
        return f"Goal(loss={self.loss!r}, {aim})"
