"""Several questions planned as one: how a total is split, or what accuracies cost together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import BudgetError, GoalError, named
from discreet.exact import Epsilon
from discreet.planning.planner import plan
from discreet.planning.plans import Plan
from discreet.planning.pricing import Accuracy, price_of, standing
from discreet.planning.spending import Weighed, shares_of
from discreet.planning.wishes import Wishes
from discreet.questions import Question
from discreet.tables import Dataset
from discreet.text import Amount


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A question of a batch: how accurate it must be, or how much its error counts."""

    question: Question
    accuracy: Accuracy | None = None
    """None where it has a share of what is left of the total."""
    importance: Fraction = Fraction(1)
    where: str = ""
    """Where the question stands, for messages."""
    wishes: Wishes | None = None
    """What is wanted of its answers; None for what is wanted of all."""


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The plan of a question, and what it is to be asked with: exactly one of both."""

    plan: Plan
    epsilon: Epsilon | None = None
    within: Fraction | None = None


@dataclass(frozen=True)
class Batch:
    """Several questions, planned as one."""

    planned: tuple[Planned, ...]

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of each question."""
        return tuple(one.plan for one in self.planned)

    @property
    def total(self) -> int:
        """What all of them cost together, in billionths of ε."""
        return sum(one.cost.total for one in self.plans)


def plan_batch(
    wanted: Sequence[Wanted],
    dataset: Dataset,
    *,
    total: Epsilon | None,
    wishes: Wishes | None = None,
) -> Batch:
    """Plans for all questions: the least ε for those that say how accurate they must be.

    The others share what is left of the total so that the sum of their errors, each beside what all
    of that would make it and weighted by its importance, is least (docs/proofs/sharing.md).

    Args:
        wanted: The questions.
        dataset: The declared facts; no row is looked at.
        total: What all of them may cost; None for whatever their accuracies cost.
        wishes: What is wanted of all answers.

    Returns:
        A plan for each question, in order.

    Raises:
        GoalError: Without a total, a question does not say how accurate it must be.
        BudgetError: The accuracies cost more than the total.
    """
    wishes = wishes or Wishes()
    sure = {
        place: _accurate(one, one.accuracy, dataset, wishes)
        for place, one in enumerate(wanted)
        if one.accuracy is not None
    }
    sharing = [place for place in range(len(wanted)) if place not in sure]
    if sharing and total is None:
        raise GoalError(
            f"{named('total')} is required, for example {named('total', 1)}; or how accurate each "
            f"answer must be, for example {named('within', '5%')}"
        )
    if total is not None:
        spent = sum(one.plan.cost.total for one in sure.values())
        left = _left(total, spent, len(sharing))
        sure |= _shared({place: wanted[place] for place in sharing}, left, dataset, wishes)
    return Batch(tuple(sure[place] for place in range(len(wanted))))


def _accurate(one: Wanted, accuracy: Accuracy, dataset: Dataset, wishes: Wishes) -> Planned:
    """The plan that is as accurate as wished: a share of rows or of a range is priced first."""
    wishes = one.wishes or wishes
    with standing(one.where):
        cost = 0
        if accuracy.is_share:
            cost = price_of(one.question, dataset, accuracy, wishes).cost
        if cost:
            return _at(one.question, Epsilon(cost), dataset, wishes)
        made = plan(one.question, dataset, within=accuracy.amount, wishes=wishes)
        return Planned(plan=made, within=accuracy.amount)


def _at(question: Question, epsilon: Epsilon, dataset: Dataset, wishes: Wishes) -> Planned:
    return Planned(plan=plan(question, dataset, epsilon=epsilon, wishes=wishes), epsilon=epsilon)


def _left(total: Epsilon, spent: int, sharing: int) -> int:
    """What is left of a total: at least a billionth for each that shares it."""
    left = total.billionths - spent
    if not spent and left < sharing:
        raise BudgetError(
            f"{named('total')} is {total}, less than a billionth of ε for each of {sharing} "
            "questions; give more"
        )
    if left < sharing:
        raise BudgetError(
            f"the accuracies cost ε = {Amount(spent)} together, {named('total')} is {total}; "
            "allow larger errors, or more ε"
        )
    return left


def _shared(
    wanted: Mapping[int, Wanted], left: int, dataset: Dataset, wishes: Wishes
) -> dict[int, Planned]:
    """Plans for the questions that share what is left."""
    weighed = [Weighed(float(one.importance), None) for one in wanted.values()]
    made = {}
    for (place, one), share in zip(wanted.items(), shares_of(left, weighed), strict=True):
        with standing(one.where):
            made[place] = _at(one.question, Epsilon(share), dataset, one.wishes or wishes)
    return made
