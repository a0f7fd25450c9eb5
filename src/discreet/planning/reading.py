"""What must be counted for a plan, and the counts: by a SELECT, or from the cells at hand."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.planning.grouping import GroupedColumn, Grouping
from discreet.planning.subjects.subject import Subject
from discreet.questions import EVERY_ROW, Condition, Item, Question
from discreet.questions.conditions import rows_where, to_sql
from discreet.statistics import Counted, FromSums, Moments, Products, Tally
from discreet.tables import GAP, TABLE, Columns, Facts, Snapshot, Table, rendered

_Places = npt.NDArray[np.intp]
_LARGEST = 1 << 62
_SUMS = 6
_OVERHEAD = 64
"""What keeping the counts of a question weighs besides the counts, in counts."""


class Counting(NamedTuple):
    """What is counted: the SELECT, and the shape of what it finds."""

    select: str
    places: tuple[int, ...]
    """The groups that are told: the same SELECT may serve questions that tell others."""
    values: int | None

    @property
    def weight(self) -> int:
        """How much keeping the counts takes: as much for one table as for any other."""
        return _OVERHEAD + len(self.places) * (_SUMS if self.values is None else self.values)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one statistic of a question needs of the rows, group by group: public facts alone.

    The group is its number over all columns (0 without groups). The index is the column's, or 1
    where the statistic's own condition holds and 0 where it does not.
    """

    select: str
    """The aggregate SELECT that counts."""
    places: tuple[int, ...]
    """The groups that rows can be in: only these are told."""
    values: int | None
    """How many indices there are, where rows are counted for each; None where rows and the total
    of their indices are enough."""
    where: Condition
    axes: tuple[GroupedColumn, ...]
    column: str | None
    condition: Condition
    second: str | None = None
    """The other column, where there are two."""
    squares: bool = False
    """Whether squares and products are summed too."""
    person: str | None = None
    """What tells whose row it is, where people are counted instead of rows."""

    @classmethod
    def of(
        cls,
        question: Question,
        subject: Subject,
        grouping: Grouping,
        *,
        facts: Facts,
        by_value: bool | None = None,
    ) -> "Reading":
        """What a statistic of a question needs, over its groups.

        Some ways to answer need rows counted by value though the statistic does not.
        """
        item, by_value = subject.item, subject.needs_values if by_value is None else by_value
        squares = isinstance(subject.form, FromSums)
        person = facts.person if item.statistic.by_person and facts.has_people else None
        if person is None:
            select = counting_select(
                item, subject.taken, grouping.axes, by_value=by_value, squares=squares
            )
        else:
            select = people_select(item, subject.taken, grouping.axes, person)
        return cls(
            select=rendered(select, facts),
            places=grouping.places,
            values=subject.values if by_value else None,
            where=subject.taken,
            axes=grouping.axes,
            column=item.column,
            condition=item.condition,
            second=item.second,
            squares=squares,
            person=person,
        )

    @cached_property
    def key(self) -> "Counting":
        """What its counts are kept under: all that they depend on besides the rows."""
        return Counting(self.select, self.places, self.values)

    def counted(self, seen: Snapshot) -> tuple[Counted, ...]:
        """The counts of every group that rows can be in, occupied or not."""
        if seen.columns is not None:
            return self._tallied(seen.columns, seen.complete)
        rows = seen.rows(self.select)
        if _are_indices(self.axes) and self.axes[0].gaps:
            last = self.axes[0].size - 1
            rows = [(last if group == GAP else group, *rest) for group, *rest in rows]
        if self.person is not None:
            return people_of(rows, self.places)
        if self.squares:
            return products_of(rows, self.places)
        if self.values is None:
            return moments_of(rows, self.places)
        return tallies_of(rows, self.places, self.values)

    def _tallied(self, columns: Columns, complete: frozenset[str]) -> tuple[Counted, ...]:
        if self._counts_rows and self.person is None and not self.axes:
            count = int(np.count_nonzero(rows_where(self.where, columns, complete)))
            return (Moments(count, count),)
        indices: _Places = (
            rows_where(self.condition, columns, complete).view(np.int8).astype(np.intp)
            if self.column is None
            else columns[self.column]
        )
        groups = self._groups(columns) if self.axes else None
        others = None if self.second is None else columns[self.second]
        people = None if self.person is None else columns[self.person]
        if self.where != EVERY_ROW:
            chosen = rows_where(self.where, columns, complete)
            indices = indices[chosen]
            others = None if others is None else others[chosen]
            people = None if people is None else people[chosen]
            groups = None if groups is None else groups[chosen]
        many = len(self.places)
        if groups is not None and many < math.prod(axis.size for axis in self.axes):
            groups = np.searchsorted(np.array(self.places), groups)
        if people is not None:
            return _people(people, indices, groups, many)
        if self.squares:
            return _products(indices, others, groups, many)
        if self.values is None:
            return _moments(None if self._counts_rows else indices, groups, many)
        return _tallies(indices, groups, many, self.values)

    @cached_property
    def _counts_rows(self) -> bool:
        """Whether every row that is taken counts for one."""
        return self.column is None and self.condition == EVERY_ROW

    def _groups(self, columns: Columns) -> _Places:
        """The number of each row's group."""
        first, *others = self.axes
        groups = first.number_of(columns[first.bins.column])
        for axis in others:
            groups = groups * axis.size + axis.number_of(columns[axis.bins.column])
        return groups


