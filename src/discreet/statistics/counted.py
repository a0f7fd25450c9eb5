"""What the selected rows say, counted: of a size that is public, however few cells are occupied."""

from collections.abc import Mapping
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
        found = np.zeros(values, dtype=np.int64)
        found[list(counts)] = list(counts.values())
        return cls(found)

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


Counted: TypeAlias = Moments | Tally
"""What a statistic needs to know of the rows of one group."""
