"""Situations: several priors at once, each with what a mechanism is measured against in it.

A goal over situations asks for the least of the worst: the largest ratio to a reference, or the
largest regret. Claims and proofs: docs/proofs/situations.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.errors import GoalError
from discreet.model.losses import Floats, Prior
from discreet.text import Word, show


class Yardstick(Word):
    """How a loss is held against what a situation is measured by."""

    RATIO = "ratio"
    """As a share of the loss of the best simple mechanism."""
    REGRET = "regret"
    """By how much it is above the least loss in this situation."""


def yardstick_of(text: str) -> Yardstick:
    """A yardstick by its name; GoalError for any other word."""
    word = text.strip().lower()
    if word not in set(Yardstick):
        raise GoalError(f"situations must be judged by {' or '.join(Yardstick)}, got {show(text)}")
    return Yardstick(word)


@dataclass(frozen=True)
class Situation:
    """A prior by its name, and the loss that a mechanism is measured against where it holds.

    Without a reference, the design finds it.
    """

    name: str
    prior: Prior
    reference: float | None = None

    def __post_init__(self) -> None:
        if self.reference is not None and not 0 <= self.reference < float("inf"):
            raise GoalError(
                f"the reference of situation {show(self.name)} must be a loss, at least 0, "
                f"got {show(self.reference)}"
            )


@dataclass(frozen=True)
class Situations:
    """Several situations; the worst one counts.

    >>> two = Situations.of([Situation("low", Prior.of([0.9, 0.1]), 0.5),
    ...                      Situation("high", Prior.of([0.1, 0.9]), 0.25)])
    >>> two.standings(np.array([0.5, 0.5])).tolist(), str(two.yardstick)
    ([1.0, 2.0], 'ratio')
    """

    each: tuple[Situation, ...]
    yardstick: Yardstick = Yardstick.RATIO

    def __post_init__(self) -> None:
        if not self.each:
            raise GoalError("a goal over situations needs at least one situation")
        names = [one.name for one in self.each]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise GoalError(f"situation {show(twice)} is given twice; give each its own name")
        if self.yardstick is Yardstick.RATIO:
            for one in self.each:
                if one.reference == 0:
                    raise GoalError(
                        f"in situation {show(one.name)} a simple mechanism makes no error, so a "
                        f"ratio to it does not exist; judge by regret, or leave the situation out"
                    )

    @classmethod
    def of(cls, situations: Sequence[Situation], yardstick: str = Yardstick.RATIO) -> "Situations":
        """Read situations and the name of a yardstick.

        Args:
            situations: Each with a name of its own.
            yardstick: `"ratio"` or `"regret"`.

        Returns:
            The situations.

        Raises:
            GoalError: There is no situation, two share a name, or there is no such yardstick.
        """
        return cls(tuple(situations), yardstick_of(yardstick))

    @property
    def names(self) -> tuple[str, ...]:
        """What the situations are called."""
        return tuple(one.name for one in self.each)

    @property
    def references(self) -> Floats:
        """What each is measured against; all must be known."""
        missing = [one.name for one in self.each if one.reference is None]
        if missing:
            raise GoalError(f"situation {show(missing[0])} has no reference yet")
        return np.array([one.reference for one in self.each], dtype=np.float64)

    @property
    def scales(self) -> Floats:
        """What a loss is divided by."""
        if self.yardstick is Yardstick.RATIO:
            return self.references
        return np.ones(len(self.each))

    @property
    def offsets(self) -> Floats:
        """What is taken off a loss, once divided."""
        if self.yardstick is Yardstick.RATIO:
            return np.zeros(len(self.each))
        return self.references

    def with_references(self, losses: Sequence[float]) -> "Situations":
        """The same, where references that were left out are these losses.

        Args:
            losses: A loss for each situation.

        Returns:
            Situations that all have a reference.

        Raises:
            GoalError: A loss is negative, or 0 where ratios are wanted.
        """
        pairs = zip(self.each, losses, strict=True)
        each = tuple(
            replace(one, reference=loss) if one.reference is None else one for one, loss in pairs
        )
        return Situations(each, self.yardstick)

    def priors(self, size: int) -> Floats:
        """A row of probabilities for each situation.

        Args:
            size: How many answers the space has.

        Returns:
            Situations by answers.

        Raises:
            GoalError: A prior is for another number of answers.
        """
        return np.array([one.prior.probabilities(size) for one in self.each])

    def standings(self, losses: Floats) -> Floats:
        """The ratio or the regret in each situation.

        Args:
            losses: The expected loss in each.

        Returns:
            A ratio or a regret for each.

        Raises:
            GoalError: A situation has no reference.
        """
        return np.asarray(losses / self.scales - self.offsets)