def counted_together(readings: Sequence[Reading], table: Table) -> list[tuple[Counted, ...]]:
    """What several readings count of the same rows: a row that moves meanwhile moves in none."""
    known: dict[Counting, tuple[Counted, ...]] = {}
    selects = dict.fromkeys(one.select for one in readings)
    with table.snapshot(*selects) as seen:
        for one in readings:
            if one.key not in known:
                known[one.key] = one.counted(seen)
    return [known[one.key] for one in readings]


def _moments(indices: _Places | None, groups: _Places | None, many: int) -> tuple[Counted, ...]:
    """How many rows, and the sum of their indices; all are 1 where there are none."""
    if groups is None:
        assert indices is not None
        return (Moments(len(indices), int(indices.sum())),)
    rows = np.bincount(groups, minlength=many)
    if indices is None:
        return tuple(map(Moments, rows.tolist(), rows.tolist()))
    totals = np.zeros(many, dtype=np.int64)
    np.add.at(totals, groups, indices)
    return tuple(map(Moments, rows.tolist(), totals.tolist()))


def _products(
    first: _Places, second: _Places | None, groups: _Places | None, many: int
) -> tuple[Counted, ...]:
    """Sums of indices, of their squares and of their products, in whole numbers of any size."""
    second = np.zeros_like(first) if second is None else second
    groups = np.zeros_like(first) if groups is None else groups
    largest = int(max(first.max(initial=0), second.max(initial=0)))
    kind = np.int64 if largest**2 * max(1, len(first)) < _LARGEST else object
    one, other = first.astype(kind), second.astype(kind)
    totals = []
    for terms in (one, other, one * one, other * other, one * other):
        sums = np.zeros(many, dtype=kind)
        np.add.at(sums, groups, terms)
        totals.append([int(total) for total in sums])
    rows = np.bincount(groups, minlength=many).tolist()
    return tuple(
        Products(size, (a, b), (aa, bb), ab)
        for size, a, b, aa, bb, ab in zip(rows, *totals, strict=True)
    )


def _tallies(
    indices: _Places, groups: _Places | None, many: int, values: int
) -> tuple[Counted, ...]:
    places = indices if groups is None else groups * values + indices
    counts = np.bincount(places, minlength=many * values).astype(np.int64, copy=False)
    return tuple(map(Tally, counts.reshape(many, values)))


def _people(
    people: _Places, met: _Places, groups: _Places | None, many: int
) -> tuple[Counted, ...]:
    """How many people have rows in each group: none that meets the condition, and at least one."""
    groups = np.zeros_like(people) if groups is None else groups
    every, some = (_different(people[rows], groups[rows], many) for rows in (met >= 0, met > 0))
    return _with_and_without(every, some)


def _different(people: _Places, groups: _Places, many: int) -> list[int]:
    """How many different people each group has."""
    wide = int(people.max(initial=0)) + 1
    counts: list[int] = np.bincount(
        np.unique(groups * wide + people) // wide, minlength=many
    ).tolist()
    return counts


def _with_and_without(every: Iterable[int], some: Iterable[int]) -> tuple[Counted, ...]:
    pairs = zip(every, some, strict=True)
    return tuple(Tally.of({0: people - met, 1: met}, 2) for people, met in pairs)


def counting_select(
    item: Item,
    taken: Condition,
    axes: Sequence[GroupedColumn],
    *,
    by_value: bool,
    squares: bool = False,
) -> exp.Select:
    """SELECT group, index, COUNT(*) by value; else SELECT group, COUNT(*), SUM(index), and more
    sums where squares are wanted.

    A row for each pair, or for each group, that occurs; the one of all rows is always there.
    """
    many = exp.Count(this=exp.Star())
    if item.column is None:
        index: exp.Expression = exp.Case(
            ifs=[exp.If(this=to_sql(item.condition), true=exp.Literal.number(1))],
            default=exp.Literal.number(0),
        )
    else:
        index = exp.column(item.column, quoted=True)
    every = item.column is None and item.condition == EVERY_ROW
    sums = _sums(item) if squares else [many.copy() if every else exp.Sum(this=index)]
    columns = [index.as_("the_index"), many] if by_value else [many, *sums]
    by = [*(["1"] if axes else []), *(["2"] if by_value else [])]
    return _taken(axes, columns, taken).group_by(*by)


