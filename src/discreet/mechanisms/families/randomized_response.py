"""Randomized response (Warner 1965; 001 Example 1), for two answers or any number.

Proof: docs/proofs/randomized-response.md. Where any answer may neighbour any other, it has the
largest chance of telling the truth that ε allows.
"""

import numpy as np

from discreet.exact import Epsilon, EpsilonLike
from discreet.model import Mechanism, Neighbours, Space, category_of
from discreet.repair import BITS


def randomized_response(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """The true output e^ε times as likely as each other one.

    At `log 3` and two answers these are the coins of 001 Example 1.

    >>> from discreet.model import AllPairs, Labels
    >>> randomized_response(Labels.of(["no", "yes"]), AllPairs(), "log 3").weights
    array([[3, 1],
           [1, 3]])
    """
    rows = outputs or answers
    true, other = _weights(len(rows), Epsilon.of(epsilon))
    weights = np.full((len(rows), len(answers)), other, dtype=object)
    weights[list(category_of(rows, answers)), np.arange(len(answers))] = true
    return Mechanism.of(answers, rows, neighbours, weights, name="randomized-response")


def _weights(size: int, epsilon: Epsilon) -> tuple[int, int]:
    """Two integers whose ratio is e^ε, from below: exactly, when ε is the log of a fraction."""
    ratio = epsilon.ratio_below
    if epsilon.log_of is not None:
        return ratio.numerator, ratio.denominator
    other = max(int((1 << BITS) / (ratio + size - 1)), 1)
    return int(other * ratio), other
