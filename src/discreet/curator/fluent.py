"""Questions in Python: `open_dataset("survey.toml").median("mood").ask(epsilon="0.5")`."""

import os
import warnings
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, Generic, Protocol, TypeVar

from discreet.closing import Closing
from discreet.curator.answer import Answer
from discreet.curator.curator import Curator
from discreet.errors import QuestionError
from discreet.exact import EpsilonLike, RationalLike, rational, show
from discreet.planning import Plan
from discreet.questions import (
    EVERY_ROW,
    Bins,
    Condition,
    Item,
    Question,
    checked_item,
    parse_condition,
    question_text,
)
from discreet.requests import Order
from discreet.statistics import (
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    Count,
    Mean,
    Mode,
    Range,
    Rank,
    Share,
    Statistic,
    Sum,
    Top,
)
from discreet.tables import Facts, NumberColumn
from discreet.text import Amount, decimal_text


class Shown(Protocol):
    """A plan that can be looked at before it is asked."""

    @property
    def digest(self) -> str:
        """What tells it from every other plan."""


_Plan = TypeVar("_Plan", bound=Shown)
_Plan_co = TypeVar("_Plan_co", covariant=True)


class Desk(Protocol[_Plan_co]):
    """Where questions are planned and asked: a curator here, or one behind a server."""

    @property
    def dataset(self) -> Facts:
        """The public facts."""

    def question(self, sql: str) -> Question:
        """A question in SQL."""

    def plan(self, order: Order) -> _Plan_co:
        """How it would be answered, free of charge."""

    def ask(
        self, order: Order, *, plan: str | None = None, question_id: str | None = None
    ) -> Answer:
        """Charge and answer by the plan of this digest; the same id again is free."""

    def left(self) -> int:
        """What may still be spent, in billionths."""

    def close(self) -> None:
        """Let go of everything."""


def open_dataset(
    path: str | os.PathLike[str], *, analyst: str | None = None
) -> "OpenDataset[Plan]":
    """A dataset to ask questions of; rows are read and the ledger opened when first needed.

    A UserWarning tells of other dataset files that spend on the same rows.

    Args:
        path: The dataset file.
        analyst: Whose budget is charged; the user of this machine, if left out.

    Returns:
        The dataset, with a method for each kind of question.

    Raises:
        DatasetError: The file cannot be read as a dataset.
    """
    curator = Curator(path, analyst)
    for notice in curator.notices():
        warnings.warn(notice, stacklevel=3)
    return OpenDataset(curator)


@dataclass(frozen=True)
class Inquiry(Generic[_Plan]):
    """A question of a dataset that has not been asked yet: plan it, or ask it."""

    curator: Desk[_Plan]
    question: Question

    def plan(
        self, *, epsilon: "EpsilonLike | None" = None, within: "RationalLike | None" = None,
        **wishes: Any,
    ) -> _Plan:  # fmt: skip
        """How it would be answered, free of charge; the wishes are those of `Wishes.of`."""
        return self.curator.plan(Order.of(self.question, epsilon=epsilon, within=within, **wishes))

    def ask(
        self, *, epsilon: "EpsilonLike | None" = None, within: "RationalLike | None" = None,
        plan: "_Plan | str | None" = None, id: str | None = None, **wishes: Any,
    ) -> Answer:  # fmt: skip
        """Spend ε (or what `within` needs) and answer; the same `id` again is free.

        With the `plan` that was looked at (or its digest) it is asked by that one, or not at all.
        """
        order = Order.of(self.question, epsilon=epsilon, within=within, **wishes)
        shown = plan if plan is None or isinstance(plan, str) else plan.digest
        return self.curator.ask(order, plan=shown, question_id=id)

    def __str__(self) -> str:
        return question_text(self.question, self.curator.dataset)


