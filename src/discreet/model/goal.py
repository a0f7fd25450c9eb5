"""What "best" means (a loss, and a prior or the worst case), what is promised, what is required."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.errors import GoalError, InvalidInput
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational
from discreet.model.losses import Floats, Loss, LossLike, LossName, is_plain
from discreet.text import Word, show


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy (001 Def. 1); pure when δ = 0.

    >>> print(Guarantee.of("0.5"), "|", Guarantee.of(1, "1e-6"))
    ε = 0.5 | ε = 1, δ = 1/1000000
    """

    epsilon: Epsilon
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidInput(f"delta must be at least 0 and below 1, got {show(self.delta)}")

    @classmethod
    def of(cls, epsilon: EpsilonLike, delta: RationalLike = 0) -> "Guarantee":
        """Read ε and δ exactly.

        Args:
            epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.
            delta: δ; 0 is pure ε.

        Returns:
            The promise.

        Raises:
            EpsilonError: ε is not a positive, finite number.
            InvalidInput: δ does not lie from 0 to below 1.
        """
        return cls(Epsilon.of(epsilon), rational(delta, "delta"))

    def __str__(self) -> str:
        return f"ε = {self.epsilon}" + (f", δ = {self.delta}" if self.delta else "")


class Requirement(Word):
    """What may be asked of a matrix, each by its name."""

    COLUMN_MONOTONE = "column-monotone"
    ROW_MONOTONE = "row-monotone"
    SYMMETRIC = "symmetric"
    FAIR = "fair"
    EVERY_OUTPUT = "every-output"

    @property
    def field(self) -> str:
        """What it is called in Python."""
        return self.value.replace("-", "_")


VARIANT_2 = frozenset(Requirement) - {Requirement.EVERY_OUTPUT}
"""What `all` stands for: Variant 2 of 003."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """Properties asked of a matrix; Variant 1 of 003 asks none, Variant 2 the first four.

    >>> Requirements.of("fair, symmetric")
    Requirements(fair, symmetric)
    >>> Requirements.of("all").fair
    True
    """

    column_monotone: bool = False
    row_monotone: bool = False
    symmetric: bool = False
    fair: bool = False
    every_output: bool = False
    """Weak honesty: no output of the space is left without weight."""

    @classmethod
    def of(cls, wanted: "Requirements | str | Iterable[str]") -> "Requirements":
        """Read names: column-monotone, row-monotone, symmetric, fair, every-output, all, none.

        Args:
            wanted: Names with commas between them, or one by one.

        Returns:
            What is required.

        Raises:
            GoalError: There is no requirement of this name.
        """
        if isinstance(wanted, Requirements):
            return wanted
        if not isinstance(wanted, Iterable):
            raise GoalError(f"requirements are given by their names, got {show(wanted)}")
        words = wanted.split(",") if isinstance(wanted, str) else list(wanted)
        if not all(isinstance(word, str) for word in words):
            raise GoalError(f"requirements are given by their names, got {show(words)}")
        names = {word.strip().lower().replace("_", "-") for word in words} - {"", "none"}
        if "all" in names:
            names = (names - {"all"}) | VARIANT_2
        if unknown := sorted(names - set(Requirement)):
            raise GoalError(
                f"unknown requirement {show(unknown[0])}; there are "
                f"{', '.join(sorted(Requirement))}, all and none"
            )
        return cls(**{Requirement(name).field: True for name in names})

    def names(self) -> tuple[Requirement, ...]:
        """The names of what is asked, in alphabetical order."""
        return tuple(sorted(one for one in Requirement if getattr(self, one.field)))

    def __bool__(self) -> bool:
        return bool(self.names())

    def __repr__(self) -> str:
        return f"Requirements({', '.join(self.names()) or 'none'})"


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

    loss: Loss = field(default_factory=lambda: Loss(LossName.ABSOLUTE))
    prior: Prior = field(default_factory=Prior)
    worst_case: bool = False

    @classmethod
    def of(
        cls,
        loss: LossLike = LossName.ABSOLUTE,
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
