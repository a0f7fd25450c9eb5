"""A solver's matrix becomes integers that keep every ratio (docs/proofs/envelope.md).

Rows that keep the ratios form a cone: a sum of two of them keeps the ratios too. So each row is
raised to its *envelope*, the smallest integers above it that keep them, and what the columns then
lack of their common total is added to one row; it lies in the cone as soon as it is flat enough.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.model import Integers, Neighbours
from discreet.repair.rounding import BITS, close_rows

Floats = npt.NDArray[np.float64]

_NEGLIGIBLE = 2.0**-40
_MOST_RESERVE = 0.5


def envelope_integers(
    matrix: Floats,
    neighbours: Neighbours,
    ratio: Fraction,
    filler: int,
    *,
    least: Floats | None = None,
    bits: int = BITS,
) -> Integers:
    """Integers near a matrix whose columns sum to about 1: every ratio kept, columns sum to 2^bits.

    Rows that hold next to nothing are left out. What the columns lack goes to row `filler`. No
    cell ends below its share in `least` of the total.

    >>> from discreet.model import Within
    >>> broken = np.array([[0.75, 0.2], [0.25, 0.8]])
    >>> fixed = envelope_integers(broken, Within(1), Fraction(3), 0, bits=10)
    >>> fixed.tolist(), fixed.sum(axis=0).tolist()
    ([[769, 261], [255, 763]], [1024, 1024])
    """
    share = np.maximum(matrix, 0.0)
    kept = share.max(axis=1) >= _NEGLIGIBLE
    if least is not None:
        kept |= least.max(axis=1) > 0
    total = 1 << bits
    floor = None if least is None else np.ceil(least[kept] * float(total)).astype(np.int64)
    reserve = 0
    while reserve <= _MOST_RESERVE * total:
        rows = np.floor(share[kept] * float(total - reserve)).astype(np.int64)
        raised = rows if floor is None else np.maximum(rows, floor)
        closed = close_rows(raised.astype(object), neighbours, ratio)
        lacking = total - closed.sum(axis=0)
        if lacking.min() >= 0 and _keeps(lacking[None, :], neighbours, ratio):
            weights = np.zeros(matrix.shape, dtype=object)
            weights[kept] = closed
            weights[filler] += lacking
            return weights
        reserve += _wanted(lacking, ratio) + len(matrix) + reserve // 8
    raise DesignError(
        "the solver's matrix is too far from private to be repaired; "
        "use a larger ε or fewer answers"
    )


def filled_integers(matrix: Floats, filler: int, mixed: float, *, bits: int = BITS) -> Integers:
    """Integers near (1 − mixed)·matrix, rounded down; row `filler` takes what columns lack.

    Nothing is said of ratios: this is for (ε, δ), where an answer told regardless of the truth
    (the filler) makes room for rounding and for what the solver left open.
    """
    total = 1 << bits
    share = np.maximum(matrix, 0.0)
    share = share / share.sum(axis=0)
    share[share < 2.0**-52] = 0.0
    weights: Integers = np.floor(share * (1.0 - mixed) * float(total)).astype(np.int64)
    weights = weights.astype(object)
    lacking = total - weights.sum(axis=0)
    while lacking.min() < 0:
        weights -= weights >> 50
        lacking = total - weights.sum(axis=0)
    weights[filler] += lacking
    return weights


def _wanted(lacking: Integers, ratio: Fraction) -> int:
    """How much more must be kept back for what the columns lack to be positive and flat enough."""
    spread = int(lacking.max() - lacking.min())
    level = -(-spread * ratio.denominator // (ratio.numerator - ratio.denominator))
    return max(level - int(lacking.min()), 1)


def _keeps(rows: Integers, neighbours: Neighbours, ratio: Fraction) -> bool:
    return bool((close_rows(rows, neighbours, ratio) == rows).all())
