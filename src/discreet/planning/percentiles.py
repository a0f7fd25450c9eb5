"""Order statistics told by percentiles: which rows a value lies between, whatever the rows are."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

from discreet.planning.candidates.candidate import Candidate, Figures
from discreet.planning.candidates.selection import rows_off
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.population import halved
from discreet.planning.releases.release import DrawnRows, Interval, Release
from discreet.planning.sampling_error import share_bounds
from discreet.planning.subjects.subject import Subject
from discreet.planning.told import About
from discreet.planning.wishes import Wishes
from discreet.statistics import Mode, Rank

_PARTS = 10_000


def percentile_range(share: Fraction, rows_off: int, rows: int) -> tuple[Fraction, Fraction]:
    """Between which shares of the rows a value lies that is at most so many rows off.

    The value is at least the row at the first share and at most the row at the second; 0 and 1
    mean that nothing is said on that side (docs/proofs/ranks.md, Claim 5).

    Args:
        share: Which quantile is told, as a share: ½ for the median.
        rows_off: How many rows would have to change at most for it to be exact.
        rows: How many rows there are, or a number of which there are at least so many.

    Returns:
        The two shares.

    >>> [float(end) for end in percentile_range(Fraction(1, 2), 14, 200)]
    [0.43, 0.5725]
    >>> [float(end) for end in percentile_range(Fraction(1), 14, 200)]
    [0.93, 1.0]
    """
    if rows < 1:
        return Fraction(0), Fraction(1)
    rounded_up = Fraction(1) if share == 0 else 1 - Fraction(1, share.denominator)
    low, high = share - Fraction(rows_off, rows), share + (rows_off + rounded_up) / rows
    return max(low, Fraction(0)), min(high, Fraction(1))


def percentiles_of(
    subject: Subject, wishes: Wishes, chosen: Candidate, rows: DrawnRows | None = None
) -> Interval | None:
    """The percentiles of an order statistic, where the number of rows is public or was drawn.

    A drawn number may be wrong, which takes half of the failures that the confidence allows.
    """
    statistic, off = subject.statistic, chosen.figures.rows_off
    if not isinstance(statistic, Rank) or off is None:
        return None
    if subject.fixed_size and wishes.about == About.POPULATION:
        return outward(_of_population(subject, statistic, off, wishes.confidence))
    if subject.fixed_size:
        return outward(percentile_range(statistic.share, off, subject.most_rows))
    surer = None if rows is None else _rows_off(chosen.release, halved(wishes.confidence))
    if rows is None or surer is None or wishes.about == About.POPULATION:
        return None
    return outward(percentile_range(statistic.share, surer, rows.fewest))


def _of_population(subject: Subject, rank: Rank, off: int, confidence: Fraction) -> Interval:
    rows = subject.most_rows
    place = rank.of(rows)
    fewest, most = max(place - off, 0), min(place + off - 1, rows)
    return share_bounds(rows, fewest, most, 1 - halved(confidence))


def _rows_off(release: Release[Any], confidence: Fraction) -> int | None:
    """How many rows off a value is at most, at another confidence than the plan's."""
    if not isinstance(release, ChoiceRelease):
        return None
    leanings = [float(one) for one in release.leanings]
    leaning = max(leanings) - min(leanings)
    return rows_off(release.subject, float(release.rate), leaning, 1 - float(confidence))


def outward(shares: Interval) -> Interval:
    """Shares in hundredths of a per cent, rounded so that they say no more than before."""
    low, high = shares
    return Fraction(floor(low * _PARTS), _PARTS), Fraction(ceil(high * _PARTS), _PARTS)


def rows_behind(subject: Subject, figures: Figures) -> int | None:
    """How many rows at most a mode is behind the most frequent value, at the confidence.

    It is exact once one row more has changed, which breaks a tie (docs/proofs/ranks.md, Claim 5).
    """
    off = figures.rows_off
    if off is None or not isinstance(subject.statistic, Mode):
        return None
    return off if off >= subject.most_rows else off - 1
