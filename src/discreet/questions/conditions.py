"""Conditions as sets of declared values: total, finite, and the same in every engine.

A comparison of a number column with any number becomes a range of indices, worked out here in exact
arithmetic; nothing is left for the engine to round, cast or fail at.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import and_, or_
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.tables import CategoryColumn, Column, Columns, NumberColumn


@dataclass(frozen=True)
class Within:
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
    """The condition does not hold."""

    inner: "Condition"


@dataclass(frozen=True)
class AllOf:
    """Every part holds; true when there are none."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class AnyOf:
    """Some part holds; false when there are none."""

    parts: tuple["Condition", ...]


Condition: TypeAlias = Within | OneOf | Not | AllOf | AnyOf
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
        known, name = ", ".join(column.labels.names), name_text(column.name)
        advice = f"; write {name}, or NOT {name}" if column.is_boolean else ""
        raise QuestionError(
            f"{show(value)} is not a value of {column.name}; values: {known}{advice}"
        )
    return OneOf(column.name, (column.labels.index(word),))


def name_text(name: str) -> str:
    """A column's name as SQL.

    >>> name_text("age"), name_text("age in years")
    ('age', '"age in years"')
    """
    plain = name.isascii() and name.isidentifier()
    return name if plain else '"' + name.replace('"', '""') + '"'


def _compare_number(column: NumberColumn, operator: str, value: object) -> Condition:
    number = rational(value, f"what {column.name} is compared with", QuestionError)
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
    return Within(column.name, low, high) if low <= high else OneOf(column.name, ())


def one_of(column: Column, values: Iterable[object]) -> Condition:
    """The column equals one of the constants."""
    return AnyOf(tuple(compare(column, "=", value) for value in values))


def to_sql(condition: Condition) -> exp.Expr:
    """The condition over the cleaned table's indices."""
    match condition:
        case Within(column, first, last):
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
        case Not(inner):
            return exp.not_(to_sql(inner))
        case AllOf(parts):
            return exp.and_(*map(to_sql, parts)) if parts else exp.true()
        case AnyOf(parts):
            return exp.or_(*map(to_sql, parts)) if parts else exp.false()


def rows_where(condition: Condition, columns: Columns) -> Mask:
    """Which rows of the cleaned table meet the condition; what `to_sql` says, without an engine."""
    found: Mask
    match condition:
        case Within(column, first, last):
            found = (columns[column] >= first) & (columns[column] <= last)
        case OneOf(column, (index,)):
            found = np.equal(columns[column], index)
        case OneOf(column, indices):
            found = np.isin(columns[column], indices)
        case Not(inner):
            found = ~rows_where(inner, columns)
        case AllOf(()) | AnyOf(()):
            rows = len(next(iter(columns.values())))
            found = np.full(rows, isinstance(condition, AllOf))
        case AllOf(parts) | AnyOf(parts):
            joined = and_ if isinstance(condition, AllOf) else or_
            found = reduce(joined, (rows_where(part, columns) for part in parts))
    return found


def to_dict(condition: Condition) -> Any:
    """The condition as plain JSON values, for the ledger and for digests."""
    match condition:
        case Within(column, first, last):
            return {"within": [column, first, last]}
        case OneOf(column, indices):
            return {"one_of": [column, *indices]}
        case Not(inner):
            return {"not": to_dict(inner)}
        case AllOf(parts):
            return {"all": [to_dict(part) for part in parts]}
        case AnyOf(parts):
            return {"any": [to_dict(part) for part in parts]}


def holds(condition: Condition, row: dict[str, int]) -> bool:
    """Whether the condition holds for one cleaned row (an oracle for tests, and for people)."""
    match condition:
        case Within(column, first, last):
            return first <= row[column] <= last
        case OneOf(column, indices):
            return row[column] in indices
        case Not(inner):
            return not holds(inner, row)
        case AllOf(parts):
            return all(holds(part, row) for part in parts)
        case AnyOf(parts):
            return any(holds(part, row) for part in parts)
