"""What questions cost at a wished accuracy, and what a budget buys: from public facts alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.errors import DesignError, QuestionError, named
from discreet.exact import Epsilon
from discreet.planning.accuracy import Accuracy
from discreet.planning.candidates.baselines import CLAMPED, TOPS
from discreet.planning.candidates.by_frequency import BY_FREQUENCY
from discreet.planning.candidates.by_rank import BY_RANK
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import choose
from discreet.planning.candidates.ratio import RATIO_MAKER
from discreet.planning.grouping import grouping_of
from discreet.planning.planner import plan
from discreet.planning.releases.ratio import MeanRelease
from discreet.planning.search import larger_text
from discreet.planning.settling import check_within, settled
from discreet.planning.spending import Spender
from discreet.planning.subjects.subject import Sharing, Subject, rows_apart, subject_of
from discreet.planning.wishes import Wishes
from discreet.questions import Question
from discreet.statistics import Placed
from discreet.tables import Dataset, DateColumn, Facts, NumberColumn, name_text
from discreet.text import ON_SHAPES, brief, if_filled_rows_text, plural, resting_text

_OF_ANY_SIZE = (BY_RANK, BY_FREQUENCY, CLAMPED, RATIO_MAKER, TOPS)
_LEAST, _MOST = 10**5, 20 * 10**9
"""Between which billionths ε is looked for."""
_START = 10**8
_LEAP = 10
_CLOSE, _GOOD = 1.1, 0.85
"""When the search ends: what fails is so close, or so much of the allowance is used."""
_FEW_GROUPS = 12


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """How far off one statistic may be: in rows for what is chosen by rank, else by its value."""

    amount: Fraction
    in_rows: bool
    rests_on: str = ""
    """What must be so for answers to be as close; empty where they are for any data."""

    @property
    def text(self) -> str:
        """The allowance in words.

        >>> [Allowance(amount=Fraction(1000), in_rows=rows).text for rows in (False, True)]
        ['± 1,000', '± 1,000 rows']
        """
        if self.in_rows:
            return f"± {plural(math.floor(self.amount), 'row')}"
        return f"± {brief(float(self.amount), 3)} {self.rests_on}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a question costs so that every answer is as accurate as wished."""

    question: Question
    cost: int
    """In billionths of ε."""
    allowed: tuple[Allowance, ...]
    """For each statistic."""


@dataclass(frozen=True)
class Worth:
    """What a budget buys of these questions."""

    prices: tuple[Price, ...]
    total: int
    """The declared budget, in billionths of ε."""
    refused: tuple[str, ...] = ()
    """Why others among them have no price, each with where it stands."""

    @property
    def needed(self) -> int:
        """What all of them cost together, once."""
        return sum(price.cost for price in self.prices)

    @property
    def times(self) -> int | None:
        """How often all of them can be asked; None where they cost nothing."""
        return self.total // self.needed if self.needed else None

    @property
    def questions(self) -> int | None:
        """About how many questions like these it buys."""
        return len(self.prices) * self.total // self.needed if self.needed else None


