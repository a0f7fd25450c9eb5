"""A value with two private bounds, one below and one above (docs/proofs/every-table.md).

A bound is a run of values, chosen by permute-and-flip some rows to the safe side of the place that
is asked for, and told by the run's outer end: so it holds for every table.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.planning.releases.choice import Whole
from discreet.planning.releases.release import DrawnValue, Release
from discreet.planning.releases.wrapped import WrappedRelease
from discreet.planning.sampling_error import sure_rank
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips
from discreet.statistics import Counted, Rank, Tally

BEYOND, SHORT = 3, 2
"""What a row too far and a row not far enough cost, in fifths of the rate: beyond is worse."""
_PARTS = BEYOND + SHORT


@dataclass(frozen=True, kw_only=True)
class Place:
    """Which row in order is bounded, counted from the safe end: 1 is the first, 0 is none."""

    share: Fraction
    from_above: bool = False
    sampling: Fraction | None = None
    """How often the place may be on the wrong side of the quantile of a population; None where the
    quantile of the table is meant."""
    public: bool = True
    """Whether the number of rows is public."""

    def of(self, rows: int) -> int:
        """The place among so many rows: each row more moves it by 0 or 1."""
        if rows == 0:
            return 0
        if self.sampling is not None:
            share = 1 - self.share if self.from_above else self.share
            return sure_rank(rows, share, self.sampling, public=self.public)
        rank = Rank(self.share).of(rows)
        return rows - rank + 1 if self.from_above else rank


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A private bound on one side."""

    place: Place
    starts: tuple[int, ...]
    """The index at which each run of values starts; the first is 0."""
    values: int
    shift: int
    """How many rows to the safe side of the place the bound is aimed."""
    rate: Fraction
    """What a row may cost in all."""

    def sampler(self, counts: Whole) -> Callable[[], int]:
        """Draws the run, counted from the safe end."""
        return Flips.of(-self.away(counts[None, :])[0], self.rate / _PARTS).draw

    def away(self, tables: Whole) -> Whole:
        """How far each run is from where the bound is aimed, from the safe end, in fifths.

        A line for each table. The first run is never too far: what lies before all values bounds
        every table.
        """
        return self._away(np.add.reduceat(tables, self.starts, axis=1))

    def _away(self, by_run: Whole) -> Whole:
        if self.place.from_above:
            by_run = by_run[:, ::-1]
        reached = np.cumsum(by_run, axis=1)
        places = [self.place.of(rows) for rows in reached[:, -1].tolist()]
        aim = np.array(places)[:, None] - self.shift
        too_far = np.maximum(0, reached - by_run - (aim - 1))
        too_far[:, 0] = 0
        return np.asarray(BEYOND * too_far + SHORT * np.maximum(0, aim - reached))

    def coins(self, by_run: Whole) -> Floats:
        """The coin of each run, from the safe end: a line for each line of rows by run."""
        away = self._away(by_run)
        behind = away - away.min(axis=1, keepdims=True)
        return np.asarray(np.exp(-float(self.rate / _PARTS) * behind))

    def chances(self, tables: Whole) -> Floats:
        """How likely each run is, from the safe end: a line for each table."""
        coins = self.coins(np.add.reduceat(tables, self.starts, axis=1))
        return np.asarray(flip_probabilities(coins.T).T, dtype=np.float64)

    @property
    def told(self) -> Whole:
        """The value that is told of each run, from the safe end."""
        return np.array([self.index(run) for run in range(len(self.starts))])

    def index(self, run: int) -> int:
        """The value that is told of a run: its outer end."""
        if not self.place.from_above:
            return self.starts[run]
        ends = (*self.starts[1:], self.values)
        return ends[len(self.starts) - 1 - run] - 1


def least_shift(runs: int, rate: Fraction, failure: Fraction, most_rows: int) -> int:
    """How many rows to the safe side a bound must be aimed to fail so seldom, in every table."""
    beyond = float(rate * BEYOND / _PARTS)

    def fails(shift: int) -> float:
        coin = math.exp(-beyond * (shift + 1))
        if runs == 1 or coin == 0.0:
            return 0.0
        hits = -math.expm1(runs * math.log1p(-coin)) / (runs * coin)
        return (1 - hits) * (1 + 1e-12) + 1e-12

    every = range(most_rows + 1)
    return bisect_left(every, True, key=lambda shift: fails(shift) <= float(failure))


_Drawn = tuple[Any, int, int]


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedRelease(WrappedRelease[_Drawn]):
    """An estimate by another release, and the bounds; a declared end stands for a missing one."""

    subject: Subject
    within: Release[Any]
    """What draws the estimate."""
    lower: Bound | None
    upper: Bound | None

    def sampler(self, counted: Counted) -> Callable[[], _Drawn]:
        """Draws all three."""
        assert isinstance(counted, Tally)
        samplers = [
            _nothing if bound is None else bound.sampler(counted.counts)
            for bound in (self.lower, self.upper)
        ]
        return partial(_drawn, self.within.sampler(counted), *samplers)

    def told(self, output: _Drawn, confidence: Fraction) -> DrawnValue:
        """The estimate, in an interval that is widened to hold it."""
        estimate, low, high = output
        drawn = self.within.told(estimate, confidence)
        assert isinstance(drawn.value, int | Fraction)
        subject, last = self.subject, self.subject.size - 1
        places = (
            0 if self.lower is None else self.lower.index(low),
            last if self.upper is None else self.upper.index(high),
        )
        ends = [subject.start + subject.unit * place for place in places]
        ends.append(Fraction(drawn.value))
        return replace(drawn, interval=(min(ends), max(ends)))


def _nothing() -> int:
    """The declared end needs no chance."""
    return 0


def _drawn(
    estimate: Callable[[], Any], lower: Callable[[], int], upper: Callable[[], int]
) -> _Drawn:
    return estimate(), lower(), upper()


def rows_needed(bound: Bound) -> int:
    """From so many rows on a bound can be better than the declared end."""
    most = 1
    while bound.place.of(most) <= bound.shift:
        most *= 2
    return bisect_left(range(most), True, key=lambda rows: bound.place.of(rows) > bound.shift)
