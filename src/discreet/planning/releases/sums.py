"""Counts of groups with their subtotals and totals, from one charge and adding up.

What is measured has noise of a known law, so that every told count has an interval that holds for
every table; what adds up is post-processing (docs/proofs/workloads.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from operator import itemgetter
from typing import NoReturn, TypeAlias

import numpy as np

from discreet.certifier import Certified
from discreet.joint.estimates import Estimates
from discreet.joint.fitting import Measured, fitted, whole_rows
from discreet.joint.levels import Levels, OneRadius, Whole
from discreet.model import LossName, Relation
from discreet.model.gauges import GaugeNoise
from discreet.planning.consistency import consistent_counts, rising_counts
from discreet.planning.releases.release import DrawnValue, Ready, Release
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, extremes, true_index
from discreet.planning.totals import Totals
from discreet.statistics import Counted

_Reach: TypeAlias = tuple[Fraction, Fraction | None]
"""How far a count is off at most, at the confidence, and at half the chance to fail."""


@dataclass(frozen=True, kw_only=True)
class AskedTotals:
    """What is told where totals are, and what may happen to the rows."""

    totals: Totals
    relation: Relation
    rows_per_unit: int
    rows: int | None
    """How many rows there are in all, where that is public and every row is counted."""


@dataclass(frozen=True, eq=False)
class SumsRelease(Release[int]):
    """Measured counts of one table or several, and the sums that are told of them."""

    subject: Subject
    asked: AskedTotals
    levels: Levels | OneRadius | Estimates
    unbiased: bool
    """Whether counts are told as they were measured: right on average, some below 0."""

    @property
    def together(self) -> bool:
        """Yes: what is told shares its noise."""
        return True

    @property
    def gauges(self) -> tuple[tuple[str, Certified[GaugeNoise]], ...]:
        """The noise of every table that is measured."""
        return tuple((noise.gauge, noise.certified) for noise in self.levels.tables)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.levels.digest

    @property
    def drawable(self) -> bool:
        """Whether noise of these rates can be drawn."""
        return self.levels.drawable

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return 64 * sum(map(len, self.asked.totals.members)) + (1 << 14)

    def sampler(self, counted: Counted) -> NoReturn:
        """None for a single group: all are measured together."""
        raise TypeError("counts that add up are drawn together")

    def told(self, output: int, confidence: Fraction) -> NoReturn:
        """None for a single count: its error depends on which one it is."""
        raise TypeError("counts that add up are released together")

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Told counts that wait for one draw, which is made with the first of them."""
        counts = np.array([true_index(self.subject, one) for one in by_group], dtype=np.int64)
        drawing = _Measuring(self, self.levels.truths(counts), self._reaches(confidence))
        return tuple(
            Ready(drawing.values, itemgetter(place))
            for place in range(len(self.asked.totals.members))
        )

    def _reaches(self, confidence: Fraction) -> list[_Reach]:
        """How far each told count is off at most: at the confidence, and where it serves later
        questions, at half the chance to fail (docs/proofs/stored-releases.md, Claim 8)."""
        each = self.levels.reaches(confidence)
        totals = self.asked.totals
        known = self.asked.rows is not None and len(totals.members[-1]) == totals.cells
        if not totals.running or known or self.unbiased:
            return [(far, None) for far in each]
        return list(zip(each, self.levels.reaches((1 + confidence) / 2), strict=True))

    def rehearse(self, confidence: Fraction) -> None:
        """Draw for tables with no rows and with all rows in every cell."""
        first, *_, last = extremes(self.subject)
        for counted in (first, last):
            for one in self.ready_by_group((counted,) * self.asked.totals.cells, confidence):
                one.draw()

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """The same for every table: the average over all that is told."""
        each = self.levels.rmse**2 if name == LossName.SQUARED else float(np.mean(self.errors))
        return np.full(len(tables), each)

    @cached_property
    def errors(self) -> list[float]:
        """The expected error of each told count."""
        return self.levels.errors

    def adding_up(self, measured: Sequence[Whole]) -> list[int]:
        """Told counts that are whole, not below 0 and add up: of measurements alone."""
        levels = self.levels
        if self.asked.totals.running or isinstance(levels, Estimates):
            return rising_counts(levels.read(measured), self._most(self.subject.size - 1))
        cells = (
            self._cells_down(levels, measured)
            if levels.is_cells
            else self._fitted(levels, measured)
        )
        return [int(cells[list(members)].sum()) for members in self.asked.totals.members]

    def _most(self, total: int) -> int:
        known = self.asked.rows
        return min(max(total, 0), self.subject.size - 1) if known is None else known

    def _cells_down(self, levels: Levels | OneRadius, measured: Sequence[Whole]) -> Whole:
        """From the total to subtotals to cells: each the nearest that sum to what they are of."""
        (cells,), totals = measured, self.asked.totals
        wanted = np.array([self._most(int(cells.sum()))], dtype=np.int64)
        above = np.zeros(totals.cells, dtype=np.int64)
        chain = [totals.partitions[which] for which in totals.chain]
        if not chain or chain[-1].many < totals.cells:
            chain.append(levels.parts[0][0])
        for blocks in chain:
            sums, counts = blocks.sums(cells), np.zeros(blocks.many, dtype=np.int64)
            parents = np.zeros(blocks.many, dtype=np.int64)
            parents[blocks.of_cell] = above
            for parent, total in enumerate(wanted.tolist()):
                inside = np.flatnonzero(parents == parent)
                counts[inside] = consistent_counts(sums[inside].tolist(), total)
            wanted, above = counts, blocks.of_cell
        return np.asarray(wanted[above])

    def _fitted(self, levels: Levels | OneRadius, measured: Sequence[Whole]) -> Whole:
        """A table of whole rows that comes near to all that was measured."""
        pairs = zip(measured, levels.parts, strict=True)
        parts = [Measured.of(blocks, sums, spread) for sums, (blocks, spread) in pairs]
        about = np.average([one.counts.sum() for one in parts], weights=[p.weight for p in parts])
        rows = self._most(round(float(about)))
        table = fitted(parts, self.asked.totals.cells, rows)
        return whole_rows(table, rows, [one.blocks for one in parts])


