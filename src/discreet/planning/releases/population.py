"""An answer about those that rows were drawn from at random (docs/proofs/population.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor, log10
from typing import Any

from discreet.certifier import Certified
from discreet.planning.releases.ratio import MeanRelease
from discreet.planning.releases.release import DrawnValue, Interval, Ready, Release
from discreet.planning.releases.wrapped import WrappedRelease
from discreet.planning.sampling_error import mean_bounds, share_bounds
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Added, Count, Counted, Placed, Share


def halved(confidence: Fraction) -> Fraction:
    """The confidence that is left for the noise when sampling may fail as often."""
    return 1 - (1 - confidence) / 2


@dataclass(frozen=True, eq=False)
class PopulationRelease(WrappedRelease[Any]):
    """The same draw, in an interval that holds for a population: half of the failures each."""

    subject: Subject
    within: Release[Any]

    def sampler(self, counted: Counted) -> Callable[[], Any]:
        """Draws as for the table."""
        return self.within.sampler(counted)

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Drawn as for the table, together where groups share their noise."""
        tell = partial(self.told, confidence=confidence)
        ready = self.within.ready_by_group(by_group, confidence)
        return tuple(Ready(one.sampler, tell) for one in ready)

    def told(self, output: Any, confidence: Fraction) -> DrawnValue:
        """The value, and the interval of the table made wider; order statistics have none."""
        sure = halved(confidence)
        drawn = self.within.told(output, sure)
        if drawn.interval is None or isinstance(self.subject.form, Placed):
            return replace(drawn, interval=None)
        held = drawn.interval
        if isinstance(self.within, MeanRelease):
            held = self.within.box(output, sure)
        return replace(drawn, interval=self._wider(held, self._rows(output, sure), sure))

    def _rows(self, output: Any, confidence: Fraction) -> int:
        """How many rows there are, or at least are."""
        if isinstance(self.within, MeanRelease):
            return self.within.fewest_rows(output, confidence)
        return self.subject.most_rows

    def _wider(self, interval: Interval, rows: int, confidence: Fraction) -> Interval:
        """Every row adds a number from 0 to 1, as shares of what it can add."""
        subject, failure = self.subject, 1 - confidence
        width = subject.last - subject.start
        low, high = (_from_0_to_1((end - subject.start) / width) for end in interval)
        if isinstance(subject.statistic, Count | Share) and isinstance(subject.form, Added):
            ends = share_bounds(rows, ceil(low * rows), floor(high * rows), failure)
        else:
            ends = mean_bounds(rows, low, high, failure)
        least, largest = (subject.start + width * end for end in ends)
        least, largest = min(least, interval[0]), max(largest, interval[1])
        step = rounded_to(subject)
        return (
            max(step * floor(least / step), min(subject.start, interval[0])),
            min(step * ceil(largest / step), max(subject.last, interval[1])),
        )

    @property
    def by_answer(self) -> Certified | None:
        """That of the other release."""
        return self.within.by_answer


def rounded_to(subject: Subject) -> Fraction:
    """What ends are rounded to, outwards: four digits of the range, or whole numbers."""
    digits = floor(log10(subject.last - subject.start)) - 4
    return Fraction(1) if subject.whole else Fraction(10) ** digits


def _from_0_to_1(share: Fraction) -> Fraction:
    return min(max(share, Fraction(0)), Fraction(1))
