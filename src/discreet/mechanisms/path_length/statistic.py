"""Statistics known by path length: how many records must change for the answer to become y.

As a score, −length has sensitivity 1 for every statistic: docs/proofs/path-length.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, rational, show
from discreet.mechanisms.path_length.modes import mode_changes, mode_steps
from discreet.mechanisms.path_length.quantiles import quantile_changes, quantile_steps
from discreet.mechanisms.path_length.reading import Histogram, Lengths, check_place, read_histogram
from discreet.mechanisms.path_length.spreads import count_changes, range_changes, range_steps
from discreet.model.relations import ADD_OR_REMOVE_ONE, CHANGE_ONE, check_relation

QUANTILE, MODE, RANGE, COUNT = "quantile", "mode", "range", "count"


@dataclass(frozen=True)
class PathLength:
    """A statistic of a histogram over T ordered values, and how neighbouring tables differ.

    Answers are indices: of a value (quantiles, mode), a number of steps (range), a count. Where
    the number of records is private, `of_nothing` is the answer of an empty table; without it an
    empty one is scored by how far it is from the tables of each answer.

    >>> PathLength.median().lengths([0, 1, 5, 3, 1]).tolist()
    [5, 4, 0, 2, 5]
    """

    kind: str
    relation: str = CHANGE_ONE
    share: Fraction | None = None
    first: int = 0
    most: int | None = None
    of_nothing: int | None = None

    def __post_init__(self) -> None:
        check_relation(self.relation)

    @classmethod
    def quantile(
        cls, share: RationalLike, relation: str = CHANGE_ONE, of_nothing: int | None = None
    ) -> Self:
        """The record at place max(1, ⌈share·m⌉) of m in order; r/n is the r-th smallest of n."""
        exact = rational(share, "the share of a quantile")
        if not 0 <= exact <= 1:
            raise InvalidInput(f"the share of a quantile lies between 0 and 1, got {show(share)}")
        return cls(QUANTILE, relation, share=exact, of_nothing=of_nothing)

    @classmethod
    def minimum(cls, relation: str = CHANGE_ONE, of_nothing: int | None = None) -> Self:
        """The smallest value that a record has."""
        return cls.quantile(0, relation, of_nothing)

    @classmethod
    def median(cls, relation: str = CHANGE_ONE, of_nothing: int | None = None) -> Self:
        """The value of the record in the middle, the lower of two."""
        return cls.quantile("1/2", relation, of_nothing)

    @classmethod
    def maximum(cls, relation: str = CHANGE_ONE, of_nothing: int | None = None) -> Self:
        """The largest value that a record has."""
        return cls.quantile(1, relation, of_nothing)

    @classmethod
    def mode(cls, relation: str = CHANGE_ONE, of_nothing: int | None = None) -> Self:
        """The most frequent value, the first of those that tie."""
        return cls(MODE, relation, of_nothing=of_nothing)

    @classmethod
    def range(cls, relation: str = CHANGE_ONE, of_nothing: int | None = None) -> Self:
        """How many steps the largest value lies above the smallest."""
        return cls(RANGE, relation, of_nothing=of_nothing)

    @classmethod
    def count(cls, first: int, most: int, relation: str = CHANGE_ONE) -> Self:
        """How many records have the value of index `first` or a later one, `most` if more do."""
        for number, what in ((first, "the first value that counts"), (most, "the largest count")):
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise InvalidInput(f"{what} must be a whole number from 0, got {show(number)}")
        return cls(COUNT, relation, first=first, most=most)

    def lengths(self, histogram: Histogram) -> Lengths:
        """For each answer, how many records must change (or come and go) until it is true."""
        counts = read_histogram(histogram)
        if self.kind == COUNT:
            assert self.most is not None
            return count_changes(int(counts[self.first :].sum()), self.most)
        check_place(self.of_nothing, len(counts), "the answer of an empty table")
        if self.relation == CHANGE_ONE:
            self._check_records(counts)
            return self._changes(counts)
        lengths = (
            self._steps(counts) if self.relation == ADD_OR_REMOVE_ONE else self._changes(counts)
        )
        return self._with_nothing(lengths, int(counts.sum()))

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
            raise InvalidInput("where records only change there must be one or more, got none")
        if self.kind == RANGE and records == 1 and len(counts) > 1:
            raise InvalidInput("the range of 1 record is always 0; ask for it with 2 or more")

    def _changes(self, counts: Lengths) -> Lengths:
        if self.kind == QUANTILE:
            assert self.share is not None
            return quantile_changes(counts, self.share)
        return mode_changes(counts) if self.kind == MODE else range_changes(counts)

    def _steps(self, counts: Lengths) -> Lengths:
        if self.kind == QUANTILE:
            assert self.share is not None
            return quantile_steps(counts, self.share)
        return mode_steps(counts) if self.kind == MODE else range_steps(counts)

    def _with_nothing(self, lengths: Lengths, records: int) -> Lengths:
        """Emptying the table leads to the answer of nothing; an empty table has no other."""
        if records == 0:
            lengths = np.maximum(lengths, 1)
        if self.of_nothing is not None:
            lengths[self.of_nothing] = min(int(lengths[self.of_nothing]), records)
        return lengths
