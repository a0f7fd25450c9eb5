"""Order statistics told by percentiles: which rows a value lies between, whatever the rows are."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeAlias

from discreet.planning.candidates.candidate import Candidate, Figures
from discreet.planning.releases.by_window import WindowRelease
from discreet.planning.releases.choice import ChoiceRelease, rows_off
from discreet.planning.releases.population import PopulationRelease, halved
from discreet.planning.releases.quantiles import QuantileRelease
from discreet.planning.releases.ranks import RankRelease
from discreet.planning.releases.release import DrawnRows, Interval, Release
from discreet.planning.sampling_error import share_bounds
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About, Wishes
from discreet.statistics import Mode, Rank

_PARTS = 10_000
ANYWHERE = (Fraction(0), Fraction(1))
"""The shares that say nothing: as many rows may be off as there are."""
ByRows: TypeAlias = Callable[[DrawnRows | None], Interval | None]
"""Percentiles, once it is known what was drawn of the number of rows."""


def percentile_range(
    share: Fraction, rows_off: int, rows: int, above: int | None = None
) -> tuple[Fraction, Fraction]:
    """Between which shares of the rows a value lies that is at most so many rows off.

    The value is at least the row at the first share and at most the row at the second; 0 and 1
    mean that nothing is said on that side (docs/proofs/ranks.md, Claim 5).

    Args:
        share: Which quantile is told, as a share: ½ for the median.
        rows_off: How many rows would have to change at most for it to be exact.
        rows: How many rows there are, or a number of which there are at least so many.
        above: The same for values that are too high, where it differs; `rows_off` is then for
            values that are too low.

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
    too_high = rows_off if above is None else above
    low, high = share - Fraction(rows_off, rows), share + (too_high + rounded_up) / rows
    return max(low, Fraction(0)), min(high, Fraction(1))


def percentiles_of(
    subject: Subject, wishes: Wishes, chosen: Candidate, rows: DrawnRows | None = None
) -> Interval | None:
    """The percentiles of an order statistic, where the number of rows is public or was drawn.

    A drawn number may be wrong, which takes half of the failures that the confidence allows.
    """
    return percentiles_by_rows(subject, wishes, chosen)(rows)


def percentiles_by_rows(subject: Subject, wishes: Wishes, chosen: Candidate) -> ByRows:
    """The same for whatever number of rows is drawn: public facts are looked at once."""
    rank, release = subject.statistic, chosen.release
    off = chosen.figures.rows_off
    if not isinstance(rank, Rank) or off is None:
        return lambda _: None
    share, half = rank.share, halved(wishes.confidence)
    if subject.fixed_size and wishes.about == About.POPULATION:
        below, above = _sides(release, half) or (off, off)
        of_population = outward(_of_population(subject, rank, below, above, wishes.confidence))
        return lambda _: of_population
    if subject.fixed_size:
        below, above = _sides(release, wishes.confidence) or (off, off)
        of_table = outward(percentile_range(share, below, subject.most_rows, above))
        return lambda _: of_table
    sides = None if wishes.about == About.POPULATION else _sides(release, half)
    if sides is None:
        return lambda _: None
    low, high = sides
    at_most = percentiles_if(subject, wishes, chosen, subject.most_rows)
    uncounted = at_most if at_most == ANYWHERE else None

    def of_drawn(rows: DrawnRows | None) -> Interval | None:
        """Of fewer rows no more is known: what says nothing of all there may be says so."""
        fewest = None if rows is None else rows.fewest
        return uncounted if fewest is None else outward(percentile_range(share, low, fewest, high))

    return of_drawn


def percentiles_if(
    subject: Subject, wishes: Wishes, chosen: Candidate, rows: int
) -> Interval | None:
    """The percentiles of an order statistic of a private number of rows, if it is so many or more.

    Nothing of the confidence is spent on that number: it is supposed.
    """
    rank = subject.statistic
    sides = None if wishes.about == About.POPULATION else _sides(chosen.release, wishes.confidence)
    if not isinstance(rank, Rank) or sides is None or not chosen.figures.by_rows:
        return None
    return outward(percentile_range(rank.share, sides[0], rows, sides[1]))


def _of_population(
    subject: Subject, rank: Rank, below: int, above: int, confidence: Fraction
) -> Interval:
    rows = subject.most_rows
    place = rank.of(rows)
    fewest, most = max(place - below, 0), min(place + above - 1, rows)
    return share_bounds(rows, fewest, most, 1 - halved(confidence))


def _sides(release: Release[Any], confidence: Fraction) -> tuple[int, int] | None:
    """How many rows too low and too high a value is at most, at a confidence."""
    failure, subject = 1 - float(confidence), release.subject
    match release:
        case PopulationRelease():
            return _sides(release.within, confidence)
        case ChoiceRelease():
            leanings = [float(one) for one in release.leanings]
            leaning = max(leanings) - min(leanings)
            return (rows_off(subject, float(release.rate), leaning, failure),) * 2
        case WindowRelease():
            return (release.rows_off(confidence),) * 2
        case QuantileRelease():
            return (release.choice.rows_off(failure),) * 2
        case RankRelease():
            return release.rule.rows_off_by_side(failure, subject.most_rows)
    return None


def outward(shares: Interval) -> Interval:
    """Shares in hundredths of a per cent, rounded so that they say no more than before."""
    low, high = shares
    return Fraction(floor(low * _PARTS), _PARTS), Fraction(ceil(high * _PARTS), _PARTS)


def rows_behind(subject: Subject, figures: Figures) -> int | None:
    """How many rows at most a mode is behind the most frequent value, at the confidence.

    It is exact once one row more has changed, which breaks a tie (docs/proofs/ranks.md, Claim 5).
    Of a top: how many rows a word that is left out is ahead of one that is listed.
    """
    off = figures.rows_off
    if figures.rows_behind is not None:
        return min(figures.rows_behind, subject.most_rows)
    if off is None or not isinstance(subject.statistic, Mode):
        return None
    return off if off >= subject.most_rows else off - 1
