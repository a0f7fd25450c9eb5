"""Conditions as sets of declared values: total, finite, and the same in every engine.

A comparison of a number column with any number becomes a range of indices, worked out here in exact
arithmetic; nothing is left for the engine to round, cast or fail at. A gap has no value, so neither
a comparison nor its opposite holds for it, as in SQL: NOT is pushed down to the comparisons, and a
comparison that is denied asks for a value (docs/proofs/gaps.md).
"""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.tables import (
    GAP,
    CategoryColumn,
    Cells,
    Column,
    Columns,
    DateColumn,
    Facts,
    NumberColumn,
    name_text,
    skips_gaps,
)
from discreet.text import first_of, moment_text, no_moment_text, perhaps, read_moment

MOST_ROWS = 200_000
"""How many different rows are tried where a condition is counted on all that are possible."""
_AT_ONCE = 1 << 13


@dataclass(frozen=True)
class InRange:
    """The column's index lies between two bounds, both included."""

    column: str
    first: int
    last: int


@dataclass(frozen=True)
class OneOf:
    """The column's index is one of these; there may be none."""

    column: str
    indices: tuple[int, ...]


@dataclass(frozen=True)
class Not:
    """The condition is known not to hold; of a gap nothing is known."""

    inner: "Condition"


@dataclass(frozen=True)
class AllOf:
    """Every part holds; true when there are none."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class AnyOf:
    """Some part holds; false when there are none."""

    parts: tuple["Condition", ...]


Condition: TypeAlias = InRange | OneOf | Not | AllOf | AnyOf
"""Which rows are meant."""

EVERY_ROW = AllOf(())

Mask: TypeAlias = npt.NDArray[np.bool_]


def compare(column: Column, operator: str, value: object) -> Condition:
    """A comparison (=, !=, <, <=, >, >=) of a declared column with a constant."""
    if operator == "!=":
        return Not(compare(column, "=", value))
    if isinstance(column, CategoryColumn):
        return _compare_category(column, operator, value)
    return _compare_number(column, operator, value)


def _compare_category(column: CategoryColumn, operator: str, value: object) -> Condition:
    if operator != "=":
        raise QuestionError(
            f"{column.name} has no order: compare it with =, != or IN, not {operator}"
        )
    word = str(value).lower() if isinstance(value, bool) else value
    if word not in column.labels.names:
        known, name = column.labels.names, name_text(column.name)
        advice = f"; write {name}, or NOT {name}" if column.is_boolean else ""
        raise QuestionError(
            f"{show(value)} is not a value of {column.name}{perhaps(value, known)}; values: "
            f"{first_of(known)}{advice}"
        )
    return OneOf(column.name, (column.labels.index(word),))


def _compare_number(column: NumberColumn, operator: str, value: object) -> Condition:
    number = constant_of(column, value, f"what {column.name} is compared with")
    place: Fraction = (number - column.grid.start) / column.grid.step
    last = column.size - 1
    bounds = {
        "=": (math.ceil(place), math.floor(place)),
        "<": (0, math.ceil(place) - 1),
        "<=": (0, math.floor(place)),
        ">": (math.floor(place) + 1, last),
        ">=": (math.ceil(place), last),
    }
    low, high = max(bounds[operator][0], 0), min(bounds[operator][1], last)
    return InRange(column.name, low, high) if low <= high else none_of(column)


def constant_of(column: NumberColumn, value: object, what: str) -> Fraction:
    """A constant in the units of a column; a date's are those of its resolution."""
    if not isinstance(column, DateColumn):
        if isinstance(value, date):
            raise QuestionError(f"{column.name} holds numbers, but {moment_text(value)} is a date")
        return rational(value, what, QuestionError)
    moment = read_moment(value)
    if moment is None:
        if (none := no_moment_text(value)) is not None:
            raise QuestionError(f"{what} must be a date, but {none}")
        example = column.sql(column.grid.start)
        raise QuestionError(f"{what} must be a date such as {example}, got {show(value)}")
    return column.count(moment)


def one_of(column: Column, values: Iterable[object]) -> Condition:
    """The column equals one of the constants; of one, it is the comparison with that."""
    parts = tuple(compare(column, "=", value) for value in values)
    if not parts:
        return Not(EVERY_ROW)
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def none_of(column: Column) -> Condition:
    """A comparison that holds for no value; of a gap it is unknown, as of any comparison."""
    return OneOf(column.name, ())


