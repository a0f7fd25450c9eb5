"""What the selected rows say, counted: of a size that is public, however few cells are occupied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Moments:
    """How many rows there are, and what their indices sum up to: all that sums and means need.

    For a condition the index is 1 where it holds and 0 where it does not.
    """

    rows: int
    total: int

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return 2


@dataclass(frozen=True, eq=False)
class Tally:
    """How many rows have each index of the column: a number for every declared value.

    >>> tally = Tally.of({3: 2}, 5)
    >>> tally.counts, tally.rows, tally.total
    (array([0, 0, 0, 2, 0]), 2, 6)
    """

    counts: Integers

    @classmethod
    def of(cls, counts: Mapping[int, int], values: int) -> "Tally":
        """A tally over so many values, from the counts that are not 0."""
        tally = np.zeros(values, dtype=np.int64)
        tally[list(counts)] = list(counts.values())
        return cls(tally)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @cached_property
    def total(self) -> int:
        """What their indices sum up to."""
        return int(self.counts @ np.arange(len(self.counts)))

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return len(self.counts)


class ThinTally(Tally):
    """A tally over very many values of which few have rows; written out where it is asked for.

    >>> thin = ThinTally(np.array([2, 5]), np.array([3, 1]), 7)
    >>> thin.counts.tolist(), thin.rows, thin.total, thin.size
    ([0, 0, 3, 0, 0, 1, 0], 4, 11, 7)
    """

    places: Integers
    """The indices that rows may have, rising."""
    held: Integers
    """How many rows have each of these."""
    values: int

    def __init__(self, places: Integers, held: Integers, values: int) -> None:
        for name, given in (("places", places), ("held", held), ("values", values)):
            object.__setattr__(self, name, given)

    @property
    def counts(self) -> Integers:
        """All of them, one for every declared value."""
        counts = np.zeros(self.values, dtype=np.int64)
        counts[self.places] = self.held
        return counts

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.held.sum())

    @cached_property
    def total(self) -> int:
        """What their indices sum up to."""
        return int(self.held @ self.places)

    @property
    def size(self) -> int:
        """How many numbers it stands for."""
        return self.values


@dataclass(frozen=True)
class Products:
    """Rows, sums and squares of the indices of one column or two, and the sum of their products.

    >>> Products(2, (3, 0), (5, 0), 0).sums((2,))  # indices 1 and 2 of three values
    (2, 2, 0, 0, 0, 0)
    """

    rows: int
    totals: tuple[int, int]
    squares: tuple[int, int]
    product: int

    @classmethod
    def at(cls, rows: int, first: int, second: int = 0) -> "Products":
        """So many rows that all have the same indices."""
        squares = rows * first**2, rows * second**2
        return cls(rows, (rows * first, rows * second), squares, rows * first * second)

    @property
    def total(self) -> int:
        """What the indices of the first column sum up to."""
        return self.totals[0]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return 6

    def sums(self, fars: Sequence[int]) -> tuple[int, ...]:
        """Rows, then sums of half steps u from the middle, of 2u² − B², and of products.

        A column has B + 1 values; of one column, the sums of the other are 0.
        """
        far, other = (*fars, 0)[:2]
        both = tuple(zip(self.totals, self.squares, (far, other), strict=True))
        halves = (2 * total - most * self.rows for total, _, most in both)
        squares = (
            8 * square - 8 * most * total + most**2 * self.rows for total, square, most in both
        )
        product = 4 * self.product - 2 * other * self.totals[0] - 2 * far * self.totals[1]
        return (self.rows, *halves, *squares, product + far * other * self.rows)

    def is_alike(self, which: int) -> bool:
        """Whether all rows have the same value in a column."""
        return self.rows * self.squares[which] == self.totals[which] ** 2


Counted: TypeAlias = Moments | Tally | Products
"""What a statistic needs to know of the rows of one group."""
