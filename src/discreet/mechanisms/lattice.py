"""Sums of smooth functions over long runs of integers, by few nodes.

The nodes and weights are those of Gauss for the counting measure on 0 … length − 1 (its orthogonal
polynomials are Gram's, or discrete Chebyshev's): exact for polynomials of degree below 2·NODES.
"""

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


def sum_nodes(breaks: list[int], longest: int) -> tuple[Floats, Floats]:
    """Nodes and weights for breaks[0] … breaks[−1] − 1, no run crossing a break or `longest`."""
    nodes, weights = [], []
    for start, end in pairwise(breaks):
        pieces = -(-(end - start) // longest)
        marks = [start + (end - start) * piece // pieces for piece in range(pieces + 1)]
        for first, after in pairwise(marks):
            places, counts = run_nodes(after - first)
            nodes.append(first + places)
            weights.append(counts)
    return np.concatenate(nodes), np.concatenate(weights)
