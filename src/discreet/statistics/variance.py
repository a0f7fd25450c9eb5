"""Variance and standard deviation of a number column."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from discreet.model import Grid
from discreet.statistics.half_steps import Ends, root_above, root_below, rounded_out
from discreet.statistics.statistic import Statistic, Takes, Words
from discreet.statistics.sums import Floats, OfSample, SumBox, Summed


@dataclass(frozen=True)
class Variance(OfSample):
    """The mean squared distance from the mean; of a sample, over one row less."""

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="variance",
            functions=("VAR_SAMP", "VARIANCE", "VARIANCE_SAMP"),
            takes=Takes.NUMBERS,
            title="the variance",
            phrase="the variance of {column}",
            make=lambda _: Variance(),
        ),
        Words(
            name="population_variance",
            functions=("VAR_POP", "VARIANCE_POP"),
            takes=Takes.NUMBERS,
            title="the population variance",
            phrase="the population variance of {column}",
            make=lambda _: Variance(sample=False),
        ),
    )

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """Rows at both ends vary most, of a sample two of them."""
        width = grids[0].last - grids[0].start
        return Fraction(0), width**2 / (2 if self.sample else 4)

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """In the column's own units, squared."""
        variance = float(grids[0].step / 2) ** 2 * summed.variance(0)
        return variance * summed.sampled if self.sample else variance

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends:
        """Those over the box, in the column's units."""
        return rounded_out(self.squares(box, grids), step)

    def squares(self, box: SumBox, grids: tuple[Grid, ...]) -> Ends:
        """The least and the largest, exactly."""
        scale = (grids[0].step / 2) ** 2
        low, high = (scale * one for one in box.variance(0))
        if self.sample:
            low, high = low * box.sampled[0], high * box.sampled[1]
        return (Fraction(0) if box.empty else low), high


@dataclass(frozen=True)
class Deviation(OfSample):
    """The standard deviation: the root of the variance."""

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="stddev",
            functions=("STDDEV", "STDDEV_SAMP", "STDEV"),
            takes=Takes.NUMBERS,
            title="the standard deviation",
            phrase="the standard deviation of {column}",
            make=lambda _: Deviation(),
        ),
        Words(
            name="population_stddev",
            functions=("STDDEV_POP",),
            takes=Takes.NUMBERS,
            title="the population standard deviation",
            phrase="the population standard deviation of {column}",
            make=lambda _: Deviation(sample=False),
        ),
    )

    @property
    def _variance(self) -> Variance:
        return Variance(self.sample)

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """The root of the largest variance, rounded up to a thousandth of a step."""
        return Fraction(0), root_above(self._variance.range(grids)[1], grids[0].step / 1000)

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """In the column's own units."""
        return np.asarray(np.sqrt(self._variance.estimate(summed, grids)))

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends:
        """The roots of those of the variance."""
        low, high = self._variance.squares(box, grids)
        return root_below(low, step), root_above(high, step)


ReadAs: TypeAlias = Callable[[Fraction, bool], Fraction]
"""What a told number says of another statistic, rounded down, or up where that is said."""


def read_from(asked: Statistic, released: Statistic, grid: Grid) -> ReadAs | None:
    """How one statistic follows from the other; None where it does not, or is the same.

    A standard deviation is the root of the variance of the same kind, to a thousandth of a step.

    >>> read = read_from(Deviation(), Variance(), Grid.between(0, 10))
    >>> float(read(Fraction(2), False)), float(read(Fraction(2), True))
    (1.414, 1.415)
    """
    step = grid.step / 1000
    match asked, released:
        case Deviation(sample=one), Variance(sample=other) if one == other:
            return lambda number, up: (root_above if up else root_below)(number, step)
        case Variance(sample=one), Deviation(sample=other) if one == other:
            return lambda number, _: number**2
    return None
