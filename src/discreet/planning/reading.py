"""What must be counted for a plan, and its histograms: by a SELECT, or from the cells at hand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from discreet.questions import EVERY_ROW, Bins, Condition, Item, Question
from discreet.questions.conditions import rows_where, to_sql
from discreet.statistics import Histogram
from discreet.tables import TABLE, Columns, Facts, Table, rendered

_MANY = 1 << 16
"""With more possible places than this, rows are sorted instead of kept a tally of."""


@dataclass(frozen=True)
class Reading:
    """The counts that one statistic of a question needs: for each group, rows by their index.

    The group is the bin's number (0 without groups). The index is the column's, or 1 where the
    statistic's own condition holds and 0 where it does not.
    """

    select: str
    """SELECT group, index, COUNT(*): a row for each pair that occurs."""
    groups: int
    values: int
    """How many indices there are."""
    where: Condition
    bins: Bins | None
    column: str | None
    condition: Condition

    @classmethod
    def of(cls, question: Question, item: Item, groups: int, facts: Facts) -> "Reading":
        """What a statistic of a question needs, over so many groups."""
        column = item.column
        return cls(
            rendered(counting_select(question, item)),
            groups,
            2 if column is None else facts.column(column).size,
            question.where,
            question.group_by,
            column,
            item.condition,
        )

    def histograms(self, table: Table) -> list[Histogram]:
        """A histogram for every group, occupied or not."""
        if table.columns is None:
            return histograms_of(table.rows(self.select), self.groups)
        return self._tallied(table.columns)

    def _tallied(self, columns: Columns) -> list[Histogram]:
        if self.column is None and self.condition == EVERY_ROW and self.bins is None:
            count = int(np.count_nonzero(rows_where(self.where, columns)))
            return [{1: count} if count else {}]
        places = (
            rows_where(self.condition, columns).view(np.int8).astype(np.intp)
            if self.column is None
            else columns[self.column]
        )
        if self.bins is not None:
            places = columns[self.bins.column] // self.bins.width * self.values + places
        if self.where != EVERY_ROW:
            places = places[rows_where(self.where, columns)]
        if self.groups * self.values > _MANY:
            kinds, many = np.unique(places, return_counts=True)
        else:
            tally = np.bincount(places)
            kinds = np.flatnonzero(tally)
            many = tally[kinds]
        found = dict(zip(kinds.tolist(), many.tolist(), strict=True))
        if self.bins is None:
            return [found]
        rows = ((*divmod(place, self.values), each) for place, each in found.items())
        return histograms_of(rows, self.groups)


def counting_select(question: Question, item: Item) -> exp.Select:
    """SELECT group, index, COUNT(*): a row for each pair that occurs."""
    group: exp.Expression = exp.Literal.number(0)
    if question.group_by is not None:
        column = exp.column(question.group_by.column, quoted=True)
        group = exp.cast(
            exp.Floor(
                this=exp.Div(
                    this=exp.cast(column, "DOUBLE"),
                    expression=exp.Literal.number(question.group_by.width),
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
    return (
        exp.select(group.as_("the_group"), index.as_("the_index"), exp.Count(this=exp.Star()))
        .from_(TABLE)
        .where(to_sql(question.where))
        .group_by("1", "2")
    )


def histograms_of(rows: Iterable[Sequence[int]], groups: int) -> list[Histogram]:
    """The rows of a counting SELECT as a histogram for every group, occupied or not."""
    found: list[dict[int, int]] = [{} for _ in range(groups)]
    for group, index, many in rows:
        if 0 <= group < groups:
            found[group][index] = found[group].get(index, 0) + many
    return list(found)
