"""What must be counted for a plan, and the counts: by a SELECT, or from the cells at hand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.planning.grouping import Grouping
from discreet.planning.subjects.subject import Subject
from discreet.questions import EVERY_ROW, Bins, Condition, Item, Question
from discreet.questions.conditions import rows_where, to_sql
from discreet.statistics import Counted, Moments, Tally
from discreet.tables import GAP, TABLE, Columns, Table, rendered

_Places = npt.NDArray[np.intp]
_OVERHEAD = 64
"""What keeping the counts of a question weighs besides the counts, in counts."""


class Counting(NamedTuple):
    """What is counted: the SELECT, and the shape of what it finds."""

    select: str
    groups: int
    places: tuple[int, ...]
    """The groups that are told: the same SELECT may serve questions that tell others."""
    values: int | None

    @property
    def weight(self) -> int:
        """How much keeping the counts takes: as much for one table as for any other."""
        return _OVERHEAD + self.groups * (2 if self.values is None else self.values)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one statistic of a question needs of the rows, group by group: public facts alone.

    The group is the bin's number (0 without groups), and the last one where the cell is a gap. The
    index is the column's, or 1 where the statistic's own condition holds and 0 where it does not.
    """

    select: str
    """The aggregate SELECT that counts."""
    groups: int
    """How many groups the column has."""
    places: tuple[int, ...]
    """Those of them that rows can be in: only these are told."""
    values: int | None
    """How many indices there are, where rows are counted for each; None where rows and the total
    of their indices are enough."""
    where: Condition
    bins: Bins | None
    column: str | None
    condition: Condition

    @classmethod
    def of(
        cls,
        question: Question,
        subject: Subject,
        grouping: Grouping,
        *,
        by_value: bool | None = None,
    ) -> "Reading":
        """What a statistic of a question needs, over its groups.

        Some ways to answer need rows counted by value though the statistic does not.
        """
        item, by_value = subject.item, subject.needs_values if by_value is None else by_value
        return cls(
            select=rendered(
                counting_select(item, subject.taken, question.group_by, by_value=by_value)
            ),
            groups=grouping.every,
            places=grouping.places,
            values=subject.values if by_value else None,
            where=subject.taken,
            bins=question.group_by,
            column=item.column,
            condition=item.condition,
        )

    @property
    def key(self) -> "Counting":
        """What its counts are kept under: all that they depend on besides the rows."""
        return Counting(self.select, self.groups, self.places, self.values)

    def counted(self, table: Table) -> tuple[Counted, ...]:
        """The counts of every group that rows can be in, occupied or not."""
        found = self._counted(table)
        return tuple(found[place] for place in self.places)

    def _counted(self, table: Table) -> tuple[Counted, ...]:
        if table.columns is not None:
            return self._tallied(table.columns, table.complete)
        rows = table.rows(self.select)
        if self.values is None:
            return moments_of(rows, self.groups)
        return tallies_of(rows, self.groups, self.values)

    def _tallied(self, columns: Columns, complete: frozenset[str]) -> tuple[Counted, ...]:
        if self.column is None and self.condition == EVERY_ROW and self.bins is None:
            count = int(np.count_nonzero(rows_where(self.where, columns, complete)))
            return (Moments(count, count),)
        indices: _Places = (
            rows_where(self.condition, columns, complete).view(np.int8).astype(np.intp)
            if self.column is None
            else columns[self.column]
        )
        groups = None if self.bins is None else self._groups(columns, self.bins, complete)
        if self.where != EVERY_ROW:
            chosen = rows_where(self.where, columns, complete)
            indices = indices[chosen]
            groups = None if groups is None else groups[chosen]
        if self.values is None:
            return _moments(indices, groups, self.groups)
        return _tallies(indices, groups, self.groups, self.values)

    def _groups(self, columns: Columns, bins: Bins, complete: frozenset[str]) -> _Places:
        cells = columns[bins.column]
        groups = cells if bins.width == 1 else cells // bins.width
        if bins.column in complete:
            return groups
        return np.where(cells == GAP, self.groups - 1, groups)


def _moments(indices: _Places, groups: _Places | None, many: int) -> tuple[Counted, ...]:
    if groups is None:
        return (Moments(len(indices), int(indices.sum())),)
    rows = np.bincount(groups, minlength=many)
    totals = np.zeros(many, dtype=np.int64)
    np.add.at(totals, groups, indices)
    return tuple(map(Moments, rows.tolist(), totals.tolist()))


def _tallies(
    indices: _Places, groups: _Places | None, many: int, values: int
) -> tuple[Counted, ...]:
    places = indices if groups is None else groups * values + indices
    counts = np.bincount(places, minlength=many * values).astype(np.int64, copy=False)
    return tuple(map(Tally, counts.reshape(many, values)))


def counting_select(
    item: Item, taken: Condition, bins: Bins | None, *, by_value: bool
) -> exp.Select:
    """SELECT group, index, COUNT(*) by value; else SELECT group, COUNT(*), SUM(index).

    A row for each pair, or for each group, that occurs; the group of gaps has the number of a gap.
    """
    group: exp.Expression = exp.Literal.number(0)
    if bins is not None:
        column = exp.column(bins.column, quoted=True)
        group = exp.cast(
            exp.Floor(
                this=exp.Div(
                    this=exp.cast(column, "DOUBLE"),
                    expression=exp.Literal.number(bins.width),
                    typed=False,
                )
            ),
            "BIGINT",
        )
    if item.column is None:
        index: exp.Expression = exp.Case(
            ifs=[exp.If(this=to_sql(item.condition), true=exp.Literal.number(1))],
            default=exp.Literal.number(0),
        )
    else:
        index = exp.column(item.column, quoted=True)
    many = exp.Count(this=exp.Star())
    told = [index.as_("the_index"), many] if by_value else [many, exp.Sum(this=index)]
    return (
        exp.select(group.as_("the_group"), *told)
        .from_(TABLE)
        .where(to_sql(taken))
        .group_by(*(("1", "2") if by_value else ("1",)))
    )


def tallies_of(rows: Iterable[Sequence[int]], groups: int, values: int) -> tuple[Counted, ...]:
    """The rows of a counting SELECT by value as a tally for every group, occupied or not."""
    found = np.zeros((groups, values), dtype=np.int64)
    for group, index, many in rows:
        found[group % groups, index] = many
    return tuple(map(Tally, found))


def moments_of(rows: Iterable[Sequence[int]], groups: int) -> tuple[Counted, ...]:
    """The rows of a counting SELECT of totals, for every group, occupied or not."""
    found = {group % groups: Moments(many, total) for group, many, total in rows}
    return tuple(found.get(group, Moments(0, 0)) for group in range(groups))
