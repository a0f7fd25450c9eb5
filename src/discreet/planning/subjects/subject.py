"""A statistic as the planner sees it: its possible answers and what one person can do to them.

Everything here follows from public facts. Why the steps between neighbours are what they are:
docs/proofs/groups.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from discreet.model import AllPairs, Grid, Labels, Neighbours, Space, Within
from discreet.model.spaces import MOST
from discreet.planning.subjects.chances import chance_of
from discreet.questions import EVERY_ROW, Question, Statistic
from discreet.tables import CategoryColumn, Column, Dataset, NumberColumn

Histogram: TypeAlias = Mapping[int, int]
"""How many selected rows have each index of the column (of a condition: 1 if it holds, else 0)."""

ADDED = "added"
PLACED = "placed"
RATIO = "ratio"
COUNTS = "counts"
_PLACED_KINDS = ("min", "max", "median", "quantile", "mode")


@dataclass(frozen=True)
class Subject:
    """One statistic: the answers start, start + unit, … (`size` of them), or the words of `labels`.

    `form` is "added" (rows add up: counts, sums, and means of a known number of rows), "placed"
    (one row can lead anywhere: order statistics and the mode), "ratio" (means of an unknown number
    of rows) or "counts" (a count for every word).
    """

    statistic: Statistic
    form: str
    column: Column | None
    start: Fraction
    unit: Fraction
    size: int
    labels: Labels | None
    steps: int
    """How far one person (one row, by groups) moves an added answer, in units."""
    most_rows: int
    fixed_size: bool
    """Whether the number of selected rows is public."""
    size_is_public: bool
    """Whether the number of all rows is public."""
    change_one: bool
    """Whether neighbours differ by a change; by groups a change counts as leaving and entering."""
    one_way: bool
    """Whether neighbours differ by rows that come, or by rows that go, never both."""
    rows_per_unit: int
    chance: Fraction | None
    """How likely a uniformly drawn row is selected; None where that is too long to work out."""
    holds_chance: Fraction | None
    """How likely a selected row also meets the statistic's own condition."""

    @property
    def values(self) -> int:
        """How many values a row can have."""
        return 2 if self.column is None else self.column.size

    @property
    def grid(self) -> Grid | None:
        """The column's values as numbers, when they are."""
        return self.column.grid if isinstance(self.column, NumberColumn) else None

    @cached_property
    def last(self) -> Fraction:
        """The largest answer."""
        return self.start + self.unit * (self.size - 1)

    @cached_property
    def answers(self) -> Space | None:
        """The answers as a space; None where they are too many to be one."""
        if self.labels is not None:
            return self.labels
        return Grid(self.start, self.unit, self.size) if self.size <= MOST else None

    @property
    def neighbours(self) -> Neighbours:
        """Which answers one person can lead between."""
        return AllPairs() if self.form == PLACED else Within(max(1, self.steps))

    @cached_property
    def whole(self) -> bool:
        """Whether people know these answers as whole numbers."""
        if self.statistic.kind in ("count", "top"):
            return True
        whole_column = isinstance(self.column, NumberColumn) and self.column.whole
        return whole_column and self.statistic.kind not in ("mean", "share")


def subject_of(
    statistic: Statistic, question: Question, dataset: Dataset, groups: int = 1
) -> Subject:
    """What the planner knows of a statistic of a question.

    By groups (two or more) one row enters or leaves a group, and a person's rows are counted by
    `sharing`; otherwise one person with all their rows is one step.
    """
    grouped = groups > 1
    column = None if statistic.column is None else dataset.column(statistic.column)
    fixed = (
        dataset.size_is_public
        and dataset.change_one
        and not grouped
        and question.where == EVERY_ROW
    )
    placed = statistic.kind in _PLACED_KINDS
    rows = 1 if grouped and not placed else dataset.unit.most_rows
    change = dataset.change_one and not grouped
    n = max(1, dataset.most_rows)
    chance = chance_of(question.where, dataset)
    form, start, unit, size, labels, steps = _space(statistic, column, n, fixed, change)
    return Subject(
        statistic, form, column, start, unit, size, labels, steps * rows, n, fixed,
        dataset.size_is_public, change, not dataset.change_one, rows,
        None if chance is None else chance / groups, chance_of(statistic.condition, dataset),
    )  # fmt: skip


_Space: TypeAlias = tuple[str, Fraction, Fraction, int, Labels | None, int]


def _space(  # noqa: PLR0911
    statistic: Statistic, column: Column | None, n: int, fixed: bool, change: bool
) -> _Space:
    zero, one = Fraction(0), Fraction(1)
    kind = statistic.kind
    if kind == "count":
        if fixed and statistic.condition == EVERY_ROW:
            return ADDED, Fraction(n), one, 1, None, 0
        return ADDED, zero, one, n + 1, None, 1
    if kind == "top":
        assert isinstance(column, CategoryColumn)
        return COUNTS, zero, one, n + 1, column.labels, 2 if change else 1
    if kind in _PLACED_KINDS:
        assert column is not None
        if isinstance(column, CategoryColumn):
            return PLACED, zero, one, column.size, column.labels, 1
        return PLACED, column.grid.start, column.grid.step, column.size, None, 1
    values = Grid.between(0, 1) if column is None else _grid(column)
    if kind == "sum":
        return _sum(values, n, fixed, change)
    if fixed:
        size = (values.size - 1) * n + 1
        return ADDED, values.start, values.step / n, size, None, values.size - 1
    return RATIO, values.start, values.step, values.size, None, values.size - 1


def _sum(values: Grid, n: int, fixed: bool, change: bool) -> _Space:
    low, high = values.start, values.last
    if fixed:
        size = (values.size - 1) * n + 1
        return ADDED, low * n, values.step, size, None, values.size - 1
    unit = _common_unit(values)
    least, most = min(low, Fraction(0)), max(high, Fraction(0))
    reach = most - least if change else max(-least, most)
    size = int((most - least) * n / unit) + 1
    return ADDED, least * n, unit, size, None, int(reach / unit)


def _common_unit(values: Grid) -> Fraction:
    """The widest spacing whose multiples hold every value, and zero."""
    parts = math.lcm(values.start.denominator, values.step.denominator)
    return Fraction(math.gcd(int(values.start * parts), int(values.step * parts)), parts)


def _grid(column: Column) -> Grid:
    assert isinstance(column, NumberColumn)
    return column.grid
