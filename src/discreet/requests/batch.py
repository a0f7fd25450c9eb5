"""Several questions that are planned as one: a total to share, or accuracies that have a price."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet.errors import BudgetError, GoalError, QuestionError, named, standing
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.planning import Accuracy, Wishes
from discreet.planning.batch import Batch, Wanted, plan_batch
from discreet.planning.wishes import read_importance
from discreet.questions import Question
from discreet.requests.order import Order, at_once, read_wishes
from discreet.tables import Dataset


@dataclass(frozen=True, kw_only=True)
class BatchOrder:
    """What an analyst wants of several questions together."""

    wanted: tuple[Wanted, ...]
    total: Epsilon | None
    """What all may cost; None for whatever their accuracies cost."""
    wishes: Wishes

    @classmethod
    def of(
        cls, wanted: Sequence[Wanted], *, total: "EpsilonLike | None" = None, **wishes: Any
    ) -> "BatchOrder":
        """Read and check what people write.

        Args:
            wanted: The questions.
            total: ε for all of them.
            wishes: What `Wishes.of` takes, for every answer; `importance` is each question's own.

        Returns:
            The order.

        Raises:
            QuestionError: There is no question.
            BudgetError: The total is not an amount above 0.
        """
        if not wanted:
            raise QuestionError("no question was given; give at least one")
        most = None if total is None else _total(total)
        wished = read_wishes(wishes)
        each = (replace(one, wishes=at_once(wished, one.question)) for one in wanted)
        return cls(wanted=tuple(each), total=most, wishes=wished)

    def plan(self, dataset: Dataset) -> Batch:
        """The plans of all questions, from public facts alone."""
        return plan_batch(self.wanted, dataset, total=self.total, wishes=self.wishes)

    def orders(self, prices: "Sequence[tuple[Epsilon | None, Fraction | None]]") -> list[Order]:
        """The order of each question, with the ε or the accuracy that was found for it."""
        return [
            Order(one.question, epsilon=epsilon, within=within, wishes=one.wishes or self.wishes)
            for one, (epsilon, within) in zip(self.wanted, prices, strict=True)
        ]


def read_wanted(
    questions: Sequence[Question],
    *,
    within: "RationalLike | Sequence[RationalLike | None] | None" = None,
    importance: "str | Sequence[RationalLike] | None" = None,
) -> list[Wanted]:
    """Questions, each with its accuracy and its weight; an error names the question.

    `within` is one accuracy for all, or one for each question, None for those that share what is
    left of the total; `importance` has a number for each.
    """
    many = len(questions)
    if isinstance(within, Sequence) and not isinstance(within, str):
        accuracies = list(within)
        _check_one_each("within", accuracies, many)
    else:
        accuracies = [within] * many
    weights = [Fraction(1)] * many if importance is None else list(read_importance(importance))
    _check_one_each("importance", weights, many)
    wanted = []
    for place, question in enumerate(questions):
        with standing(where := place_text(place)):
            own = accuracies[place]
            accuracy = None if own is None else Accuracy.of(own)
        wanted.append(
            Wanted(question=question, accuracy=accuracy, importance=weights[place], where=where)
        )
    return wanted


def place_text(place: int) -> str:
    """Where a question stands that has no line of a file.

    >>> place_text(0)
    'question 1'
    """
    return f"question {place + 1}"


def _check_one_each(field: str, given: Sequence[object], many: int) -> None:
    if len(given) != many:
        raise GoalError(
            f"{named(field)} must have one entry for each question, got {len(given)} for {many} "
            "questions"
        )


def _total(given: EpsilonLike) -> Epsilon:
    if isinstance(given, Epsilon):
        return given
    amount = rational(given, named("total"), BudgetError)
    if amount <= 0:
        raise BudgetError(
            f"{named('total')} must be the ε of all questions together, above 0, got {show(given)}"
        )
    return Epsilon.of(amount)
