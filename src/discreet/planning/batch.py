"""Several questions planned as one: how a total is split, or what accuracies cost together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.errors import BudgetError, GoalError, named, standing
from discreet.exact import Epsilon
from discreet.planning.accuracy import Accuracy
from discreet.planning.plans import Plan
from discreet.planning.spending import Weighed, shares_of
from discreet.planning.wishes import Wishes
from discreet.questions import Question
from discreet.tables import Dataset
from discreet.text import Amount


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A question of a batch: its ε, how accurate it must be, or how much its error counts."""

    question: Question
    epsilon: Epsilon | None = None
    """What it was given of its own; None where its accuracy or its share decides."""
    accuracy: Accuracy | None = None
    """With no ε of its own either it has a share of what is left of the total."""
    importance: Fraction = Fraction(1)
    told: bool = False
    """Whether a stored answer tells it at its ε: then it takes nothing of the total."""
    where: str = ""
    """Where the question stands, for messages."""
    wishes: Wishes | None = None
    """What is wanted of its answers; None for what is wanted of all."""

    @property
    def shares(self) -> bool:
        """Whether it has a share of what is left of the total."""
        return self.epsilon is None and self.accuracy is None


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
    def repeats(self) -> tuple[int | None, ...]:
        """For each question, the place of the earlier one that it repeats."""
        return repeats([(one.digest, one.cost.total) for one in self.plans])

    @property
    def total(self) -> int:
        """What all of them cost together, in billionths of ε; a repeated question costs once."""
        asked = zip(self.plans, self.repeats, strict=True)
        return sum(one.cost.total for one, earlier in asked if earlier is None)


def repeats(plans: Sequence[tuple[str, int]]) -> tuple[int | None, ...]:
    """For each plan, by digest and cost, the place of an earlier equal one: that is paid for both.

    >>> repeats([("a", 5), ("b", 3), ("a", 5), ("c", 0), ("c", 0)])
    (None, None, 0, None, None)
    """
    firsts = [plans.index(one) if one[1] else place for place, one in enumerate(plans)]
    return tuple(None if first == place else first for place, first in enumerate(firsts))


def numbered(places: Iterable[int | None]) -> list[int | None]:
    """Places as people number questions, from 1.

    >>> numbered((None, 0))
    [None, 1]
    """
    return [None if place is None else place + 1 for place in places]


def plan_batch(
    wanted: Sequence[Wanted],
    dataset: Dataset,
    *,
    total: Epsilon | None,
    wishes: Wishes | None = None,
) -> Batch:
    """Plans for all questions: at their own ε, or at the least for those that say how accurate they
    must be.

    The others share what is left of the total so that the sum of their errors, each beside what all
    of that would make it and weighted by its importance, is least (docs/proofs/sharing.md); what
    public facts tell has no share. A question that is there twice has one plan: the most accurate
    of those that are wanted.

    Args:
        wanted: The questions.
        dataset: The declared facts; no row is looked at.
        total: What all of them may cost; None for whatever their accuracies cost.
        wishes: What is wanted of all answers.

    Returns:
        A plan for each question, in order.

    Raises:
        GoalError: Without a total, a question has neither an ε nor an accuracy.
        BudgetError: What does not share the total costs more than it.
    """
    wishes = wishes or Wishes()
    alike = _alike(wanted, wishes)
    sure = {
        first: max((_sure(one, dataset, wishes) for one in own), key=_cost)
        for first, places in alike.items()
        if (own := [wanted[at] for at in places if not wanted[at].shares])
    }
    sharing = [first for first in alike if first not in sure]
    if sharing and total is None:
        raise GoalError(
            f"{named('total')} is required, for example {named('total', 1)}; or how accurate each "
            f"answer must be, for example {named('within', '5%')}; or an ε of its own for each"
        )
    if total is not None:
        spent = sum(_cost(one) for at, one in sure.items() if not wanted[at].told)
        left = _left(total, spent, len(sharing))
        shared = {first: _counted_once([wanted[at] for at in alike[first]]) for first in sharing}
        sure |= _shared(shared, left, dataset, wishes)
    planned = {at: sure[first] for first, places in alike.items() for at in places}
    return Batch(tuple(planned[place] for place in range(len(wanted))))


