"""A question: one or more statistics of one selection of rows, perhaps group by group."""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import QuestionError
from discreet.exact import show
from discreet.questions.conditions import EVERY_ROW, Condition, to_dict
from discreet.tables import CategoryColumn, Column, Facts, NumberColumn

STATISTICS = {
    "count": "COUNT(*) or COUNT(condition)",
    "share": "SHARE(condition)",
    "sum": "SUM(column)",
    "mean": "AVG(column)",
    "min": "MIN(column)",
    "max": "MAX(column)",
    "median": "MEDIAN(column)",
    "quantile": "QUANTILE(column, 0.9)",
    "mode": "MODE(column)",
    "top": "TOP(column, 3)",
}
"""What can be asked, by name, with its SQL form."""

_NEED_NO_COLUMN = {"count", "share"}
_NEED_NUMBERS = {"sum", "mean", "min", "max", "median", "quantile"}
_WIDEST = 10**12


@dataclass(frozen=True)
class Statistic:
    """One number (or word, or list of counts) to be told."""

    kind: str
    column: str | None = None
    condition: Condition = EVERY_ROW
    """For COUNT and SHARE of a condition: which of the selected rows count."""
    rank: Fraction | None = None
    """For quantiles: which share of the rows lies at or below."""
    most: int | None = None
    """For TOP: how many counts."""
    label: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The statistic as plain JSON values."""
        return {
            "kind": self.kind,
            "column": self.column,
            "condition": to_dict(self.condition),
            "rank": None if self.rank is None else str(self.rank),
            "most": self.most,
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

    statistics: tuple[Statistic, ...]
    where: Condition = EVERY_ROW
    group_by: Bins | None = None

    def to_dict(self) -> dict[str, Any]:
        """The question as plain JSON values."""
        groups = None if self.group_by is None else [self.group_by.column, self.group_by.width]
        return {
            "statistics": [statistic.to_dict() for statistic in self.statistics],
            "where": to_dict(self.where),
            "group_by": groups,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def checked_statistic(statistic: Statistic, dataset: Facts) -> Statistic:
    """The statistic, if the dataset can answer it; else a QuestionError that says why not."""
    if statistic.column is None:
        if statistic.kind in _NEED_NO_COLUMN:
            return statistic
        known = ", ".join(column.name for column in dataset.columns)
        raise QuestionError(f"{statistic.kind} needs a column, got None; there are {known}")
    column: Column = dataset.column(statistic.column)
    if statistic.kind in _NEED_NUMBERS and not isinstance(column, NumberColumn):
        raise QuestionError(
            f"{statistic.kind} needs numbers and {column.name} holds words; "
            "ask for MODE, TOP or counts of it"
        )
    if statistic.kind == "top":
        if not isinstance(column, CategoryColumn):
            raise QuestionError(f"TOP counts words and {column.name} holds numbers; group by bins")
        if type(statistic.most) is not int or not 1 <= statistic.most <= column.size:
            raise QuestionError(
                f"TOP({column.name}, r) needs r from 1 to {column.size}, a whole number, "
                f"got {show(statistic.most)}"
            )
    if statistic.kind == "quantile" and (statistic.rank is None or not 0 <= statistic.rank <= 1):
        raise QuestionError(
            f"QUANTILE({column.name}, p) needs p from 0 to 1, got {show(statistic.rank)}"
        )
    return statistic
