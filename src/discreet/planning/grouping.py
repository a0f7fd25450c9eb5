"""The groups of a question: those that the declared values and its condition allow.

Several columns are crossed: a group for every combination of their values, and a row is in exactly
one (docs/proofs/groups.md).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from discreet.errors import QuestionError
from discreet.planning.settling import MOST_ANSWERS, check_answers
from discreet.planning.totals import Totals, totals_of
from discreet.questions import AllOf, Bins, Condition, Question, bins_text
from discreet.questions.conditions import columns_of, pushed, rows_where
from discreet.tables import (
    GAP,
    CategoryColumn,
    Cells,
    Column,
    Dataset,
    DateColumn,
    Facts,
    NumberColumn,
    skips_gaps,
)

MOST_VALUES = 1 << 20
"""Of finer columns every group is told, whatever the condition says."""
MISSING = "(missing)"
"""The group of rows whose cell is a gap."""
ALL = "(all)"
"""What a column has where rows are added up over it."""
_MOST_NUMBERED = 1 << 62
"""How many groups have a number each, in 64 bits."""

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class GroupedColumn:
    """One of the columns that rows are grouped by, and how many groups it makes by itself."""

    bins: Bins
    size: int
    gaps: bool
    """Whether the last of them is that of gaps."""

    @classmethod
    def of(cls, bins: Bins, dataset: Dataset) -> "GroupedColumn":
        """The groups that a column has, whatever is asked."""
        column = dataset.column(bins.column)
        gaps = skips_gaps(column)
        return cls(bins, bins.many(column.size) + gaps, gaps)

    def number_of(self, cells: _Places) -> _Places:
        """In which of its groups each cell is."""
        if self.bins.edges:
            numbers = np.searchsorted(np.array(self.bins.edges), cells, side="right")
        else:
            numbers = cells if self.bins.width == 1 else cells // self.bins.width
        return np.where(cells == GAP, self.size - 1, numbers) if self.gaps else numbers


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """The groups that are told, and which they are of all that the columns have.

    Groups are numbered with the last column running fastest.
    """

    axes: tuple[GroupedColumn, ...] = ()
    places: tuple[int, ...] = (0,)
    """The numbers of those that are told, in order."""
    names: tuple[str, ...] = ("",)
    """What they are called; one without a name where there are none."""
    values: tuple[tuple[tuple[str, str], ...], ...] = ((),)
    """For each of them, every column with what its rows have in it."""
    totals: Totals | None = None
    """Where totals are told: what each told count adds up of the groups at `places`, which are
    counted; `names` and `values` are those of what is told."""

    @property
    def counted(self) -> int:
        """How many groups rows are counted in."""
        return len(self.places)


def group_names(question: Question, dataset: Dataset) -> tuple[str, ...]:
    """The groups of a question by name, in order; one without a name when there are none."""
    return grouping_of(question, dataset).names


def grouping_of(question: Question, dataset: Dataset) -> Grouping:
    """The groups of a question, without those that its condition leaves no row in.

    Where a column may have gaps, its last group is theirs. Public facts decide: the declared values
    and the condition, not the rows.
    """
    if not question.group_by:
        return Grouping()
    axes = tuple(GroupedColumn.of(bins, dataset) for bins in question.group_by)
    columns = [axis.bins.column for axis in axes]
    advice = _advice(axes, len(question.items), dataset)
    check = partial(check_answers, statistics=len(question.items), instead=advice)
    possible = _Possible.of(question.where, axes, dataset)
    if possible.least > MOST_VALUES:
        check(possible.least)
    kept = possible.by_axis()
    crossed = math.prod(map(len, kept))
    if crossed > MOST_VALUES or math.prod(axis.size for axis in axes) > _MOST_NUMBERED:
        check(max(crossed, MOST_ANSWERS + 1))
    met = possible.crossed(kept)
    check(len(met[0]))
    numbers = [one[places] for one, places in zip(kept, met, strict=True)]
    names = [_names(axis, one, dataset) for axis, one in zip(axes, kept, strict=True)]
    lines = zip(
        *([name[place] for place in places] for name, places in zip(names, met, strict=True)),
        strict=True,
    )
    values = tuple(tuple(zip(columns, one, strict=True)) for one in lines)
    places = tuple(np.ravel_multi_index(numbers, [axis.size for axis in axes]).tolist())
    plain = Grouping(axes=axes, places=places, names=_joined(values), values=values)
    if axes[0].bins.running:
        return _running(plain)
    return _with_totals(plain, question, met, names, dataset) if question.totals else plain


def _running(plain: Grouping) -> Grouping:
    """Running totals of the groups of one column; rows with gaps are in none of them."""
    (axis,) = plain.axes
    gaps = axis.gaps and plain.places[-1] == axis.size - 1
    groups = plain.counted - gaps
    if plain.counted < 2 or not groups:
        raise QuestionError(
            "there is only one group here, so there is nothing to add up; ask for COUNT(*) alone"
        )
    totals = Totals(
        cells=plain.counted,
        members=tuple(tuple(range(last + 1)) for last in range(groups)),
        running=True,
    )
    return replace(plain, names=plain.names[:groups], values=plain.values[:groups], totals=totals)


def _with_totals(
    plain: Grouping,
    question: Question,
    met: Sequence[_Places],
    names: Sequence[list[str]],
    dataset: Dataset,
) -> Grouping:
    """The groups that are told where totals are asked for."""
    if plain.counted < 2:
        raise QuestionError(
            "there is only one group here, so all totals are the same; ask for COUNT(*) alone"
        )
    totals, keys = totals_of(question.totals, met)
    check_answers(len(keys), statistics=len(question.items), instead="ask for fewer totals")
    columns = [axis.bins.column for axis in plain.axes]
    every = [unlike(dataset.column(column), ALL) for column in columns]
    values = tuple(
        tuple(
            (column, all_rows if place is None else name[place])
            for column, all_rows, name, place in zip(columns, every, names, one, strict=True)
        )
        for one in keys
    )
    return replace(plain, names=_joined(values), values=values, totals=totals)


@dataclass(frozen=True)
class _Possible:
    """Which groups rows can be in, by what the condition says of the columns grouped by alone."""

    axes: tuple[GroupedColumn, ...]
    columns: tuple[Column, ...]
    parts: tuple[Condition, ...]
    """What must hold all at once, as far as it is about these columns."""
    facts: Facts
    """Derived columns follow from those of the table, which conditions may be about."""

    @classmethod
    def of(cls, where: Condition, axes: tuple[GroupedColumn, ...], dataset: Dataset) -> "_Possible":
        plain = pushed(where)
        parts = plain.parts if isinstance(plain, AllOf) else (plain,)
        names = _bases((axis.bins.column for axis in axes), dataset)
        about = tuple(part for part in parts if columns_of(part) and _about(part, dataset) <= names)
        columns = tuple(dataset.column(axis.bins.column) for axis in axes)
        return cls(axes, columns, about, dataset)

    @property
    def least(self) -> int:
        """How many groups there are at least to look at: all of the columns that are too fine."""
        pairs = zip(self.axes, self.columns, strict=True)
        return math.prod(axis.size for axis, column in pairs if column.size > MOST_VALUES)

    def by_axis(self) -> list[_Places]:
        """The groups of each column by itself."""
        return [self._of_axis(place) for place in range(len(self.axes))]

    def _of_axis(self, place: int) -> _Places:
        axis = self.axes[place]
        names = self.facts.bases(axis.bins.column)
        alone = [part for part in self.parts if _about(part, self.facts) <= names]
        plain = not alone and self.facts.derived(axis.bins.column) is None
        if self._rows([place]) > MOST_VALUES or plain or not names:
            return np.arange(axis.size)
        (numbers,) = self._met([place], alone)
        return np.unique(numbers) if len(numbers) else np.arange(axis.size)

    def crossed(self, kept: Sequence[_Places]) -> tuple[_Places, ...]:
        """The combinations of kept groups, as their places in each column, the last one fastest."""
        mask = np.ones([len(one) for one in kept], dtype=np.bool_)
        about = self._joined
        places = [
            i for i, axis in enumerate(self.axes) if self.facts.bases(axis.bins.column) & about
        ]
        if places and self._rows(places) <= MOST_VALUES:
            known = _bases((self.axes[i].bins.column for i in places), self.facts)
            some = [part for part in self.parts if _about(part, self.facts) <= known]
            shape = [self.axes[i].size for i in places]
            seen = np.zeros(shape, dtype=np.bool_)
            seen[self._met(places, some)] = True
            chosen = seen[np.ix_(*(kept[i] for i in places))]
            rest = [i for i in range(len(kept)) if i not in places]
            met = mask & np.expand_dims(chosen, tuple(rest))
            mask = met if met.any() else mask
        return np.nonzero(mask)

    def _met(self, places: Sequence[int], parts: Sequence[Condition]) -> tuple[_Places, ...]:
        """The groups of all cells of some columns that meet all parts, column by column."""
        bases = self._bases_of(places)
        ranges = [
            np.arange(GAP if skips_gaps(column) else 0, column.size, dtype=np.intp)
            for column in bases
        ]
        grids = np.meshgrid(*ranges, indexing="ij")
        stored = {column.name: grid.ravel() for column, grid in zip(bases, grids, strict=True)}
        cells = Cells(stored, self.facts)
        chosen = rows_where(AllOf(tuple(parts)), cells)
        return tuple(self.axes[i].number_of(cells[self.columns[i].name][chosen]) for i in places)

    @property
    def _joined(self) -> set[str]:
        """The columns of the table that several axes, or a condition on several, bring together."""
        joint = [part for part in self.parts if len(_about(part, self.facts)) > 1]
        columns = _bases((name for part in joint for name in columns_of(part)), self.facts)
        each = [self.facts.bases(axis.bins.column) for axis in self.axes]
        for place, bases in enumerate(each):
            for others in each[place + 1 :]:
                columns |= bases | others if bases & others else set()
        return columns

    def _bases_of(self, places: Sequence[int]) -> list[Column]:
        """The columns of the table that some axes are of."""
        names = _bases((self.axes[i].bins.column for i in places), self.facts)
        return [self.facts.column(name) for name in sorted(names)]

    def _rows(self, places: Sequence[int]) -> int:
        """How many different cells those columns have together."""
        return math.prod(column.size + 1 for column in self._bases_of(places))


def _bases(names: Iterable[str], facts: Facts) -> set[str]:
    return set[str]().union(*map(facts.bases, names))


def _about(condition: Condition, facts: Facts) -> set[str]:
    """The columns of the table that a condition depends on."""
    return _bases(columns_of(condition), facts)


def _advice(axes: Sequence[GroupedColumn], statistics: int, dataset: Dataset) -> str:
    """What would work instead: wider bins of the finest numbers, fewer columns, or fewer rows."""
    numbers = [axis for axis in axes if isinstance(dataset.column(axis.bins.column), NumberColumn)]
    if numbers:
        finest = max(numbers, key=lambda axis: axis.size)
        others = math.prod(axis.size for axis in axes if axis is not finest)
        room = MOST_ANSWERS // (statistics * others) - finest.gaps
        if room >= 2:
            width = -(-dataset.column(finest.bins.column).size // room)
            wider = Bins(finest.bins.column, max(width, finest.bins.width))
            bins = [wider if axis is finest else axis.bins for axis in axes]
            by = ", ".join(bins_text(one, dataset) for one in bins)
            return f"use wider bins, such as GROUP BY {by}"
    return "group by fewer columns" if len(axes) > 1 else "ask for fewer of them with WHERE"


def _joined(values: Sequence[tuple[tuple[str, str], ...]]) -> tuple[str, ...]:
    """The names of groups: their values, in quotes where two would have one name."""
    plain = tuple(", ".join(word for _, word in one) for one in values)
    if len(set(plain)) == len(plain):
        return plain
    return tuple(", ".join(_quoted(word) for _, word in one) for one in values)


def axis_names(axis: GroupedColumn, column: Column) -> list[str]:
    """What all groups of a column are called."""
    return _named(axis, np.arange(axis.size), column)


def _names(axis: GroupedColumn, kept: _Places, dataset: Dataset) -> list[str]:
    """What the kept groups of a column are called."""
    return _named(axis, kept, dataset.column(axis.bins.column))


def _named(axis: GroupedColumn, kept: _Places, column: Column) -> list[str]:
    gap = axis.size - 1 if axis.gaps else None
    return [
        unlike(column) if place == gap else _name(column, axis.bins, place)
        for place in kept.tolist()
    ]


def unlike(column: Column, name: str = MISSING) -> str:
    """What the group of gaps (or of all rows) is called, none of the words being called so."""
    while isinstance(column, CategoryColumn) and name in column.labels.names:
        name = f"({name})"
    return name


def _name(column: Column, bins: Bins, place: int) -> str:
    if isinstance(column, CategoryColumn):
        return column.labels.names[place]
    first, last = bins.ends(place, column.size)
    low, high = (_number(column, column.grid.value(end)) for end in (first, last))
    if bins.running:
        return f"up to {high}"
    return low if first == last else f"{low} to {high}"


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _number(column: NumberColumn, value: Fraction) -> str:
    if isinstance(column, DateColumn):
        return column.text(value)
    return str(value) if value.denominator == 1 else f"{float(value):g}"
