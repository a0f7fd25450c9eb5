"""What "best" means: a loss, and a prior over the true answers or the worst of them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import rational, show
from discreet.model.outputs import category_of
from discreet.model.spaces import Space, numbers_of

Floats: TypeAlias = npt.NDArray[np.float64]
PriorLike: TypeAlias = "Prior | str | Sequence[float]"
LossLike: TypeAlias = "Loss | str | Callable[[Any, Any], float]"


@dataclass(frozen=True)
class Loss:
    """What it costs to answer `output` when the truth is `answer`.

    Named losses: absolute |r − f|, squared (r − f)², zero-one (0 where the output's category holds
    the answer). Any other is a function of two values, or a table with a row for each output.
    """

    name: str
    function: Callable[[Any, Any], float] | None = field(default=None)
    table: tuple[tuple[float, ...], ...] | None = field(default=None)

    @classmethod
    def of(cls, loss: LossLike) -> "Loss":
        """Read a loss from its name, or take a function of (output, answer).

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
        """A loss given cell by cell: a row for each output, a column for each answer."""
        table = tuple(tuple(float(cell) for cell in row) for row in rows)
        if not table or any(len(row) != len(table[0]) for row in table):
            raise GoalError("a table of losses must have rows of one length")
        _check_finite(table)
        return cls(name, table=table)

    def matrix(self, outputs: Space, answers: Space) -> Floats:
        """The loss of every output (rows) for every answer (columns)."""
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
        table = [[float(function(r, f)) for f in answers.values()] for r in outputs.values()]
        _check_finite(table)
        return np.array(table)


def _check_finite(table: Iterable[Iterable[float]]) -> None:
    for row in table:
        for cell in row:
            if not math.isfinite(cell) or cell < 0:
                raise GoalError(f"a loss must be finite and not negative, got {cell}")


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


@dataclass(frozen=True)
class Prior:
    """How likely each true answer is held to be; `None` means uniform.

    It weighs the loss and nothing else: privacy never depends on it.
    """

    weights: tuple[float, ...] | None = None

    @classmethod
    def of(cls, prior: PriorLike) -> "Prior":
        """Read `"uniform"` or a list of probabilities that sums to 1 (to within 1e-6).

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
            numbers = [float(rational(number, "a probability", GoalError)) for number in prior]
        except TypeError:
            raise GoalError(
                f"a prior must be uniform or a list of numbers, got {show(prior)}"
            ) from None
        if any(number < 0 for number in numbers):
            raise GoalError(f"a probability cannot be negative, got {min(numbers)}")
        total = math.fsum(numbers)
        if abs(total - 1) > 1e-6:
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
        """The probabilities of `size` answers."""
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
        """Read a goal from names, numbers and functions."""
        if worst_case and not Prior.of(prior).is_uniform:
            raise GoalError("a goal has a prior or the worst case, not both; leave the prior out")
        return cls(Loss.of(loss), Prior.of(prior), worst_case)

    def __repr__(self) -> str:
        aim = "worst_case" if self.worst_case else f"prior={self.prior!r}"
        return f"Goal(loss={self.loss!r}, {aim})"
