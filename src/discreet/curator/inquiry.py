"""A question that has not been asked yet: grouped, sorted and cut, then planned or asked."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from discreet.curator.answer import Answer
from discreet.curator.batches import PlannedBatch, ShownPlan
from discreet.errors import QuestionError
from discreet.exact import EpsilonLike, RationalLike, show
from discreet.questions import Bins, Question, bins_of, reshaped, shown_text
from discreet.questions.totals import MOST_SETS, Sets, all_prefixes, all_subsets
from discreet.requests import BatchOrder, Order
from discreet.tables import Facts

_Plan = TypeVar("_Plan", bound=ShownPlan)
_Plan_co = TypeVar("_Plan_co", bound=ShownPlan, covariant=True)


class QuestionDesk(Protocol[_Plan_co]):
    """Where questions are planned and asked: a curator here, or one behind a server."""

    @property
    def dataset(self) -> Facts:
        """The public facts."""

    def question(self, sql: str) -> Question:
        """A question in SQL."""

    def plan(self, order: Order) -> _Plan_co:
        """How it would be answered, free of charge."""

    def plan_batch(self, batch: BatchOrder) -> PlannedBatch[_Plan_co]:
        """How several questions would be answered, free of charge."""

    def ask(
        self, order: Order, *, plan: str | None = None, question_id: str | None = None
    ) -> Answer:
        """Charge and answer by the plan of this digest; the same id again is free."""

    def left(self) -> int:
        """What may still be spent, in billionths."""

    def close(self) -> None:
        """Let go of everything."""


@dataclass(frozen=True)
class Inquiry(Generic[_Plan]):
    """A question of a dataset that has not been asked yet: plan it, or ask it."""

    curator: QuestionDesk[_Plan]
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

    def group_by(self, *columns: "str | tuple[str, RationalLike]") -> "Inquiry[_Plan]":
        """The same for each group of rows; several columns are crossed.

        Args:
            columns: Names of columns, or `("age", 10)` for bins of a width.

        Returns:
            The grouped question.

        Raises:
            QuestionError: A column is not declared, is named twice, or cannot have such bins.
        """
        groups = tuple(grouped_by(one, self.curator.dataset) for one in columns)
        view = self.question.view
        if view is not None and (view.order_by or view.hides_totals or self.question.group_by):
            raise QuestionError("group first; then sort, or compute shares of totals")
        return replace(self, question=replace(self.question, group_by=groups, totals=()))

    def rollup(self, *columns: "str | tuple[str, RationalLike]") -> "Inquiry[_Plan]":
        """A count for each group, with subtotals and the total, adding up, for one charge.

        Args:
            columns: As `group_by` takes them; subtotals leave out the last one, the last two, ….

        Returns:
            The grouped question.

        Raises:
            QuestionError: As `group_by`, or where other statistics than counts are asked.
        """
        return self._with_totals(columns, all_prefixes(len(columns)))

    def cube(self, *columns: "str | tuple[str, RationalLike]") -> "Inquiry[_Plan]":
        """The same with the totals over every combination of the columns.

        Args:
            columns: As `group_by` takes them.

        Returns:
            The grouped question.

        Raises:
            QuestionError: As `group_by`, or where other statistics than counts are asked.
        """
        return self._with_totals(columns, all_subsets(len(columns)))

    def having(self, condition: str) -> "Inquiry[_Plan]":
        """Show only groups whose told values meet a condition: free, after the answer is told.

        Args:
            condition: What SQL has after HAVING, such as `"COUNT(*) >= 10"`; statistics that were
                not asked for are asked as well, and not shown.

        Returns:
            The question with this view of its answer.

        Raises:
            QuestionError: It is not such a condition.
        """
        return self._reshaped("HAVING", condition)

    def order_by(self, *keys: str) -> "Inquiry[_Plan]":
        """Show groups in an order: free, after the answer is told.

        Args:
            keys: What SQL has after ORDER BY, such as `"AVG(age) DESC", "clinic"`.

        Returns:
            The question with this view of its answer.

        Raises:
            QuestionError: A key is nothing that is told.
        """
        if not keys or not all(isinstance(one, str) for one in keys):
            raise QuestionError(f'order_by takes text such as "COUNT(*) DESC", got {show(keys)}')
        return self._reshaped("ORDER BY", ", ".join(keys))

    def limit(self, groups: int, offset: int = 0) -> "Inquiry[_Plan]":
        """Show so many groups at most: free, after the answer is told.

        Args:
            groups: How many, from 1 on.
            offset: How many are left out before them.

        Returns:
            The question with this view of its answer.

        Raises:
            QuestionError: These are no such numbers.
        """
        return self._reshaped("LIMIT", groups)._reshaped("OFFSET", offset)

    def _reshaped(self, clause: str, text: object) -> "Inquiry[_Plan]":
        made = reshaped(self.question, self.curator.dataset, clause, text)
        return replace(self, question=made)

    def _with_totals(
        self, columns: "tuple[str | tuple[str, RationalLike], ...]", sets: Sets
    ) -> "Inquiry[_Plan]":
        if not columns or len(sets) > MOST_SETS:
            raise QuestionError(
                f"totals need at least one column, and at most {MOST_SETS} sets of groups, got "
                f"{len(columns)} columns"
            )
        grouped = self.group_by(*columns)
        return replace(grouped, question=replace(grouped.question, totals=sets))

    def __str__(self) -> str:
        return shown_text(self.question, self.curator.dataset)


class Explanation(Inquiry[_Plan]):
    """EXPLAIN SELECT …: whatever is asked of it is planned, and nothing is spent."""

    def ask(  # type: ignore[override]
        self, *, plan: "_Plan | str | None" = None, id: str | None = None, **given: Any
    ) -> _Plan:
        """The plan: which mechanisms would answer, which of them share a draw, and the cost."""
        return self.plan(**given)


def grouped_by(given: "str | tuple[str, RationalLike]", dataset: Facts) -> Bins:
    """What rows are grouped by: a column, or its bins of a width."""
    if isinstance(given, str):
        return bins_of(dataset.column(given))
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        return bins_of(dataset.column(given[0]), given[1])
    raise QuestionError(f'group_by takes names and ("age", 10) for bins, got {show(given)}')