def price_of(question: Question, dataset: Dataset, accuracy: Accuracy, wishes: Wishes) -> Price:
    """A small ε, of two digits, at which every answer is as accurate as wished.

    Counts and sums of several groups, or several of them that may be equally far off, are priced by
    their plan, which answers them together. Other counts and means are priced by mechanisms that
    suit tables of any size and are judged at once: a plan at this ε may find a better one.

    Args:
        question: What is asked.
        dataset: The declared facts; no row is looked at.
        accuracy: How far off answers may be, with the wishes' confidence.
        wishes: What else is wanted of the answers.

    Returns:
        The price, with what the accuracy means for each statistic.

    Raises:
        DesignError: No ε up to 20 is enough.
        QuestionError: An answer is a word, and words have no distance.
    """
    question = settled(question, dataset)
    grouping = grouping_of(question, dataset)
    check_within(wishes, question, dataset, grouping.totals)
    groups = grouping.counted
    subjects = [subject_of(item, question, dataset, groups) for item in question.items]
    apart = rows_apart(question, dataset)
    sharings = [Sharing.of(subject, dataset, groups, apart=apart) for subject in subjects]
    goals = [_Goal(subject, accuracy, wishes, groups) for subject in subjects]
    distance = _distance(goals)
    several = groups > 1 or len(goals) > 1
    if distance is not None and several and not any(goal.is_ratio for goal in goals):
        return _planned(question, dataset, distance, wishes)
    runs = [_smallest(goal) if goal.subject.size > 1 else 0 for goal in goals]
    least = [sharing.factor * run for sharing, run in zip(sharings, runs, strict=True)]
    spender = Spender(
        question=question, dataset=dataset, subjects=subjects, sharings=sharings, groups=groups
    )
    return Price(
        question=question,
        cost=_two_digits(_with_counts(spender, least)) if any(least) else 0,
        allowed=tuple(goal.told(run) for goal, run in zip(goals, runs, strict=True)),
    )


def _distance(goals: Sequence["_Goal"]) -> Fraction | None:
    """How far off all answers may be, where that is one distance of values."""
    allowed = {goal.allowance for goal in goals}
    one = next(iter(allowed))
    return None if len(allowed) > 1 or one.in_rows else one.amount


def _planned(question: Question, dataset: Dataset, distance: Fraction, wishes: Wishes) -> Price:
    """What the cheapest plan costs whose answers are all within a distance."""
    made = plan(question, dataset, within=distance, wishes=wishes)
    return Price(
        question=question,
        cost=_two_digits(made.cost.total),
        allowed=tuple(
            Allowance(amount=distance, in_rows=False, rests_on=part.chosen.figures.rests_on)
            for part in made.parts
        ),
    )


def _with_counts(spender: Spender, least: Sequence[int]) -> int:
    """What all cost together where each may cost what the dearest does, with counts of rows."""
    most = max(least)
    at = [
        sharing.epsilon_for(most) if cost else None
        for sharing, cost in zip(spender.sharings, least, strict=True)
    ]
    bought = spender.besides(at).row_counts
    return most * sum(cost > 0 for cost in least) + sum(count.cost.total for count in bought)


def typical_questions(facts: Facts) -> tuple[str, ...]:
    """Questions that come to mind for these columns: a count, counts by group, a mean, a median."""
    booleans: list[str] = []
    words: list[str] = []
    numbers: list[str] = []
    dates: list[str] = []
    for column in facts.columns:
        name = name_text(column.name)
        if isinstance(column, DateColumn):
            dates.append(name)
        elif isinstance(column, NumberColumn):
            numbers.append(name)
        elif column.is_boolean:
            booleans.append(f"SELECT COUNT({name})")
        elif column.size <= _FEW_GROUPS:
            words.append(f"SELECT COUNT(*) GROUP BY {name}")
    numbers = numbers or dates
    found = [*booleans[:1], *words[:1]]
    found += [f"SELECT AVG({name})" for name in numbers[:1]]
    found += [f"SELECT MEDIAN({name})" for name in numbers[:2][-1:]]
    return tuple(found)


def worth_of(
    questions: Sequence[Question],
    dataset: Dataset,
    accuracies: Sequence[Accuracy],
    wishes: Wishes | None = None,
) -> Worth:
    """What the declared budget buys of these questions, each with its accuracy."""
    asked = zip(questions, accuracies, strict=True)
    prices = (price_of(question, dataset, one, wishes or Wishes()) for question, one in asked)
    return Worth(tuple(prices), dataset.budget.total.billionths)


