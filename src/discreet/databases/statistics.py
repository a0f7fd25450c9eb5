"""Questions that a histogram answers: each says what its answers are, and which one is true."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np

from discreet import statistics
from discreet.databases.listing import Databases, Indices
from discreet.errors import SpaceError
from discreet.exact import RationalLike, rational
from discreet.model import Grid, Labels, Listed, Numbers, Space, numbers_of
from discreet.statistics import MAXIMUM, MEDIAN, MINIMUM, Rank, share_of


@dataclass(frozen=True)
class Truth:
    """What may be true, and which of it each database says: an index for each column."""

    answers: Space
    of_column: Indices


class Statistic(Protocol):
    """Any question whose answer depends on the histogram alone."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def truth(self, databases: Databases) -> Truth:
        """Its answers, and the true one of every database."""
        ...


@dataclass(frozen=True)
class Quantile:
    """The value that this share of the records does not exceed: record ⌈share·n⌉ in order.

    The median is share ½ (the fifth of ten), the minimum share 0, the maximum share 1.

    >>> two = Databases.of(2, [1, 2])
    >>> Quantile(Fraction(1, 2)).truth(two).of_column.tolist()
    [1, 0, 0]
    """

    share: Fraction
    name: str = Rank(Fraction(0)).name

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of(self.share, SpaceError))

    def truth(self, databases: Databases) -> Truth:
        """The values themselves; the first whose cumulative count reaches the rank."""
        answers = _ordered(databases, self.name)
        _need_a_record(databases, self.name)
        return Truth(answers, Rank(self.share).places(databases.counts))


@dataclass(frozen=True)
class Mode:
    """The most frequent value; of tied ones the first. Values may be labels."""

    name: str = statistics.Mode().name

    def truth(self, databases: Databases) -> Truth:
        """The values themselves; where the count is largest."""
        _need_a_record(databases, self.name)
        return Truth(databases.values, statistics.Mode().places(databases.counts))


@dataclass(frozen=True)
class Range:
    """The largest value minus the smallest."""

    name: str = statistics.Range().name

    def truth(self, databases: Databases) -> Truth:
        """All differences of two values."""
        _need_a_record(databases, self.name)
        values = _ordered(databases, self.name).values()
        low, high = statistics.Range().ends(databases.counts)
        differences = sorted({high - low for low in values for high in values if high >= low})
        place = {number: index for index, number in enumerate(differences)}
        table = np.array([[place.get(b - a, 0) for b in values] for a in values])
        return Truth(_numbers(differences), table[low, high])


@dataclass(frozen=True)
class Total:
    """The sum of the values."""

    name: str = statistics.Sum().name

    def truth(self, databases: Databases) -> Truth:
        """All sums that some database has."""
        values = _ordered(databases, self.name)
        return _distinct(statistics.Sum().numbers(databases.counts, values))


@dataclass(frozen=True)
class Mean:
    """The sum of the values divided by the number of records (003 §4.3).

    >>> Mean().truth(Databases.of(2, [0, 1])).answers
    Grid(0, 1, step 1/2)
    """

    name: str = statistics.Mean().name

    def truth(self, databases: Databases) -> Truth:
        """All means that some database has."""
        _need_a_record(databases, self.name)
        values = _ordered(databases, self.name)
        return _distinct(statistics.Mean().numbers(databases.counts, values))


@dataclass(frozen=True)
class CountAbove:
    """How many records have a value above the threshold."""

    threshold: Fraction
    name: str = "count-above"

    def __post_init__(self) -> None:
        exact = rational(self.threshold, "the threshold", SpaceError)
        object.__setattr__(self, "threshold", exact)

    def truth(self, databases: Databases) -> Truth:
        """0 to the largest number of records."""
        values = _ordered(databases, self.name).values()
        above = np.array([value > self.threshold for value in values])
        answers = Grid(Fraction(0), Fraction(1), databases.largest + 1)
        return Truth(answers, databases.counts[:, above].sum(axis=1))


@dataclass(frozen=True)
class Custom:
    """Any function of a histogram (a tuple of counts); its answers are numbers, or all words.

    >>> Custom("distinct", lambda counts: sum(c > 0 for c in counts)).truth(
    ...     Databases.of(3, [1, 2])
    ... ).of_column.tolist()
    [0, 1, 1, 0]
    """

    name: str
    function: Callable[[tuple[int, ...]], object]

    def truth(self, databases: Databases) -> Truth:
        """Whatever the function says, in order."""
        told = [self.function(tuple(line)) for line in databases.counts.tolist()]
        if all(isinstance(answer, str) for answer in told):
            names = sorted({str(answer) for answer in told})
            place = {name: index for index, name in enumerate(names)}
            return Truth(Labels.of(names), np.array([place[str(answer)] for answer in told]))
        return _distinct([rational(answer, "an answer", SpaceError) for answer in told])


def minimum() -> Quantile:
    """The smallest value."""
    return _named(MINIMUM)


def maximum() -> Quantile:
    """The largest value."""
    return _named(MAXIMUM)


def median() -> Quantile:
    """The middle value, the lower of two."""
    return _named(MEDIAN)


def quantile(share: RationalLike) -> Quantile:
    """The value that this share of the records does not exceed."""
    return Quantile(share_of(share, SpaceError))


def _named(rank: Rank) -> Quantile:
    return Quantile(rank.share, rank.name)


def _ordered(databases: Databases, name: str) -> Numbers:
    return numbers_of(databases.values, f"a {name}")


def _need_a_record(databases: Databases, name: str) -> None:
    if databases.smallest < 1:
        raise SpaceError(f"an empty table has no {name}; declare at least one record")


def _distinct(told: list[Fraction]) -> Truth:
    numbers = sorted(set(told))
    place = {number: index for index, number in enumerate(numbers)}
    return Truth(_numbers(numbers), np.array([place[number] for number in told]))


def _numbers(increasing: list[Fraction]) -> Numbers:
    """A grid where the numbers are evenly spaced, so that it reads well; else a list."""
    steps = {b - a for a, b in pairwise(increasing)}
    if len(steps) == 1:
        return Grid(increasing[0], steps.pop(), len(increasing))
    return Listed(tuple(increasing))
