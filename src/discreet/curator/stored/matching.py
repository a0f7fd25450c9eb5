"""Which cells of a stored release make up an answer: public questions alone decide.

A release tells statistics of groups; each is of the rows of a box. A count is asked of rows that
may be several groups put together; anything else must be of the rows of one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from discreet.planning.grouping import GroupedColumn, Grouping, grouping_of
from discreet.questions import Bins, Condition, Item, Question, rows_taken
from discreet.questions.boxes import EVERYTHING, Box, Spans, box_of, common, joined
from discreet.statistics import (
    Count,
    Deviation,
    Mean,
    Rank,
    ReadAs,
    Statistic,
    Variance,
    read_from,
)
from discreet.tables import GAP, Column, Dataset, DateColumn, NumberColumn, skips_gaps

_MOST_CELLS = 1 << 20
"""Beyond so many cells nobody looks for them."""


@dataclass(frozen=True)
class Portion:
    """What tells one result: a statistic of a release, in one of its groups or in several."""

    statistic: int
    groups: tuple[int, ...]
    follows: bool = False
    """Whether it is not told itself, but follows from what is (a root, a square, the mean or the
    number of rows that a variance was taken with)."""


@dataclass(frozen=True)
class Counted:
    """What tells a quantile: the counts of a release, for each bin of the column in order."""

    statistic: int
    column: Bins
    """The bins of the column."""
    groups: tuple[tuple[int, ...], ...]
    """For each bin, the groups that its rows are in; of running totals, that of the total."""
    rows: int | None
    """How many rows there are, where that is public."""


@lru_cache(maxsize=4096)
def portions(
    asked: Question, stored: Question, dataset: Dataset
) -> "tuple[Portion | Counted, ...] | None":
    """For each result that is asked for, what tells it; None where a release does not tell all.

    Args:
        asked: The question, settled.
        stored: What a release answers, settled.
        dataset: The public facts of both.

    Returns:
        Group by group, for each statistic of the question.
    """
    wanted, kept = _told(asked, dataset), _told(stored, dataset)
    by_item = [
        _portions_of(item, wanted, kept) or _counted(item, wanted, kept) for item in asked.items
    ]
    if any(one is None for one in by_item):
        return None
    return tuple(one for by_group in zip(*filter(None, by_item), strict=True) for one in by_group)


@lru_cache(maxsize=1024)
def _told(question: Question, dataset: Dataset) -> "_Told":
    return _Told(question, dataset)


def _counted(item: Item, wanted: "_Told", kept: "_Told") -> list[Counted] | None:
    """The counts that a quantile of all rows is read from, where their number is public.

    Value by value: of wider bins too little would be known. Running totals serve for whatever rows
    they are of, with those that are told last.
    """
    dataset, stored = wanted.dataset, kept.question
    bins = [axis.bins for axis in kept.grouping.axes]
    axes = [one.column for one in bins]
    if not isinstance(item.statistic, Rank) or item.column not in axes or stored.totals:
        return None
    column, place = dataset.column(item.column), axes.index(item.column)
    of, running = bins[place], bins[place].running
    every = _counts_every_row(column, dataset)
    if (
        isinstance(column, DateColumn)
        or wanted.question.group_by
        or box_of(item.condition, dataset) != EVERYTHING
        or not (running or (every and wanted.rows(item) == EVERYTHING))
        or min(of.many(column.size), len(kept.grouping.names)) < column.size
    ):
        return None
    groups = tuple((one,) for one in range(column.size)) if running else kept.by_bin(place)
    for which, other in enumerate(stored.items):
        if isinstance(other.statistic, Count) and kept.rows(other) == wanted.rows(item):
            known = every and kept.rows(other) == EVERYTHING
            return [Counted(which, of, groups, dataset.most_rows if known else None)]
    return None


def _counts_every_row(column: Column, dataset: Dataset) -> bool:
    """Whether the rows that have a value in a column are all rows, and their number is public."""
    return dataset.size_is_public and not skips_gaps(column)


def _portions_of(item: Item, wanted: "_Told", kept: "_Told") -> list[Portion] | None:
    """The same for one statistic; where several of a release would do, the one of fewest groups."""
    choices = []
    for place, other in enumerate(kept.question.items):
        if not _same(item, other, wanted.dataset):
            continue
        cells = _cells(item, other, wanted, kept)
        most = max((len(one or ()) for one in cells), default=0)
        follows = reading_of(item, other, wanted.dataset) is not None or told_besides(item, other)
        several_tell = isinstance(item.statistic, Count) and not follows
        if all(cells) and (several_tell or most == 1):
            served = [Portion(place, one, follows) for one in cells if one]
            choices.append((follows, most, served))
    return min(choices, key=lambda one: one[:2])[2] if choices else None


def _cells(item: Item, other: Item, wanted: "_Told", kept: "_Told") -> list[tuple[int, ...] | None]:
    """For each group that is asked for, the groups that make it up; None where they do not.

    Of groups that no row can be in, only the same one is told.
    """
    asked, stored = wanted.question, kept.question
    alike = replace(asked, items=()) == replace(stored, items=())
    counts_rows = isinstance(item.statistic, Count) and not isinstance(other.statistic, Count)
    if alike and item.condition == other.condition and not counts_rows:
        return [(place,) for place in range(len(wanted.grouping.names))]
    rows = kept.taken(other) if counts_rows else kept.rows(other)
    if kept.grouping.totals is not None:
        by_box = {_key(box): place for place, box in enumerate(kept.boxes(other))}
        places = (by_box.get(_key(box)) for box in wanted.boxes(item))
        return [None if place is None else (place,) for place in places]
    return [kept.cells(box, rows) for box in wanted.boxes(item)]


def _same(item: Item, other: Item, dataset: Dataset) -> bool:
    """Whether they are one statistic, of rows that are compared later."""
    if isinstance(item.statistic, Count):
        return isinstance(other.statistic, Count) or told_besides(item, other)
    return (
        item.columns == other.columns
        and box_of(item.condition, dataset) == box_of(other.condition, dataset)
        and (
            _meaning(item.statistic) == _meaning(other.statistic)
            or reading_of(item, other, dataset) is not None
            or told_besides(item, other)
        )
    )


def reading_of(item: Item, other: Item, dataset: Dataset) -> ReadAs | None:
    """How an asked statistic follows from another of the same column; None where it does not."""
    column = None if item.column is None else dataset.column(item.column)
    if not isinstance(column, NumberColumn):
        return None
    return read_from(item.statistic, other.statistic, column.grid)


def told_besides(item: Item, other: Item) -> bool:
    """Whether another statistic is told with it: a variance with the mean and the number of rows
    (docs/proofs/stored-releases.md, Claim 7)."""
    of_sums = isinstance(other.statistic, Variance | Deviation)
    return of_sums and isinstance(item.statistic, Count | Mean)


def _meaning(statistic: Statistic) -> object:
    """A quantile is the same by whatever name it is asked."""
    return statistic.share if isinstance(statistic, Rank) else statistic


@dataclass(frozen=True)
class _Told:
    """A question's groups, and the rows that each of its answers is of."""

    question: Question
    dataset: Dataset

    @cached_property
    def grouping(self) -> Grouping:
        """Its groups."""
        return grouping_of(self.question, self.dataset)

    @cached_property
    def _numbers(self) -> list[tuple[int, ...]]:
        """For each told group, its number on every axis."""
        sizes = [axis.size for axis in self.grouping.axes]
        if not sizes:
            return [()]
        places = np.unravel_index(np.array(self.grouping.places), sizes)
        return list(zip(*(one.tolist() for one in places), strict=True))

    @cached_property
    def _by_numbers(self) -> dict[tuple[int, ...], int]:
        return {numbers: place for place, numbers in enumerate(self._numbers)}

    def by_bin(self, place: int) -> tuple[tuple[int, ...], ...]:
        """The told groups of each bin of one axis, in order."""
        groups: list[list[int]] = [[] for _ in range(self.grouping.axes[place].size)]
        for group, numbers in enumerate(self._numbers):
            groups[numbers[place]].append(group)
        return tuple(map(tuple, groups))

    def rows(self, item: Item) -> Box:
        """The rows of all groups that a statistic is of; a count is of those that it counts."""
        box = box_of(self.question.where, self.dataset)
        if not isinstance(item.statistic, Count):
            return box
        met = box_of(item.condition, self.dataset)
        for name, spans in met.sides.items():
            box = box.meeting(self.dataset.column(name), spans)
        return Box(box.sides, box.rest | met.rest)

    def taken(self, item: Item) -> Box:
        """The same without those that a statistic skips for gaps."""
        return box_of(rows_taken(item, self.question, self.dataset), self.dataset)

    def boxes(self, item: Item) -> Iterator[Box]:
        """The rows of each told group; totals are of several of those that rows are counted in."""
        whole, totals = self.rows(item), self.grouping.totals
        cells = [(place,) for place in range(len(self._numbers))]
        for members in cells if totals is None else totals.members:
            box = whole
            for place, axis in enumerate(self.grouping.axes):
                column = self._column(axis)
                numbers = {self._numbers[member][place] for member in members}
                spans = joined(span for one in numbers for span in _bin(axis, one, column.size))
                box = box.meeting(column, spans)
            yield box

    def cells(self, asked: Box, rows: Box) -> tuple[int, ...] | None:
        """The told groups that the asked rows fall into, if these are exactly their rows."""
        axes = {axis.bins.column for axis in self.grouping.axes}
        names = {*asked.sides, *rows.sides} - axes
        if asked.rest != rows.rest or any(
            asked.sides.get(name) != rows.sides.get(name) for name in names
        ):
            return None
        chosen = []
        for place, axis in enumerate(self.grouping.axes):
            column = self._column(axis)
            numbers = self._on_axis(place, asked.side(column), rows.side(column))
            if numbers is None:
                return None
            chosen.append(numbers)
        if np.prod([len(one) for one in chosen], dtype=float) > _MOST_CELLS:
            return None
        places = (self._by_numbers.get(numbers) for numbers in product(*chosen))
        return tuple(sorted(place for place in places if place is not None))

    def _on_axis(self, place: int, asked: Spans, rows: Spans) -> list[int] | None:
        """The groups of a column that are asked for, if they are asked for as a whole."""
        if common(asked, rows) != asked:
            return None
        axis, chosen = self.grouping.axes[place], []
        size, numbers = self._column(axis).size, self._told[place]
        for number in _touched(axis, asked):
            there = common(_bin(axis, number, size), rows)
            met = common(there, asked)
            if met and met != there:
                return None
            if met and number in numbers:
                chosen.append(number)
            if len(chosen) > _MOST_CELLS:
                return None
        return chosen

    @cached_property
    def _told(self) -> list[set[int]]:
        """On every axis, the numbers of the groups that are told."""
        return [{one[place] for one in self._numbers} for place in range(len(self.grouping.axes))]

    def _column(self, axis: GroupedColumn) -> Column:
        return self.dataset.column(axis.bins.column)


def _key(box: Box) -> tuple[frozenset[tuple[str, Spans]], frozenset[Condition]]:
    """The same for the same box, and something to find it by."""
    return frozenset(box.sides.items()), box.rest


def _bin(axis: GroupedColumn, number: int, size: int) -> Spans:
    """The cells of one group of a column with so many values."""
    if axis.gaps and number == axis.size - 1:
        return ((GAP, GAP),)
    return (axis.bins.ends(number, size),)


def _touched(axis: GroupedColumn, spans: Spans) -> Iterator[int]:
    """The groups of a column that hold some of these cells, each once."""
    last = -1
    for first, end in spans:
        if first == GAP:
            yield axis.size - 1
        begins, ends = axis.number_of(np.array([max(first, 0), end]))
        for number in range(max(last + 1, int(begins)), int(ends) + 1 if end >= 0 else 0):
            yield number
            last = number
