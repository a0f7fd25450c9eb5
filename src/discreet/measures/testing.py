"""What a test can tell: the bounds of 001 Prop. 2, and the exact distance of a matrix's columns."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np
import numpy.typing as npt

from discreet.exact import Epsilon, EpsilonLike
from discreet.model import Mechanism

_CELLS = 1_000_000


@dataclass(frozen=True)
class TestingBounds:
    """Lower bounds on the sum of both error rates of a test between two neighbouring databases."""

    __test__ = False

    pinsker: float
    """1 − √(ε/2), by Pinsker's inequality and KL ≤ ε; 0 where that says nothing."""
    tight: float
    """1 − (e^ε − 1)/(e^ε + 1) = 2/(e^ε + 1): reached by randomized response."""


def testing_bounds(epsilon: EpsilonLike) -> TestingBounds:
    """No test can tell neighbours apart with smaller error rates than these (001 Prop. 2).

    Proofs: docs/proofs/testing-bounds.md.

    >>> testing_bounds("log 3")
    TestingBounds(pinsker=0.2588480963162444, tight=0.5)
    """
    eps = Epsilon.of(epsilon)
    return TestingBounds(
        pinsker=max(0.0, 1.0 - math.sqrt(float(eps) / 2)),
        tight=float(2 / (eps.ratio_above + 1)),
    )


def total_variation(mechanism: Mechanism) -> Fraction:
    """The largest total variation distance between neighbouring columns, exactly.

    1 minus it is the least sum of error rates with which a test tells the two apart.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> total_variation(Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]]))
    Fraction(1, 2)
    """
    columns = np.ascontiguousarray(mechanism.weights.T)
    most = 0
    for pairs in _batches(mechanism):
        # A column's weights and the positive parts of a difference sum to at most `total`, so
        # machine words never overflow.
        gained = np.maximum(columns[pairs[:, 0]] - columns[pairs[:, 1]], 0).sum(axis=1)
        most = max(most, int(gained.max()))
    return Fraction(most, mechanism.total)


def _batches(mechanism: Mechanism) -> Iterator[npt.NDArray[np.int64]]:
    rows, columns = mechanism.shape
    pairs = iter(mechanism.neighbours.pairs(columns))
    while batch := list(islice(pairs, max(1, _CELLS // rows))):
        yield np.array(batch)
