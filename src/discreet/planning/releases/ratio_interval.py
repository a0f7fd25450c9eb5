"""The means that a noisy sum and a noisy count allow together (docs/proofs/ratio-mean.md).

Were the mean μ half steps from the middle, the noisy sum less μ times the noisy count would be
nothing but noise, whose law is known: every μ is allowed for which it does not reach too far.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import overload

import numpy as np

from discreet.planning.releases.noise import noise_reach
from discreet.planning.subjects.priors import Floats

CELLS = 16
"""In so many cells of |μ| the reach is that of the cell's outer end."""
_BLOCKS = 1024
"""The count's noise is taken in at most so many blocks, each as its outer end."""
_BEYOND = 1e-6
"""What share of the failures is left to noise beyond the last block."""


@lru_cache(maxsize=256)
def reaches(sum_rate: float, count_rate: float, far: int, failure: float) -> tuple[int, ...]:
    """How far the noise of sum − μ·count reaches, in half steps, for |μ| up to far·i/16."""
    weights, ends = _blocks(count_rate, failure * _BEYOND)
    allowed = failure * (1 - _BEYOND)
    widths, least = [], 0
    for cell in range(CELLS + 1):
        moved = np.ceil(ends * (far * cell / CELLS) * (1 + 1e-12))
        most = noise_reach(sum_rate, failure / 2) + int(moved[-1])
        while least < most:
            middle = (least + most) // 2
            enough = float(weights @ _beyond(sum_rate, moved, middle)) <= allowed
            least, most = (least, middle) if enough else (middle + 1, most)
        widths.append(least + (cell > 0))
    return tuple(widths)


Quotient = tuple[int, int]
"""A whole number over a positive one: for what is worked out in every draw."""


class Reaching(Sequence[int]):
    """The same where each takes its time: worked out when it is asked for, and kept."""

    def __init__(self, reach: Callable[[int], int], spare: int) -> None:
        self._reach, self._spare = reach, spare
        self._known: dict[int, int] = {}

    def __len__(self) -> int:
        return CELLS + 1

    @overload
    def __getitem__(self, cell: int) -> int: ...

    @overload
    def __getitem__(self, cell: slice) -> Sequence[int]: ...

    def __getitem__(self, cell: int | slice) -> int | Sequence[int]:
        if isinstance(cell, slice):
            return [self[one] for one in range(len(self))[cell]]
        if not 0 <= cell <= CELLS:
            raise IndexError(cell)
        if cell not in self._known:
            self._known[cell] = self._reach(cell)
        return self._known[cell]

    @property
    def most(self) -> int:
        """What none of them exceeds: they grow, but for one part in so many, and one."""
        return self[CELLS] + self[CELLS] // self._spare + 1


def allowed_means(
    halves: int, rows: int, far: int, reach: Sequence[int]
) -> tuple[Quotient, Quotient] | None:
    """The least and the largest mean, in half steps from the middle; None where none is allowed."""
    least = _largest(-halves, rows, far, reach)
    largest = _largest(halves, rows, far, reach)
    return None if least is None or largest is None else ((-least[0], least[1]), largest)


def _largest(halves: int, rows: int, far: int, reach: Sequence[int]) -> Quotient | None:
    """The largest μ from −far to far with |halves − μ·rows| ≤ reach, cell by cell from the right.

    In a cell μ lies between two multiples of far/16. Cells that even the largest reach does
    not lead to are passed over at once.
    """
    if rows < 0:
        halves, rows = -halves, -rows
    whole, first = rows * far, CELLS
    if whole:
        most = reach.most if isinstance(reach, Reaching) else max(reach)
        first = min(CELLS, CELLS * (halves + most) // whole + 1)
    for right in range(first, -CELLS, -1):
        off = reach[max(right, 1 - right)]
        low, high = CELLS * (halves - off), CELLS * (halves + off)
        if low <= whole * right and whole * (right - 1) <= high:
            return (halves + off, rows) if high < whole * right else (far * right, CELLS)
    return None


@dataclass(frozen=True, kw_only=True)
class Multiples:
    """Means as multiples of the resolution, in whole numbers.

    A mean of x half steps from the middle of the range is (middle + half·x)/per multiples.
    """

    middle: int
    half: int
    per: int

    @classmethod
    def of(cls, middle: Fraction, unit: Fraction, resolution: Fraction) -> "Multiples":
        """For a range with this middle and steps of this width."""
        at, half = middle / resolution, unit / 2 / resolution
        per = math.lcm(at.denominator, half.denominator)
        return cls(middle=int(at * per), half=int(half * per), per=per)

    def nearest(self, mean: Quotient) -> int:
        """The nearest multiple; of two as near the even one, as `round` has it."""
        above, below = self._quotient(mean)
        whole, rest = divmod(above, below)
        return whole + (2 * rest > below or (2 * rest == below and whole % 2 == 1))

    def around(self, low: Quotient, high: Quotient) -> tuple[int, int]:
        """The last multiple that is not above the one, and the first not below the other."""
        (least, one), (most, other) = self._quotient(low), self._quotient(high)
        return least // one, -(-most // other)

    def _quotient(self, mean: Quotient) -> Quotient:
        return self.middle * mean[1] + self.half * mean[0], self.per * mean[1]


def _blocks(rate: float, beyond: float) -> tuple[Floats, Floats]:
    """How likely the noise lies in each block to either side, and the largest size in it."""
    most = max(1, noise_reach(rate, beyond))
    ends = np.ceil(np.linspace(0, most, min(most, _BLOCKS) + 1))  # they rise
    ends = ends[np.append(True, np.diff(ends) > 0)]
    at_least = np.concatenate([[1.0], 2 * np.exp(-rate * (ends + 1)) / (1 + math.exp(-rate))])
    return -np.diff(at_least), ends


def _beyond(rate: float, moved: Floats, far: int) -> Floats:
    """Pr(|noise − moved| > far) for noise of this rate, for each whole number moved ≥ 0."""
    alpha = math.exp(-rate)
    above = np.exp(-rate * (moved + far + 1)) / (1 + alpha)
    inside = np.exp(-rate * np.maximum(far - moved + 1, 0)) / (1 + alpha)
    outside = 1 - np.exp(-rate * np.maximum(moved - far, 0)) / (1 + alpha)
    return np.asarray(above + np.where(moved <= far, inside, outside))
