"""A linear program as data: a cost, bounds on variables, and blocks of sparse rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

NO_BOUND = float("inf")


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramRows:
    """Named rows lower ≤ A·x ≤ upper; entry k says A[row[k], column[k]] = value[k].

    Entries are in the order of their rows.
    """

    name: str
    row: Indices
    column: Indices
    value: Floats
    lower: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.lower)

    @classmethod
    def at_most(
        cls, name: str, columns: Indices, values: Floats, upper: float = 0.0
    ) -> "ProgramRows":
        """Rows with equally many entries (one line of `columns` each), all at most `upper`."""
        return cls._even(name, columns, values, -NO_BOUND, upper)

    @classmethod
    def equal(cls, name: str, columns: Indices, values: Floats, to: float = 0.0) -> "ProgramRows":
        """Rows with equally many entries (one line of `columns` each), all equal to `to`."""
        return cls._even(name, columns, values, to, to)

    @classmethod
    def _even(
        cls, name: str, columns: Indices, values: Floats, lower: float, upper: float
    ) -> "ProgramRows":
        count, width = columns.shape
        return cls(
            name=name,
            row=np.repeat(np.arange(count), width),
            column=columns.ravel(),
            value=np.broadcast_to(values, columns.shape).ravel().astype(np.float64),
            lower=np.full(count, lower),
            upper=np.full(count, upper),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Program:
    """Minimise cost·x for lower ≤ x ≤ upper and row_lower ≤ A·x ≤ row_upper.

    A is kept row by row: row r has the entries starts[r]…starts[r + 1] of `columns` and `values`.

    >>> half = ProgramRows.equal("sum", np.array([[0, 1]]), np.array([1.0, 1.0]), 1.0)
    >>> Program.of(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), [half]).shape
    (1, 2)
    """

    cost: Floats
    lower: Floats
    upper: Floats
    starts: Indices
    columns: Indices
    values: Floats
    row_lower: Floats
    row_upper: Floats
    blocks: Mapping[str, slice] = field(default_factory=dict)
    """Where the rows of each name are."""

    @classmethod
    def of(
        cls, cost: Floats, lower: Floats, upper: Floats, blocks: Sequence[ProgramRows]
    ) -> "Program":
        """Put blocks of rows, in this order, over common variables."""
        counts = [np.bincount(block.row, minlength=len(block)) for block in blocks]
        ends = np.cumsum([0, *map(len, blocks)])
        return cls(
            cost=cost,
            lower=lower,
            upper=upper,
            starts=np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64),
            columns=np.concatenate([block.column for block in blocks]).astype(np.int64),
            values=np.concatenate([block.value for block in blocks]),
            row_lower=np.concatenate([block.lower for block in blocks]),
            row_upper=np.concatenate([block.upper for block in blocks]),
            blocks=MappingProxyType(
                {
                    block.name: slice(int(ends[k]), int(ends[k + 1]))
                    for k, block in enumerate(blocks)
                }
            ),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and how many variables."""
        return len(self.row_lower), len(self.cost)

    @property
    def entry_rows(self) -> Indices:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def times(self, x: Floats) -> Floats:
        """A·x."""
        return np.bincount(
            self.entry_rows, self.values * x[self.columns], minlength=self.shape[0]
        ).astype(np.float64)

    def transposed_times(self, multipliers: Floats) -> Floats:
        """Aᵀ·y."""
        return np.bincount(
            self.columns, self.values * multipliers[self.entry_rows], minlength=self.shape[1]
        ).astype(np.float64)
