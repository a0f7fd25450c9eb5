"""A quantile read from stored counts: how many rows it is off follows from the law of running
totals (docs/proofs/stored-releases.md, Claim 5)."""

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
class Totals:
    """What is known of running totals of all rows: bin by bin, up to its end."""

    told: list[int]
    """Rising, up to the number of rows."""
    low: list[int]
    """No true total is below, at the confidence for all of them together."""
    high: list[int]
    """No true total is above, likewise."""

    @classmethod
    def of_counts(
        cls, told: Sequence[Sequence[Result]], noise: NoiseOfSums, rows: int, confidence: Fraction
    ) -> "Totals":
        """Of counts bin by bin, each the sum of some results.

        All of them hold at once: which one matters is known only when they are drawn.
        """
        each = 1 - (1 - confidence) / len(told)
        drawn = [sum(one.drawn or 0 for one in cells) for cells in told]
        reaches = [noise.reach(many, each) for many in accumulate(map(len, told))]
        totals = list(zip(accumulate(drawn), reaches, strict=True))
        return cls(
            told=list(accumulate(consistent_counts(drawn, rows))),
            low=[total - far for total, far in totals],
            high=[total + far for total, far in totals],
        )


def read_quantile(
    rank: Rank, column: NumberColumn, bins: Bins, totals: Totals, *, like: Result, rows: int
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
