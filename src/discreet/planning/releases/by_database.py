"""Draws from a certified matrix whose columns are tables."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.certifier import Certified
from discreet.databases import Databases
from discreet.model import Labels, LossName, numbers_of
from discreet.planning.candidates.blocks import ValueRuns
from discreet.planning.releases.matrix import bytes_of, column_losses, law_of_column
from discreet.planning.releases.release import (
    DrawnValue,
    Interval,
    Release,
    Scattering,
    Value,
    in_units,
    true_places,
)
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, true_index
from discreet.sampling import column_table
from discreet.statistics import Counted, Mode, Rank, Tally


@dataclass(frozen=True, eq=False, kw_only=True)
class DatabaseRelease(Release[int]):
    """The column of the table's own histogram, over blocks of values."""

    subject: Subject
    blocks: ValueRuns
    databases: Databases
    unselected: bool
    """Whether the last value stands for rows that were not selected."""
    certified: Certified

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate."""
        return self.certified.certificate.digest

    @property
    def bytes(self) -> int:
        """What the matrix takes."""
        return super().bytes + bytes_of(self.certified)

    def law(self, counted: Counted) -> Scattering:
        """The column of the table."""
        return law_of_column(self.subject, self.certified, self.column(counted), counted)

    def column(self, counted: Counted) -> int:
        """Where the table stands; its size is public and was checked when it was opened."""
        assert isinstance(counted, Tally)
        counts = np.add.reduceat(counted.counts, self.blocks.starts).tolist()
        if self.unselected:
            counts.append(self.subject.most_rows - counted.rows)
        return self.databases.column(counts)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """What the columns of the tables cost."""
        columns = np.array([self.column(counted) for counted in tables])
        places = true_places(self.subject, tables)
        return column_losses(self.subject, self.certified, columns, places, name)

    def possible(self, line: list[int]) -> range:
        """The answers of tables with so many rows in each block."""
        return possible_answers(self.subject, self.blocks, line)

    def rows_behind(self, confidence: Fraction) -> int | None:
        """How many rows a mode is behind the most frequent value at most, in every table.

        But for the chance that the confidence leaves; from the integers of every column. None where
        values share a column.
        """
        if len(self.blocks) < self.subject.size:
            return None
        mechanism = self.certified.mechanism
        behind = Mode().rows_behind(self.databases.counts[:, : len(self.blocks)]).T
        needed = -(-confidence * mechanism.total // 1)
        weights = mechanism.weights.astype(object)

        def is_sure(rows: int) -> bool:
            return bool(np.where(behind <= rows, weights, 0).sum(axis=0).min() >= needed)

        return bisect_left(range(int(behind.max())), True, key=is_sure)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws from the column of the table."""
        return column_table(self.certified, self.column(counted)).draw_evenly

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """What an output is called, and the answers that would have led this close."""
        named = self.certified.mechanism.outputs.value(output)
        value = named if isinstance(named, str) else in_units(self.subject, named)
        return DrawnValue(value, self.interval(value, confidence))

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """All answers some table of which would have led this close."""
        if isinstance(self.certified.mechanism.outputs, Labels) or isinstance(value, str | tuple):
            return None
        answer = Fraction(value)
        near = [
            self.subject.start + self.subject.unit * place
            for place, far in enumerate(_reach(self, confidence))
            if abs(answer - self.subject.start - self.subject.unit * place) <= far
        ]
        return min([*near, answer]), max([*near, answer])


@lru_cache(maxsize=64)
def _reach(release: DatabaseRelease, confidence: Fraction) -> tuple[Fraction, ...]:
    """For each answer the smallest t with Pr(|output − answer| ≤ t) ≥ confidence for all tables.

    −1 for an answer that no table has.
    """
    mechanism, subject = release.certified.mechanism, release.subject
    outputs = numbers_of(mechanism.outputs, "an interval").values()
    needed = -(-confidence * mechanism.total // 1)
    columns = _columns_by_answer(release)
    reaches = []
    for place in range(subject.size):
        if not len(columns[place]):
            reaches.append(Fraction(-1))
            continue
        aways = [abs(output - subject.start - subject.unit * place) for output in outputs]
        order = sorted(range(len(aways)), key=aways.__getitem__)
        weights = mechanism.weights[order][:, columns[place]].astype(object)
        least = np.add.accumulate(weights, axis=0).min(axis=1)
        reached = next(step for step in range(len(order)) if least[step] >= needed)
        reaches.append(aways[order[reached]])
    return tuple(reaches)


def _columns_by_answer(release: DatabaseRelease) -> list[list[int]]:
    """The tables that can have each answer."""
    columns: list[list[int]] = [[] for _ in range(release.subject.size)]
    counts = release.databases.counts[:, : len(release.blocks)]
    for column, line in enumerate(counts.tolist()):
        for place in release.possible(line):
            columns[place].append(column)
    return columns


def possible_answers(subject: Subject, blocks: ValueRuns, line: list[int]) -> range:
    """The answers of tables with so many rows in each block: the block that holds the rank."""
    rows, statistic = sum(line), subject.statistic
    if rows == 0 or not isinstance(statistic, Rank):
        place = true_index(subject, Tally(np.array(line)))
        return range(place, place + 1)
    left, block = statistic.of(rows), 0
    while left > line[block]:
        left -= line[block]
        block += 1
    return range(blocks.starts[block], blocks.starts[block] + blocks.sizes[block])
