"""Counts of all groups drawn as one table: from a certified matrix, or as replies to noise.

What is told of a group holds for every table: docs/proofs/cells.md, Claims 9 and 10.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import ceil
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.databases import Databases
from discreet.joint.remapped import REPLIED_TO, TOTAL, RemappedCells
from discreet.model import LossName
from discreet.model.gauges import GaugeNoise
from discreet.planning.consistency import consistent_counts
from discreet.planning.releases.matrix import bytes_of
from discreet.planning.releases.release import (
    EMPTY_TOLD,
    DrawnValue,
    Ready,
    Release,
    Scattering,
    gathered,
    judged,
    true_places,
)
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, true_index
from discreet.sampling import column_table
from discreet.sampling.laplace import can_be_drawn
from discreet.statistics import Counted

Weights = npt.NDArray[np.object_] | npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeTables(Release[int]):
    """One table is drawn; every group is told its count in it."""

    subject: Subject
    databases: Databases
    """All tables, in one order."""
    told_cells: int
    """How many of the cells are groups; one more may be the rest."""
    likely: Floats
    """How likely each table is held to be, where figures are read."""

    @property
    @abstractmethod
    def total(self) -> int:
        """What the weights of a column are parts of."""

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """Whole weights of every told count, or a little less: groups × told counts × tables."""

    @abstractmethod
    def drawing(self, counts: list[int]) -> Callable[[], list[int]]:
        """What draws a table for the counts of all cells."""

    @property
    def together(self) -> bool:
        """Yes: the counts of all groups are drawn as one table."""
        return True

    def sampler(self, counted: Counted) -> NoReturn:
        """None for a single group: all of them are drawn at once, or paid again."""
        raise TypeError("counts of one table are drawn together")

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Counts that wait for one table, which is drawn with the first of them."""
        counts = [true_index(self.subject, counted) for counted in by_group]
        drawn = _Drawn(self.drawing(self._whole(counts)))
        tell = partial(self.told, confidence=confidence)
        return tuple(Ready(partial(drawn.count, place), tell) for place in range(len(by_group)))

    def _whole(self, counts: list[int]) -> list[int]:
        """The table with the rest; its size is public and was checked when it was opened."""
        rows, cells = self.subject.most_rows, len(self.databases.values)
        rest = [max(0, rows - sum(counts))] * (cells - len(counts))
        return consistent_counts([*counts, *rest], rows)

    def rehearse(self, confidence: Fraction) -> None:
        """Draw for tables with all rows in one group."""
        for place in range(self.told_cells):
            counts = [0] * self.told_cells
            counts[place] = self.subject.most_rows
            self.drawing(self._whole(counts))()
        for count in range(self.subject.size):
            self.told(count, confidence)

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The count, and all counts from which some table would have led so near to it."""
        near = [
            count for count, far in enumerate(self.reach(confidence)) if abs(output - count) <= far
        ]
        return DrawnValue(output, (Fraction(min([*near, output])), Fraction(max([*near, output]))))

    def reach(self, confidence: Fraction) -> tuple[int, ...]:
        """For every true count the least t with P(|told − count| ≤ t) ≥ confidence, everywhere."""
        return _reach(self, confidence)

    @cached_property
    def chances(self) -> Floats:
        """P(told | true count) of a group, over the tables as likely as held: true × told."""
        size, counts = self.subject.size, self.databases.counts
        chances = np.zeros((size, size))
        total = float(self.total)
        for place in range(self.told_cells):
            law = (self.weights[place] / total).astype(np.float64) * self.likely
            np.add.at(chances, counts[:, place], law.T)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def losses_by_table(self, name: LossName) -> Floats:
        """For every table what a group's count costs, on average over the groups."""
        total = float(self.total)
        cells = self.databases.counts[:, : self.told_cells]
        values = np.arange(self.subject.size)
        losses = np.zeros(len(cells))
        for place in range(self.told_cells):
            apart = judged(name, np.abs(values[:, None] - cells[None, :, place]).astype(float))
            losses += (apart * (self.weights[place] / total).astype(np.float64)).sum(axis=0)
        return losses / self.told_cells

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Of groups with these counts, in tables as likely as they are held to be."""
        values = np.arange(self.subject.size)
        apart = judged(name, np.abs(values[:, None] - values[None, :]).astype(float))
        return np.asarray((self.chances * apart).sum(axis=1)[true_places(self.subject, tables)])

    def law(self, counted: Counted) -> Scattering:
        """What might be told of a group with such a count."""
        place = true_index(self.subject, counted)
        values = np.arange(self.subject.size).astype(np.float64)
        return gathered(values, self.chances[place], float(place))

    @property
    def silence(self) -> Fraction | None:
        """The largest count that is told of no rows in more than 5 % of draws, of some table."""
        return Fraction(self._upwards(0, EMPTY_TOLD))

    def _upwards(self, count: int, failure: Fraction) -> int:
        """The least t with P(told > t) ≤ failure for groups of this count in every table."""
        needed, counts = -((failure - 1) * self.total // 1), self.databases.counts
        most = 0
        for place in range(self.told_cells):
            below = np.add.accumulate(self.weights[place], axis=0)
            short = (below[:, counts[:, place] == count] < needed).any(axis=1)
            most = max(most, int(short.sum()))
        return min(most, self.subject.size - 1)

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """The least true count of which such a count is told often enough."""
        wanted = ceil(count)
        return Fraction(
            next(
                (
                    true
                    for true in range(self.subject.size)
                    if self._upwards(true, failure) >= wanted
                ),
                self.subject.size - 1,
            )
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesRelease(WholeTables):
    """The column of the whole table, in a certified matrix whose outputs are tables as well."""

    certified: Certified

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate."""
        return self.certified.certificate.digest

    @property
    def bytes(self) -> int:
        """What the matrix takes."""
        return super().bytes + bytes_of(self.certified)

    @property
    def total(self) -> int:
        """The sum of each column."""
        return self.certified.mechanism.total

    def drawing(self, counts: list[int]) -> Callable[[], list[int]]:
        """One output of the table's column."""
        column = column_table(self.certified, self.databases.column(counts))
        lines = self.databases.counts.tolist()
        return lambda: lines[column.draw_evenly()]

    @cached_property
    def weights(self) -> Weights:
        """Whole weights of every told count: groups × told counts × tables."""
        counts, matrix = self.databases.counts, self.certified.mechanism.weights.astype(object)
        shape = (self.told_cells, self.subject.size, len(counts))
        weights = np.zeros(shape, dtype=object)
        for place in range(self.told_cells):
            np.add.at(weights[place], counts[:, place], matrix)
        return weights


