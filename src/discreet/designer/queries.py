"""The questions people ask most, as spaces and neighbours: count, sum, mean, min, max, median.

Two databases are neighbours when they differ in the value of one record; n, the number of
records, is public.
"""

from dataclasses import dataclass, field

from discreet.errors import SpaceError
from discreet.exact import RationalLike, show
from discreet.model import AllPairs, Grid, Neighbours, Relation, Within
from discreet.statistics import (
    HOLDS,
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    Count,
    Mean,
    Placed,
    Rank,
    Rows,
    Statistic,
    Sum,
    share_of,
)


@dataclass(frozen=True, kw_only=True)
class Query:
    """The possible answers, and which of them one record can lead between."""

    name: str
    answers: Grid
    neighbours: Neighbours
    statistic: Statistic = field(repr=False)
    values: Grid = field(repr=False)
    """What one record may be."""


def count(n: int) -> Query:
    """How many of n records have some property: 0 to n, neighbours one apart.

    >>> count(5)
    Query(name='count', answers=Grid(0, 5), neighbours=Within(steps=1))
    """
    return _query(Count(), HOLDS, _records(n))


def total(n: int, low: RationalLike, high: RationalLike, step: RationalLike = 1) -> Query:
    """The sum of n values from low, low + step, …, high: one record moves it by up to a range."""
    return _query(Sum(), Grid.between(low, high, step), _records(n))


def mean(n: int, low: RationalLike, high: RationalLike, step: RationalLike = 1) -> Query:
    """The mean of n values: k·n + 1 answers, step/n apart, for k steps in the range (003 §4.3).

    >>> mean(10, 0, 4)
    Query(name='mean', answers=Grid(0, 4, step 1/10), neighbours=Within(steps=4))
    """
    return _query(Mean(), Grid.between(low, high, step), _records(n))


def minimum(low: RationalLike, high: RationalLike, step: RationalLike = 1) -> Query:
    """The smallest value: one record can move it anywhere."""
    return _query(MINIMUM, Grid.between(low, high, step))


def maximum(low: RationalLike, high: RationalLike, step: RationalLike = 1) -> Query:
    """The largest value: one record can move it anywhere.

    >>> maximum(0, 9)
    Query(name='max', answers=Grid(0, 9), neighbours=AllPairs())
    """
    return _query(MAXIMUM, Grid.between(low, high, step))


def median(low: RationalLike, high: RationalLike, step: RationalLike = 1) -> Query:
    """The middle value (the lower of two): one record can move it anywhere."""
    return _query(MEDIAN, Grid.between(low, high, step))


def quantile(
    share: RationalLike, low: RationalLike, high: RationalLike, step: RationalLike = 1
) -> Query:
    """The value that this share of the records does not exceed: one can move it anywhere."""
    return _query(Rank(share_of(share, SpaceError)), Grid.between(low, high, step))


def _query(statistic: Statistic, values: Grid, records: int = 1) -> Query:
    """What may be true of so many records, any one of which may change."""
    form = statistic.form(Rows(values=values, most=records, relation=Relation.CHANGE))
    answers = Grid(form.start, form.unit, form.size)
    anywhere = isinstance(form, Placed)
    neighbours = AllPairs() if anywhere else Within(max(1, form.steps))
    return Query(
        name=statistic.name,
        answers=answers,
        neighbours=neighbours,
        statistic=statistic,
        values=values,
    )


def _records(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int):
        raise SpaceError(f"the number of records must be a whole number, got {show(n)}")
    if n < 1:
        raise SpaceError(f"a question needs at least one record, got n = {n}")
    return n
