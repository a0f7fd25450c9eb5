"""Questions in Python: `open_dataset("survey.toml").median("mood").ask(epsilon="0.5")`."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from discreet.curator.batches import PlannedBatch, ShownPlan
from discreet.curator.curator import Curator
from discreet.curator.inquiry import Explanation, Inquiry, QuestionDesk, grouped_by
from discreet.errors import QuestionError, standing
from discreet.exact import EpsilonLike, RationalLike, show
from discreet.lifetimes import Closing
from discreet.planning import Plan
from discreet.questions import (
    Bins,
    Condition,
    Item,
    Question,
    bins_of,
    checked_item,
)
from discreet.requests import (
    BatchOrder,
    place_text,
    read_condition,
    read_explained,
    read_quantile,
    read_quantiles,
    read_question,
    read_wanted,
)
from discreet.statistics import (
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    SEVERAL,
    Correlation,
    Count,
    Covariance,
    Deviation,
    Distinct,
    Intercept,
    Mean,
    Mode,
    People,
    QuartileRange,
    Range,
    Share,
    Slope,
    Statistic,
    Sum,
    Top,
    Variance,
)
from discreet.tables import Facts, name_text
from discreet.text import Amount

if TYPE_CHECKING:
    from discreet.curator.synthetic_table import SyntheticTable

_Plan = TypeVar("_Plan", bound=ShownPlan)


def open_dataset(
    source: "str | os.PathLike[str] | Any",
    facts: "str | os.PathLike[str] | Mapping[str, Any] | None" = None,
    *,
    ledger: str | os.PathLike[str] | None = None,
    analyst: str | None = None,
) -> "OpenDataset[Plan]":
    """A dataset to ask questions of: a dataset file, or a frame and the facts about it.

    Rows of files are read and the ledger opened when first needed; those of a frame are read here,
    so that later changes of the frame change nothing. A UserWarning names other dataset files
    that spend on the same rows.

    Args:
        source: The path of a dataset file; or a pandas or polars frame, an Arrow table, anything
            with `__arrow_c_stream__`.
        facts: Of a frame, its public facts: the path of a dataset file with `kind = "frame"`, its
            text, or a dictionary of the same keys.
        ledger: Of a frame whose facts are in no file, where its ledger is: a path that ends in
            .ledger. Always the same for the same rows, for what is spent on them adds up there.
        analyst: Whose budget is charged; the user of this machine, if left out.

    Returns:
        The dataset, with a method for each kind of question.

    Raises:
        DatasetError: The file, the facts or the frame cannot be read as a dataset.
        MissingExtra: The frame is Arrow's, and pyarrow is not installed.
    """
    if isinstance(source, str | os.PathLike) and facts is None and ledger is None:
        curator = Curator(source, analyst)
    else:
        from discreet.curator.handing_over import curator_of_frame  # noqa: PLC0415  for frames alone

        curator = curator_of_frame(source, facts, ledger, analyst)
    for notice in curator.notices():
        warnings.warn(notice, stacklevel=3)
    return OpenDataset(curator)


class OpenDataset(Closing, Generic[_Plan]):
    """A dataset, ready for questions; every method takes `where`, a condition in SQL."""

    def __init__(self, curator: QuestionDesk[_Plan]) -> None:
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
        """A question in SQL: one SELECT; after EXPLAIN, `ask` gives its plan, free."""
        explains, question = read_explained(text, self.curator.question)
        return Explanation(self.curator, question) if explains else Inquiry(self.curator, question)

    def plan_batch(
        self,
        questions: "Sequence[str | Inquiry[_Plan]]",
        *,
        total: "EpsilonLike | None" = None,
        epsilon: "Sequence[EpsilonLike | None] | None" = None,
        within: "RationalLike | Sequence[RationalLike | None] | None" = None,
        importance: "str | Sequence[RationalLike] | None" = None,
        **wishes: Any,
    ) -> "PlannedBatch[_Plan]":
        """Several questions planned as one, free of charge: how a total is best split, or the least
        that accuracies cost together.

        Args:
            questions: Questions in SQL, or such as the other methods make.
            total: ε for all of them; what others leave of it is shared by those that have neither
                an ε of their own nor an accuracy.
            epsilon: The ε of each question, None for those without one of their own.
            within: How far off answers may be, such as `"5%"` or 2: once for all, or a list with
                None for questions that share.
            importance: What the error of each question counts for, such as `[4, 1]`.
            wishes: What `Wishes.of` takes, for every answer.

        Returns:
            The plans, with what they cost together; its `ask` asks them all.

        Raises:
            QuestionError: A question cannot be asked; the message says which.
            GoalError: Without a total, a question has neither an ε nor an accuracy.
            BudgetError: What does not share the total costs more than it.
        """
        if isinstance(questions, str) or not isinstance(questions, Sequence):
            raise QuestionError(
                'plan_batch takes a list of questions, such as ["SELECT COUNT(*)"], got '
                f"{show(questions)}"
            )
        asked = [self._one_of(one, place) for place, one in enumerate(questions)]
        wanted = read_wanted(asked, epsilon=epsilon, within=within, importance=importance)
        return self.curator.plan_batch(BatchOrder.of(wanted, total=total, **wishes))

    def _one_of(self, given: "str | Inquiry[_Plan]", place: int) -> Question:
        with standing(place_text(place)):
            return given.question if isinstance(given, Inquiry) else self.curator.question(given)

    def count(self, condition: str | None = None, *, where: str | None = None) -> "Inquiry[_Plan]":
        """How many rows there are, or how many meet a condition."""
        return self._of_rows(Count(), condition, where)

    def people(self, condition: str | None = None, *, where: str | None = None) -> "Inquiry[_Plan]":
        """How many people have a row, or one that meets a condition; each is counted once."""
        return self._of_rows(People(), condition, where)

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

    def ratio(self, column: str, to: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The sum of a number column over that of another."""
        return self._quotient("RATIO", column, to, where)

    def weighted_mean(
        self, column: str, weight: str, *, where: str | None = None
    ) -> "Inquiry[_Plan]":
        """The mean of a number column, in which every row counts by its weight."""
        return self._quotient("WEIGHTED_AVG", column, weight, where)

    def _quotient(
        self, function: str, column: str, other: str, where: str | None
    ) -> "Inquiry[_Plan]":
        names = (name_text(self.dataset.column(one).name) for one in (column, other))
        question = read_question(f"SELECT {function}({', '.join(names)})", self.dataset)
        return Inquiry(self.curator, replace(question, where=self._condition(where)))

    def stddev(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The standard deviation of a number column, as that of a sample."""
        return self._of_column(Deviation(), column, where)

    def population_stddev(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The standard deviation of the rows themselves."""
        return self._of_column(Deviation(sample=False), column, where)

    def variance(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The variance of a number column, as that of a sample."""
        return self._of_column(Variance(), column, where)

    def population_variance(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The variance of the rows themselves."""
        return self._of_column(Variance(sample=False), column, where)

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
        return self._of_column(read_quantile(p), column, where)

    def quantiles(
        self, column: str, shares: "Sequence[RationalLike]", *, where: str | None = None
    ) -> "Inquiry[_Plan]":
        """Several quantiles, which are told together where that errs less; never out of order."""
        return self._of_column(read_quantiles(shares), column, where)

    def quartiles(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The three values that cut the rows into quarters."""
        return self._of_column(SEVERAL["quartiles"].statistics, column, where)

    def deciles(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The nine values that cut the rows into tenths."""
        return self._of_column(SEVERAL["deciles"].statistics, column, where)

    def range(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The largest value minus the smallest."""
        return self._of_column(Range(), column, where)

    def iqr(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The interquartile range: the 0.75-quantile minus the 0.25-quantile."""
        return self._of_column(QuartileRange(), column, where)

    def mode(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The most frequent value."""
        return self._of_column(Mode(), column, where)

    def top(self, column: str, r: int, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The r most frequent words with their counts."""
        most = int(r) if isinstance(r, Integral) and not isinstance(r, bool) else r
        return self._of_column(Top(most), column, where)

    def distinct(self, column: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """How many different values there are."""
        return self._of_column(Distinct(), column, where)

    def correlation(self, column: str, other: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """Pearson's correlation of two number columns."""
        return self._of_two(Correlation(), column, other, where)

    def slope(self, column: str, on: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The slope of the line of least squares: how much a column grows with another."""
        return self._of_two(Slope(), column, on, where)

    def intercept(self, column: str, on: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """What the line of least squares says of a column where the other is 0."""
        return self._of_two(Intercept(), column, on, where)

    def covariance(self, column: str, other: str, *, where: str | None = None) -> "Inquiry[_Plan]":
        """The covariance of two number columns, as that of a sample."""
        return self._of_two(Covariance(), column, other, where)

    def population_covariance(
        self, column: str, other: str, *, where: str | None = None
    ) -> "Inquiry[_Plan]":
        """The covariance of the rows themselves."""
        return self._of_two(Covariance(sample=False), column, other, where)

    def histogram(
        self,
        column: str,
        width: "RationalLike | Sequence[RationalLike] | None" = None,
        *,
        where: str | None = None,
    ) -> "Inquiry[_Plan]":
        """The number of rows for every value of a column, in bins of a width, or between edges."""
        return self._ask(
            (Item(statistic=Count()),), where, (bins_of(self.dataset.column(column), width),)
        )

    def cumulative(
        self,
        column: str,
        width: "RationalLike | Sequence[RationalLike] | None" = None,
        *,
        where: str | None = None,
    ) -> "Inquiry[_Plan]":
        """The number of rows up to every value of a column, to every so-manieth, or to ends."""
        bins = bins_of(self.dataset.column(column), width, running=True)
        return self._ask((Item(statistic=Count()),), where, (bins,))

    def synthesize(
        self,
        *columns: "str | tuple[str, RationalLike]",
        epsilon: "EpsilonLike",
        marginals: "Sequence[Sequence[str]] | None" = None,
        confidence: "RationalLike" = "95%",
        id: str | None = None,
    ) -> "SyntheticTable":
        """Whole synthetic rows of some columns, made from noisy counts.

        Args:
            columns: Names of columns, or `("age", 10)` for bins of a width.
            epsilon: What it may cost.
            marginals: Which columns must be right together, as lists of names; every column and
                every pair, if left out.
            confidence: The chance with which each reported bound holds.
            id: An id under which the table is stored; the same again is free.

        Returns:
            The table, with a report of how far off its counts may be.

        Raises:
            QuestionError: There are too many combinations of values.
            OverBudget: It would cost more than is left; nothing was charged.
        """
        if not isinstance(self.curator, Curator):
            raise QuestionError("synthetic tables cannot be made over HTTP; ask the custodian")
        from discreet.curator.synthesis import Synthesis, synthesized  # noqa: PLC0415  seldom asked

        wanted = Synthesis.of(
            tuple(grouped_by(one, self.dataset) for one in columns),
            epsilon=epsilon,
            confidence=confidence,
            marginals=marginals,
        )
        return synthesized(self.curator, wanted, question_id=id)

    def _of_rows(
        self, statistic: Statistic, condition: str | None, where: str | None
    ) -> "Inquiry[_Plan]":
        return self._ask((Item(statistic=statistic, condition=self._condition(condition)),), where)

    def _of_column(
        self, statistics: Statistic | tuple[Statistic, ...], column: str, where: str | None
    ) -> "Inquiry[_Plan]":
        name = self.dataset.column(column).name
        several = statistics if isinstance(statistics, tuple) else (statistics,)
        return self._ask(tuple(Item(statistic=one, column=name) for one in several), where)

    def _of_two(
        self, statistic: Statistic, column: str, other: str, where: str | None
    ) -> "Inquiry[_Plan]":
        first, second = (self.dataset.column(one).name for one in (column, other))
        return self._ask((Item(statistic=statistic, column=first, second=second),), where)

    def _ask(
        self, items: tuple[Item, ...], where: str | None, groups: tuple[Bins, ...] = ()
    ) -> "Inquiry[_Plan]":
        checked = tuple(checked_item(item, self.dataset) for item in items)
        return Inquiry(self.curator, Question(checked, self._condition(where), groups))

    def _condition(self, text: str | None) -> Condition:
        return read_condition(text, self.dataset)

    def close(self) -> None:
        """Forget the rows and close the ledger."""
        self.curator.close()
