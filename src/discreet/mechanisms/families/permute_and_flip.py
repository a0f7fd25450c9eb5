"""Permute-and-flip (McKenna & Sheldon 2020): never worse than the exponential mechanism.

Outputs are visited in random order; each is accepted with probability exp(rate·(score − best)).
Proof of privacy and of the closed form: docs/proofs/permute-and-flip.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.exact import EpsilonLike, RationalLike
from discreet.mechanisms.families.exponential import ExponentialMechanism
from discreet.mechanisms.scores import ScoresLike, read_scores
from discreet.model import Mechanism, Neighbours, Space
from discreet.sampling import permute_and_flip_choice

_MOST_NODES = 64
_OUT_OF_SIGHT = 45.0


def permute_and_flip(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    scores: ScoresLike | None = None,
    sensitivity: RationalLike | None = None,
    monotone: bool = False,
) -> Mechanism:
    """The matrix of permute-and-flip for a score with rate ε/(2Δu), or ε/Δu when monotone.

    >>> from discreet.model import AllPairs, Grid
    >>> permute_and_flip(Grid.between(1, 5), AllPairs(), 1).probabilities()[:, 0].round(3).tolist()
    [0.269, 0.227, 0.194, 0.167, 0.144]
    """
    read = read_scores(
        answers, outputs, neighbours, scores, sensitivity=sensitivity, monotone=monotone
    )
    exponents = read.below_best()

    def law(at: float) -> npt.NDArray[np.float64]:
        return flip_probabilities(np.exp(at * exponents))

    return read.mechanism("permute-and-flip", law, epsilon)


def flip_probabilities(coins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Which output is accepted first: q_r ∫₀¹ Π_{s≠r}(1 − t·q_s) dt for the coins q of a column.

    The integrand is a polynomial in t, positive on (0, 1): Gauss–Legendre nodes integrate it
    without error but rounding, and nothing cancels. Of very many outputs it falls like e^(−t·Σq):
    it is integrated as far as it can be told from zero, by as many nodes as that needs.

    >>> flip_probabilities(np.array([[1.0], [0.5]])).ravel().tolist()
    [0.75, 0.25]
    """
    exact = len(coins) // 2 + 1
    nodes, weights = np.polynomial.legendre.leggauss(min(exact, _MOST_NODES))
    sums = coins.sum(axis=0)
    reach = np.ones_like(sums) if exact <= _MOST_NODES else np.minimum(1.0, _OUT_OF_SIGHT / sums)
    probabilities = np.zeros_like(coins)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        misses = 1.0 - node * reach * coins
        probabilities += weight * reach * coins * (misses.prod(axis=0) / misses)
    return probabilities


@dataclass(frozen=True)
class PermuteAndFlipMechanism(ExponentialMechanism):
    """Permute-and-flip on any list of scores, drawn exactly; its accuracy is at least as good."""

    def draw(self, scores: Sequence[RationalLike]) -> int:
        """The index of one output."""
        return permute_and_flip_choice(scores, rate=self.rate)

    def draw_many(self, scores: Sequence[RationalLike], count: int) -> npt.NDArray[np.int64]:
        """`count` independent choices."""
        return permute_and_flip_choice(scores, count, rate=self.rate)
