"""Statistics known by path length: how many records must change for the answer to become y.

As a score, −length has sensitivity 1 for every statistic: docs/proofs/path-length.md.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, show
from discreet.mechanisms.path_length.reading import Histogram, Lengths, check_place, read_histogram
from discreet.model.neighbours import Relation
from discreet.statistics import MAXIMUM, MEDIAN, MINIMUM, CountFrom, Mode, Range, Rank, share_of


class Reachable(Protocol):
    """A statistic that knows how far each of its answers is from a table."""

    def rows_to_change(self, tables: Lengths, /) -> Lengths:
        """How many rows must change their value for each answer to be the true one."""
        ...

    def rows_to_add_or_remove(self, tables: Lengths, /) -> Lengths:
        """How many rows must come or go for each answer to be the true one."""
        ...


@dataclass(frozen=True)
class PathLength:
    """A statistic of a histogram over T ordered values, and how neighbouring tables differ.

    Answers are indices: of a value (quantiles, mode), a number of steps (range), a count. Where
    the number of records is private, `of_nothing` is the answer of an empty table; without it an
    empty one is scored by how far it is from the tables of each answer.

    >>> PathLength.median().lengths([0, 1, 5, 3, 1]).tolist()
    [5, 4, 0, 2, 5]
    """

    statistic: Reachable
    relation: Relation = Relation.CHANGE
    of_nothing: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", Relation.of(self.relation))

    @classmethod
    def quantile(
        cls,
        share: RationalLike,
        relation: Relation = Relation.CHANGE,
        of_nothing: int | None = None,
    ) -> Self:
        """The record at place max(1, ⌈share·m⌉) of m in order; r/n is the r-th smallest of n."""
        return cls(Rank(share_of(share, InvalidInput)), relation, of_nothing)

    @classmethod
    def minimum(cls, relation: Relation = Relation.CHANGE, of_nothing: int | None = None) -> Self:
        """The smallest value that a record has."""
        return cls(MINIMUM, relation, of_nothing)

    @classmethod
    def median(cls, relation: Relation = Relation.CHANGE, of_nothing: int | None = None) -> Self:
        """The value of the record in the middle, the lower of two."""
        return cls(MEDIAN, relation, of_nothing)

    @classmethod
    def maximum(cls, relation: Relation = Relation.CHANGE, of_nothing: int | None = None) -> Self:
        """The largest value that a record has."""
        return cls(MAXIMUM, relation, of_nothing)

    @classmethod
    def mode(cls, relation: Relation = Relation.CHANGE, of_nothing: int | None = None) -> Self:
        """The most frequent value, the first of those that tie."""
        return cls(Mode(), relation, of_nothing)

    @classmethod
    def range(cls, relation: Relation = Relation.CHANGE, of_nothing: int | None = None) -> Self:
        """How many steps the largest value lies above the smallest."""
        return cls(Range(), relation, of_nothing)

    @classmethod
    def count(cls, first: int, most: int, relation: Relation = Relation.CHANGE) -> Self:
        """How many records have the value of index `first` or a later one, `most` if more do."""
        for number, what in ((first, "the first value that counts"), (most, "the largest count")):
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise InvalidInput(f"{what} must be a whole number from 0, got {show(number)}")
        return cls(CountFrom(first, most), relation)

    def lengths(self, histogram: Histogram) -> Lengths:
        """For each answer, how many records must change (or come and go) until it is true."""
        counts = read_histogram(histogram)
        if isinstance(self.statistic, CountFrom):
            return self.statistic.rows_to_change(counts)
        check_place(self.of_nothing, len(counts), "the answer of an empty table")
        if self.relation == Relation.CHANGE:
            self._check_records(counts)
            return self.statistic.rows_to_change(counts)
        by_steps = self.relation == Relation.ADD_OR_REMOVE
        away = self.statistic.rows_to_add_or_remove if by_steps else self.statistic.rows_to_change
        return self._with_nothing(away(counts), int(counts.sum()))

    def answer(self, histogram: Histogram) -> int:
        """The index of the true answer: the only one no change away.

        >>> PathLength.range().answer([0, 2, 0, 1])
        2
        """
        return int(self.lengths(histogram).argmin())

    def _check_records(self, counts: Lengths) -> None:
        """Where records only change their number is public, so an error may speak of it."""
        records = int(counts.sum())
        if records == 0:
            raise InvalidInput("if records only change, there must be at least one, got none")
        if isinstance(self.statistic, Range) and records == 1 and len(counts) > 1:
            raise InvalidInput("the range of 1 record is always 0; ask for it with 2 or more")

    def _with_nothing(self, lengths: Lengths, records: int) -> Lengths:
        """Emptying the table leads to the answer of nothing; an empty table has no other."""
        if records == 0:
            lengths = np.maximum(lengths, 1)
        if self.of_nothing is not None:
            lengths[self.of_nothing] = min(int(lengths[self.of_nothing]), records)
        return lengths
