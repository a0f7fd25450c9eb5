"""Questions that a histogram answers: each says what its answers are, and which one is true."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from discreet.databases.listing import Databases, Indices
from discreet.errors import SpaceError
from discreet.exact import RationalLike, rational
from discreet.model import Grid, Labels, Listed, Loss, Numbers, Space, numbers_of
from discreet.model.losses import Floats
from discreet.statistics import (
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    Mean,
    Mode,
    Range,
    Rank,
    Sum,
    share_of,
)


@dataclass(frozen=True)
class PossibleTruths:
    """What may be true, and which of it each database says: an index for each column."""

    answers: Space
    of_column: Indices


@dataclass(frozen=True)
class CountAbove:
    """How many records have a value above the threshold."""

    threshold: Fraction
    name: str = "count-above"

    def __post_init__(self) -> None:
        exact = rational(self.threshold, "the threshold", SpaceError)
        object.__setattr__(self, "threshold", exact)

    def truth(self, databases: Databases) -> PossibleTruths:
        """0 to the largest number of records."""
        values = numbers_of(databases.values, f"a {self.name}").values()
        above = np.array([value > self.threshold for value in values])
        answers = Grid(Fraction(0), Fraction(1), databases.largest + 1)
        return PossibleTruths(answers, databases.counts[:, above].sum(axis=1))


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

    def truth(self, databases: Databases) -> PossibleTruths:
        """Whatever the function says, in order."""
        answers = [self.function(tuple(line)) for line in databases.counts.tolist()]
        if all(isinstance(answer, str) for answer in answers):
            names = sorted({str(answer) for answer in answers})
            place = {name: index for index, name in enumerate(names)}
            return PossibleTruths(
                Labels.of(names), np.array([place[str(answer)] for answer in answers])
            )
        return _distinct([rational(answer, "an answer", SpaceError) for answer in answers])


Alone: TypeAlias = Rank | Mode | Range | Sum | Mean | CountAbove | Custom
"""A question with one answer, which depends on the histogram alone."""


@dataclass(frozen=True)
class Together:
    """Several statistics of one table, told at once; what an output loses is the sum of theirs.

    Outputs are the combinations of answers that some table has.

    >>> ends = Together((minimum(), maximum()))
    >>> ends.name, ends.truth(Databases.of(2, [1, 2])).answers.values()
    ('min and max', ('1, 1', '1, 2', '2, 2'))
    """

    statistics: tuple[Alone, ...]

    def __post_init__(self) -> None:
        if len(self.statistics) < 2 or len(set(self.statistics)) < len(self.statistics):
            names = ", ".join(one.name for one in self.statistics) or "none"
            raise SpaceError(
                f"a joint release needs at least two different statistics, got {names}"
            )

    @property
    def name(self) -> str:
        """Their names."""
        return " and ".join(one.name for one in self.statistics)

    def truth(self, databases: Databases) -> PossibleTruths:
        """The combinations that tables have, in order."""
        combined, of_column = self._combined(databases)
        words = [one.answers.values() for one in self._each(databases)]
        names = [", ".join(str(words[k][place]) for k, place in enumerate(one)) for one in combined]
        return PossibleTruths(Labels.of(names), of_column)

    def costs(self, loss: Loss, databases: Databases) -> Floats:
        """What telling each combination loses under each database."""
        if loss.table is not None:
            raise SpaceError("statistics released together need a loss by its name")
        combined, _ = self._combined(databases)
        each = [
            loss.matrix(one.answers, one.answers)[combined[:, k]][:, one.of_column]
            for k, one in enumerate(self._each(databases))
        ]
        return np.asarray(np.sum(each, axis=0))

    def _each(self, databases: Databases) -> list[PossibleTruths]:
        return [truth_of(one, databases) for one in self.statistics]

    def _combined(self, databases: Databases) -> tuple[Indices, Indices]:
        parts = np.stack([one.of_column for one in self._each(databases)], axis=1)
        combined, of_column = np.unique(parts, axis=0, return_inverse=True)
        return combined, of_column.ravel()


Statistic: TypeAlias = Alone | Together
"""Any question whose answer, or answers, depend on the histogram alone."""


def truth_of(statistic: Statistic, databases: Databases) -> PossibleTruths:
    """The answers of a statistic, and the true one of every database.

    >>> truth_of(median(), Databases.of(2, [1, 2])).of_column.tolist()
    [1, 0, 0]
    >>> truth_of(Mean(), Databases.of(2, [0, 1])).answers
    Grid(0, 1, step 1/2)
    """
    match statistic:
        case CountAbove() | Custom() | Together():
            return statistic.truth(databases)
        case Mode():
            _need_a_record(databases, statistic.name)
            return PossibleTruths(databases.values, statistic.places(databases.counts))
    values = numbers_of(databases.values, f"a {statistic.name}")
    if not isinstance(statistic, Sum):
        _need_a_record(databases, statistic.name)
    match statistic:
        case Rank():
            return PossibleTruths(values, statistic.places(databases.counts))
        case Range():
            return _widths(values.values(), *statistic.ends(databases.counts))
    return _distinct(statistic.numbers(databases.counts, values))


def minimum() -> Rank:
    """The smallest value."""
    return MINIMUM


def maximum() -> Rank:
    """The largest value."""
    return MAXIMUM


def median() -> Rank:
    """The middle value, the lower of two."""
    return MEDIAN


def quantile(share: RationalLike) -> Rank:
    """The value that this share of the records does not exceed: record ⌈share·n⌉ in order."""
    return Rank(share_of(share, SpaceError))


def _need_a_record(databases: Databases, name: str) -> None:
    if databases.smallest < 1:
        raise SpaceError(f"an empty table has no {name}; declare at least one record")


def _widths(values: tuple[Fraction, ...], low: Indices, high: Indices) -> PossibleTruths:
    """All differences of two values, which need not be evenly spaced."""
    differences = sorted({b - a for a in values for b in values if b >= a})
    place = {number: index for index, number in enumerate(differences)}
    table = np.array([[place.get(b - a, 0) for b in values] for a in values])
    return PossibleTruths(_numbers(differences), table[low, high])


def _distinct(answers: list[Fraction]) -> PossibleTruths:
    numbers = sorted(set(answers))
    place = {number: index for index, number in enumerate(numbers)}
    return PossibleTruths(_numbers(numbers), np.array([place[number] for number in answers]))


def _numbers(increasing: list[Fraction]) -> Numbers:
    """A grid where the numbers are evenly spaced, so that it reads well; else a list."""
    steps = {b - a for a, b in pairwise(increasing)}
    if len(steps) == 1:
        return Grid(increasing[0], steps.pop(), len(increasing))
    return Listed(tuple(increasing))