def people_select(
    item: Item, taken: Condition, axes: Sequence[GroupedColumn], person: str
) -> exp.Select:
    """SELECT group, how many people have a row in it, how many one that meets the condition."""
    named = exp.column(person, quoted=True)
    meets = exp.Case(ifs=[exp.If(this=to_sql(item.condition), true=named.copy())])
    counts = (exp.Count(this=exp.Distinct(expressions=[one])) for one in (named, meets))
    return _taken(axes, list(counts), taken).group_by(*(["1"] if axes else []))


def _taken(
    axes: Sequence[GroupedColumn], columns: Sequence[exp.Expr], taken: Condition
) -> exp.Select:
    group = _group_of(axes).as_("the_group")
    return exp.select(group, *columns).from_(TABLE).where(to_sql(taken))


def _group_of(axes: Sequence[GroupedColumn]) -> exp.Expression:
    """The number of a row's group; of one column the index itself, where that is the number."""
    if _are_indices(axes):
        return exp.column(axes[0].bins.column, quoted=True)
    group: exp.Expression = exp.Literal.number(0)
    for place, axis in enumerate(axes):
        number = _number_of(axis)
        group = (group * axis.size + number) if place else number
    return group


def _are_indices(axes: Sequence[GroupedColumn]) -> bool:
    """Whether groups are told by the indices of one column: a gap is then still a gap."""
    return len(axes) == 1 and not axes[0].bins.edges and axes[0].bins.width == 1


def _sums(item: Item) -> list[exp.Expr]:
    """The sums of indices, of their squares and of their products, in 128 bits.

    What one column alone has no part in is nought.
    """
    names = (item.column, item.second)
    terms = ((0,), (1,), (0, 0), (1, 1), (0, 1))
    return [_sum(*(names[place] for place in term)) for term in terms]


def _sum(*names: str | None) -> exp.Expr:
    product: exp.Expr | None = None
    for name in names:
        if name is None:
            return exp.Literal.number(0)
        wide = exp.cast(exp.column(name, quoted=True), "INT128")
        product = wide if product is None else product * wide
    return exp.Sum(this=product)


def _number_of(axis: GroupedColumn) -> exp.Expression:
    """In which group of one column a row is."""
    column = exp.column(axis.bins.column, quoted=True)
    number = _between_edges(column, axis.bins.edges) if axis.bins.edges else _by_width(axis)
    if not axis.gaps:
        return number
    is_gap = exp.EQ(this=column.copy(), expression=exp.Literal.number(GAP))
    last = exp.cast(exp.Literal.number(axis.size - 1), "BIGINT")
    return exp.Case(ifs=[exp.If(this=is_gap, true=last)], default=number)


def _between_edges(column: exp.Column, edges: Sequence[int]) -> exp.Expression:
    """How many edges a cell has reached."""
    return exp.Case(
        ifs=[
            exp.If(
                this=exp.LT(this=column.copy(), expression=exp.Literal.number(edge)),
                true=exp.cast(exp.Literal.number(place), "BIGINT"),
            )
            for place, edge in enumerate(edges)
        ],
        default=exp.cast(exp.Literal.number(len(edges)), "BIGINT"),
    )


def _by_width(axis: GroupedColumn) -> exp.Expression:
    column = exp.column(axis.bins.column, quoted=True)
    if axis.bins.width == 1:
        return column
    return exp.cast(
        exp.Floor(
            this=exp.Div(
                this=exp.cast(column, "DOUBLE"),
                expression=exp.Literal.number(axis.bins.width),
                typed=False,
            )
        ),
        "BIGINT",
    )


def tallies_of(
    rows: Iterable[Sequence[int]], places: Sequence[int], values: int
) -> tuple[Counted, ...]:
    """The rows of a counting SELECT by value as a tally for every group, occupied or not."""
    counts = np.zeros((len(places), values), dtype=np.int64)
    line = {place: number for number, place in enumerate(places)}
    for group, index, many in rows:
        if group in line:
            counts[line[group], index] = many
    return tuple(map(Tally, counts))


def people_of(rows: Iterable[Sequence[int]], places: Sequence[int]) -> tuple[Counted, ...]:
    """The rows of a counting SELECT of people, for every group, occupied or not."""
    by_group = {group: (every, some) for group, every, some in rows}
    pairs = [by_group.get(place, (0, 0)) for place in places]
    return _with_and_without(*zip(*pairs, strict=True))


def products_of(rows: Iterable[Sequence[int]], places: Sequence[int]) -> tuple[Counted, ...]:
    """The rows of a counting SELECT of squares, for every group, occupied or not."""
    by_group = {
        group: Products(many, (int(a), int(b)), (int(aa), int(bb)), int(ab))
        for group, many, a, b, aa, bb, ab in rows
    }
    return tuple(by_group.get(place, Products.at(0, 0)) for place in places)


def moments_of(rows: Iterable[Sequence[int]], places: Sequence[int]) -> tuple[Counted, ...]:
    """The rows of a counting SELECT of totals, for every group, occupied or not."""
    by_group = {group: Moments(many, total) for group, many, total in rows}
    return tuple(by_group.get(place, Moments(0, 0)) for place in places)
