"""A question: statistics of one selection of rows, perhaps group by group."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.lifetimes import HashedOnce
from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    Condition,
    Not,
    columns_of,
    constant_of,
    is_gap,
    is_known,
    to_dict,
)
from discreet.questions.totals import Sets
from discreet.questions.view import View
from discreet.statistics import HOLDS, Count, Statistic, Takes, Values, check_column, check_dates
from discreet.tables import (
    Column,
    DateColumn,
    Facts,
    NumberColumn,
    name_text,
    skips_gaps,
)
from discreet.text import decimal_text

_WIDEST = 10**12
_MOST_EDGES = 1_000


@dataclass(frozen=True, kw_only=True)
class Item:
    """One statistic of a question: what it is taken of, and what its answer is called."""

    statistic: Statistic
    column: str | None = None
    condition: Condition = EVERY_ROW
    """Where rows are counted: which of the selected ones count."""
    label: str = ""
    second: str | None = None
    """The other column, where a statistic is taken of two."""

    def to_dict(self) -> dict[str, Any]:
        """The item as plain JSON values; a second column stands there only where there is one."""
        statistic = self.statistic.to_dict()
        return {
            "kind": statistic.pop("kind"),
            "column": self.column,
            "condition": to_dict(self.condition),
            **statistic,
            **({} if self.second is None else {"second": self.second}),
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is taken of, in order."""
        return tuple(one for one in (self.column, self.second) if one is not None)


