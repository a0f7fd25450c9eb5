"""How many rows must come or go for a quantile to become y (docs/proofs/path-length.md)."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.statistics.answers import Tables


def steps_to_quantile(counts: Tables, share: Fraction) -> Tables:
    """Rows to add or remove: adding y and removing from one side is all that ever helps.

    >>> steps_to_quantile(np.array([1, 0, 2, 0]), Fraction(1, 2)).tolist()
    [1, 1, 0, 4]
    """
    up_to = np.cumsum(counts)
    below, above = up_to - counts, up_to[-1] - up_to
    if share == 0:
        return np.asarray(below + (counts == 0))
    enough = _Enough(below, counts, above, share)
    low = np.full(len(counts), -1, dtype=np.int64)
    high = np.full(len(counts), int(up_to[-1]) + 1, dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        suffices = enough(middle)
        high = np.where(suffices, middle, high)
        low = np.where(suffices, low, middle)
    return high


class _Enough:
    """Whether so many steps suffice, for every y at once.

    With L rows below y, E at it and G above, y is the quantile of share p = u/(u + v) when
    v·L < u·(E + G) and u·G ≤ v·(L + E). Of k steps, t remove from the side that share p makes
    heavy (below for p ≤ ½) and k − t add y: the t that keep both lines form an interval.
    """

    def __init__(self, below: Tables, at: Tables, above: Tables, share: Fraction) -> None:
        self.u, self.v = share.numerator, share.denominator - share.numerator
        largest = 4 * share.denominator * (int(below[-1] + at[-1]) + 2)
        kind = np.dtype(np.int64 if largest < 2**62 else object)
        self.below: Tables = below.astype(kind)
        self.at: Tables = at.astype(kind)
        self.above: Tables = above.astype(kind)

    def __call__(self, steps: Tables) -> npt.NDArray[np.bool_]:
        least, most = self._from_below(steps) if self.u <= self.v else self._from_above(steps)
        return np.asarray(np.maximum(least, 0) <= np.minimum(most, steps), dtype=bool)

    def _from_below(self, steps: Tables) -> tuple[Tables, Tables]:
        u, v = self.u, self.v
        lacking = v * self.below - u * (self.at + self.above + steps)
        least = lacking // (v - u) + 1 if v > u else np.where(lacking < 0, 0, steps + 1)
        room = (v * (self.below + self.at + steps) - u * self.above) // (2 * v)
        return least, np.minimum(self.below, room)

    def _from_above(self, steps: Tables) -> tuple[Tables, Tables]:
        u, v = self.u, self.v
        lacking = u * self.above - v * (self.below + self.at + steps)
        least = -(-lacking // (u - v))
        room = (u * (self.at + self.above + steps) - v * self.below - 1) // (2 * u)
        return least, np.minimum(self.above, room)
