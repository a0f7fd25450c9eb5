"""Selection by path length: matrices for small tables, exact draws for large ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import Epsilon, EpsilonLike
from discreet.mechanisms.families.exponential import ExponentialMechanism, exponential
from discreet.mechanisms.families.permute_and_flip import (
    PermuteAndFlipMechanism,
    flip_probabilities,
    permute_and_flip,
)
from discreet.mechanisms.path_length.reading import Histogram
from discreet.mechanisms.path_length.statistic import PathLength
from discreet.model import Mechanism, Neighbours, Space
from discreet.text import Word, show


class ChoiceRule(Word):
    """How an answer is chosen by its score."""

    EXPONENTIAL = "exponential"
    PERMUTE_AND_FLIP = "permute-and-flip"


_FAMILIES = {ChoiceRule.EXPONENTIAL: exponential, ChoiceRule.PERMUTE_AND_FLIP: permute_and_flip}


def by_path_length(
    statistic: PathLength,
    histograms: Iterable[Histogram],
    epsilon: EpsilonLike,
    *,
    tables: Space,
    neighbours: Neighbours,
    outputs: Space,
    choice: str = ChoiceRule.PERMUTE_AND_FLIP,
) -> Mechanism:
    """The matrix whose columns are these histograms (named by `tables`), rows the outputs.

    That scores of neighbours differ by 1 at most is checked on the whole table.

    >>> from discreet.model import AllPairs, Grid, Labels
    >>> names = Labels.of(["2.0", "1.1", "0.2"])
    >>> by_path_length(PathLength.maximum(), [[2, 0], [1, 1], [0, 2]], 1,
    ...     tables=names, neighbours=AllPairs(), outputs=Grid.between(0, 1))
    Traceback (most recent call last):
    discreet.errors.InvalidInput: the score changes by 2 between neighbours, which is more than \
the declared sensitivity 1; declare at least that change
    """
    family = _FAMILIES[_checked(choice)]
    lengths = np.stack([statistic.lengths(histogram) for histogram in histograms], axis=1)
    return family(
        tables, neighbours, epsilon, outputs=outputs, scores=(-lengths).tolist(), sensitivity=1
    )


@dataclass(frozen=True)
class PathLengthMechanism:
    """Draws of a statistic of a table of any size, exactly, from its histogram.

    >>> PathLengthMechanism.of(PathLength.median(), 1).draw([0, 0, 5000, 0])
    2
    """

    statistic: PathLength
    epsilon: Epsilon
    choice: ChoiceRule = ChoiceRule.PERMUTE_AND_FLIP

    @classmethod
    def of(
        cls,
        statistic: PathLength,
        epsilon: EpsilonLike,
        *,
        choice: str = ChoiceRule.PERMUTE_AND_FLIP,
    ) -> Self:
        """Read ε, and check the name of the choice."""
        return cls(statistic, Epsilon.of(epsilon), _checked(choice))

    @property
    def _selection(self) -> ExponentialMechanism:
        family = (
            ExponentialMechanism
            if self.choice == ChoiceRule.EXPONENTIAL
            else PermuteAndFlipMechanism
        )
        return family.of(1, self.epsilon)

    def draw(self, histogram: Histogram) -> int:
        """The index of one answer."""
        return self._selection.draw(-self.statistic.lengths(histogram))  # type: ignore[arg-type]

    def draw_many(self, histogram: Histogram, count: int) -> npt.NDArray[np.int64]:
        """`count` independent draws from one histogram."""
        lengths = self.statistic.lengths(histogram)
        return self._selection.draw_many(-lengths, count)  # type: ignore[arg-type]

    def probabilities(self, histogram: Histogram) -> npt.NDArray[np.float64]:
        """How likely each answer is, in floats: for expected errors, never for draws.

        >>> PathLengthMechanism.of(PathLength.maximum(), 2).probabilities([1, 1]).round(3).tolist()
        [0.184, 0.816]
        """
        lengths = self.statistic.lengths(histogram)
        coins = np.exp(-float(self.epsilon) / 2 * (lengths - lengths.min()))
        if self.choice == ChoiceRule.EXPONENTIAL:
            return np.asarray(coins / coins.sum())
        return flip_probabilities(coins[:, None])[:, 0]

    def expected_errors(self, histograms: Iterable[Histogram]) -> npt.NDArray[np.float64]:
        """For each histogram, the expected distance from the truth, in steps of the answers.

        >>> mechanism = PathLengthMechanism.of(PathLength.maximum(), 2)
        >>> mechanism.expected_errors([[2, 0], [1, 1]]).round(3).tolist()
        [0.184, 0.184]
        """
        errors = []
        for histogram in histograms:
            law = self.probabilities(histogram)
            truth = self.statistic.answer(histogram)
            errors.append(float(law @ np.abs(np.arange(len(law)) - truth)))
        return np.array(errors)


def _checked(choice: str) -> ChoiceRule:
    if rule := ChoiceRule.read(choice):
        return rule
    raise GoalError(
        f"a choice by path length must be {' or '.join(ChoiceRule)}, got {show(choice)}"
    )
