"""How likely each true answer is held to be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.errors import GoalError
from discreet.exact import rational
from discreet.model.losses import Floats, is_plain
from discreet.text import show

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
            GoalError: The prior has a number for each of so many other answers.
        """
        if self.weights is not None and len(self.weights) != size:
            raise GoalError(f"{what} has {len(self.weights)} numbers, the space {size} answers")

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
