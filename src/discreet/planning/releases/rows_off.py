"""How many rows off a choice by rank is at most, on either side: in every table, but for a chance.

Runs that are too far away are chosen at most as often as if one run alone were near, wherever it
is; how many of them there are, and how each leans, is public (docs/proofs/ranks.md, Claim 9).
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-12
_IN_SIGHT = 30.0


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
    step: float | None = None
    """What noise comes in steps of; None: permute-and-flip chooses."""

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
        below, below_most, above, above_most, likely = self._sides
        low_coin = self._coin(self.up * (low + self.first_low)) if low < self.most[0] else 0.0
        high_coin = self._coin(self.down * (high + self.first_high)) if high < self.most[1] else 0.0
        near = 1 / likely
        largest = near * np.maximum(low_coin * below_most, high_coin * above_most)
        total = near * (low_coin * below + high_coin * above)
        if largest.max() >= 1:
            return 1.0
        far = np.flatnonzero(largest > 0)
        if not len(far):
            return 0.0
        largest, others = largest[far], total[far] / largest[far]
        if self.step is None:
            hits = -np.expm1((1 + others) * np.log1p(-largest)) / ((1 + others) * largest)
            missed = float((1 - hits).max())
        else:
            missed = float(_missed_in_steps(largest, others, self.step).max())
        return missed * (1 + _ROUNDING) + _ROUNDING

    def _coin(self, cost: float) -> float:
        """How likely a run that loses so much comes up to the one that is aimed at, leanings apart.

        By noise in steps it takes whole ones; where runs lean this is not used, and holds too.
        """
        gap = cost - self.slack
        if self.step is not None and self._all_lean_alike:
            gap = self.step * math.ceil(gap / self.step - _ROUNDING)
        return math.exp(-gap)

    @cached_property
    def _all_lean_alike(self) -> bool:
        return bool(np.ptp(self.leanings) == 0)

    @cached_property
    def _sides(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """For each run that may be aimed at: how much those below it weigh, in all and at most,
        the same of those above, and its own weight.

        Where all lean alike, what lies between the second and the last but one is between these:
        the sum of both sides goes evenly from one to the other.
        """
        runs = len(self.leanings)
        if self._all_lean_alike:
            places = np.unique(np.clip([0, 1, runs - 2, runs - 1], 0, runs - 1))
            below, above = places.astype(np.float64), (runs - 1.0) - places
            return below, np.minimum(below, 1), above, np.minimum(above, 1), np.ones(len(places))
        likely = np.exp(self.leanings - self.leanings.max())
        back = likely[::-1]
        return (
            np.append(0.0, np.cumsum(likely)[:-1]),
            np.append(0.0, np.maximum.accumulate(likely)[:-1]),
            np.append(0.0, np.cumsum(back)[:-1])[::-1],
            np.append(0.0, np.maximum.accumulate(back)[:-1])[::-1],
            likely,
        )


def _missed_in_steps(largest: Floats, others: Floats, step: float) -> Floats:
    """Σ_h (1 − α)·α^h·(1 − (1 − q·α^h)^N) for coins q and numbers N, α = e^(−step).

    The run that is aimed at has h steps of noise, another comes up to it (docs/proofs/stepped.md).
    """
    steps = math.ceil((_IN_SIGHT + math.log1p(float(others.max()))) / step)
    rarer = np.exp(-step * np.arange(steps))[:, None]
    passed = -np.expm1(others * np.log1p(-largest * rarer))
    return np.asarray((-math.expm1(-step) * rarer * passed).sum(axis=0) + math.exp(-step * steps))
