"""The exponential mechanism (McSherry & Talwar 2007; 001 Prop. 7, Examples 5 and 6).

Proof, and when a monotone score saves the factor 2: docs/proofs/exponential.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, spendable
from discreet.exact.numbers import check_positive, check_said, failure_of
from discreet.mechanisms.scores import ScoresLike, read_scores
from discreet.model import Mechanism, Neighbours, Space
from discreet.sampling import exponential_choice


def exponential(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    scores: ScoresLike | None = None,
    sensitivity: RationalLike | None = None,
    monotone: bool = False,
) -> Mechanism:
    """Each output with probability ∝ exp(ε·score/(2Δu)), or exp(ε·score/Δu) for a monotone score.

    >>> from discreet.model import AllPairs, Grid
    >>> exponential(Grid.between(1, 5), AllPairs(), 1).probabilities()[:, 0].round(3).tolist()
    [0.253, 0.223, 0.197, 0.174, 0.153]
    """
    read = read_scores(
        answers, outputs, neighbours, scores, sensitivity=sensitivity, monotone=monotone
    )
    exponents = read.below_best()
    return read.mechanism("exponential", lambda at: np.exp(at * exponents), epsilon)


@dataclass(frozen=True)
class Selection:
    """How much ε a unit of score carries when one of finitely many outputs is chosen by scores."""

    sensitivity: Fraction
    epsilon: Epsilon
    monotone: bool = False
    """Whether one record can only raise scores or only lower them (counts, when it is added)."""

    def __post_init__(self) -> None:
        check_positive("sensitivity of the score", self.sensitivity)
        check_said("monotone", self.monotone)

    @classmethod
    def of(cls, sensitivity: RationalLike, epsilon: EpsilonLike, *, monotone: bool = False) -> Self:
        """Read the numbers exactly."""
        width = rational(sensitivity, "the sensitivity of the score")
        return cls(width, Epsilon.of(epsilon), monotone)

    @property
    def rate(self) -> Fraction:
        """ε/(2Δu), or ε/Δu for a monotone score."""
        return spendable(self.epsilon) / (self.sensitivity * (1 if self.monotone else 2))


@dataclass(frozen=True)
class ExponentialMechanism(Selection):
    """The exponential mechanism on any list of scores, drawn exactly.

    >>> round(ExponentialMechanism.of(1, 1).accuracy("0.95", 100), 6)
    15.201805
    """

    def draw(self, scores: Sequence[RationalLike]) -> int:
        """The index of one output."""
        return exponential_choice(scores, rate=self.rate)

    def draw_many(self, scores: Sequence[RationalLike], count: int) -> npt.NDArray[np.int64]:
        """`count` independent choices."""
        return exponential_choice(scores, count, rate=self.rate)

    def accuracy(self, confidence: RationalLike, outputs: int) -> float:
        """With this confidence, the chosen score is below the best by less (001 Example 6).

        (t + log |Y|)/rate with t = −log(1 − confidence).
        """
        return -math.log(failure_of(confidence, outputs)) / float(self.rate)
