"""A statistic as the planner sees it: its possible answers and what one person can do to them.

Everything here follows from public facts. Why the steps between neighbours are what they are:
docs/proofs/groups.md.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from discreet.model import AllPairs, Grid, Labels, Neighbours, Relation, Space, Within
from discreet.model.spaces import MOST
from discreet.planning.subjects.chances import chance_of
from discreet.questions import EVERY_ROW, Condition, Item, Question, rows_taken, values_of
from discreet.statistics import (
    Added,
    Counted,
    Form,
    Moments,
    Placed,
    Ratio,
    Rows,
    Statistic,
    Tally,
)
from discreet.tables import Column, Dataset, NumberColumn


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
    """Whether the number of all rows is public."""
    rows_per_unit: int
    skips_gaps: bool
    """Whether rows are left out for their gaps."""
    chance: Fraction | None
    """How likely a uniformly drawn row without gaps is selected; None where that is too long to
    work out."""
    holds_chance: Fraction | None
    """How likely a selected row also meets the statistic's own condition."""
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
        return not (adds_up or isinstance(self.form, Ratio))

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
    taken = rows_taken(item, question, dataset)
    fixed = dataset.size_is_public and taken == EVERY_ROW
    rows = Rows(
        values=values_of(column),
        most=max(1, dataset.most_rows),
        relation=_relation(dataset.relation, grouped=grouped, fixed=fixed),
        every=item.condition == EVERY_ROW,
    )
    form = item.statistic.form(rows)
    per_unit = 1 if grouped and not isinstance(form, Placed) else dataset.unit.most_rows
    chance = chance_of(question.where, dataset)
    return Subject(
        item=item,
        form=form,
        column=column,
        most_rows=rows.most,
        relation=rows.relation,
        size_is_public=dataset.size_is_public,
        rows_per_unit=per_unit,
        skips_gaps=taken != question.where,
        chance=None if chance is None else chance / groups,
        holds_chance=chance_of(item.condition, dataset),
        taken=taken,
    )


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
    if not subject.needs_values:
        return tuple(Moments(size, size * index) for size in sizes for index in (0, last))
    return tuple(Tally.of({index: size}, subject.values) for size in sizes for index in (0, last))
