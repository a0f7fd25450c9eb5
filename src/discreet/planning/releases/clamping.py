"""A mean of values clamped at a threshold that is drawn first (docs/proofs/clamped-mean.md).

The noise of a mean is as wide as the range that rows may have. Rows above the threshold count as
the threshold, so that less noise is enough; what they lose by it is said, and the interval is
widened by as much as it can be.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.choice import Whole, chosen, missed
from discreet.planning.releases.ratio import MeanRelease
from discreet.planning.releases.release import DrawnValue, Interval, Release, judged
from discreet.planning.releases.thinned import lines_of
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips
from discreet.statistics import Counted, Moments, Tally

_Drawn = tuple[int, Any]


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A private choice of the least place above which there are few rows."""

    places: tuple[int, ...]
    """The thresholds to choose from, as indices of values, in rising order; the last is the end."""
    above: int
    """How many rows may well lie above it."""
    rate: Fraction

    def away(self, lines: Whole) -> Whole:
        """For every table (a line of counts), how many rows each threshold is away from its place.

        It holds place max(1, m − above) of m rows in order when there are fewer rows up to the one
        before it, and as many up to it: a choice by rank (docs/proofs/ranks.md, Claim 2).
        """
        up_to = np.cumsum(lines, axis=1)
        reached = up_to[:, list(self.places)]
        before = np.concatenate([np.zeros_like(reached[:, :1]), reached[:, :-1]], axis=1)
        rank = np.maximum(1, up_to[:, -1:] - self.above)
        return np.asarray(np.maximum(0, np.maximum(before - (rank - 1), rank - reached)))

    def sampler(self, counts: Whole) -> Callable[[], int]:
        """Draws which of the thresholds."""
        return Flips.of(-self.away(counts[None, :])[0], self.rate).draw

    def chances(self, lines: Whole) -> Floats:
        """How likely each threshold is, table by table."""
        return chosen(np.zeros(len(self.places)), float(self.rate), self.away(lines))

    def most_above(self, failure: Fraction, most_rows: int) -> int:
        """At most so many rows lie above it, but for this chance: docs/proofs/ranks.md, Claim 5."""
        far = bisect_left(
            range(most_rows),
            True,
            key=lambda one: missed(len(self.places), 0.0, float(self.rate), one) <= float(failure),
        )
        return min(self.above + far, most_rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClampedRelease(Release[_Drawn]):
    """A threshold, and the mean of rows clamped at it by a release for values up to it."""

    subject: Subject
    threshold: Threshold
    means: tuple[Release[Any], ...]
    """For each threshold, how the mean of values up to it is told."""

    @property
    def needs_values(self) -> bool:
        """Yes: who is above a threshold is seen value by value."""
        return True

    def sampler(self, counted: Counted) -> Callable[[], _Drawn]:
        """Draws the threshold, then the mean at it: all means are made ready."""
        assert isinstance(counted, Tally)
        samplers = [
            mean.sampler(clamped(counted, place))
            for place, mean in zip(self.threshold.places, self.means, strict=True)
        ]
        return partial(_drawn, self.threshold.sampler(counted.counts), samplers)

    def told(self, output: _Drawn, confidence: Fraction) -> DrawnValue:
        """The mean, in an interval that also holds what rows above the threshold may add."""
        which, drawn = output
        sure = 1 - (1 - confidence) / 2
        mean = self.means[which].told(drawn, sure)
        assert mean.interval is not None
        assert isinstance(mean.value, int | Fraction)
        assert self.subject.grid is not None
        at = self.subject.grid.value(self.threshold.places[which])
        low, high = self._held(which, drawn, sure) or mean.interval
        low, high = min([low, Fraction(mean.value)]), max([high, Fraction(mean.value)])
        high = min(high + self._lost(which, drawn, at, sure), self.subject.last)
        if at == self.subject.last:
            return replace(mean, interval=(low, high))
        return replace(mean, interval=(low, high), clamped_at=at)

    def _held(self, which: int, drawn: Any, confidence: Fraction) -> Interval | None:
        """Of a private number of rows, the interval that holds when their least number does."""
        mean = self.means[which]
        return mean.box(drawn, confidence) if isinstance(mean, MeanRelease) else None

    def _lost(self, which: int, drawn: Any, at: Fraction, confidence: Fraction) -> Fraction:
        """How much the mean is lowered at most."""
        rows, mean = self.subject.most_rows, self.means[which]
        if isinstance(mean, MeanRelease):
            rows = mean.fewest_rows(drawn, confidence)
        above = self.threshold.most_above(1 - confidence, self.subject.most_rows)
        share = Fraction(min(above, rows), rows) if rows else Fraction(1)
        return share * (self.subject.last - at)

    def rehearse(self, confidence: Fraction) -> None:
        """Draw for the extreme tables, and tell of every threshold."""
        last, most = self.subject.values - 1, self.subject.most_rows
        sizes = (most,) if self.subject.fixed_size else (0, most)
        for size in sizes:
            for index in (0, last):
                tally = Tally.of({index: size}, self.subject.values)
                self.ready(tally, confidence).draw()
                for which, place in enumerate(self.threshold.places):
                    drawn = self.means[which].sampler(clamped(tally, place))()
                    self.told((which, drawn), confidence)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """At most: by how likely each threshold is, what its noise costs and what rows above do."""
        lines = lines_of(tables)
        return np.asarray((self.threshold.chances(lines) * self.costs(lines, name)).sum(axis=1))

    def costs(self, lines: Whole, name: LossName) -> Floats:
        """For every table and every threshold, what noise and clamping cost at most."""
        assert self.subject.grid is not None
        places, step = list(self.threshold.places), float(self.subject.grid.step)
        rows, total = lines.sum(axis=1), lines @ np.arange(lines.shape[1])
        up_to = np.cumsum(lines, axis=1)[:, places]
        kept = np.cumsum(lines * np.arange(lines.shape[1]), axis=1)[:, places]
        cut = kept + np.array(places) * (rows[:, None] - up_to)
        lowered = step * (total[:, None] - cut) / np.maximum(1, rows)[:, None]
        noise = [
            mean.losses(list(map(Moments, rows.tolist(), cut[:, which].tolist())), name)
            for which, mean in enumerate(self.means)
        ]
        return np.asarray(judged(name, lowered) + np.array(noise).T)

    @property
    def silence(self) -> Fraction | None:
        """That of the count, whose noise is the same for every threshold."""
        return self.means[-1].silence

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """By the count, whose noise is the same for every threshold."""
        return self.means[-1].at_least(count, failure)

    @property
    def drawable(self) -> bool:
        """Whether every mean can be drawn."""
        return all(mean.drawable for mean in self.means)

    @cached_property
    def bytes(self) -> int:
        """What the means take."""
        return sum(mean.bytes for mean in self.means)


def clamped(counted: Tally, place: int) -> Moments:
    """The rows with everything above a place brought down to it."""
    indices = np.minimum(np.arange(counted.size), place)
    return Moments(counted.rows, int(counted.counts @ indices))


def _drawn(threshold: Callable[[], int], means: Sequence[Callable[[], Any]]) -> _Drawn:
    which = threshold()
    return which, means[which]()
