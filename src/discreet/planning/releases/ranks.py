"""Draws one of several runs of values by how many rows lie on the wrong side of each.

With L rows below a run and A rows up to its end, and a place r among m rows that is asked for, the
score is leaning − max(down·(L − high), up·(low − A)). What makes it private, and how far off it may
be: docs/proofs/ranks.md (Claims 7 to 9).
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.model import LossName
from discreet.planning.releases.choice import flipped, flipped_quickly, missed
from discreet.planning.releases.law import Scattering, gathered, judged, true_places, true_value
from discreet.planning.releases.release import DrawnValue, Interval, Release, in_units
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips
from discreet.statistics import Counted, Tally

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Target:
    """Which of m rows in order is asked for: place max(1, ⌈share·m⌉), moved by a public shift.

    As a fraction (share·m itself), it moves by less than one when a row comes or goes: where that
    is all that neighbours do, rates may then be larger.
    """

    share: Fraction
    shift: Fraction = Fraction(0)
    as_fraction: bool = False

    @property
    def parts(self) -> int:
        """How many parts of a row distances are counted in."""
        return self.share.denominator if self.as_fraction else self.shift.denominator

    def ends(self, rows: Counts) -> tuple[Counts, Counts]:
        """`high` and `low` for tables of so many rows, in parts of a row."""
        p, q = self.share.numerator, self.share.denominator
        if self.as_fraction:
            return p * rows - 1, p * rows
        place = np.maximum(1, -(-p * rows // q)) * self.parts + int(self.shift * self.parts)
        return place - self.parts, place


@dataclass(frozen=True, kw_only=True)
class RankRule:
    """Runs of values with what is told for each, and how they are scored."""

    target: Target
    starts: tuple[int, ...]
    """The index at which each run of values starts; the first is 0."""
    told: tuple[int, ...]
    """The index that is told for each run."""
    down: Fraction
    """What a row too many below a run costs."""
    up: Fraction
    """What a row too few up to a run's end costs."""
    leanings: tuple[Fraction, ...]

    def away(self, counts: Counts) -> tuple[Counts, Counts]:
        """For each table (a line of counts): rows too many below and too few up to each run.

        In parts of a row; below 0 where there is room.
        """
        up_to = np.cumsum(counts, axis=1)
        starts = np.array(self.starts)
        below = np.where(starts > 0, up_to[:, np.maximum(starts - 1, 0)], 0)
        reached = up_to[:, np.append(starts[1:], counts.shape[1]) - 1]
        high, low = self.target.ends(up_to[:, -1])
        parts = self.target.parts
        return parts * below - high[:, None], low[:, None] - parts * reached

    def scores(self, counts: Counts) -> Floats:
        """The score of each run, in floats: for figures, never for draws."""
        too_many, too_few = self.away(counts)
        down, up = (float(rate / self.target.parts) for rate in (self.down, self.up))
        leanings = np.array([float(leaning) for leaning in self.leanings])
        return np.asarray(leanings - np.maximum(down * too_many, up * too_few))

    def exact_scores(self, counts: Counts) -> tuple[list[int], Fraction]:
        """The scores of one table as whole multiples of a rate, which is the second."""
        too_many, too_few = (line[0].tolist() for line in self.away(counts[None, :]))
        leanings, down, up, rate = self._whole
        scores = [
            leaning - max(down * many, up * few)
            for leaning, many, few in zip(leanings, too_many, too_few, strict=True)
        ]
        return scores, rate

    @cached_property
    def _whole(self) -> tuple[list[int], int, int, Fraction]:
        """Leanings and rates as whole multiples of one rate, which is the last."""
        down, up = self.down / self.target.parts, self.up / self.target.parts
        common = math.lcm(
            down.denominator, up.denominator, *(one.denominator for one in self.leanings)
        )
        leanings = [int(one * common) for one in self.leanings]
        return leanings, int(down * common), int(up * common), Fraction(1, common)

    def rows_off(self, failure: float, most_rows: int, *, maybe_none: bool) -> int:
        """How many rows at most must change for the told run to hold the answer, in every table.

        But for this chance of failure (docs/proofs/ranks.md, Claim 9). A table that may have no
        rows is one row away from everything.
        """
        return max(*self.rows_off_by_side(failure, most_rows), int(maybe_none))

    def rows_off_by_side(self, failure: float, most_rows: int) -> tuple[int, int]:
        """The same for runs that lie too low and for runs that lie too high: rates may differ."""
        leaning = float(max(self.leanings) - min(self.leanings))
        runs = len(self.starts)
        moved = 1 if self.target.as_fraction else math.ceil(abs(self.target.shift))

        def off(slope: float) -> int:
            def is_sure(far: int) -> bool:
                return missed(runs, leaning, slope, far) <= failure

            return min(bisect_left(range(most_rows), True, key=is_sure) + moved, most_rows)

        return off(float(self.up)), off(float(self.down))


