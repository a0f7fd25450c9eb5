"""What several tests of mechanisms share."""

from fractions import Fraction

from discreet.exact import Epsilon
from discreet.model import AllPairs, Mechanism, Within

EPSILONS = ("0.01", "0.1", "0.5", "1", "log 3", "2", "5", "10")
"""The ε at which every shipped family must be certified."""

RELATIONS = (Within(1), Within(3), AllPairs())

NOISES = ("laplace", "geometric", "staircase")
"""Families that add symmetric, monotone noise and snap."""


def tight_changes(mechanism: Mechanism, epsilon: str) -> list[tuple[int, int, int]]:
    """(output, answer, ±1): where one unit more, or less, breaks a ratio."""
    ratio: Fraction = Epsilon.of(epsilon).ratio_below
    p, q = ratio.numerator, ratio.denominator
    found = []
    for one, other in mechanism.neighbours.pairs(len(mechanism.answers)):
        for j, k in ((one, other), (other, one)):
            columns = zip(mechanism.column(j).tolist(), mechanism.column(k).tolist(), strict=True)
            for i, (here, there) in enumerate(columns):
                if (here + 1) * q > p * there:
                    found.append((i, j, 1))
                if here * q > p * (there - 1):
                    found.append((i, k, -1))
    return found
