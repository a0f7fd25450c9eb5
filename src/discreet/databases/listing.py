"""Every table of n records over T values, known by its histogram, and which are neighbours."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import NeighboursError, SpaceError
from discreet.exact import show
from discreet.model import ONE_RECORD, Graph, Labels, Listed, Relation, Space

Indices: TypeAlias = npt.NDArray[np.int64]
Histogram: TypeAlias = Sequence[int]

MOST_DATABASES = 200_000
"""The most histograms that are ever listed."""


@dataclass(frozen=True)
class Databases:
    """The histograms of `smallest` to `largest` records over given values, as columns in order.

    With `"change"` the number of records is public and one record's value may change; with
    `"add-or-remove"` a record may come or go, within the declared sizes. Columns are ordered
    by size, then as their counts are (0.0.2 before 0.1.1).

    >>> likert = Databases.of(10, range(1, 6))
    >>> len(likert), likert.column_of([3, 3, 4, 4, 4, 5, 1, 2, 2, 5]), len(likert.pairs)
    (1001, 404, 7150)
    """

    values: Space
    smallest: int
    largest: int
    relation: Relation = Relation.CHANGE

    def __post_init__(self) -> None:
        for size in (self.smallest, self.largest):
            if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= 10**6:
                raise SpaceError(
                    f"the number of records must be a whole number from 0 to 1,000,000, "
                    f"got {show(size)}"
                )
        if self.largest < max(1, self.smallest):
            raise SpaceError(
                f"the numbers of records must be at least 1 and in order, got {self.smallest} to "
                f"{self.largest}"
            )
        object.__setattr__(self, "relation", Relation.of(self.relation, ONE_RECORD))
        if self.relation == Relation.CHANGE and self.smallest != self.largest:
            raise NeighboursError(
                "when one record may change, the number of records is public; give one size"
            )
        if self._many > MOST_DATABASES:
            raise SpaceError(
                f"{show(self._many)} histograms of {self.largest:,} records over "
                f"{len(self.values):,} values are more than {MOST_DATABASES:,}; use fewer values "
                "or design by answer"
            )

    @classmethod
    def of(
        cls,
        records: int,
        values: Space | Iterable[object],
        relation: Relation | str = Relation.CHANGE,
        *,
        smallest: int | None = None,
    ) -> "Databases":
        """Tables of `records` records, or of `smallest` (1 unless said) to `records` of them."""
        space = values if isinstance(values, Space) else _space_of(values)
        differ = Relation.of(relation, ONE_RECORD)
        if differ == Relation.ADD_OR_REMOVE:
            return cls(space, 1 if smallest is None else smallest, records, differ)
        if smallest is not None:
            raise NeighboursError(
                f"a smallest number of records is only for {Relation.ADD_OR_REMOVE!r}, "
                f"not for {differ!r}"
            )
        return cls(space, records, records, differ)

    def __len__(self) -> int:
        return self._many

    @cached_property
    def _many(self) -> int:
        parts = len(self.values)
        return comb(self.largest + parts, parts) - comb(self.smallest - 1 + parts, parts)

    @cached_property
    def counts(self) -> Indices:
        """A line for each histogram: how many records have each value."""
        parts = len(self.values)
        sizes = range(self.smallest, self.largest + 1)
        return np.concatenate([_compositions(size, parts) for size in sizes])

    @cached_property
    def sizes(self) -> Indices:
        """How many records each histogram has."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def above(self) -> Indices:
        """A line for each histogram: how many records are above each value but the largest."""
        return np.cumsum(self.counts[:, ::-1], axis=1)[:, -2::-1]

    @cached_property
    def _below(self) -> Indices:
        """At [r, t]: how many histograms of r records over t values there are."""
        parts = len(self.values)
        table = [
            [comb(left + t - 1, t - 1) if t else int(left == 0) for t in range(parts + 1)]
            for left in range(self.largest + 1)
        ]
        return np.array(np.minimum(table, 2**62), dtype=np.int64)

    def columns(self, counts: Indices) -> Indices:
        """Where histograms stand among the columns, by counting those before them."""
        parts = counts.shape[1]
        left = counts.sum(axis=1)
        starts = np.cumsum([0, *self._below[self.smallest :, parts]])
        columns: Indices = starts[left - self.smallest].astype(np.int64)
        for place in range(parts - 1):
            rest = left - counts[:, place]
            columns = columns + self._below[left, parts - place] - self._below[rest, parts - place]
            left = rest
        return columns

    def column(self, histogram: Histogram) -> int:
        """Where one histogram stands; SpaceError when it is not one of ours."""
        counts = np.array([histogram])
        fits = counts.shape == (1, len(self.values)) and counts.dtype.kind in "iu"
        if not fits or counts.min() < 0 or not self.smallest <= counts.sum() <= self.largest:
            raise SpaceError(
                f"a histogram must have {len(self.values)} counts that sum to {self.size_words}"
            )
        return int(self.columns(counts)[0])

    def column_of(self, records: Iterable[object]) -> int:
        """Where a table stands, from the values of its records in any order.

        A record that is none of the values is refused without being shown.
        """
        try:
            times = Counter(self.values.index(value) for value in records)
        except SpaceError:
            raise SpaceError(
                f"a record is not one of the {len(self.values)} declared values; clean the table "
                "first"
            ) from None
        return self.column([times[place] for place in range(len(self.values))])

    @cached_property
    def matchings(self) -> tuple[tuple[Indices, Indices], ...]:
        """All neighbouring pairs, in groups in which no column stands twice on one side."""
        parts = len(self.values)
        if self.relation == Relation.ADD_OR_REMOVE:
            return tuple(self.moves(None, target) for target in range(parts))
        return tuple(
            self.moves(source, target)
            for source in range(parts)
            for target in range(source + 1, parts)
        )

    def moves(self, source: int | None, target: int) -> tuple[Indices, Indices]:
        """Columns, and where one record put at `target` (taken from `source`) leads from them."""
        room = self.sizes < self.largest if source is None else self.counts[:, source] > 0
        before = np.flatnonzero(room)
        after = self.counts[before]
        if source is not None:
            after[:, source] -= 1
        after[:, target] += 1
        return before, self.columns(after)

    @cached_property
    def pairs(self) -> Indices:
        """Every neighbouring pair of columns, a line for each, the smaller first."""
        both = [np.stack(pair, axis=1) for pair in self.matchings]
        pairs = np.concatenate(both) if both else np.zeros((0, 2), dtype=np.int64)
        return np.sort(pairs, axis=1)

    @cached_property
    def space(self) -> Labels:
        """The columns by name: counts with points between them, as in `discreet.graphs`."""
        return Labels(tuple(".".join(map(str, line)) for line in self.counts.tolist()))

    @cached_property
    def neighbours(self) -> Graph:
        """The same pairs as a relation that a mechanism carries and the certifier checks."""
        # A number for each column, which all pairs share: millions of pairs fit in memory so.
        name = list(range(len(self))).__getitem__
        one, other = (map(name, ends.tolist()) for ends in self.pairs.T)
        return Graph(len(self), frozenset(zip(one, other, strict=True)))

    @property
    def size_words(self) -> str:
        """How many records a table has, in words."""
        return (
            str(self.largest)
            if self.smallest == self.largest
            else f"{self.smallest} to {self.largest}"
        )

    def __repr__(self) -> str:
        return (
            f"Databases({self.size_words} records over {len(self.values)} values, "
            f"{self.relation.words}: {len(self):,})"
        )


def _space_of(values: Iterable[object]) -> Space:
    listed = list(values)
    if listed and all(isinstance(value, str) for value in listed):
        return Labels.of([str(value) for value in listed])
    return Listed.of(listed)  # type: ignore[arg-type]


def _compositions(total: int, parts: int) -> Indices:
    """Every way to write `total` as an ordered sum of `parts` numbers, in order.

    Place by place: each line is repeated for every count that may come next, and what is left is
    the last one.
    """
    lines, left = np.zeros((1, 0), dtype=np.int64), np.array([total], dtype=np.int64)
    for _ in range(parts - 1):
        times = left + 1
        here = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        lines = np.column_stack([np.repeat(lines, times, axis=0), here])
        left = np.repeat(left, times) - here
    return np.column_stack([lines, left])
