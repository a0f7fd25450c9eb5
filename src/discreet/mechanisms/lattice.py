"""Sums of smooth functions over long runs of integers, by few nodes.

The nodes and weights are those of Gauss for the counting measure on 0 … length − 1 (its orthogonal
polynomials are Gram's, or discrete Chebyshev's): exact for polynomials of degree below 2·NODES.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

NODES = 24


@lru_cache(maxsize=4096)
def run_nodes(length: int) -> tuple[Floats, Floats]:
    """Nodes and weights for the sum over 0 … length − 1; short runs are summed as they are.

    >>> nodes, weights = run_nodes(1000)
    >>> len(nodes), round(float(weights @ nodes**3)), sum(k**3 for k in range(1000))
    (24, 249500250000, 249500250000)
    """
    if length <= NODES:
        return np.arange(length, dtype=np.float64), np.ones(length)
    k = np.arange(1, NODES, dtype=np.float64)
    beside = np.sqrt(k**2 * (1 - (k / length) ** 2) / (4 * (4 * k**2 - 1)))
    centred, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return centred * length + (length - 1) / 2, vectors[0] ** 2 * length


def sum_nodes(breaks: list[int], longest: Callable[[int], int]) -> tuple[Floats, Floats]:
    """Nodes and weights for breaks[0] … breaks[−1] − 1, in runs that cross no break.

    `longest` says how long the run that begins at a place may be.
    """
    nodes, weights = [], []
    for first, end in pairwise(breaks):
        start = first
        while start < end:
            length = min(max(longest(start), 1), end - start)
            places, counts = run_nodes(length)
            nodes.append(start + places)
            weights.append(counts)
            start += length
    return np.concatenate(nodes), np.concatenate(weights)


def enough_nodes(growth: float, exact: int) -> int:
    """Gauss–Legendre nodes for a polynomial f on [0, 1] with 0 ≤ f⁽ᵏ⁾ ≤ growthᵏ·f; `exact` at most.

    n nodes err by at most growth²ⁿ·(n!)⁴/((2n + 1)·((2n)!)³)·max f, and max f ≤ e^growth·f(0): the
    least n for which that is below e^−40 of the integral.

    >>> enough_nodes(0.01, 100), enough_nodes(1.0, 100), enough_nodes(1e6, 7)
    (3, 7, 7)
    """
    for n in range(1, exact):
        error = growth + 2 * n * math.log(growth) + 4 * math.lgamma(n + 1)
        if error - math.log(2 * n + 1) - 3 * math.lgamma(2 * n + 1) < -40:
            return n
    return exact
