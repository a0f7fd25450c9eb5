"""Selections of rows in a form that tells when two are the same, or when one is made of others.

A box says, for each column, which cells it may have; a condition that speaks of several columns at
once is kept as it is. Equal boxes select the same rows of every table; what looks different may
still be the same, which only means that nobody notices.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from discreet.questions.conditions import (
    AllOf,
    AnyOf,
    Condition,
    InRange,
    Not,
    OneOf,
    columns_of,
    pushed,
)
from discreet.tables import GAP, Column, Facts, skips_gaps

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""Indices of a column: first and last of each run, in order, with gaps between the runs."""


@dataclass(frozen=True)
class Box:
    """Rows whose cells lie in these spans, column by column, and that meet the rest."""

    sides: Mapping[str, Spans]
    """Of the columns that may not have every cell."""
    rest: frozenset[Condition] = frozenset()

    def meeting(self, column: Column, spans: Spans) -> "Box":
        """Those of its rows whose cell of a column lies in the spans."""
        met = common(self.side(column), spans)
        others = {name: side for name, side in self.sides.items() if name != column.name}
        return Box(others if met == every(column) else {**others, column.name: met}, self.rest)

    def side(self, column: Column) -> Spans:
        """The cells that its rows may have in a column."""
        return self.sides.get(column.name, every(column))


EVERYTHING = Box({})
"""All rows."""


def box_of(condition: Condition, facts: Facts) -> Box:
    """The rows that meet a condition.

    >>> from discreet.questions.conditions import EVERY_ROW
    >>> box_of(EVERY_ROW, None).sides
    {}
    """
    box, rest = Box({}), set[Condition]()
    for part in _parts(pushed(condition)):
        names = columns_of(part)
        if len(names) == 1:
            column = facts.column(names.pop())
            box = box.meeting(column, _spans(part, column))
        else:
            rest.add(part)
    return Box(box.sides, frozenset(rest))


def _parts(condition: Condition) -> Iterable[Condition]:
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


def _spans(condition: Condition, column: Column) -> Spans:
    """The cells of its one column that meet a condition with NOT on comparisons alone."""
    match condition:
        case InRange(_, first, last):
            spans = joined([(first, last)])
        case OneOf(_, indices):
            spans = joined((index, index) for index in indices)
        case Not(inner):
            spans = _without(_spans(inner, column), column)
        case AllOf(parts):
            return reduce(common, (_spans(part, column) for part in parts), every(column))
        case AnyOf(parts):
            return joined(span for part in parts for span in _spans(part, column))
    return common(spans, every(column))


def every(column: Column) -> Spans:
    """All cells that a column may have."""
    return ((GAP if skips_gaps(column) else 0, column.size - 1),)


def joined(spans: Iterable[tuple[int, int]]) -> Spans:
    """Any runs of indices in order, those that touch made one.

    >>> joined([(5, 6), (0, 1), (2, 3), (9, 8)])
    ((0, 3), (5, 6))
    """
    merged: list[tuple[int, int]] = []
    for first, last in sorted(span for span in spans if span[0] <= span[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return tuple(merged)


def common(one: Spans, other: Spans) -> Spans:
    """The indices that are in both.

    >>> common(((0, 3), (5, 9)), ((2, 6),))
    ((2, 3), (5, 6))
    """
    return joined((max(a, c), min(b, d)) for a, b in one for c, d in other)


def _without(spans: Spans, column: Column) -> Spans:
    """The values of a column that are not in the spans; a gap is no value."""
    ends = [0, *(end for first, last in spans for end in (first - 1, last + 1)), column.size - 1]
    return joined((max(a, 0), b) for a, b in zip(ends[::2], ends[1::2], strict=True))