class OpenDataset(Closing, Generic[_Plan]):
    """A dataset, ready for questions; every method takes `where`, a condition in SQL."""

    def __init__(self, curator: Desk[_Plan]) -> None:
        self.curator = curator

    @property
    def dataset(self) -> Facts:
        """The public facts."""
        return self.curator.dataset

    @property
    def left(self) -> Fraction:
        """What this analyst may still spend."""
        return Amount(self.curator.left()).value

    def sql(self, text: str) -> "Inquiry[_Plan]":
        """A question in SQL: one SELECT."""
        return Inquiry(self.curator, self.curator.question(text))

    def count(self, condition: str | None = None, *, where: str | None = None) -> "Inquiry[_Plan]":
        """How many rows there are, or how many meet a condition."""
        return self._of_rows(Count(), condition, where)

    def share(self, condition: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """Which share of the rows meets a condition."""
        if condition is None:
            raise QuestionError('share needs a condition, such as "age >= 18", got None')
        return self._of_rows(Share(), condition, where)

    def sum(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The sum of a number column."""
        return self._of_column(Sum(), column, where)

    def mean(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The mean of a number column."""
        return self._of_column(Mean(), column, where)

    def min(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The smallest value."""
        return self._of_column(MINIMUM, column, where)

    def max(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The largest value."""
        return self._of_column(MAXIMUM, column, where)

    def median(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The median; of an even number of rows, the lower of the two in the middle."""
        return self._of_column(MEDIAN, column, where)

    def quantile(
        self, column: str, p: RationalLike, *, where: str | None = None
    ) -> "Inquiry[_Plan]":
        """The value below or at which a share p of the rows lies."""
        rank = rational(p, "the p of a quantile", QuestionError)
        return self._of_column(Rank(rank), column, where)

    def range(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The largest value minus the smallest."""
        return self._of_column(Range(), column, where)

    def mode(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The most frequent value."""
        return self._of_column(Mode(), column, where)

    def top(self, column: str, r: int, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The r most frequent words with their counts."""
        most = int(r) if isinstance(r, Integral) and not isinstance(r, bool) else r
        return self._of_column(Top(most), column, where)

    def histogram(
        self, column: str, width: "RationalLike | None" = None, *, where: str | None = None
    ) -> "Inquiry[_Plan]":
        """The number of rows for every value of a column, or in bins of a width."""
        return self._ask(Item(statistic=Count()), where, self._bins(column, width))

    def _of_rows(
        self, statistic: Statistic, condition: str | None, where: str | None
    ) -> "Inquiry[_Plan]":
        return self._ask(Item(statistic=statistic, condition=self._condition(condition)), where)

    def _of_column(self, statistic: Statistic, column: str, where: str | None) -> "Inquiry[_Plan]":
        name = self.dataset.column(column).name
        return self._ask(Item(statistic=statistic, column=name), where)

    def _ask(self, item: Item, where: str | None, groups: Bins | None = None) -> "Inquiry[_Plan]":
        checked = checked_item(item, self.dataset)
        return Inquiry(self.curator, Question((checked,), self._condition(where), groups))

    def _condition(self, text: str | None) -> Condition:
        if text is None:
            return EVERY_ROW
        if not isinstance(text, str):
            raise QuestionError(
                f'a condition is text in SQL, such as "age >= 18", got {show(text)}'
            )
        return parse_condition(text, self.dataset)

    def _bins(self, by: str, width: "RationalLike | None") -> Bins:
        column = self.dataset.column(by)
        if width is None:
            return Bins(column.name, 1)
        if not isinstance(column, NumberColumn):
            raise QuestionError(f"bins need numbers and {column.name} holds words")
        steps = rational(width, "the width of a bin", QuestionError) / column.grid.step
        if steps.denominator != 1 or steps < 1:
            raise QuestionError(
                f"the width of a bin is a whole number of steps of {decimal_text(column.grid.step)}"
            )
        return Bins(column.name, int(steps))

    def close(self) -> None:
        """Forget the rows and let go of the ledger."""
        self.curator.close()
