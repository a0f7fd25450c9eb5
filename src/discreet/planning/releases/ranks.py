"""Draws one of several runs of values by how many rows lie on the wrong side of each.

With L rows below a run and A rows up to its end, and a place r among m rows that is asked for, the
score is leaning − max(down·(L − high), up·(low − A)). What makes it private, and how far off it may
be: docs/proofs/ranks.md (Claims 7 to 9), and for noise in whole steps docs/proofs/stepped.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import repeat

import numpy as np
import numpy.typing as npt

from discreet.model import LossName
from discreet.planning.releases.alike import likely_quickly
from discreet.planning.releases.choice import flipped, flipped_quickly
from discreet.planning.releases.imagined_lines import ImaginedLines, imagined_lines
from discreet.planning.releases.release import (
    DrawnValue,
    Interval,
    Judged,
    Release,
    Scattering,
    gathered,
    in_units,
    judged,
    true_places,
    true_value,
)
from discreet.planning.releases.rows_off import FarRuns
from discreet.planning.releases.stepping import stepped, stepped_quickly
from discreet.planning.releases.thinned import lines_of
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips, Stepped
from discreet.statistics import Counted, Tally
from discreet.tables.dataset_file import MOST_ROWS

Counts = npt.NDArray[np.int64]
_MOST_KEPT = 256
"""Of how many runs at most it is kept what is told of them."""
_LARGEST_FACTOR = (1 << 62) // (3 * MOST_ROWS)
"""Distances, of three times all rows at most, may be multiplied by this in machine words."""
_MOST_FLIPS = 64
"""For so many groups or tables the weights are kept, not worked out again."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Which of m rows in order is asked for: place max(1, ⌈share·m⌉), moved by a public shift.

    As a fraction (share·m itself), it moves by less than one when a row comes or goes: where that
    is all that neighbours do, rates may then be larger. Where m is private, the shift grows with
    the rows on the side that it moves to, so that few of them have none.
    """

    share: Fraction
    shift: Fraction = Fraction(0)
    as_fraction: bool = False
    growth: Fraction | None = None
    """By how much the shift grows with each row on that side; None: it is always the same."""
    unmoved: int = 0
    """So many of these are too few for a shift that grows."""

    @property
    def parts(self) -> int:
        """How many parts of a row distances are counted in."""
        grown = 1 if self.growth is None else self.growth.denominator
        fine = math.lcm(self.shift.denominator, grown)
        return math.lcm(self.share.denominator, fine) if self.as_fraction else fine

    @property
    def shifts(self) -> tuple[Fraction, Fraction]:
        """The least and the largest shift of any number of rows."""
        least = self.shift if self.growth is None else Fraction(0)
        return min(least, self.shift), max(least, self.shift)

    def ends(self, rows: Counts) -> tuple[Counts, Counts]:
        """`high` and `low` for tables of so many rows, in parts of a row."""
        p, q, parts = self.share.numerator, self.share.denominator, self.parts
        place = np.maximum(1, -(-p * rows // q))
        low = p * rows * (parts // q) if self.as_fraction else place * parts
        low = np.asarray(low + self._moved(rows, place))
        return low - (1 if self.as_fraction else parts), low

    def _moved(self, rows: Counts, place: Counts) -> Counts:
        """The shift, in parts of a row: a row more never moves `low` back, nor by more than one."""
        shift = int(self.shift * self.parts)
        if self.growth is None:
            return np.full_like(rows, shift)
        ahead = rows - place if shift > 0 else place - 1
        grown = np.maximum(0, ahead - self.unmoved) * int(self.growth * self.parts)
        return np.asarray(np.minimum(grown, shift) if shift > 0 else np.maximum(-grown, shift))


@lru_cache(maxsize=16)
def each_value(values: int) -> tuple[int, ...]:
    """Every value as a run of its own: kept, for it is long where a grid is fine."""
    return tuple(range(values))


@lru_cache(maxsize=16)
def level(values: int) -> tuple[Fraction, ...]:
    """No leaning for any of so many: kept as well."""
    return (Fraction(0),) * values


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
    in_steps: bool = False
    """Whether noise comes in whole steps of down + up (docs/proofs/stepped.md), for ranks that
    are whole numbers; else permute-and-flip chooses."""

    @property
    def step(self) -> Fraction:
        """What one row can move two scores apart."""
        return self.down + self.up

    def away(self, counts: Counts) -> tuple[Counts, Counts]:
        """For each table (a line of counts): rows too many below and too few up to each run.

        In parts of a row; below 0 where there is room.
        """
        reached = counts.cumsum(axis=-1).take(self._last, axis=-1)
        below = np.zeros_like(reached)
        below[..., 1:] = reached[..., :-1]
        high, low = self.target.ends(reached[..., -1:])
        parts = self.target.parts
        return parts * below - high, low - parts * reached

    @cached_property
    def _last(self) -> Counts:
        """The last index of each run; that of the last run counts from the end."""
        return np.array([*self.starts[1:], 0], dtype=np.int64) - 1

    @cached_property
    def leanings_in_floats(self) -> Floats:
        """For figures, never for draws; mostly there are many of one kind."""
        if self.leanings is level(len(self.leanings)):
            return np.broadcast_to(0.0, len(self.leanings))
        first = self.leanings[0]
        if self.leanings.count(first) == len(self.leanings):
            return np.full(len(self.leanings), float(first))
        return np.array([float(one) for one in self.leanings])

    @property
    def leans(self) -> bool:
        """Whether some run is favoured."""
        return self.leanings is not level(len(self.leanings)) and any(self.leanings)

    def scores(self, counts: Counts) -> Floats:
        """The score of each run, in floats: for figures, never for draws."""
        if self.target.parts > _LARGEST_FACTOR:  # products may leave 64 bits
            counts = counts.astype(np.float64)
        return np.asarray(self.leanings_in_floats - self.penalties(*self.away(counts)))

    def penalties(self, too_many: Counts, too_few: Counts) -> Floats:
        """What scores lose for rows on the wrong side, in floats."""
        down, up = (float(rate / self.target.parts) for rate in (self.down, self.up))
        return np.asarray(np.maximum(down * too_many, up * too_few))

    def exact_scores(self, counts: Counts) -> tuple[list[int] | Counts, Fraction]:
        """The scores of one table as whole multiples of a rate, which is the second.

        In machine words where these hold every product for as many rows as there may be, else in
        whole numbers of any size: a product that left 64 bits would turn the order around.
        """
        leanings, down, up, rate = self._whole
        fits = max(down, up) * self.target.parts <= _LARGEST_FACTOR
        if leanings is None and fits and counts.sum(dtype=np.float64) <= MOST_ROWS:
            too_many, too_few = self.away(counts)
            return -np.maximum(down * too_many, up * too_few), rate
        many, few = (one.tolist() for one in self.away(counts.astype(object)))
        return [
            leaning - max(down * more, up * less)
            for leaning, more, less in zip(leanings or repeat(0), many, few, strict=False)
        ], rate

    def choosing(self, counts: Counts) -> Flips | Stepped:
        """What one of the runs is drawn by, for one table."""
        scores, rate = self.exact_scores(counts)
        if self.in_steps:
            return Stepped.of(scores, int(self.step / rate), self.step)
        return Flips.of(scores, rate)

    def law(self, counts: Counts) -> Floats:
        """How likely each run is to be chosen, table by table."""
        scores = self.scores(counts)
        return stepped(scores, float(self.step)) if self.in_steps else flipped(scores)

    def quick_law(self, counts: Counts, ways: Counts | None = None) -> Floats:
        """The same to five digits; a score may stand for so many outputs."""
        step = float(self.step) if self.in_steps else None
        return likely_quickly(self.scores(counts), step, ways)

    def level_law(self, lines: ImaginedLines) -> Floats:
        """The same of a rule without leanings, for what it scores alike."""
        parts, rows = self.target.parts, lines.up_to[:, -1:]
        below, up_to = lines.below, lines.up_to
        if parts > _LARGEST_FACTOR:  # as for scores
            below, up_to = below.astype(np.float64), up_to.astype(np.float64)
        high, low = self.target.ends(rows)
        scores = -self.penalties(parts * below - high, low - parts * up_to)
        if self.in_steps:
            return stepped_quickly(scores, float(self.step), lines.ways)
        return flipped_quickly(scores, lines.ways)

    @cached_property
    def _whole(self) -> tuple[list[int] | None, int, int, Fraction]:
        """Leanings and rates as whole multiples of one rate, the largest; no leanings are None."""
        down, up = self.down / self.target.parts, self.up / self.target.parts
        kept = {
            id(one): one for one in self.leanings
        }  # many, nearly all the same one, slow to hash
        leanings = set(kept.values()) - {Fraction(0)}
        every = (down, up, *leanings)
        parts = math.lcm(*(one.denominator for one in every))
        rate = Fraction(math.gcd(*(int(one * parts) for one in every)), parts)
        whole = {one: int(one / rate) for one in (Fraction(0), *leanings)}
        return (
            [whole[one] for one in self.leanings] if leanings else None,
            int(down / rate),
            int(up / rate),
            rate,
        )

    def rows_off(self, failure: float, most_rows: int, *, maybe_none: bool) -> int:
        """How many rows at most must change for the told run to hold the answer, in every table.

        But for this chance of failure (docs/proofs/ranks.md, Claim 9). A table that may have no
        rows is one row away from everything.
        """
        return max(*self.rows_off_by_side(failure, most_rows), int(maybe_none))

    def rows_off_by_side(self, failure: float, most_rows: int) -> tuple[int, int]:
        """The same for runs that lie too low and for runs that lie too high: rates may differ."""
        target = self.target
        place = max(1, math.ceil(target.share * most_rows))
        up, down = float(self.up), float(self.down)
        least, most = target.shifts
        first_low, first_high = 1 + least, 1 - most
        if target.as_fraction:
            first_low = Fraction(1, target.share.denominator) + least
            first_high = Fraction(1, target.parts) - most
        return FarRuns(
            leanings=self.leanings_in_floats,
            up=up,
            down=down,
            first_low=float(first_low),
            first_high=float(first_high),
            slack=self._slack,
            step=float(self.step) if self.in_steps else None,
            least=(max(0, math.ceil(-least)), max(0, math.ceil(most))),
            most=(place, most_rows - place + 1),
        ).by_side(failure)

    @property
    def _slack(self) -> float:
        """What the run that is aimed at loses at most (docs/proofs/ranks.md, Claim 9)."""
        up, down, shift = float(self.up), float(self.down), self.target.shift
        if self.target.as_fraction:
            return 0.0
        if self.target.growth is not None and shift:
            return up * down / (up + down)
        beyond = float(math.ceil(shift) - shift)
        return min(down * beyond, up * (1 - beyond))


def loss_of_privacy(
    share: Fraction,
    down: Fraction,
    up: Fraction,
    *,
    as_fraction: bool,
    growth: Fraction | None = None,
) -> Fraction:
    """What one row can cost at these rates: a change, or with fractions a row that comes or goes.

    A shift may grow towards the middle with a row that comes.

    >>> half = Fraction(1, 2)
    >>> loss_of_privacy(half, half, half, as_fraction=False)
    Fraction(1, 1)
    >>> loss_of_privacy(half, half, half, as_fraction=True)
    Fraction(1, 2)
    """
    if not as_fraction:
        return down + up
    grown = Fraction(0) if growth is None else growth
    moved = share + grown if share < Fraction(1, 2) else share - grown
    return max(_loss_of_moving(one, down, up) for one in (share, moved))


def _loss_of_moving(by: Fraction, down: Fraction, up: Fraction) -> Fraction:
    """What a row that comes can cost where the place moves by so much of a row."""
    return max(
        down * by + max(up * by, down * (1 - by)), up * (1 - by) + max(down * (1 - by), up * by)
    )


@dataclass(frozen=True, kw_only=True)
class RankRelease(Release[int]):
    """A choice among the runs of a rule; a public value is told for the chosen run."""

    subject: Subject
    rule: RankRule
    within: Fraction
    """The error at the wished confidence on the public shapes."""
    known: Judged | None = field(default=None, compare=False)

    @property
    def reference(self) -> "RankRelease":
        """Permute-and-flip, whatever this is drawn by: programs keep their caps against that."""
        return replace(self, rule=replace(self.rule, in_steps=False), known=None)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws one of the runs by their scores, all of which are worked out here."""
        assert isinstance(counted, Tally)
        kept = self._flips.get(id(counted))
        if kept is None or kept[0] is not counted:
            if len(self._flips) >= _MOST_FLIPS:
                self._flips.clear()
            kept = counted, self.rule.choosing(counted.counts)
            self._flips[id(counted)] = kept
        return kept[1].draw

    @cached_property
    def _flips(self) -> dict[int, tuple[Counted, Flips | Stepped]]:
        """Weights of counts that were asked about last: which these are, public questions say."""
        return {}

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The value that stands for the run, and the run where it has more than one."""
        return self._tellings[output] if self._tellings else self._told(output)

    @cached_property
    def _tellings(self) -> tuple[DrawnValue, ...]:
        """What is told of each run, where they are few: worked out before any of them is drawn."""
        runs = len(self.rule.starts)
        return tuple(map(self._told, range(runs))) if runs <= _MOST_KEPT else ()

    def _told(self, output: int) -> DrawnValue:
        value = in_units(self.subject, self._value(self.rule.told[output]))
        return DrawnValue(value, self._around(value), run=self._run(output))

    def interval(self, value: int | Fraction, confidence: Fraction) -> Interval:
        """The error at the wished confidence on the public shapes: it rests on them."""
        return self._around(value)

    def _around(self, value: int | Fraction) -> Interval:
        low, high = value - self.within, value + self.within
        return max(low, self.subject.start), min(high, self.subject.last)

    def _run(self, output: int) -> Interval | None:
        starts = self.rule.starts
        first, after = starts[output], output + 1
        last = (starts[after] if after < len(starts) else self.subject.size) - 1
        return None if first == last else (self._value(first), self._value(last))

    def _value(self, place: int) -> Fraction:
        return self.subject.start + self.subject.unit * place

    def law(self, counted: Counted) -> Scattering:
        """How likely what is told of each run is."""
        assert isinstance(counted, Tally)
        chances = self.rule.law(counted.counts[None, :])[0]
        places = np.array(self.rule.told, dtype=np.float64)
        values = float(self.subject.start) + float(self.subject.unit) * places
        return gathered(values, chances, true_value(self.subject, counted))

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """By the law of the choice; on tables judged before, what was found then."""
        if self.known is not None and tables is self.known.tables:
            return self.known.losses[name]
        chances, apart = self.likely(tables)
        return np.asarray((chances * judged(name, float(self.subject.unit) * apart)).sum(axis=1))

    def likely(self, tables: Sequence[Counted]) -> tuple[Floats, Floats]:
        """How likely each run is to be chosen, to five digits, and its steps from the truth.

        Table by table. Of very many values those that no table has rows of are put together.
        """
        truths = true_places(self.subject, tables)[:, None]
        if self.tells_runs or self.rule.leans:
            apart = np.abs(np.array(self.rule.told, dtype=np.float64)[None, :] - truths)
            return self.rule.quick_law(lines_of(tables)), apart
        lines = imagined_lines(tables)
        return lines.by_cell(self.rule.level_law(lines)), np.abs(lines.middles[None, :] - truths)

    @property
    def tells_runs(self) -> bool:
        """Whether some run has several values."""
        return len(self.rule.starts) < self.subject.size

    @property
    def supposes(self) -> bool:
        """Yes: how far values lie apart in the table is not told."""
        return True
