"""A statistic as the planner sees it: its possible answers and what one person can do to them.

Everything here follows from public facts. Why the steps between neighbours are what they are, and
what a statistic costs that is told of every group: docs/proofs/groups.md.
"""

import math
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property

from discreet.budget import Cost, Disjoint, Single
from discreet.errors import EpsilonError
from discreet.exact import Epsilon
from discreet.model import AllPairs, Grid, Labels, Neighbours, Relation, Space, Within
from discreet.model.spaces import MOST
from discreet.questions import EVERY_ROW, Condition, Item, Question, rows_taken, values_of
from discreet.questions.boxes import box_of, common
from discreet.questions.conditions import chance_of
from discreet.statistics import (
    Added,
    Count,
    Counted,
    Form,
    FromSums,
    Moments,
    OfDates,
    Placed,
    Products,
    Ratio,
    Rows,
    Statistic,
    Tally,
)
from discreet.tables import Column, Dataset, DateColumn, NumberColumn
from discreet.text import Resolution, moment_of


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One statistic of a question, with all that is public of its answers and its rows.

    The form says what answers are like: `Added` (rows add up: counts, sums, and means of a known
    number of rows), `Placed` (one row can lead anywhere: order statistics and the mode), `Ratio`
    (means of an unknown number of rows) or `Counts` (a count for every word).
    """

    item: Item
    form: Form
    column: Column | None
    most_rows: int
    relation: Relation
    """What may happen to one selected row; by groups a change counts as leaving and entering."""
    size_is_public: bool
    """Whether the number of all rows is public; where people are counted, that of people is not."""
    rows_per_unit: int
    """How many steps one person is; one where people are counted."""
    skips_gaps: bool
    """Whether rows are left out for their gaps."""
    chance: Fraction | None
    """How likely a uniformly drawn row without gaps is selected; None where that is too long to
    work out."""
    holds_chance: Fraction | None
    """How likely a selected row also meets the statistic's own condition."""
    second: Column | None = None
    """The other column, where a statistic is taken of two."""
    taken: Condition = field(compare=False)
    """The rows that it is taken of; no plan depends on which they are."""

    @property
    def fixed_size(self) -> bool:
        """Whether the number of selected rows is public."""
        return self.relation == Relation.CHANGE

    @property
    def all_but_gaps(self) -> bool:
        """Whether all rows of a public number are taken but for those with gaps."""
        return self.skips_gaps and self.size_is_public and self.chance == 1

    @property
    def change_one(self) -> bool:
        """Whether one row may change its value."""
        return self.relation != Relation.ADD_OR_REMOVE

    @property
    def statistic(self) -> Statistic:
        """What is told."""
        return self.item.statistic

    @property
    def values(self) -> int:
        """How many values a row can have."""
        return len(values_of(self.column))

    @property
    def needs_values(self) -> bool:
        """Whether rows are counted value by value; where they add up, their total is enough."""
        adds_up = isinstance(self.form, Added) and self.form.linear is not None
        return not (adds_up or isinstance(self.form, Ratio | FromSums))

    @property
    def grid(self) -> Grid | None:
        """The column's values as numbers, when they are."""
        return self.column.grid if isinstance(self.column, NumberColumn) else None

    @cached_property
    def start(self) -> Fraction:
        """The smallest answer."""
        return self.form.start

    @cached_property
    def unit(self) -> Fraction:
        """From one answer to the next."""
        return self.form.unit

    @cached_property
    def size(self) -> int:
        """How many answers there are."""
        return self.form.size

    @cached_property
    def labels(self) -> Labels | None:
        """The answers, or what is counted, where these are words."""
        return self.form.labels

    @property
    def steps(self) -> int:
        """How far one person (one row, by groups) moves an added answer, in units."""
        return self.form.steps * self.rows_per_unit

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
        return AllPairs() if isinstance(self.form, Placed) else Within(max(1, self.steps))

    @cached_property
    def dates(self) -> Resolution | None:
        """The resolution of the answers, where these are dates."""
        is_date = self.statistic.of_dates is OfDates.DATE
        return self.column.resolution if is_date and isinstance(self.column, DateColumn) else None

    def told(self, answer: Fraction | int) -> Fraction | int | date:
        """An answer as it is told: a date where answers are dates."""
        return answer if self.dates is None else moment_of(answer, self.dates)

    def value_at(self, place: int) -> Fraction:
        """The answer of a place, in the column's units."""
        first, step, parts = self._steps
        return Fraction(first + step * place, parts)

    @cached_property
    def _steps(self) -> tuple[int, int, int]:
        """The first answer and the step between two, in whole parts of 1, and how many parts."""
        parts = math.lcm(self.start.denominator, self.unit.denominator)
        return int(self.start * parts), int(self.unit * parts), parts

    @cached_property
    def counts(self) -> bool:
        """Whether answers are their own places, as counts without a unit are."""
        return self.whole and self.start == 0 and self.unit == 1

    @cached_property
    def whole(self) -> bool:
        """Whether people know these answers as whole numbers."""
        return self.statistic.is_whole(isinstance(self.column, NumberColumn) and self.column.whole)