class _Measuring:
    """One measurement of all groups, made when the first told count is wanted."""

    def __init__(
        self, release: SumsRelease, truths: Sequence[Whole], reaches: Sequence[_Reach]
    ) -> None:
        self._release, self._truths, self._reaches = release, truths, reaches
        self._told: list[DrawnValue] | None = None

    def values(self) -> list[DrawnValue]:
        """All told counts."""
        if self._told is None:
            levels = self._release.levels
            self._told = self._all(levels.measure(self._truths))
        return self._told

    def _all(self, measured: Sequence[Whole]) -> list[DrawnValue]:
        release = self._release
        raw: Sequence[int | Fraction] = release.levels.read(measured)
        values: Sequence[int | Fraction] = raw if release.unbiased else release.adding_up(measured)
        last = release.subject.size - 1 if release.asked.rows is None else release.asked.rows
        return [
            _told(*one, None if release.unbiased else last)
            for one in zip(values, raw, self._reaches, release.errors, strict=True)
        ]


def _told(
    value: int | Fraction, raw: int | Fraction, reach: _Reach, error: float, last: int | None
) -> DrawnValue:
    """A count with the interval around what was measured, made to hold what is told.

    True counts are whole, so that the ends of an interval are too. How far a count is off that was
    made to fit the others depends on the rows: at times a few times as far as what was measured.
    """
    far, farther = reach
    if last is None:
        return DrawnValue(value, (raw - far, raw + far), expected_error=error)
    near = min(max(raw, 0), last)
    low, high = _inside(near, far, last)
    ends = Fraction(min(low, value)), Fraction(max(high, value))
    surer = None if farther is None else _inside(near, farther, last)
    return DrawnValue(value, ends, expected_error=None if error else 0.0, surer=surer)


def _inside(near: int | Fraction, far: Fraction, last: int) -> tuple[int, int]:
    return max(ceil(near - far), 0), min(floor(near + far), last)
