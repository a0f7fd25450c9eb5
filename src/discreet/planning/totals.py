"""Told counts that are sums of counted groups: subtotals, totals, marginals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.joint.levels import CellBlocks
from discreet.joint.strategies import Workload
from discreet.questions.totals import Sets

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """What is told of cells, the groups of all columns that rows are counted in."""

    cells: int
    members: tuple[tuple[int, ...], ...]
    """For each told count, the cells that it adds up."""
    sets: tuple[tuple[int, ...], ...] = ()
    """The told counts of each set of groups; every row is in exactly one of them. Sets that keep
    more columns apart come first."""
    columns: Sets = ()
    """Which columns each set keeps apart."""
    running: bool = False
    """Whether each told count holds all before it."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.cells, self.members, self.sets))

    @cached_property
    def workload(self) -> Workload:
        """What is told, as sums of cells."""
        rows = np.zeros((len(self.members), self.cells), dtype=np.int64)
        for place, members in enumerate(self.members):
            rows[place, list(members)] = 1
        return Workload(rows)

    @cached_property
    def partitions(self) -> tuple[CellBlocks, ...]:
        """For each set, which of its counts every cell is in."""
        return tuple(self._blocks(one) for one in self.sets)

    def _blocks(self, places: Sequence[int]) -> CellBlocks:
        of_cell = np.zeros(self.cells, dtype=np.int64)
        for block, place in enumerate(places):
            of_cell[list(self.members[place])] = block
        return CellBlocks(of_cell, len(places))

    @cached_property
    def chain(self) -> tuple[int, ...]:
        """Sets that refine one another, the coarsest first: as many as there are."""
        chain: list[int] = []
        for which in reversed(range(len(self.sets))):
            if not chain or set(self.columns[chain[-1]]) < set(self.columns[which]):
                chain.append(which)
        return tuple(chain)


def totals_of(sets: Sets, numbers: Sequence[_Places]) -> tuple[Totals, list[list[int | None]]]:
    """The totals over cells that are told by a number for each column, and what each is of.

    Told counts are in the order of the columns' numbers, with totals after what they add up.
    """
    table = np.stack(numbers)
    totals: list[tuple[tuple[int | None, ...], tuple[int, ...], int]] = []
    for which, kept in enumerate(sets):
        groups: dict[tuple[int | None, ...], list[int]] = {}
        for cell, place in enumerate(table.T.tolist()):
            key = tuple(one if axis in kept else None for axis, one in enumerate(place))
            groups.setdefault(key, []).append(cell)
        totals += [(key, tuple(cells), which) for key, cells in groups.items()]
    totals.sort(key=lambda one: [(number is None, number or 0) for number in one[0]])
    return (
        Totals(
            cells=table.shape[1],
            members=tuple(cells for _, cells, _ in totals),
            sets=tuple(
                tuple(place for place, one in enumerate(totals) if one[2] == which)
                for which in range(len(sets))
            ),
            columns=sets,
        ),
        [list(key) for key, _, _ in totals],
    )
