"""The five forms that answers have, and what one row can do to each; the forms of sums and means.

Everything here follows from public facts. Why the steps between neighbours are what they are:
docs/proofs/groups.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.model import Grid, Labels, Relation
from discreet.statistics.counted import Counted

Tables: TypeAlias = npt.NDArray[np.int64]
"""Counts of rows by value, on the last axis; a line for each table where there are several."""
Chances: TypeAlias = npt.NDArray[np.float64]
"""How likely a row has each value."""
Values: TypeAlias = Grid | Labels
"""What a row may have."""

_FINE = 101
HOLDS = Grid(Fraction(0), Fraction(1), 2)
"""What a row may have of a condition: 1 where it holds."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What is public of the rows that a statistic is taken of."""

    values: Values
    most: int
    """How many rows there are at most; just so many where they only ever change."""
    relation: Relation
    """What may happen to one row."""
    every: bool = False
    """Whether the condition of the statistic holds for every row."""
    others: tuple[Values, ...] = ()
    """What a row may have in the other columns that a statistic is taken of."""

    @property
    def fixed(self) -> bool:
        """Whether the number of rows is public."""
        return self.relation == Relation.CHANGE


@dataclass(frozen=True)
class Linear:
    """Rows add up: one with index i adds `base + slope·i` to the place, which starts at `first`."""

    first: int = 0
    base: int = 0
    slope: int = 1

    def place(self, counted: Counted) -> int:
        """The place that the rows add up to.

        >>> from discreet.statistics import Moments
        >>> Linear(first=10, base=-1, slope=2).place(Moments(rows=4, total=4))
        14
        """
        return self.first + self.base * counted.rows + self.slope * counted.total


@dataclass(frozen=True, kw_only=True)
class Added:
    """Numbers start, start + unit, …: one row moves the answer by at most `steps` of them."""

    start: Fraction
    unit: Fraction
    size: int
    steps: int
    linear: Linear | None = None
    """How rows add up to the place, where they do."""

    @property
    def labels(self) -> None:
        """None: answers are numbers."""
        return None

    def nearest(self, place: int) -> int:
        """The place, brought back to the range: no row can make this fail."""
        return min(max(place, 0), self.size - 1)


@dataclass(frozen=True)
class Placed:
    """One of these numbers or words, and one row can lead from any of them to any other."""

    space: Values

    @property
    def start(self) -> Fraction:
        """The first number; words are numbered from 0."""
        return self.space.start if isinstance(self.space, Grid) else Fraction(0)

    @property
    def unit(self) -> Fraction:
        """From one number to the next."""
        return self.space.step if isinstance(self.space, Grid) else Fraction(1)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.space)

    @property
    def labels(self) -> Labels | None:
        """The words; None for numbers."""
        return self.space if isinstance(self.space, Labels) else None

    @property
    def steps(self) -> int:
        """One row can lead anywhere, which is one step."""
        return 1

    @property
    def middle(self) -> int:
        """The place that nothing has: the middle of the range."""
        return (self.size - 1) // 2


@dataclass(frozen=True)
class Ratio:
    """Means of an unknown number of rows: any number between the first value and the last."""

    values: Grid

    @property
    def start(self) -> Fraction:
        """The smallest value."""
        return self.values.start

    @property
    def unit(self) -> Fraction:
        """From one value to the next; means lie between."""
        return self.values.step

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.values.size

    @property
    def labels(self) -> None:
        """None: answers are numbers."""
        return None

    @property
    def steps(self) -> int:
        """How far one row can move the sum, in units."""
        return self.values.size - 1


@dataclass(frozen=True, kw_only=True)
class Counts:
    """A count for every word, of which the largest are told."""

    labels: Labels
    most_rows: int
    told: int
    """How many of the largest counts are told."""
    steps: int
    """How much one row moves all counts together."""

    @property
    def start(self) -> Fraction:
        """The smallest count."""
        return Fraction(0)

    @property
    def unit(self) -> Fraction:
        """Counts are whole."""
        return Fraction(1)

    @property
    def size(self) -> int:
        """How many counts a word can have."""
        return self.most_rows + 1


@dataclass(frozen=True, kw_only=True)
class FromSums:
    """Worked out from rows, sums, squares and products: any number from low to high."""

    grids: tuple[Grid, ...]
    """The values of each column that it is taken of."""
    low: Fraction
    high: Fraction

    @property
    def fars(self) -> tuple[int, ...]:
        """How many half steps the values of each column lie from the middle at most."""
        return tuple(grid.size - 1 for grid in self.grids)

    @property
    def start(self) -> Fraction:
        """The smallest there is."""
        return self.low

    @property
    def unit(self) -> Fraction:
        """What is about as far apart as two values of a column."""
        return (self.high - self.low) / (self.size - 1)

    @property
    def size(self) -> int:
        """How many answers are told apart in figures: as many as values, or a hundred and one."""
        return max(_FINE, self.grids[0].size)

    @property
    def labels(self) -> None:
        """None: answers are numbers."""
        return None

    @property
    def steps(self) -> int:
        """Neighbours are told apart by their sums, not by their answers."""
        return 1


Form: TypeAlias = Added | Placed | Ratio | Counts | FromSums
"""What the answers of a statistic are like."""


def summed(values: Grid, rows: Rows) -> Added:
    """All sums of the rows.

    Of a known number of rows each moves the sum by a step of the values; else rows that come and go
    must fit as well, so the unit is the widest whose multiples hold every value, and zero.
    """
    if rows.fixed:
        return _from_the_smallest(values, rows.most, Fraction(1))
    unit = _common_unit(values)
    least, most = min(values.start, Fraction(0)), max(values.last, Fraction(0))
    one_way = rows.relation == Relation.ADD_OR_REMOVE
    reach = max(-least, most) if one_way else most - least
    return Added(
        start=least * rows.most,
        unit=unit,
        size=int((most - least) * rows.most / unit) + 1,
        steps=int(reach / unit),
        linear=Linear(
            first=int(-least * rows.most / unit),
            base=int(values.start / unit),
            slope=int(values.step / unit),
        ),
    )


def averaged(values: Grid, rows: Rows) -> Added | Ratio:
    """All means of the rows: a sum where their number is known, else a sum over a count."""
    if rows.fixed:
        return _from_the_smallest(values, rows.most, Fraction(1, rows.most))
    return Ratio(values)


def _from_the_smallest(values: Grid, rows: int, scale: Fraction) -> Added:
    """Sums of so many rows, times a scale: how far each is above the smallest value adds up."""
    return Added(
        start=values.start * rows * scale,
        unit=values.step * scale,
        size=(values.size - 1) * rows + 1,
        steps=values.size - 1,
        linear=Linear(),
    )


def _common_unit(values: Grid) -> Fraction:
    """The widest spacing whose multiples hold every value, and zero."""
    parts = math.lcm(values.start.denominator, values.step.denominator)
    return Fraction(math.gcd(int(values.start * parts), int(values.step * parts)), parts)