@dataclass(frozen=True)
class Bins:
    """Groups of a number column, each `width` grid steps wide, from its lower bound on.

    A column of words has a group for each word, and a width of 1.
    """

    column: str
    width: int
    edges: tuple[int, ...] = ()
    """Where groups are of no one width: the indices at which all but the first begin."""
    running: bool = False
    """Whether each group is told with all before it: running totals."""

    def __post_init__(self) -> None:
        if not 1 <= self.width <= _WIDEST:
            raise QuestionError(
                f"a bin must be 1 to {_WIDEST:,} steps wide, got {show(self.width)}; for all "
                "rows together, leave the groups out"
            )

    def many(self, size: int) -> int:
        """How many groups a column of so many values has."""
        return len(self.edges) + 1 if self.edges else -(-size // self.width)

    def ends(self, place: int, size: int) -> tuple[int, int]:
        """The first and the last index of a group."""
        if not self.edges:
            return place * self.width, min((place + 1) * self.width, size) - 1
        starts = (0, *self.edges, size)
        return starts[place], starts[place + 1] - 1

    def to_list(self) -> list[object]:
        """It as plain JSON values: [column, width], and what else there is."""
        more = {"edges": list(self.edges) or None, "running": self.running or None}
        options = {name: one for name, one in more.items() if one is not None}
        return [self.column, self.width, *([options] if options else [])]


def bins_of(column: Column, width: object = None, *, running: bool = False) -> Bins:
    """A group for each value of a column, or bins of a width in its own unit, or with edges.

    A list holds edges: a bin begins at each. Of running totals it holds where each of them ends.
    """
    if width is None and not running:
        return Bins(column.name, 1)
    if not isinstance(column, NumberColumn):
        called = "CUMULATIVE" if running else "BIN"
        raise QuestionError(f"{called} needs numbers, but {column.name} holds words")
    if width is None:
        return Bins(column.name, 1, running=True)
    if isinstance(width, list | tuple):
        return _with_edges(column, width, running=running)
    step = column.grid.step
    steps = rational(width, "the width of a bin", QuestionError) / step
    if steps <= 0:
        raise QuestionError(
            f"a bin must be at least one step wide, which is {decimal_text(step)} here, got "
            f"{show(width)}"
        )
    if steps.denominator != 1:
        raise QuestionError(
            f"the width of a bin must be a whole number of steps of {decimal_text(step)}, got "
            f"{show(width)}"
        )
    return Bins(column.name, int(steps), running=running)


def _with_edges(column: NumberColumn, given: Sequence[object], *, running: bool) -> Bins:
    numbers = [constant_of(column, one, "an edge") for one in given]
    if not numbers or len(numbers) > _MOST_EDGES:
        raise QuestionError(f"give 1 to {_MOST_EDGES:,} edges, got {len(numbers)}")
    if any(one >= other for one, other in pairwise(numbers)):
        raise QuestionError("edges must rise: each must be larger than the one before it")
    low, high = column.grid.start, column.grid.last
    outside = next((one for one in numbers if not low <= one <= high), None)
    if outside is not None:
        raise QuestionError(
            f"edges of {column.name} must lie between {column.sql(low)} and {column.sql(high)}, "
            f"got {column.sql(outside)}"
        )
    places = [(one - low) / column.grid.step for one in numbers]
    starts = [math.floor(one) + 1 if running else math.ceil(one) for one in places]
    inside = tuple(dict.fromkeys(one for one in starts if 0 < one < column.size))
    return Bins(column.name, 1 if inside else column.size, inside, running=running)


def _check_distinct(groups: Sequence[Bins]) -> None:
    """Refuse a column that is named twice: it would only make groups that no row is in."""
    names = [one.column for one in groups]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise QuestionError(f"GROUP BY names {name_text(twice)} twice; name each column once")


def _check_totals(items: Sequence[Item]) -> None:
    """Refuse totals of other statistics than counts."""
    other = next((item for item in items if not isinstance(item.statistic, Count)), None)
    if other is not None:
        name = other.statistic.words.function
        asked = name if other.column is None else f"{name}({name_text(other.column)})"
        raise QuestionError(
            f"ROLLUP, CUBE and GROUPING SETS are only for counts, and {asked} is not one; ask "
            "with GROUP BY, and once more without"
        )


def _check_running(question: "Question") -> None:
    """Refuse running totals of other statistics than counts, or by further columns."""
    if len(question.group_by) > 1 or question.totals:
        raise QuestionError(
            "CUMULATIVE must stand alone after GROUP BY; for other groups, ask with WHERE, one "
            "at a time"
        )
    if not all(isinstance(item.statistic, Count) for item in question.items):
        raise QuestionError(
            "CUMULATIVE gives running totals of COUNT only; for other statistics use BIN"
        )


def _groups_to_list(groups: Sequence[Bins]) -> list[object] | None:
    """Groups as plain JSON values: None without any, [column, width] of one, a list of several."""
    lists: list[object] = [one.to_list() for one in groups]
    if len(groups) == 1:
        return groups[0].to_list()
    return lists or None


@dataclass(frozen=True)
class Question(HashedOnce):
    """Statistics of the rows that meet a condition, for all or by the groups of crossed columns."""

    items: tuple[Item, ...]
    where: Condition = EVERY_ROW
    group_by: tuple[Bins, ...] = ()
    totals: Sets = ()
    """Where totals are asked for: each set of groups, by the places of the columns that it keeps
    apart; rows are added up over the others."""
    _: KW_ONLY
    view: View | None = field(default=None, compare=False)
    """What is made of the answers when they are told; None where they are shown as they are. It is
    no part of what is asked: another view of the same release is free."""

    __hash__ = HashedOnce.__hash__

    def __post_init__(self) -> None:
        _check_distinct(self.group_by)
        if self.totals:
            _check_totals(self.items)
        if any(one.running for one in self.group_by):
            _check_running(self)

    def to_dict(self) -> dict[str, Any]:
        """The question as plain JSON values."""
        data: dict[str, Any] = {
            "statistics": [item.to_dict() for item in self.items],
            "where": to_dict(self.where),
            "group_by": _groups_to_list(self.group_by),
        }
        if self.totals:
            data["totals"] = [list(one) for one in self.totals]
        return data

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def checked_item(item: Item, dataset: Facts) -> Item:
    """The item, if the dataset can answer it; else a QuestionError that says why not."""
    if item.column is not None:
        for name in item.columns:
            column = dataset.column(name)
            check_column(item.statistic, column.name, values_of(column))
            if isinstance(column, DateColumn):
                check_dates(item.statistic, column.name)
        _check_pair(item)
    elif not item.statistic.words.takes.of_rows:
        known = ", ".join(column.name for column in dataset.every_column)
        raise QuestionError(f"{item.statistic.name} needs a column, got None; columns: {known}")
    return item


def _check_pair(item: Item) -> None:
    """Two columns where two are needed, and not the same one twice."""
    words, pair = item.statistic.words, item.statistic.words.takes is Takes.PAIRS
    if pair != (item.second is not None):
        given = ", ".join(map(name_text, item.columns))
        raise QuestionError(f"{words.function}({given}) cannot be asked; write {words.example}")
    if item.second is not None and item.second == item.column:
        raise QuestionError(
            f"{words.function} needs two different columns, got {name_text(item.second)} twice"
        )


def values_of(column: Column | None) -> Values:
    """What a row may have: the values of a column, or whether a condition holds."""
    if column is None:
        return HOLDS
    return column.grid if isinstance(column, NumberColumn) else column.labels


@lru_cache(maxsize=256)
def columns_used(question: Question) -> frozenset[str]:
    """Every column that an answer depends on."""
    columns = columns_of(question.where)
    columns |= {name for item in question.items for name in item.columns}
    columns |= {bins.column for bins in question.group_by}
    return frozenset(columns.union(*(columns_of(item.condition) for item in question.items)))


def rows_taken(item: Item, question: Question, facts: Facts) -> Condition:
    """The rows that a statistic is taken of: the selected ones without those it skips for gaps.

    A column's gaps are skipped, and for a share rows of which it is unknown if they meet the
    condition; a count needs none to be skipped (docs/proofs/gaps.md).
    """
    columns = [facts.column(name) for name in item.columns]
    filled: list[Condition] = [Not(is_gap(one)) for one in columns if skips_gaps(one)]
    if item.statistic.words.takes is Takes.CONDITION:
        filled = [is_known(item.condition, facts)]
    parts = tuple(part for part in (question.where, *filled) if part != EVERY_ROW)
    return parts[0] if len(parts) == 1 else AllOf(parts)
