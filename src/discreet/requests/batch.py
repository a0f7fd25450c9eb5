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

    @property
    def sharing(self) -> list[bool]:
        """For each question, whether what it gets depends on the others."""
        return [one.shares or one.told for one in self.wanted]

    def plan(self, dataset: Dataset) -> Batch:
        """The plans of all questions, from public facts alone."""
        return plan_batch(self.wanted, dataset, total=self.total, wishes=self.wishes)

    def telling(self, orders: "Sequence[Order]", stored: "Sequence[bool]") -> "BatchOrder | None":
        """The same where stored answers tell some questions at their shares: what these had is
        shared by the others. None where nothing changes."""
        free = [one.shares and is_told for one, is_told in zip(self.wanted, stored, strict=True)]
        paying = [
            one.shares and not is_told for one, is_told in zip(self.wanted, stored, strict=True)
        ]
        if not (any(free) and any(paying)):
            return None
        each = zip(self.wanted, orders, free, strict=True)
        wanted = (
            replace(one, epsilon=order.epsilon, told=True) if is_free else one
            for one, order, is_free in each
        )
        return replace(self, wanted=tuple(wanted))

    def orders(self, prices: "Sequence[tuple[Epsilon | None, Fraction | None]]") -> list[Order]:
        """The order of each question, with the ε or the accuracy that was found for it."""
        return [
            Order(one.question, epsilon=epsilon, within=within, wishes=one.wishes or self.wishes)
            for one, (epsilon, within) in zip(self.wanted, prices, strict=True)
        ]


def read_wanted(
    questions: Sequence[Question],
    *,
    epsilon: "Sequence[EpsilonLike | None] | None" = None,
    within: "RationalLike | Sequence[RationalLike | None] | None" = None,
    importance: "str | Sequence[RationalLike] | None" = None,
) -> list[Wanted]:
    """Questions, each with its ε or its accuracy and its weight; an error names the question.

    `epsilon` has one for each question, None for those without one of their own; `within` is one
    accuracy for all of those, or one for each question, None for those that share what is left of
    the total; `importance` has a number for each.
    """
    many = len(questions)
    given = _own_epsilon(epsilon, many)
    if isinstance(within, Sequence) and not isinstance(within, str):
        accuracies = list(within)
        _check_one_each("within", accuracies, many)
    else:
        accuracies = [within if own is None else None for own in given]
    weights = [Fraction(1)] * many if importance is None else list(read_importance(importance))
    _check_one_each("importance", weights, many)
    wanted = []
    for place, question in enumerate(questions):
        with standing(where := place_text(place)):
            own = read_own(given[place], accuracies[place])
        wanted.append(Wanted(question=question, **own, importance=weights[place], where=where))
    return wanted


def read_own(epsilon: "EpsilonLike | None", within: "RationalLike | Accuracy | None") -> Any:
    """What a question is given of its own, as `Wanted` names it: ε, or an accuracy."""
    if epsilon is not None and within is not None:
        raise QuestionError(
            f"give {named('epsilon')} or {named('within')}, not both: each determines the other"
        )
    accuracy = within if within is None or isinstance(within, Accuracy) else Accuracy.of(within)
    return {"epsilon": None if epsilon is None else Epsilon.of(epsilon), "accuracy": accuracy}


def place_text(place: int) -> str:
    """Where a question stands that has no line of a file.

    >>> place_text(0)
    'question 1'
    """
    return f"question {place + 1}"


def _own_epsilon(
    given: "Sequence[EpsilonLike | None] | None", many: int
) -> "Sequence[EpsilonLike | None]":
    if given is None:
        return [None] * many
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise QuestionError(
            f"{named('epsilon')} of several questions is a list, such as [0.5, None], got "
            f"{show(given)}; {named('total')} is for all of them"
        )
    _check_one_each("epsilon", given, many)
    return given


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
