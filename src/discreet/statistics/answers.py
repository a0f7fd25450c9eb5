"""The four forms that answers have, and what one row can do to each.

Everything here follows from public facts. Why the steps between neighbours are what they are:
docs/proofs/groups.md.
"""

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


Form: TypeAlias = Added | Placed | Ratio | Counts
"""What the answers of a statistic are like."""
