"""Report noisy max (Dwork & Roth 2014, Claim 3.9; 001 Example 4).

Proof: docs/proofs/noisy-max.md. Each score gets discrete Laplace noise, the index of the largest is
told, and ties are broken by a fair lot. One record that can only raise scores, or only lower them
(counts, when it is added or removed), costs ε at rate ε/Δu; in general the rate is ε/(2Δu).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike, RationalLike
from discreet.mechanisms.families.exponential import Selection
from discreet.mechanisms.families.laplace import LaplaceMechanism
from discreet.mechanisms.lattice import Floats, enough_nodes, sum_nodes
from discreet.mechanisms.scores import ScoresLike, read_scores
from discreet.model import Integers, Mechanism, Neighbours, Space
from discreet.sampling import noisy_max_choice

_NEGLIGIBLE = 42.0
"""e^−42 is below the last digit of a float."""
_HOPELESS = 300.0
"""A score so far below the best, times the rate, never wins: e^−300 is nobody's loss."""
_FINEST = 1e-15
_MOST_WORK = 3 * 10**9


def noisy_max(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    scores: ScoresLike | None = None,
    sensitivity: RationalLike | None = None,
    monotone: bool = False,
) -> Mechanism:
    """The matrix of report noisy max for a score: which output has the largest noisy score.

    >>> from discreet.model import AllPairs, Grid
    >>> noisy_max(Grid.between(1, 3), AllPairs(), 2).probabilities()[:, 0].round(3).tolist()
    [0.522, 0.305, 0.173]
    """
    read = read_scores(
        answers, outputs, neighbours, scores, sensitivity=sensitivity, monotone=monotone
    )
    share = float(read.share / read.unit)
    if share * float(Epsilon.of(epsilon)) < _FINEST:
        raise DesignError(
            "the steps between scores are too fine for noisy max; round the scores to a coarser "
            "step, or use permute-and-flip"
        )

    def law(at: float) -> npt.NDArray[np.float64]:
        return np.column_stack([winning(column, at * share) for column in read.table.T])

    return read.mechanism("noisy-max", law, epsilon)


def winning(scores: Integers, rate: float) -> Floats:
    """The chance of each score to be the largest, with discrete Laplace noise of this rate.

    Σ_v Pr(score i is v) · ∫₀¹ Π_{s≠i} (Pr(score s < v) + z·Pr(score s = v)) dz: z stands for the
    lot of score i among those that tie at v. Between scores, the terms are smooth in v.

    >>> winning(np.array([0, 0]), 1.0).tolist(), winning(np.array([5, 0]), 9.0).round(9).tolist()
    ([0.5, 0.5], [1.0, 0.0])
    """
    scores = np.maximum(scores - scores.max(), -math.ceil(_HOPELESS / rate))
    values, weights = _values(scores, rate)
    growth = len(scores) * math.expm1(min(rate, _NEGLIGIBLE))
    nodes = enough_nodes(growth, len(scores) // 2 + 1)
    lots, shares = np.polynomial.legendre.leggauss(nodes)
    if len(scores) ** 2 * len(values) * len(lots) > _MOST_WORK:
        raise DesignError(
            f"the matrix of noisy max is too much work for {len(scores)} outputs; "
            "use permute-and-flip, or draw without a matrix"
        )
    above = values[None, :] - scores.astype(np.float64)[:, None]
    alpha = math.exp(-rate)
    tail = np.exp(-rate * np.abs(above)) / (1 + alpha)
    equal = tail * -math.expm1(-rate)
    below = np.where(above > 0, 1.0 - tail, tail * alpha)
    wins = np.zeros(len(scores))
    for lot, share in zip((lots + 1) / 2, shares / 2, strict=True):
        losing = below + lot * equal
        wins += share * (equal * (losing.prod(axis=0) / losing)) @ weights
    return np.asarray(wins / wins.sum())


def _values(scores: Integers, rate: float) -> tuple[Floats, Floats]:
    """Where the winning noisy score may lie, with all that is beyond below a float's last digit."""
    marks = sorted({int(score) for score in scores})
    count, spread = len(scores), rate * (marks[-1] - marks[0])
    lowest = marks[0] - math.ceil((_NEGLIGIBLE + spread) / (rate * count))
    highest = marks[-1] + math.ceil(_NEGLIGIBLE / rate)

    def longest(start: int) -> int:
        """So long that the terms change by a factor of about e^20; far up, only one changes."""
        above = rate * max(start - marks[-1], 0)
        return int(min(8.0, 20 / (1 + count * min(1.0, 2 * math.exp(-above)))) / rate)

    return sum_nodes([lowest, *marks, highest + 1], longest)


@dataclass(frozen=True)
class NoisyMaxMechanism(Selection):
    """Report noisy max on any list of whole scores, such as counts, drawn exactly.

    >>> counts = NoisyMaxMechanism.of(1, 1, monotone=True)
    >>> counts.rate, counts.accuracy("0.95", 100)
    (Fraction(1, 1), 14)
    """

    def draw(self, scores: Sequence[int]) -> int:
        """The index of the largest noisy score."""
        return noisy_max_choice(scores, self.rate)

    def draw_many(self, scores: Sequence[int], count: int) -> npt.NDArray[np.int64]:
        """`count` independent choices."""
        return noisy_max_choice(scores, self.rate, count)

    def accuracy(self, confidence: RationalLike, outputs: int) -> int:
        """With this confidence, the chosen score is below the best by no more.

        Twice what no noise exceeds: the best loses and the chosen one gains at most that.
        """
        steps = self.sensitivity * (1 if self.monotone else 2)
        noise = LaplaceMechanism(steps, self.epsilon, on_grid=True)
        return 2 * int(noise.accuracy(confidence, outputs))
