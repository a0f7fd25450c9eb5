"""w_y·γ^d as whole numbers: levels that fall by at most e^ε, and one row that fills the columns.

Each row is v₀ ≥ v₁ ≥ … by distance with v_{d+1} = ⌈v_d·q/p⌉, p/q ≤ e^ε, so that it keeps every
ratio by construction; what columns lack of 2^62 goes to one row and is as flat as need be:
docs/proofs/tight-constraints.md.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.model import Integers
from discreet.repair.rounding import BITS

Levels = npt.NDArray[np.int64]


def levels_of(weight: Fraction, ratio: Fraction, layers: int, total: int) -> list[int]:
    """A row by distance, from ⌊w·total⌋ down.

    >>> levels_of(Fraction(1, 3), Fraction(2), 4, 256)
    [85, 43, 22, 11]
    """
    level, levels = int(weight * total), []
    for _ in range(layers):
        levels.append(level)
        level = -(-level * ratio.denominator // ratio.numerator)
    return levels


def tight_integers(
    weights: Sequence[Fraction], distances: npt.NDArray[np.int64], ratio: Fraction, filler: int
) -> Integers:
    """The whole matrix, columns of sum 2^62; row `filler` takes what they lack.

    Raises:
        DesignError: The columns differ by more than one row can even out.
    """
    layers = int(distances.max()) + 1
    total, reserve = 1 << BITS, 0
    rows = np.arange(len(weights))[:, None]
    while reserve <= total // 2:
        levels = np.array(
            [levels_of(weight, ratio, layers, total - reserve) for weight in weights],
            dtype=np.int64,
        )
        matrix: Integers = levels[rows, distances]
        lacking = total - matrix.sum(axis=0)
        least, most = int(lacking.min()), int(lacking.max())
        if least > 0 and most * ratio.denominator <= least * ratio.numerator:
            matrix[filler] += lacking
            return matrix
        spread = Fraction(most - least) / (ratio - 1)
        reserve = 2 * reserve + int(spread) + len(weights) - min(least, 0)
    raise DesignError("the column sums differ by more than one row can make up; use a larger ε")
