"""How many rows off a choice by rank is at most, on either side: in every table, but for a chance.

Runs that are too far away are chosen at most as often as if one run alone were near, wherever it
is; how many of them there are, and how each leans, is public (docs/proofs/ranks.md, Claim 9).
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class FarRuns:
    """Runs in order with their leanings, and what a row costs a run that is too low or too high."""

    leanings: Floats
    up: float
    """What every row that a run is too low costs it."""
    down: float
    """What every row that a run is too high costs it."""
    first_low: float
    """How many rows too low the run already counts that is exact or too low by none."""
    first_high: float
    slack: float
    """What the run that is aimed at may lose at most."""
    least: tuple[int, int]
    """So many rows too low and too high the run that is aimed at may be."""
    most: tuple[int, int]
    """No run is more rows too low, or too high, in any table."""

    def by_side(self, failure: float) -> tuple[int, int]:
        """The least numbers of rows, below and above, that suffice but for a chance of failure.

        The larger of the two is as small as can be; then each is.
        """
        both = bisect_left(
            range(max(self.most)), True, key=lambda far: self._is_sure(far, far, failure)
        )
        low, high = self._within(both, both)
        if self.up * (low + self.first_low) < self.down * (high + self.first_high):
            high = bisect_left(range(high), True, key=lambda h: self._is_sure(low, h, failure))
            low = bisect_left(range(low), True, key=lambda one: self._is_sure(one, high, failure))
        else:
            low = bisect_left(range(low), True, key=lambda one: self._is_sure(one, high, failure))
            high = bisect_left(range(high), True, key=lambda h: self._is_sure(low, h, failure))
        return self._within(low, high)

    def _within(self, low: int, high: int) -> tuple[int, int]:
        low, high = max(low, self.least[0]), max(high, self.least[1])
        return min(low, self.most[0]), min(high, self.most[1])

    def _is_sure(self, low: int, high: int, failure: float) -> bool:
        return self.missed(*self._within(low, high)) <= failure

    def missed(self, low: int, high: int) -> float:
        """The chance at most of a run that is more than so many rows too low or too high."""
        below = above = np.zeros(len(self.leanings))
        below_most, above_most = below, above
        likely = np.exp(self.leanings - self.leanings.max())
        if low < self.most[0]:
            coin = np.exp(-self.up * (low + self.first_low))
            below = coin * np.append(0.0, np.cumsum(likely)[:-1])
            below_most = coin * np.append(0.0, np.maximum.accumulate(likely)[:-1])
        if high < self.most[1]:
            coin, back = np.exp(-self.down * (high + self.first_high)), likely[::-1]
            above = coin * np.append(0.0, np.cumsum(back)[:-1])[::-1]
            above_most = coin * np.append(0.0, np.maximum.accumulate(back)[:-1])[::-1]
        near = np.exp(self.slack) / likely
        largest, total = near * np.maximum(below_most, above_most), near * (below + above)
        if largest.max() >= 1:
            return 1.0
        far = np.flatnonzero(largest > 0)
        if not len(far):
            return 0.0
        largest, coins = largest[far], 1 + total[far] / largest[far]
        hits = -np.expm1(coins * np.log1p(-largest)) / (coins * largest)
        return float((1 - hits).max()) * (1 + _ROUNDING) + _ROUNDING
