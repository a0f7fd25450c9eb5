"""How many records must change for a quantile to become y (docs/proofs/path-length.md).

Of m records in order, the quantile of share p is the one at place max(1, ⌈p·m⌉): share 0 is the
minimum, ½ the (lower) median, 1 the maximum, r/n the r-th smallest of n.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.mechanisms.path_length.reading import Lengths


def rank_of_share(share: Fraction, records: int) -> int:
    """Which record in order, from 1, the quantile of a share is.

    >>> [rank_of_share(Fraction(p), 10) for p in ("0", "1/2", "0.91", "1")]
    [1, 5, 10, 10]
    """
    return max(1, -(-share.numerator * records // share.denominator))


def quantile_changes(counts: Lengths, share: Fraction) -> Lengths:
    """Records to change when one may change its value: those on the wrong side of the rank.

    >>> quantile_changes(np.array([1, 0, 2, 0]), Fraction(1, 2)).tolist()
    [1, 1, 0, 2]
    """
    records = int(counts.sum())
    rank = rank_of_share(share, records)
    up_to = np.cumsum(counts)
    below, above = up_to - counts, records - up_to
    wrong = np.maximum(below - rank + 1, above - (records - rank))
    return np.asarray(np.maximum(wrong, 0))


def quantile_steps(counts: Lengths, share: Fraction) -> Lengths:
    """Records to add or remove: adding y and removing from one side is all that ever helps.

    >>> quantile_steps(np.array([1, 0, 2, 0]), Fraction(1, 2)).tolist()
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

    With L records below y, E at it and G above, y is the quantile of share p = u/(u + v) when
    v·L < u·(E + G) and u·G ≤ v·(L + E). Of k steps, t remove from the side that share p makes
    heavy (below for p ≤ ½) and k − t add y: the t that keep both lines form an interval.
    """

    def __init__(self, below: Lengths, at: Lengths, above: Lengths, share: Fraction) -> None:
        self.u, self.v = share.numerator, share.denominator - share.numerator
        largest = 4 * share.denominator * (int(below[-1] + at[-1]) + 2)
        kind = np.dtype(np.int64 if largest < 2**62 else object)
        self.below: Lengths = below.astype(kind)
        self.at: Lengths = at.astype(kind)
        self.above: Lengths = above.astype(kind)

    def __call__(self, steps: Lengths) -> npt.NDArray[np.bool_]:
        least, most = self._from_below(steps) if self.u <= self.v else self._from_above(steps)
        return np.asarray(np.maximum(least, 0) <= np.minimum(most, steps), dtype=bool)

    def _from_below(self, steps: Lengths) -> tuple[Lengths, Lengths]:
        u, v = self.u, self.v
        lacking = v * self.below - u * (self.at + self.above + steps)
        least = lacking // (v - u) + 1 if v > u else np.where(lacking < 0, 0, steps + 1)
        room = (v * (self.below + self.at + steps) - u * self.above) // (2 * v)
        return least, np.minimum(self.below, room)

    def _from_above(self, steps: Lengths) -> tuple[Lengths, Lengths]:
        u, v = self.u, self.v
        lacking = u * self.above - v * (self.below + self.at + steps)
        least = -(-lacking // (u - v))
        room = (u * (self.at + self.above + steps) - v * self.below - 1) // (2 * u)
        return least, np.minimum(self.above, room)
