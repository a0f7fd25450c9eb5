"""Statistics that are worked out from rows, sums, squares and products of one column or two."""

from abc import abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import QuestionError
from discreet.model import Grid
from discreet.statistics.answers import Form, FromSums, Rows, Values
from discreet.statistics.counted import Counted, Products
from discreet.statistics.half_steps import (
    Ends,
    Range,
    covariance_ends,
    mean_ends,
    quotient_ends,
    signed_root,
    variance_ends,
)
from discreet.statistics.statistic import Statistic, Words

Floats: TypeAlias = npt.NDArray[np.float64]


class Slot(IntEnum):
    """What is summed over the rows, in the order in which it is kept."""

    ROWS = 0
    FIRST = 1
    SECOND = 2
    FIRST_SQUARES = 3
    SECOND_SQUARES = 4
    PRODUCTS = 5


_FLOOR, _SHRINKING = 4.0, 2.0
"""How many times the noise's average a variance is at least, and a covariance is held against."""
OF_ONE = frozenset({Slot.ROWS, Slot.FIRST, Slot.FIRST_SQUARES})


@dataclass(frozen=True)
class Summed:
    """What was drawn of the sums, many at once: an array for each slot, 0 where there is none."""

    sums: tuple[Floats, ...]
    fars: tuple[int, ...]
    doubts: tuple[float, ...] = (0.0, 0.0, 0.0)
    """How far the squares of either column are off on average, and the products."""

    @cached_property
    def rows(self) -> Floats:
        """The number of rows, from 1 on."""
        return np.maximum(1.0, self.sums[Slot.ROWS])

    def mean(self, which: int) -> Floats:
        """The mean of a column, in half steps from its middle."""
        return np.asarray(self.sums[Slot.FIRST + which] / self.rows)

    def variance(self, which: int) -> Floats:
        """The variance of a column, in half steps, from 0 to the largest there is."""
        most = float(self.fars[which] ** 2)
        squares = (self.sums[Slot.FIRST_SQUARES + which] / self.rows + most) / 2
        variance = squares - np.clip(self.mean(which), -self.fars[which], self.fars[which]) ** 2
        return np.asarray(np.clip(variance, 0.0, most))

    def divisor(self, which: int) -> Floats:
        """The variance where it divides something: no smaller than what its noise might be.

        At an end of the range the noise of the sum is in it four times as much as that of the
        squares, and so is that of the count.
        """
        least = _FLOOR * self.doubts[which] / self.rows
        return np.asarray(np.maximum(self.variance(which), np.maximum(least, 1e-300)))

    def covariance(self) -> Floats:
        """The covariance, in half steps."""
        most = float(self.fars[0] * self.fars[1])
        covariance = self.sums[Slot.PRODUCTS] / self.rows - self.mean(0) * self.mean(1)
        return np.asarray(np.clip(covariance, -most, most))

    def likely_covariance(self) -> Floats:
        """The covariance where it is divided: nearer to 0, the more of it may be noise."""
        covariance, noise = self.covariance(), _SHRINKING * self.doubts[2] / self.rows
        squares = covariance**2
        return np.asarray(covariance * squares / (squares + noise**2 + 1e-300))

    @property
    def sampled(self) -> Floats:
        """What makes a variance of a sample of that of its rows: n/(n − 1), from two rows on."""
        rows = np.maximum(2.0, self.sums[Slot.ROWS])
        return np.asarray(rows / (rows - 1))


