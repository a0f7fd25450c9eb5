"""How two number columns go together: covariance, correlation and the line of least squares."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.model import Grid
from discreet.statistics.half_steps import (
    Ends,
    product_ends,
    rounded_out,
)
from discreet.statistics.statistic import Takes, Words
from discreet.statistics.sums import Floats, OfSample, OfSums, Slot, SumBox, Summed

_BOTH = frozenset({Slot.ROWS, Slot.FIRST, Slot.SECOND, Slot.PRODUCTS})


@dataclass(frozen=True)
class Covariance(OfSample):
    """The mean product of the distances from both means; of a sample, over one row less."""

    slots: ClassVar[frozenset[Slot]] = _BOTH

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="covariance",
            functions=("COVAR_SAMP",),
            takes=Takes.PAIRS,
            title="the covariance",
            phrase="the covariance of {column}",
            make=lambda _: Covariance(),
        ),
        Words(
            name="population_covariance",
            functions=("COVAR_POP",),
            takes=Takes.PAIRS,
            title="the population covariance",
            phrase="the population covariance of {column}",
            make=lambda _: Covariance(sample=False),
        ),
    )

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """Rows at two opposite corners vary most, of a sample two of them."""
        first, second = (grid.last - grid.start for grid in grids)
        most = first * second / (2 if self.sample else 4)
        return -most, most

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """In the product of the columns' units."""
        covariance = float(_scale(grids)) * summed.covariance()
        return covariance * summed.sampled if self.sample else covariance

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends:
        """Those over the box, in the columns' units."""
        scale = _scale(grids)
        low, high = box.covariance()
        ends = scale * low, scale * high
        if self.sample:
            ends = product_ends(ends, box.sampled)
        if box.empty:
            ends = min(ends[0], Fraction(0)), max(ends[1], Fraction(0))
        return rounded_out(ends, step)


def _scale(grids: tuple[Grid, ...]) -> Fraction:
    return grids[0].step * grids[1].step / 4


@dataclass(frozen=True)
class Correlation(OfSums):
    """Pearson's correlation: the covariance over the product of the standard deviations."""

    slots: ClassVar[frozenset[Slot]] = frozenset(Slot)
    divides_by: ClassVar[tuple[int, ...]] = (0, 1)

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="correlation",
            functions=("CORR",),
            takes=Takes.PAIRS,
            title="the correlation",
            phrase="the correlation of {column}",
            make=lambda _: Correlation(),
        ),
    )

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """From −1 to 1."""
        return Fraction(-1), Fraction(1)

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """Without a unit."""
        under = np.sqrt(summed.divisor(0)) * np.sqrt(summed.divisor(1))
        return np.asarray(summed.likely_covariance() / under)

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends | None:
        """Those over the box, rounded outwards."""
        ends = box.correlation(step)
        return None if ends is None or box.empty else rounded_out(ends, step)


@dataclass(frozen=True)
class Slope(OfSums):
    """By how much the first column grows with the second: the line of least squares."""

    slots: ClassVar[frozenset[Slot]] = _BOTH | {Slot.SECOND_SQUARES}
    divides_by: ClassVar[tuple[int, ...]] = (1,)

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="slope",
            functions=("REGR_SLOPE",),
            takes=Takes.PAIRS,
            title="the slope of the regression line",
            phrase="the slope of the regression line of {column}",
            make=lambda _: Slope(),
            between="on",
        ),
    )

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """Between two rows the line rises by the whole range in one step, at most."""
        most = (grids[0].last - grids[0].start) / grids[1].step
        return -most, most

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """In units of the first column for one of the second."""
        scale = float(grids[0].step / grids[1].step)
        return np.asarray(scale * summed.likely_covariance() / summed.divisor(1))

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends | None:
        """Those over the box, in the columns' units."""
        ends = self.quotients(box, grids)
        return None if ends is None else rounded_out(ends, step)

    def quotients(self, box: SumBox, grids: tuple[Grid, ...]) -> Ends | None:
        """The least and the largest, exactly."""
        ends = box.slope()
        if ends is None or box.empty:
            return None
        scale, (low, high) = grids[0].step / grids[1].step, self.range(grids)
        return max(scale * ends[0], low), min(scale * ends[1], high)


@dataclass(frozen=True)
class Intercept(OfSums):
    """What the line of least squares says of the first column where the second is 0."""

    slots: ClassVar[frozenset[Slot]] = Slope.slots
    divides_by: ClassVar[tuple[int, ...]] = (1,)

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="intercept",
            functions=("REGR_INTERCEPT",),
            takes=Takes.PAIRS,
            title="the intercept of the regression line",
            phrase="the intercept of the regression line of {column}",
            make=lambda _: Intercept(),
            between="on",
        ),
    )

    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """From any row the line goes to 0 by the largest slope, at most."""
        steepest = Slope().range(grids)
        ends = product_ends(steepest, (grids[1].start, grids[1].last))
        return grids[0].start - ends[1], grids[0].last - ends[0]

    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """In units of the first column."""
        low, high = (float(one) for one in Slope().range(grids))
        slope = np.clip(Slope().estimate(summed, grids), low, high)
        return np.asarray(_mean(summed, grids, 0) - slope * _mean(summed, grids, 1))

    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends | None:
        """From the ends of the slope and of both means."""
        slope = Slope().quotients(box, grids)
        if slope is None:
            return None
        first, second = (
            tuple(_middle(grid) + grid.step / 2 * end for end in box.mean(which))
            for which, grid in enumerate(grids)
        )
        off = product_ends(slope, (second[0], second[1]))
        return rounded_out((first[0] - off[1], first[1] - off[0]), step)


def _middle(grid: Grid) -> Fraction:
    return (grid.start + grid.last) / 2


def _mean(summed: Summed, grids: tuple[Grid, ...], which: int) -> Floats:
    far, grid = float(summed.fars[which]), grids[which]
    halves = np.clip(summed.mean(which), -far, far)
    return np.asarray(float(_middle(grid)) + float(grid.step / 2) * halves)