def loss_of_privacy(
    share: Fraction, down: Fraction, up: Fraction, *, as_fraction: bool
) -> Fraction:
    """What one row can cost at these rates: a change, or with fractions a row that comes or goes.

    >>> half = Fraction(1, 2)
    >>> loss_of_privacy(half, half, half, as_fraction=False)
    Fraction(1, 1)
    >>> loss_of_privacy(half, half, half, as_fraction=True)
    Fraction(1, 2)
    """
    if not as_fraction:
        return down + up
    below, above = share, 1 - share
    return max(
        down * below + max(up * below, down * above), up * above + max(down * above, up * below)
    )


@dataclass(frozen=True, kw_only=True)
class RankRelease(Release[int]):
    """Permute-and-flip over the runs of a rule; a public value is told for the chosen run."""

    subject: Subject
    rule: RankRule
    within: Fraction
    """The error at the wished confidence on the public shapes."""

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws one of the runs by their scores, all of which are worked out here."""
        assert isinstance(counted, Tally)
        return Flips.of(*self.rule.exact_scores(counted.counts)).draw

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The value that stands for the run, and the run where it has more than one."""
        value = in_units(self.subject, self._value(self.rule.told[output]))
        return DrawnValue(value, self.interval(value, confidence), run=self._run(output))

    def interval(self, value: int | Fraction, confidence: Fraction) -> Interval:
        """The error at the wished confidence on the public shapes: it rests on them."""
        low, high = value - self.within, value + self.within
        return max(low, self.subject.start), min(high, self.subject.last)

    def _run(self, output: int) -> Interval | None:
        ends = (*self.rule.starts[1:], self.subject.size)
        first, last = self.rule.starts[output], ends[output] - 1
        return None if first == last else (self._value(first), self._value(last))

    def _value(self, place: int) -> Fraction:
        return self.subject.start + self.subject.unit * place

    def law(self, counted: Counted) -> Scattering:
        """The law of permute-and-flip."""
        assert isinstance(counted, Tally)
        chances = flipped(self.rule.scores(counted.counts[None, :]))[0]
        places = np.array(self.rule.told, dtype=np.float64)
        values = float(self.subject.start) + float(self.subject.unit) * places
        return gathered(values, chances, true_value(self.subject, counted))

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """By the law of permute-and-flip."""
        errors = judged(name, float(self.subject.unit) * self.apart(tables))
        return np.asarray((self.chances(tables) * errors).sum(axis=1))

    def chances(self, tables: Sequence[Counted]) -> Floats:
        """How likely each run is to be chosen, table by table, to five digits."""
        return flipped_quickly(self.rule.scores(lines_of(tables)))

    def apart(self, tables: Sequence[Counted]) -> Floats:
        """How many steps what is told for each run lies from the truth, table by table."""
        truths = true_places(self.subject, tables)[:, None]
        return np.abs(np.array(self.rule.told)[None, :] - truths).astype(np.float64)

    @property
    def tells_runs(self) -> bool:
        """Whether some run has several values."""
        return len(self.rule.starts) < self.subject.size

    @property
    def supposes(self) -> bool:
        """Yes: how far values lie apart in the table is not told."""
        return True


def lines_of(tables: Sequence[Counted]) -> Counts:
    """Tallies as lines of counts."""
    return np.array([one.counts for one in tables if isinstance(one, Tally)])