def subject_of(item: Item, question: Question, dataset: Dataset, groups: int = 1) -> Subject:
    """What the planner knows of a statistic of a question.

    By groups (two or more) one row enters or leaves a group, and a person's rows are counted by
    `sharing`; otherwise one person with all their rows is one step.
    """
    grouped = groups > 1
    column = None if item.column is None else dataset.column(item.column)
    second = None if item.second is None else dataset.column(item.second)
    taken = rows_taken(item, question, dataset)
    by_person = item.statistic.by_person
    public = dataset.size_is_public and not by_person  # how many people have rows is not
    fixed = public and taken == EVERY_ROW
    rows = Rows(
        values=values_of(column),
        most=max(1, dataset.most_rows),
        relation=_relation(dataset.relation, grouped=grouped, fixed=fixed),
        every=item.condition == EVERY_ROW,
        others=() if second is None else (values_of(second),),
    )
    form = item.statistic.form(rows)
    one_by_one = by_person or (grouped and not isinstance(form, Placed))
    chance = chance_of(question.where, dataset)
    return Subject(
        item=item,
        form=form,
        column=column,
        second=second,
        most_rows=rows.most,
        relation=rows.relation,
        size_is_public=public,
        rows_per_unit=1 if one_by_one else most_selected(taken, item, dataset),
        skips_gaps=taken != question.where,
        chance=None if chance is None else chance / groups,
        holds_chance=chance_of(item.condition, dataset),
        taken=taken,
    )


def most_selected(taken: Condition, item: Item, dataset: Dataset) -> int:
    """How many rows of one person count at most: those that are kept, and of the values of a column
    of which each has one of them, no more than the condition leaves."""
    most, name = dataset.unit.most_rows, dataset.unit.one_row_per
    if name is None:
        return most
    column = dataset.column(name)
    spans = box_of(taken, dataset).side(column)
    if isinstance(item.statistic, Count):  # rows that do not meet its condition add nothing
        spans = common(spans, box_of(item.condition, dataset).side(column))
    return max(1, min(most, sum(last - first + 1 for first, last in spans)))


def _relation(declared: Relation, *, grouped: bool, fixed: bool) -> Relation:
    """What the declared change of a table does to one row of a selection, or of a group."""
    if declared != Relation.CHANGE or grouped:
        return Relation.ADD_OR_REMOVE
    return Relation.CHANGE if fixed else Relation.EITHER


def true_index(subject: Subject, counted: Counted) -> int:
    """The place of the true answer among the subject's answers (added or placed)."""
    return subject.statistic.place(counted, subject.form)


