"""The means that a noisy sum and a noisy count allow together (docs/proofs/ratio-mean.md).

Were the mean μ half steps from the middle, the noisy sum less μ times the noisy count would be
nothing but noise, whose law is known: every μ is allowed for which it does not reach too far.
"""

import math
from fractions import Fraction
from functools import lru_cache

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
    found, least = [], 0
    for cell in range(CELLS + 1):
        moved = np.ceil(ends * (far * cell / CELLS) * (1 + 1e-12))
        most = noise_reach(sum_rate, failure / 2) + int(moved[-1])
        while least < most:
            middle = (least + most) // 2
            enough = float(weights @ _beyond(sum_rate, moved, middle)) <= allowed
            least, most = (least, middle) if enough else (middle + 1, most)
        found.append(least + (cell > 0))
    return tuple(found)


def allowed_means(
    halves: int, rows: int, far: int, reach: tuple[int, ...]
) -> tuple[Fraction, Fraction] | None:
    """The least and the largest mean, in half steps from the middle; None where none is allowed."""
    least = _largest(-halves, rows, far, reach)
    largest = _largest(halves, rows, far, reach)
    return None if least is None or largest is None else (-least, largest)


def _largest(halves: int, rows: int, far: int, reach: tuple[int, ...]) -> Fraction | None:
    """The largest μ from −far to far with |halves − μ·rows| ≤ reach, cell by cell from the right.

    In a cell μ lies between two multiples of far/16.
    """
    if rows < 0:
        halves, rows = -halves, -rows
    for right in range(CELLS, -CELLS, -1):
        off = reach[max(right, 1 - right)]
        low, high = CELLS * (halves - off), CELLS * (halves + off)
        if low <= rows * far * right and rows * far * (right - 1) <= high:
            end = Fraction(far * right, CELLS)
            return end if rows == 0 else min(end, Fraction(halves + off, rows))
    return None


def _blocks(rate: float, beyond: float) -> tuple[Floats, Floats]:
    """How likely the noise lies in each block to either side, and the largest size in it."""
    most = max(1, noise_reach(rate, beyond))
    ends = np.unique(np.ceil(np.linspace(0, most, min(most, _BLOCKS) + 1)))
    at_least = np.concatenate([[1.0], 2 * np.exp(-rate * (ends + 1)) / (1 + math.exp(-rate))])
    return -np.diff(at_least), ends


def _beyond(rate: float, moved: Floats, far: int) -> Floats:
    """Pr(|noise − moved| > far) for noise of this rate, for each whole number moved ≥ 0."""
    alpha = math.exp(-rate)
    above = np.exp(-rate * (moved + far + 1)) / (1 + alpha)
    inside = np.exp(-rate * np.maximum(far - moved + 1, 0)) / (1 + alpha)
    outside = 1 - np.exp(-rate * np.maximum(moved - far, 0)) / (1 + alpha)
    return np.asarray(above + np.where(moved <= far, inside, outside))