@dataclass(frozen=True)
class SumBox:
    """Between which whole numbers every sum lies, all at once; rows from 1 on."""

    ranges: tuple[Range, ...]
    fars: tuple[int, ...]
    empty: bool
    """Whether there may be no rows at all, or too few for the statistic."""

    def mean(self, which: int) -> Ends:
        """The means of a column."""
        far = Fraction(self.fars[which])
        low, high = mean_ends(self.ranges[Slot.ROWS], self.ranges[Slot.FIRST + which])
        return max(low, -far), min(high, far)

    def variance(self, which: int) -> Ends:
        """The variances of a column."""
        squares = self.ranges[Slot.FIRST_SQUARES + which]
        return variance_ends(
            self.ranges[Slot.ROWS], self.ranges[Slot.FIRST + which], squares, self.fars[which]
        )

    def covariance(self) -> Ends:
        """The covariances."""
        rows, first, second = self.ranges[:3]
        most = self.fars[0] * self.fars[1]
        return covariance_ends(rows, first, second, self.ranges[Slot.PRODUCTS], most)

    def slope(self) -> Ends | None:
        """The slopes of the line of least squares, in half steps; None where any may be."""
        return quotient_ends(self.covariance(), self.variance(1))

    def correlation(self, step: Fraction) -> Ends | None:
        """The correlations, rounded outwards to a step; None where any may be."""
        first, second = self.variance(0), self.variance(1)
        low, high = (abs(one) * one for one in self.covariance())
        ends = quotient_ends((low, high), (first[0] * second[0], first[1] * second[1]))
        if ends is None:
            return None
        return signed_root(ends[0], step, above=False), signed_root(ends[1], step, above=True)

    @property
    def sampled(self) -> Ends:
        """The factors n/(n − 1)."""
        low, high = (max(2, one) for one in self.ranges[Slot.ROWS])
        return Fraction(high, high - 1), Fraction(low, low - 1)


class OfSums(Statistic):
    """A statistic of rows, sums, squares and products; what it is of too few rows is 0."""

    slots: ClassVar[frozenset[Slot]] = OF_ONE
    """Which sums it needs."""
    divides_by: ClassVar[tuple[int, ...]] = ()
    """The columns whose variance divides something: of rows that are alike in them, it is none."""

    @abstractmethod
    def range(self, grids: tuple[Grid, ...]) -> Ends:
        """The least and the largest value there is."""

    @abstractmethod
    def estimate(self, summed: Summed, grids: tuple[Grid, ...]) -> Floats:
        """What is told of sums, in the columns' own units: never NaN."""

    @abstractmethod
    def ends(self, box: SumBox, grids: tuple[Grid, ...], step: Fraction) -> Ends | None:
        """The least and the largest value over a box, rounded outwards; None where any may be."""

    def check(self, column: str, values: Values) -> None:
        """QuestionError where a column has one value: nothing varies then, whatever the rows."""
        if isinstance(values, Grid) and values.size == 1:
            raise QuestionError(
                f"{self.words.function} measures how values vary, but {column} has only one "
                "possible value; ask about a column with several"
            )

    @property
    def few(self) -> int:
        """Of how many rows it exists."""
        return 1

    def form(self, rows: Rows) -> FromSums:
        """All that lies in its range."""
        grids = tuple(one for one in (rows.values, *rows.others) if isinstance(one, Grid))
        low, high = self.range(grids)
        return FromSums(grids=grids, low=low, high=high)

    def value(self, counted: Counted, form: FromSums) -> float:
        """The true one, as SQL has it; where that is NULL, 0."""
        assert isinstance(counted, Products)
        if counted.rows < self.few or any(counted.is_alike(one) for one in self.divides_by):
            return min(max(0.0, float(form.low)), float(form.high))
        fars = tuple(grid.size - 1 for grid in form.grids)
        sums = tuple(np.array([float(one)]) for one in counted.sums(fars))
        return float(self.told(Summed(sums, fars), form)[0])

    def told(self, summed: Summed, form: FromSums) -> Floats:
        """The estimates, brought back to the range."""
        estimate = self.estimate(summed, form.grids)
        return np.asarray(np.clip(estimate, float(form.low), float(form.high)))

    def place(self, counted: Counted, form: Form) -> int:
        """The nearest of evenly spaced answers."""
        assert isinstance(form, FromSums)
        steps = (self.value(counted, form) - float(form.low)) / float(form.unit)
        return min(max(round(steps), 0), form.size - 1)

    def is_whole(self, whole_values: bool) -> bool:
        """It is a fraction whatever the values are."""
        return False


@dataclass(frozen=True)
class OfSample(OfSums):
    """A statistic of a sample, which is over one row less; or of all there are."""

    sample: bool = True

    @property
    def words(self) -> Words:
        """The first name is that of a sample."""
        return self.names[0 if self.sample else 1]

    @property
    def few(self) -> int:
        """A sample needs two rows to vary."""
        return 2 if self.sample else 1
