"""A quantile read from stored counts: how many rows it is off follows from the law of running
totals. One read from stored running totals has an interval of values, by their own intervals
(docs/proofs/stored-releases.md, Claims 5 and 8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from discreet.curator.result import Result
from discreet.curator.stored.sums import NoiseOfSums
from discreet.planning.consistency import consistent_counts
from discreet.planning.percentiles import outward, percentile_range
from discreet.questions import Bins
from discreet.statistics import Rank
from discreet.tables import NumberColumn


@dataclass(frozen=True, kw_only=True)
class KnownTotals:
    """What is known of running totals of all rows: bin by bin, up to its end."""

    told: list[int]
    """Rising, up to the number of rows."""
    low: list[int]
    """No true total is below, at the confidence for all of them together."""
    high: list[int]
    """No true total is above, likewise."""

    @classmethod
    def of_counts(
        cls,
        released: Sequence[Sequence[Result]],
        noise: NoiseOfSums,
        rows: int,
        confidence: Fraction,
    ) -> "KnownTotals":
        """Of counts bin by bin, each the sum of some results.

        All of them hold at once: which one matters is known only when they are drawn.
        """
        each = 1 - (1 - confidence) / len(released)
        drawn = [sum(one.drawn or 0 for one in cells) for cells in released]
        reaches = [noise.reach(many, each) for many in accumulate(map(len, released))]
        totals = list(zip(accumulate(drawn), reaches, strict=True))
        return cls(
            told=list(accumulate(consistent_counts(drawn, rows))),
            low=[total - far for total, far in totals],
            high=[total + far for total, far in totals],
        )


def read_quantile(
    rank: Rank, column: NumberColumn, bins: Bins, totals: KnownTotals, *, like: Result, rows: int
) -> Result:
    """The quantile of so many rows, of which running totals are told.

    Args:
        rank: Which quantile.
        column: Its column.
        bins: The bins of the column that the totals end with.
        totals: What is known of them.
        like: A result of the release, for what is told beside values.
        rows: How many rows there are, which is public.

    Returns:
        The value, between which percentiles it lies, and how many rows off it is at most.
    """
    place = rank.of(rows)
    chosen = next(bin_ for bin_, total in enumerate(totals.told) if total >= place)
    below = totals.high[chosen - 1] if chosen else 0
    too_low = min(max(place - totals.low[chosen], 0), rows)
    too_high = min(max(below - (place - 1), 0), rows)
    first, last = bins.ends(chosen, column.size)
    value = column.grid.value((first + last) // 2)
    run = None if first == last else (column.grid.value(first), column.grid.value(last))
    return replace(
        like,
        value=int(value) if column.whole and value.denominator == 1 else value,
        drawn=None,
        interval=None,
        expected_error=None,
        rows_off=max(too_low, too_high),
        percentiles=outward(percentile_range(rank.share, too_low, rows, too_high)),
        run=run,
        whole_range=False,
        mechanism=f"{like.mechanism}, read from its counts",
    )


@dataclass(frozen=True, kw_only=True)
class RunningTotals:
    """Stored running totals, value by value, and between what the true ones lie."""

    told: list[int]
    """Rising: how many rows are at or below each value."""
    within: list[tuple[int, int]]
    """Between which numbers each is: low and high fail seldom enough for Claim 8, each by itself.
    """
    rows: tuple[int, int]
    """Between which numbers the number of rows is."""

    @classmethod
    def of(cls, released: Sequence[Result], rows: int | None) -> "RunningTotals":
        """Those of an answer, of so many rows in all; None where that is not public."""
        values = [one.value for one in released if isinstance(one.value, int)]
        if rows is not None:
            ends = [one.interval for one in released if one.interval is not None]
            return cls(told=values, within=[_whole(*one) for one in ends], rows=(rows, rows))
        surer = [one.surer for one in released if one.surer is not None]
        return cls(told=values, within=surer, rows=surer[-1])

    def values(self, rank: Rank) -> tuple[int, int]:
        """The places of the least and of the largest value that the quantile may be."""
        first, last = map(rank.of, self.rows)
        low = next((at for at, (_, most) in enumerate(self.within) if most >= first), 0)
        high = max(
            (at for at, (least, _) in enumerate(self.within, start=1) if least < last), default=0
        )
        return low, min(high, len(self.within) - 1)


def _whole(low: object, high: object) -> tuple[int, int]:
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    return int(low), int(high)


def read_running(
    rank: Rank, column: NumberColumn, released: Sequence[Result], rows: int | None
) -> Result:
    """The quantile by stored running totals, in an interval of values that holds for every table.

    Args:
        rank: Which quantile.
        column: Its column.
        released: The running total of each value.
        rows: How many rows there are, where that is public.

    Returns:
        The value and its interval, or that there may well be no rows.
    """
    totals, last = RunningTotals.of(released, rows), released[-1]
    counted = totals.told[-1]
    read = replace(
        last,
        interval=None,
        expected_error=None,
        surer=None,
        whole_range=False,
        mechanism=f"{last.mechanism}, read from them",
        rows_about=None if rows is not None else counted,
        rows_within=None if rows is not None else totals.rows,
    )
    if totals.rows[0] < 1:
        return replace(read, value=None)
    place = next(at for at, total in enumerate(totals.told) if total >= rank.of(max(counted, 1)))
    low, high = totals.values(rank)
    ends = min(low, place), max(high, place)
    values = [column.grid.value(one) for one in (place, *ends)]
    return replace(
        read,
        value=int(values[0]) if column.whole and values[0].denominator == 1 else values[0],
        interval=(values[1], values[2]),
        whole_range=ends == (0, column.size - 1),
    )