def _alike(wanted: Sequence[Wanted], wishes: Wishes) -> dict[int, list[int]]:
    """The places of each question, by the first of them: the same question, the same wishes."""
    places: dict[tuple[Question, Wishes], list[int]] = {}
    for place, one in enumerate(wanted):
        places.setdefault((one.question, one.wishes or wishes), []).append(place)
    return {each[0]: each for each in places.values()}


def _counted_once(same: Sequence[Wanted]) -> Wanted:
    """One question in place of the same one several times: its error counts for all of them."""
    return replace(same[0], importance=sum((one.importance for one in same), Fraction(0)))


def _cost(planned: Planned) -> int:
    return planned.plan.cost.total


def _sure(one: Wanted, dataset: Dataset, wishes: Wishes) -> Planned:
    """The plan at its own ε, or as accurate as wished: a share of rows or of a range is priced
    first."""
    from discreet.planning.planner import plan  # noqa: PLC0415  a server reads batches, its workers
    from discreet.planning.pricing import price_of  # noqa: PLC0415  plan and price them

    accuracy, wishes = one.accuracy, one.wishes or wishes
    with standing(one.where):
        if one.epsilon is not None:
            return _at(one.question, one.epsilon, dataset, wishes)
        assert accuracy is not None
        cost = 0
        if accuracy.is_share:
            cost = price_of(one.question, dataset, accuracy, wishes).cost
        if cost:
            return _at(one.question, Epsilon(cost), dataset, wishes)
        made = plan(one.question, dataset, within=accuracy.amount, wishes=wishes)
        return Planned(plan=made, within=accuracy.amount)


def _at(question: Question, epsilon: Epsilon, dataset: Dataset, wishes: Wishes) -> Planned:
    from discreet.planning.planner import plan  # noqa: PLC0415

    return Planned(plan=plan(question, dataset, epsilon=epsilon, wishes=wishes), epsilon=epsilon)


def _left(total: Epsilon, spent: int, sharing: int) -> int:
    """What is left of a total: at least a billionth for each that shares it."""
    left = total.billionths - spent
    if not spent and left < sharing:
        raise BudgetError(
            f"{named('total')} is {total}, less than a billionth of ε for each of {sharing} "
            "questions; give more ε"
        )
    if left < sharing:
        raise BudgetError(
            f"what does not share it costs ε = {Amount(spent)}, but {named('total')} is {total}; "
            "allow larger errors, or give more ε"
        )
    return left


def short_shares(left: int, shares: Sequence[int]) -> list[int]:
    """Shares that people can read: to a thousandth of their sum or finer, and the sum is kept.

    Args:
        left: What is shared, in billionths of ε.
        shares: The shares, which sum to that.

    Returns:
        Each within a thousandth of the sum of what it was; as they were where one would be nothing.

    >>> short_shares(500_000_000, [94_488_189] * 4 + [122_047_244])
    [94500000, 94500000, 94500000, 94500000, 122000000]
    """
    unit = 10 ** max(0, len(str(left)) - 4)
    whole = [share // unit for share in shares]
    by_rest = sorted(range(len(shares)), key=lambda at: -(shares[at] % unit))
    for place in by_rest[: left // unit - sum(whole)]:
        whole[place] += 1
    if not whole or not all(whole):
        return list(shares)
    short = [unit * one for one in whole]
    short[by_rest[0]] += left - sum(short)
    return short


def _shared(
    wanted: Mapping[int, Wanted], left: int, dataset: Dataset, wishes: Wishes
) -> dict[int, Planned]:
    """Plans for the questions that share what is left, among those that cost anything."""
    weighed = [Weighed(float(one.importance), None) for one in wanted.values()]
    made = {}
    shares = short_shares(left, shares_of(left, weighed))
    for (place, one), share in zip(wanted.items(), shares, strict=True):
        with standing(one.where):
            made[place] = _at(one.question, Epsilon(share), dataset, one.wishes or wishes)
    paying = {place: one for place, one in wanted.items() if _cost(made[place])}
    if len(paying) in (0, len(wanted)):
        return made
    return made | _shared(paying, left, dataset, wishes)
