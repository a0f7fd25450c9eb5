"""All tables of a few rows over a few different rows, and all neighbours of each."""

import math
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, islice, product

import numpy as np
import numpy.typing as npt

from discreet.model import Relation
from discreet.tables import GAP, Dataset
from discreet.tables.columns import Column, skips_gaps

Row = tuple[int, ...]
"""The index of each column's value."""
Rows = tuple[int, ...]
"""A table: how often each row of the palette is in it."""

_CANDIDATES = 4_000


@dataclass(frozen=True, kw_only=True)
class Small:
    """The tables that are enumerated: a few rows that vary, besides some that stay."""

    dataset: Dataset
    """The declared facts that the plan is made for."""
    columns: tuple[str, ...]
    palette: tuple[Row, ...]
    """The different rows."""
    varied: int
    """So many rows vary, at most."""
    complete: bool
    """Whether the palette has every row that the question can tell apart."""

    @property
    def backgrounds(self) -> tuple[Rows, ...]:
        """The rows that stay: all alike, or half of them; or none, where that may be."""
        kinds = len(self.palette)
        rest = self.dataset.most_rows - self.varied
        backgrounds = [] if self.dataset.size_is_public else [(0,) * kinds]
        backgrounds += [_only(kinds, {0: rest}), _only(kinds, {kinds - 1: rest})]
        backgrounds += [_only(kinds, {0: rest - rest // 2, min(1, kinds - 1): rest // 2})]
        return tuple(dict.fromkeys(backgrounds))

    @property
    def _sizes(self) -> range:
        return range(self.varied if self.dataset.size_is_public else 0, self.varied + 1)

    @property
    def many(self) -> int:
        """How many tables there are, about."""
        kinds = len(self.palette)
        each = sum(math.comb(rows + kinds - 1, rows) for rows in self._sizes)
        return each * len(self.backgrounds)

    def tables(self) -> Iterator[tuple[Rows, Rows]]:
        """All of them, each as the rows that stay and those that vary."""
        kinds = range(len(self.palette))
        for stays in self.backgrounds:
            for rows in self._sizes:
                for places in combinations_with_replacement(kinds, rows):
                    yield stays, tuple(places.count(kind) for kind in kinds)

    def pairs(self) -> Iterator[tuple[Rows, Rows]]:
        """Every table with every neighbour; tables come in a random order."""
        every = list(self.tables())
        random.shuffle(every)
        for stays, varied in every:
            for other in self.neighbours(varied):
                yield added(stays, varied), added(stays, other)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """What one person's rows make of some.

        A person has one row or more, up to the most that is declared. Where people are changed,
        theirs become others: as many, where the number of rows is public.
        """
        dataset, most = self.dataset, self.dataset.unit.most_rows
        some = range(1, most + 1)
        moves = [(fewer, more) for fewer in some for more in some]
        if dataset.relation == Relation.ADD_OR_REMOVE:
            moves = [*((0, more) for more in some), *((fewer, 0) for fewer in some)]
        elif dataset.size_is_public:
            moves = [(many, many) for many in some]
        seen = {rows}
        for fewer, more in moves:
            for less in _without(rows, fewer, self._kept_apart):
                for neighbour in _with_more(less, more, self._kept_apart):
                    if neighbour not in seen and sum(neighbour) in self._sizes:
                        seen.add(neighbour)
                        yield neighbour

    @cached_property
    def _kept_apart(self) -> tuple[Hashable, ...]:
        """For each kind of row, what no two rows of a person have in common."""
        column = self.dataset.unit.one_row_per
        if column not in self.columns:
            return ()
        place = list(self.columns).index(column)
        return tuple(row[place] for row in self.palette)

    def cells(self, table: Rows) -> dict[str, npt.NDArray[np.intp]]:
        """The cells of a table, column by column."""
        rows = [row for row, times in zip(self.palette, table, strict=True) for _ in range(times)]
        lines = np.array(rows, dtype=np.intp).reshape(len(rows), len(self.columns))
        return {name: lines[:, place].copy() for place, name in enumerate(self.columns)}


def added(one: Rows, other: Rows) -> Rows:
    """The rows of both."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _only(kinds: int, rows: dict[int, int]) -> Rows:
    return tuple(rows.get(kind, 0) for kind in range(kinds))


def _rows_of_one(
    kinds: Iterable[int], many: int, kept_apart: tuple[Hashable, ...]
) -> Iterator[tuple[int, ...]]:
    """So many rows that one person may have."""
    for rows in combinations_with_replacement(kinds, many):
        if not kept_apart or len({kept_apart[kind] for kind in rows}) == many:
            yield rows


def _without(table: Rows, fewer: int, kept_apart: tuple[Hashable, ...]) -> Iterator[Rows]:
    """The table without so many of its rows."""
    held = [kind for kind, times in enumerate(table) if times]
    for gone in _rows_of_one(held, fewer, kept_apart):
        left = list(table)
        for kind in gone:
            left[kind] -= 1
        if min(left, default=0) >= 0:
            yield tuple(left)


def _with_more(table: Rows, many: int, kept_apart: tuple[Hashable, ...]) -> Iterator[Rows]:
    for added in _rows_of_one(range(len(table)), many, kept_apart):
        rows = list(table)
        for kind in added:
            rows[kind] += 1
        yield tuple(rows)


def palette_of(
    columns: Sequence[Column], told_apart: Callable[[Row], object], most: int
) -> tuple[tuple[Row, ...], bool]:
    """Rows that the question tells apart, the extreme ones first; and whether that is all of them.

    Args:
        columns: The columns that the question is about.
        told_apart: What the question's counts say of a table of one such row.
        most: How many rows at most.
    """
    distinct: dict[object, Row] = {}
    every = math.prod(column.size + skips_gaps(column) for column in columns)
    for row in islice(_corners_first(columns), _CANDIDATES):
        distinct.setdefault(told_apart(row), row)
    kept = tuple(distinct.values())[:most]
    return kept, every <= _CANDIDATES and len(kept) == len(distinct)


def _corners_first(columns: Sequence[Column]) -> Iterator[Row]:
    """Rows of first and last values and gaps, then with more and more values between."""
    seen: set[Row] = set()
    values = [_spread(column) for column in columns]
    for many in range(1, max(map(len, values), default=0) + 1):
        for row in product(*(one[:many] for one in values)):
            if row not in seen:
                seen.add(row)
                yield row
    if not columns:
        yield ()


def _spread(column: Column) -> list[int]:
    """The last index, the first, that of a gap, the middle, the quarters, and so on."""
    last = column.size - 1
    places = [last, 0, *([GAP] if skips_gaps(column) else [])]
    parts = 2
    while parts <= last:
        places += [last * part // parts for part in range(1, parts, 2)]
        parts *= 2
    places += range(last)
    return list(dict.fromkeys(places))
