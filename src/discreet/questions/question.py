"""A question: one or more statistics of one selection of rows, perhaps group by group."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from discreet.errors import QuestionError
from discreet.exact import show
from discreet.questions.conditions import EVERY_ROW, Condition, to_dict
from discreet.statistics import HOLDS, Statistic, Values, check_column
from discreet.tables import Column, Facts, NumberColumn

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