@dataclass(frozen=True)
class _Goal:
    """How accurate one statistic is to be."""

    subject: Subject
    accuracy: Accuracy
    wishes: Wishes
    groups: int

    @property
    def rows(self) -> int:
        """How many rows are selected, if rows are spread evenly over what is declared."""
        chance = Fraction(1, self.groups) if self.subject.chance is None else self.subject.chance
        return max(1, round(self.subject.most_rows * chance))

    @property
    def allowance(self) -> Allowance:
        """What the accuracy means for this statistic."""
        amount, subject = self.accuracy.amount, self.subject
        if not self.accuracy.is_share:
            return Allowance(amount=amount, in_rows=False)
        if isinstance(subject.form, Placed):
            return Allowance(amount=amount * self.rows, in_rows=True)
        return Allowance(amount=amount * (subject.last - subject.start), in_rows=False)

    @property
    def is_ratio(self) -> bool:
        """Whether it is a mean of so many rows as `rows` says, and nobody knows how many."""
        return isinstance(self._candidate(Epsilon(_START)).release, MeanRelease)

    def told(self, billionths: int) -> Allowance:
        """The allowance with what it rests on at the ε that was found; at none nothing is drawn."""
        allowance = self.allowance
        if allowance.in_rows or not billionths:
            return allowance
        candidate = self._candidate(Epsilon(billionths))
        if isinstance(candidate.release, MeanRelease):
            return replace(allowance, rests_on=if_filled_rows_text(self.rows))
        return replace(allowance, rests_on=candidate.figures.rests_on)

    def excess(self, billionths: int) -> float:
        """How many times the allowance answers are off at this ε."""
        candidate = self._candidate(Epsilon(billionths))
        figures, release, allowance = candidate.figures, candidate.release, self.allowance
        if allowance.in_rows:
            assert figures.rows_off is not None
            return figures.rows_off / max(math.floor(allowance.amount), 0.5)
        if isinstance(release, MeanRelease):
            reach = release.reach(self.rows, self.wishes.confidence)
            return float(reach / allowance.amount)
        if figures.within is None:
            raise QuestionError(
                f"{self.subject.statistic.name} is a word, and words have no distance; say how "
                f"many rows may differ, as a share such as {named('within')} 5%"
            )
        return figures.within / float(allowance.amount)

    def _candidate(self, epsilon: Epsilon) -> Candidate:
        """What a plan would take, if it tells how many rows it is off; else what suits any size."""
        task = Task(self.subject, self.wishes, epsilon, quick=True)
        if isinstance(self.subject.form, Placed):
            best = choose(task).best
            if best.figures.rows_off is not None:
                return best
        for maker in _OF_ANY_SIZE:
            if maker.unsuited(task) is None:
                return maker.make(task)
        return choose(task).best


def _smallest(goal: _Goal) -> int:
    """A small ε at which the goal is met; errors shrink like 1/ε."""
    fails, works, now = _LEAST, None, _START
    while works is None or works > _CLOSE * fails:
        over = goal.excess(now)
        if over <= 1:
            works = now
        else:
            fails = now
        if _GOOD <= over <= 1 or fails >= _MOST or works == _LEAST:
            break
        top = _MOST if works is None else works
        guess = now * min(max(over, 1 / _LEAP), _LEAP)
        now = _two_digits(guess if fails < guess < top else math.sqrt(fails * top))
        if now in {works, fails}:
            break
    if works is None:
        rests_on = goal.told(_MOST).rests_on
        by_rows = "" if rests_on == ON_SHAPES else ", or ask about more rows"
        raise DesignError(
            f"no ε up to {Epsilon(_MOST)} brings {goal.subject.statistic.name} within "
            f"{goal.accuracy} ({goal.allowance.text}) {resting_text(rests_on)}; "
            f"{larger_text(rests_on)}{by_rows}"
        )
    return works


def _two_digits(billionths: float) -> int:
    """Rounded up to two digits."""
    unit: int = 10 ** max(0, len(str(math.ceil(billionths))) - 2)
    return math.ceil(billionths / unit) * unit