@dataclass(frozen=True, eq=False, kw_only=True)
class RemappedTables(WholeTables):
    """The table with noise on all cells, which cancels; told is the best reply to that."""

    remapped: RemappedCells

    @property
    def gauges(self) -> tuple[tuple[str, Certified[GaugeNoise]], ...]:
        """The noise on all cells; sums of what is told have another law than sums of that."""
        return ((REPLIED_TO, self.remapped.noise.certified),)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise: a reply is post-processing."""
        return self.remapped.noise.certified.certificate.digest

    @property
    def bytes(self) -> int:
        """What the replies and the law take."""
        return super().bytes + self.remapped.bytes

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.remapped.noise.rate / 2)

    @property
    def total(self) -> int:
        """What the weights are parts of."""
        return TOTAL

    @property
    def weights(self) -> Weights:
        """From the law of the noise, rounded down."""
        return self.remapped.weights

    def drawing(self, counts: list[int]) -> Callable[[], list[int]]:
        """A noise, and the reply to where it leads."""
        table = np.array(counts)
        return lambda: self.remapped.reply(table + self.remapped.noise.draw())


class _Drawn:
    """One table for all groups, drawn when the first of them is told."""

    def __init__(self, draw: Callable[[], list[int]]) -> None:
        self._draw, self._table = draw, list[int]()

    def count(self, place: int) -> int:
        """The count of a group in the drawn table."""
        if not self._table:
            self._table = self._draw()
        return self._table[place]


@lru_cache(maxsize=64)
def _reach(release: WholeTables, confidence: Fraction) -> tuple[int, ...]:
    needed = -(-confidence * release.total // 1)
    counts, size = release.databases.counts, release.subject.size
    reaches = []
    for true in range(size):
        aways = np.abs(np.arange(size) - true)
        far = 0
        for place in range(release.told_cells):
            columns = release.weights[place][:, counts[:, place] == true]
            while far < size - 1 and (columns[aways <= far].sum(axis=0) < needed).any():
                far += 1
        reaches.append(far)
    return tuple(reaches)