def is_gap(column: Column) -> Condition:
    """The cell holds nothing: the one condition that holds for gaps."""
    return OneOf(column.name, (GAP,))


def is_known(condition: Condition, facts: Facts) -> Condition:
    """Whether it is known of a row if it meets a condition: of every row, where none has gaps."""
    return AnyOf((condition, Not(condition))) if _may_be_unknown(condition, facts) else EVERY_ROW


def _may_be_unknown(condition: Condition, facts: Facts) -> bool:
    match condition:
        case InRange(column) | OneOf(column):
            return skips_gaps(facts.column(column)) and condition != OneOf(column, (GAP,))
        case Not(inner):
            return _may_be_unknown(inner, facts)
        case AllOf(parts) | AnyOf(parts):
            return any(_may_be_unknown(part, facts) for part in parts)


def columns_of(condition: Condition) -> set[str]:
    """The columns that a condition speaks of."""
    match condition:
        case InRange(column) | OneOf(column):
            return {column}
        case Not(inner):
            return columns_of(inner)
        case AllOf(parts) | AnyOf(parts):
            return set().union(*map(columns_of, parts))


def pushed(condition: Condition, *, denied: bool = False) -> Condition:
    """The condition, or its denial, with NOT on comparisons alone.

    >>> one, other = OneOf("sex", (1,)), InRange("age", 0, 4)
    >>> pushed(Not(AllOf((one, Not(other))))) == AnyOf((Not(one), other))
    True
    """
    match condition:
        case Not(inner):
            return pushed(inner, denied=not denied)
        case AllOf(parts) | AnyOf(parts):
            every = isinstance(condition, AllOf) != denied
            inside = tuple(pushed(part, denied=denied) for part in parts)
            return AllOf(inside) if every else AnyOf(inside)
        case _:
            return Not(condition) if denied else condition


def to_sql(condition: Condition) -> exp.Expr:
    """The condition over the cleaned table's indices: true or false, never unknown."""
    return _to_sql(pushed(condition))


def _to_sql(condition: Condition) -> exp.Expr:
    match condition:
        case InRange(column, first, last):
            return exp.Between(
                this=exp.column(column, quoted=True),
                low=exp.Literal.number(first),
                high=exp.Literal.number(last),
            )
        case OneOf(column, indices):
            if not indices:
                return exp.false()
            return exp.In(
                this=exp.column(column, quoted=True),
                expressions=[exp.Literal.number(index) for index in indices],
            )
        case Not(InRange(column) | OneOf(column)):
            cell, gap = exp.column(column, quoted=True), exp.Literal.number(GAP)
            said = condition.inner == OneOf(column, (GAP,))
            denied = [] if said else [exp.not_(_to_sql(condition.inner))]
            return exp.and_(exp.GT(this=cell, expression=gap), *denied)
        case AllOf(parts):
            return exp.and_(*map(_to_sql, parts)) if parts else exp.true()
        case AnyOf(parts):
            return exp.or_(*map(_to_sql, parts)) if parts else exp.false()
    raise AssertionError(condition)


def rows_where(
    condition: Condition, columns: Columns, complete: Collection[str] = frozenset()
) -> Mask:
    """Which rows of the cleaned table meet the condition; what `to_sql` says, without an engine.

    Args:
        condition: What they are to meet.
        columns: The cells.
        complete: Columns that are known to have no gaps, which need not be looked for.

    Returns:
        Whether each row does.
    """
    return _rows_where(pushed(condition), columns, complete)


def _rows_where(condition: Condition, columns: Columns, complete: Collection[str]) -> Mask:
    mask: Mask
    match condition:
        case InRange(column, first, last):
            mask = (columns[column] >= first) & (columns[column] <= last)
        case OneOf(column, (index,)):
            mask = np.equal(columns[column], index)
        case OneOf(column, indices):
            mask = np.isin(columns[column], indices)
        case Not(InRange(column) | OneOf(column)):
            mask = ~_rows_where(condition.inner, columns, complete)
            mask = mask if column in complete else mask & (columns[column] > GAP)
        case AllOf(()) | AnyOf(()):
            rows = len(next(iter(columns.values())))
            mask = np.full(rows, isinstance(condition, AllOf))
        case AllOf(parts) | AnyOf(parts):
            joined = and_ if isinstance(condition, AllOf) else or_
            mask = reduce(joined, (_rows_where(part, columns, complete) for part in parts))
        case _:
            raise AssertionError(condition)
    return mask


