"""A question: statistics of one selection of rows, perhaps group by group; and its SQL wording.

What is written here is read back by `parse_sql` as the same question.
"""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import QuestionError
from discreet.exact import show
from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    Not,
    OneOf,
    Within,
    columns_of,
    is_gap,
    is_known,
    name_text,
    to_dict,
)
from discreet.statistics import HOLDS, Count, Statistic, Takes, Values, check_column
from discreet.tables import GAP, CategoryColumn, Column, Facts, NumberColumn, skips_gaps
from discreet.text import decimal_text

_WIDEST = 10**12


@dataclass(frozen=True, kw_only=True)
class Item:
    """One statistic of a question: what it is taken of, and what its answer is called."""

    statistic: Statistic
    column: str | None = None
    condition: Condition = EVERY_ROW
    """Where rows are counted: which of the selected ones count."""
    label: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The item as plain JSON values."""
        told = self.statistic.to_dict()
        return {
            "kind": told.pop("kind"),
            "column": self.column,
            "condition": to_dict(self.condition),
            **told,
        }


@dataclass(frozen=True)
class Bins:
    """Groups of a number column, each `width` grid steps wide, from its lower bound on."""

    column: str
    width: int

    def __post_init__(self) -> None:
        if not 1 <= self.width <= _WIDEST:
            raise QuestionError(
                f"a bin is 1 to {_WIDEST:,} steps wide, got {show(self.width)}; for all rows "
                "together, leave the groups out"
            )


@dataclass(frozen=True)
class Question:
    """Statistics of the rows that meet a condition, for all or by groups of a column."""

    items: tuple[Item, ...]
    where: Condition = EVERY_ROW
    group_by: Bins | None = None

    def to_dict(self) -> dict[str, Any]:
        """The question as plain JSON values."""
        groups = None if self.group_by is None else [self.group_by.column, self.group_by.width]
        return {
            "statistics": [item.to_dict() for item in self.items],
            "where": to_dict(self.where),
            "group_by": groups,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def checked_item(item: Item, dataset: Facts) -> Item:
    """The item, if the dataset can answer it; else a QuestionError that says why not."""
    if item.column is not None:
        column = dataset.column(item.column)
        check_column(item.statistic, column.name, values_of(column))
    elif not item.statistic.words.takes.of_rows:
        known = ", ".join(column.name for column in dataset.columns)
        raise QuestionError(f"{item.statistic.name} needs a column, got None; there are {known}")
    return item


def values_of(column: Column | None) -> Values:
    """What a row may have: the values of a column, or whether a condition holds."""
    if column is None:
        return HOLDS
    return column.grid if isinstance(column, NumberColumn) else column.labels


def columns_used(question: Question) -> set[str]:
    """Every column that an answer depends on."""
    found = columns_of(question.where)
    found |= {item.column for item in question.items if item.column is not None}
    found |= set() if question.group_by is None else {question.group_by.column}
    return found.union(*(columns_of(item.condition) for item in question.items))


def rows_taken(item: Item, question: Question, facts: Facts) -> Condition:
    """The rows that a statistic is taken of: the selected ones without those it skips for gaps.

    A column's gaps are skipped, and for a share rows of which it is unknown if they meet the
    condition; a count needs none to be skipped (docs/proofs/gaps.md).
    """
    filled: Condition = EVERY_ROW
    if item.column is not None and skips_gaps(facts.column(item.column)):
        filled = Not(is_gap(facts.column(item.column)))
    elif item.column is None and not isinstance(item.statistic, Count):
        filled = is_known(item.condition, facts)
    parts = tuple(part for part in (question.where, filled) if part != EVERY_ROW)
    return parts[0] if len(parts) == 1 else AllOf(parts)


def question_text(question: Question, dataset: Facts) -> str:
    """The question as SQL."""
    words = ["SELECT", ", ".join(item_text(item, dataset) for item in question.items)]
    if question.where != EVERY_ROW:
        words += ["WHERE", condition_text(question.where, dataset)]
    if question.group_by is not None:
        words += ["GROUP BY", _groups(question.group_by.column, question.group_by.width, dataset)]
    return " ".join(words)


def item_text(item: Item, dataset: Facts) -> str:
    """One statistic as SQL."""
    words, parameter = item.statistic.words, item.statistic.parameter
    if item.column is None:
        every = item.condition == EVERY_ROW and words.takes is Takes.ROWS
        return f"{words.function}({'*' if every else condition_text(item.condition, dataset)})"
    inner = [name_text(item.column)]
    if parameter is not None:
        inner.append(_number(Fraction(parameter)))
    return f"{words.function}({', '.join(inner)})"


def condition_text(condition: Condition, dataset: Facts) -> str:  # noqa: PLR0911
    """A condition as SQL."""
    match condition:
        case Within(name, first, last):
            return _range(name, first, last, dataset)
        case OneOf(name, (index,)) if index == GAP:
            return f"{name_text(name)} IS NULL"
        case Not(OneOf(name, (index,))) if index == GAP:
            return f"{name_text(name)} IS NOT NULL"
        case OneOf(name, indices):
            values = [_value(name, index, dataset) for index in indices]
            if len(values) == 1:
                return f"{name_text(name)} = {values[0]}"
            return f"{name_text(name)} IN ({', '.join(values)})" if values else "FALSE"
        case Not(inner):
            return f"NOT ({condition_text(inner, dataset)})"
        case AllOf(parts):
            return " AND ".join(_inside(part, dataset) for part in parts) or "TRUE"
        case AnyOf(parts):
            return " OR ".join(_inside(part, dataset) for part in parts) or "FALSE"


def _inside(part: Condition, dataset: Facts) -> str:
    text = condition_text(part, dataset)
    return f"({text})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else text


def _range(name: str, first: int, last: int, dataset: Facts) -> str:
    low, high = _value(name, first, dataset), _value(name, last, dataset)
    if first == last:
        return f"{name_text(name)} = {low}"
    if last == dataset.column(name).size - 1:
        return f"{name_text(name)} >= {low}"
    if first == 0:
        return f"{name_text(name)} <= {high}"
    return f"{name_text(name)} BETWEEN {low} AND {high}"


def _value(name: str, index: int, dataset: Facts) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn):
        return "'" + column.labels.names[index].replace("'", "''") + "'"
    return _number(column.grid.value(index))


def _number(number: Fraction) -> str:
    text = decimal_text(number)
    return f"'{text}'" if "/" in text else text


def _groups(name: str, width: int, dataset: Facts) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn) or width == 1:
        return name_text(name)
    return f"BIN({name_text(name)}, {_number(width * column.grid.step)})"