def extremes(subject: Subject) -> tuple[Counted, ...]:
    """Counts at the ends of what public facts allow: no rows, all of them first, all last."""
    rows, last = subject.most_rows, subject.values - 1
    sizes = (rows,) if subject.fixed_size else (0, rows)
    if isinstance(subject.form, FromSums):
        ends = [(0, 0), tuple((*subject.form.fars, 0)[:2])]
        return tuple(Products.at(size, *end) for size in sizes for end in ends)
    if not subject.needs_values:
        return tuple(Moments(size, size * index) for size in sizes for index in (0, last))
    ends = [(size, index) for size in sizes for index in ((0, last) if size else (0,))]
    return tuple(Tally.of({index: size}, subject.values) for size, index in ends)


@dataclass(frozen=True)
class Sharing:
    """What one statistic's mechanism, run once for every group, costs per ε it is run at.

    `times` is how often a person's rows count in one group, `touched` how many groups count.
    """

    groups: int
    touched: int
    times: int

    @classmethod
    def of(
        cls, subject: Subject, dataset: Dataset, groups: int, *, apart: bool = False
    ) -> "Sharing":
        """The tightest rule that applies; `apart` where a person has one row a group at most.

        Placed statistics, and numbers of people, are private whatever one person's rows do inside
        a group, so that only the number of groups a person can touch counts. The others are private
        row by row: c rows cost c times, and a change is a row that leaves and a row that enters.
        """
        if groups < 2:
            return ONE_GROUP
        rows, ways = dataset.unit.most_rows, 2 if dataset.relation == Relation.CHANGE else 1
        if isinstance(subject.form, Placed) or subject.statistic.by_person:
            return cls(groups, min(groups, rows * ways), 1)
        return cls(groups, ways, min(rows, groups) if apart else rows)

    @property
    def factor(self) -> int:
        """How many times ε the whole costs."""
        return self.touched * self.times

    def epsilon_for(self, billionths: int) -> Epsilon:
        """What the mechanism may be run at for this cost."""
        each = billionths // self.factor
        if each < 1:
            raise EpsilonError(
                f"{billionths} billionths of ε are too few for {self.groups} groups; spend more"
            )
        return Epsilon(each)

    def cost(self, epsilon: Epsilon) -> Cost:
        """What it costs to run the mechanism at ε in every group."""
        single = Single(epsilon.billionths * self.times)
        if self.groups < 2:
            return single
        return Disjoint((single,) * self.groups, self.touched)


@dataclass(frozen=True)
class Spread:
    """Groups in each of which a person has at most one row, and rows in so many of them."""

    groups: int
    most: int
    relation: Relation


ONE_GROUP = Sharing(1, 1, 1)
"""All rows together."""


def rows_apart(question: Question, dataset: Dataset) -> bool:
    """Whether no two rows of a person are in one group: one of each value of a column counts, and
    every group holds one value of it (docs/proofs/one-row-a-group.md)."""
    column = dataset.unit.one_row_per
    return any(
        bins.column == column and bins.width == 1 and not bins.edges and not bins.running
        for bins in question.group_by
    )


def spread_of(subject: Subject, dataset: Dataset, groups: int) -> Spread | None:
    """In how many groups a person may have a row, where they have no two in one."""
    most = min(dataset.unit.most_rows, groups)
    if most < 2 or subject.statistic.by_person:
        return None
    return Spread(groups, most, dataset.relation)


def cells_of(subject: Subject, question: Question, dataset: Dataset, groups: int) -> int | None:
    """Into how many cells all rows fall, if one that changes leaves one and enters another.

    The groups are all of them where every row is in one and the size is public; otherwise there is
    one more, for the rest (docs/proofs/cells.md).
    """
    if groups < 2 or dataset.relation != Relation.CHANGE:
        return None
    taken = rows_taken(subject.item, question, dataset)
    whole = taken == EVERY_ROW and subject.item.condition == EVERY_ROW
    return groups if whole and dataset.size_is_public else groups + 1