@lru_cache(maxsize=1024)
def chance_of(condition: Condition, dataset: Facts) -> Fraction | None:
    """How likely a row meets the condition that is drawn uniformly from the declared values.

    None when the rows are too many to try; a condition on one column is counted without trying.
    """
    return _share(condition, dataset, gaps=False)


@lru_cache(maxsize=1024)
def share_of_rows(condition: Condition, dataset: Facts) -> Fraction | None:
    """The share of all possible rows that meet the condition, those with gaps among them.

    It is 0 where no row ever does and 1 where every row must; None when they are too many to try.
    """
    return _share(condition, dataset, gaps=True)


def _share(condition: Condition, dataset: Facts, *, gaps: bool) -> Fraction | None:
    if isinstance(condition, InRange) and dataset.derived(condition.column) is None:
        column = dataset.column(condition.column)
        values = column.size + (gaps and skips_gaps(column))
        return Fraction(condition.last - condition.first + 1, values)
    blocks = _possible_rows(columns_of(condition), dataset, gaps=gaps)
    if blocks is None:
        return None
    met = [rows_where(condition, cells) for cells in blocks]
    return Fraction(sum(int(one.sum()) for one in met), sum(map(len, met)))


@lru_cache(maxsize=256)
def patterns(
    conditions: tuple[Condition, ...], dataset: Facts
) -> tuple[tuple[bool, ...], ...] | None:
    """Which of the conditions a row can meet at once: every combination that is possible.

    Those with gaps are among the rows; None when there are too many to try.
    """
    names = set[str]().union(*map(columns_of, conditions))
    blocks = _possible_rows(names, dataset, gaps=True)
    if blocks is None:
        return None
    met = [
        np.unique(np.packbits([rows_where(one, cells) for one in conditions], axis=0), axis=1)
        for cells in blocks
    ]
    every = np.unique(np.concatenate(met, axis=1), axis=1)
    known = np.unpackbits(every, axis=0, count=len(conditions))
    return tuple(map(tuple, (known.T > 0).tolist()))


def _possible_rows(names: set[str], dataset: Facts, *, gaps: bool) -> Iterator[Columns] | None:
    """Every combination of the values of some columns; None when there are too many to try.

    Some thousand at a time: derived columns follow from those that they are made of, in hundreds of
    steps that hold an array each.
    """
    bases = set[str]().union(*map(dataset.bases, names))
    columns = [dataset.column(name) for name in sorted(bases)]
    values = [column.size + (gaps and skips_gaps(column)) for column in columns]
    if math.prod(values) > MOST_ROWS:
        return None
    shape = tuple(values) or (1,)

    def block(first: int) -> Columns:
        at = np.arange(first, min(first + _AT_ONCE, math.prod(shape)))
        cells = {
            column.name: cells + GAP if many > column.size else cells
            for column, many, cells in zip(
                columns, values, np.unravel_index(at, shape), strict=False
            )
        }
        return Cells(cells or {"": at}, dataset)

    return map(block, range(0, math.prod(shape), _AT_ONCE))


def to_dict(condition: Condition) -> Any:
    """The condition as plain JSON values, for the ledger and for digests."""
    match condition:
        case InRange(column, first, last):
            return {"within": [column, first, last]}
        case OneOf(column, indices):
            return {"one_of": [column, *indices]}
        case Not(inner):
            return {"not": to_dict(inner)}
        case AllOf(parts):
            return {"all": [to_dict(part) for part in parts]}
        case AnyOf(parts):
            return {"any": [to_dict(part) for part in parts]}


def holds(condition: Condition, row: dict[str, int]) -> bool | None:
    """Whether the condition holds for one cleaned row; None where gaps leave that unknown.

    An oracle for tests, and for people: the three values of SQL, not what is asked of an engine.
    """
    match condition:
        case OneOf(column, (index,)) if index == GAP:
            return row[column] == GAP
        case InRange(column) | OneOf(column) if row[column] == GAP:
            return None
        case InRange(column, first, last):
            return first <= row[column] <= last
        case OneOf(column, indices):
            return row[column] in indices
        case Not(inner):
            inside = holds(inner, row)
            return None if inside is None else not inside
        case AllOf(parts) | AnyOf(parts):
            decisive = isinstance(condition, AnyOf)
            each = {holds(part, row) for part in parts}
            return decisive if decisive in each else None if None in each else not decisive
    raise AssertionError(condition)
