"""Means of drawn errors, and how far off such a mean may be."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from benchmarks.trials.trial import Numbers

TWO_SIDED_95 = 1.959964


@dataclass(frozen=True)
class Sampled:
    """A mean of drawn errors, their standard deviation and their number."""

    mean: float
    deviation: float
    many: int

    @property
    def half(self) -> float:
        """Half the width of the 95 % interval, by the normal approximation."""
        return TWO_SIDED_95 * self.deviation / sqrt(self.many)

    def may_be(self, value: float) -> bool:
        """Whether a value is within twice that: chance leads further once in 11,000 times."""
        return abs(value - self.mean) <= 2 * self.half

    def __str__(self) -> str:
        return f"{self.mean:.3f} ±{self.half:.3f}"


def errors(answers: Numbers, truths: Numbers, most: float) -> Sampled:
    """The absolute errors of answers, brought into the range first."""
    off = np.abs(np.clip(answers, 0, most) - truths)
    return Sampled(float(off.mean()), float(off.std()), len(off))


def widest_deviation(mean: float, most: float) -> float:
    """The largest standard deviation of anything from 0 to `most` with this mean.

    Bhatia & Davis 2000.
    """
    return sqrt(max(0.0, mean * (most - mean)))
