"""How the plan of a question is made: a candidate for each statistic, and sets of them together.

Public facts alone enter: no row is looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.designer import Progress
from discreet.designer.entry import CacheLike
from discreet.errors import GoalError, QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, show
from discreet.planning.candidates.baselines import constant, warning
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import choose
from discreet.planning.grouping import Grouping, grouping_of
from discreet.planning.joint.joined import Joined, Whole
from discreet.planning.joint.registry import JOINERS
from discreet.planning.joint.weighing import Alone, better_together, cheaper_together
from discreet.planning.parts import Choice, Part
from discreet.planning.plans import Plan
from discreet.planning.releases.sums import AskedTotals
from discreet.planning.search import comes_within, smallest_epsilon
from discreet.planning.settling import (
    check_clamping,
    check_counts,
    check_importance,
    check_intervals,
    check_told,
    check_wishes,
    check_within,
    distance_of,
    imputed_by,
    settled,
)
from discreet.planning.spending import Spender, Spending
from discreet.planning.subjects.subject import (
    Sharing,
    Subject,
    cells_of,
    rows_apart,
    spread_of,
    subject_of,
)
from discreet.planning.vagueness import warned
from discreet.planning.wishes import Wishes, read_confidence
from discreet.questions import EVERY_ROW, Question
from discreet.tables import Dataset


def plan(
    question: Question,
    dataset: Dataset,
    *,
    epsilon: "EpsilonLike | None" = None,
    within: "RationalLike | None" = None,
    confidence: "RationalLike | None" = None,
    wishes: Wishes | None = None,
    cache: CacheLike = "default",
    progress: Callable[[Progress], None] | None = None,
) -> Plan:
    """The best plan for ε in all, or the cheapest one whose answers are all within a distance.

    Several statistics share ε, evenly or by their importance, and those that err less together are
    answered together; groups run in parallel (docs/proofs/groups.md).
    """
    if (epsilon is None) == (within is None):
        raise QuestionError(
            "give either epsilon or within (how far off an answer may be), not both"
        )
    wanted = Wishes() if wishes is None else wishes
    if confidence is not None:
        wanted = replace(wanted, confidence=read_confidence(confidence))
    whole = whole_of(
        question, dataset, wanted, cache=cache, progress=progress, quick=within is not None
    )
    subjects, groups = [task.subject for task in whole.tasks], whole.grouping.counted
    _check(wanted, subjects, whole.grouping, within=within is not None)
    if within is not None:
        check_within(wanted, whole.question, dataset, whole.grouping.totals)
    distance = None if within is None else distance_of(within)
    spending = _spending(whole, epsilon, distance)
    made = _plan(whole, _parts(whole, spending, distance), spending, sought=within is not None)
    check_told(
        made.releases,
        spending.rows_by,
        spending.row_counts,
        made.cost.total,
        grouped=groups > 1,
    )
    return made


def _totals(
    subject: Subject, question: Question, dataset: Dataset, grouping: Grouping
) -> AskedTotals | None:
    """What is told of the groups, where totals are."""
    if grouping.totals is None:
        return None
    every = question.where == EVERY_ROW and subject.item.condition == EVERY_ROW
    return AskedTotals(
        totals=grouping.totals,
        relation=dataset.relation,
        rows_per_unit=dataset.unit.most_rows,
        rows=dataset.most_rows if every and dataset.size_is_public else None,
    )


def whole_of(
    question: Question,
    dataset: Dataset,
    wishes: Wishes,
    *,
    cache: CacheLike = "default",
    progress: Callable[[Progress], None] | None = None,
    quick: bool = False,
) -> Whole:
    """A question with all that is public of its statistics and groups, before ε is shared."""
    question = settled(question, dataset)
    grouping = grouping_of(question, dataset)
    groups, apart = grouping.counted, rows_apart(question, dataset)
    subjects = [subject_of(item, question, dataset, groups) for item in question.items]
    return Whole(
        question=question,
        dataset=dataset,
        grouping=grouping,
        wishes=wishes,
        tasks=tuple(
            Task(
                subject,
                replace(wishes, importance=None, mechanism=_alone(wishes.mechanism)),
                Epsilon(1),
                cache=cache,
                progress=progress,
                quick=quick,
                among=sum(one.size > 1 for one in subjects) or 1,
                sharing=Sharing.of(subject, dataset, groups, apart=apart),
                spread=spread_of(subject, dataset, groups) if apart else None,
                cells=cells_of(subject, question, dataset, groups),
                totals=_totals(subject, question, dataset, grouping),
            )
            for subject in subjects
        ),
    )


def _alone(mechanism: str | None) -> str | None:
    """The mechanism that was asked for, where it answers statistics one by one."""
    return None if mechanism in {one.name for one in JOINERS} else mechanism


def _check(wishes: Wishes, subjects: list[Subject], grouping: Grouping, *, within: bool) -> None:
    """Refuse what public facts say cannot be answered."""
    groups = grouping.counted
    for subject in subjects:
        check_counts(subject, groups)
    check_wishes(wishes, subjects, groups)
    check_importance(wishes, subjects)
    check_intervals(wishes, subjects, within=within)
    check_clamping(wishes, subjects, groups, within=within)


def _spending(whole: Whole, epsilon: "EpsilonLike | None", distance: Fraction | None) -> Spending:
    """What each statistic is run at by itself, and the counts of rows that are bought."""
    spender = Spender(
        question=whole.question,
        dataset=whole.dataset,
        subjects=[task.subject for task in whole.tasks],
        sharings=[task.sharing for task in whole.tasks],
        groups=whole.grouping.counted,
        importance=whole.wishes.importance,
    )
    if distance is not None:
        return spender.besides(_least(whole, distance))
    assert epsilon is not None
    return spender.all_of(Epsilon.of(epsilon))


def _least(whole: Whole, distance: Fraction) -> list[Epsilon | None]:
    """The least ε for each statistic by itself; one of a column says where to look for others."""
    least: list[Epsilon | None] = []
    known: dict[str | None, Epsilon | None] = {}
    for task in whole.tasks:
        column = task.subject.item.column
        least.append(smallest_epsilon(task, distance, known.get(column)))
        known[column] = least[-1]
    return least


def _parts(whole: Whole, spending: Spending, distance: Fraction | None) -> tuple[Part, ...]:
    """Every statistic by itself, then those together that are better so; all can be drawn from."""
    parts = [
        replace(_part(replace(task, offered=share), each, distance), rows_by=source)
        for task, each, source, share in zip(
            whole.tasks, spending.at, spending.rows_by, spending.shares, strict=True
        )
    ]
    together = _joined(whole, parts, spending.shares, distance)
    _check_named(whole.wishes.mechanism, parts, together)
    for joined in together:
        joined.release.rehearse(whole.wishes.confidence, whole.groups)
        for place in joined.places:
            parts[place] = _together(parts[place], joined, joined.candidate(place))
    for part in parts:
        if part.joined is None:
            part.chosen.release.rehearse(whole.wishes.confidence)
    return tuple(warned(part, whole.wishes) for part in parts)


def _check_named(mechanism: str | None, parts: list[Part], together: list[Joined]) -> None:
    """Refuse a joint mechanism that was asked for and does not answer what must be paid for."""
    answered = {place for one in together for place in one.places}
    left = [place for place, part in enumerate(parts) if part.chosen.epsilon is not None]
    if mechanism is not None and _alone(mechanism) is None and not answered.issuperset(left):
        raise GoalError(
            f"mechanism {show(mechanism)} does not answer all statistics of this question from one "
            "draw; leave it out, and the plan says what is answered together"
        )


def _joined(
    whole: Whole, parts: list[Part], shares: Sequence[int | None], distance: Fraction | None
) -> list[Joined]:
    alone = {
        place: Alone(share or part.cost.total, part.chosen)
        for place, (part, share) in enumerate(zip(parts, shares, strict=True))
        if part.chosen.epsilon is not None
    }
    if len(alone) < 2:
        return []
    if distance is not None:
        return cheaper_together(whole, alone, distance)
    importance = whole.wishes.importance or (Fraction(1),) * len(parts)
    return better_together(whole, alone, importance)


def _together(part: Part, joined: Joined, chosen: Candidate) -> Part:
    """A part that is answered with others: what it would be by itself is still shown."""
    choice = replace(part.choice, candidates=(chosen, *part.choice.candidates))
    return replace(part, choice=choice, chosen=chosen, joined=joined, warning=None)


def _plan(whole: Whole, parts: tuple[Part, ...], spending: Spending, *, sought: bool) -> Plan:
    question, dataset = whole.question, whole.dataset
    every = dataset.size_is_public and question.where == EVERY_ROW
    made = Plan(
        question=question,
        wishes=whole.wishes,
        grouping=whole.grouping,
        parts=parts,
        known_total=dataset.most_rows if every else None,
        row_counts=spending.row_counts,
        sought=sought,
        imputed=imputed_by(question, dataset),
        kept_rows=None if dataset.unit.id_column is None else dataset.unit,
    )
    for count in made.row_counts:
        count.release.rehearse(whole.wishes.confidence)
    return made


def _part(task: Task, epsilon: Epsilon | None, distance: Fraction | None) -> Part:
    """The candidates for one statistic by itself."""
    choice = _choice(task, epsilon)
    chosen = choice.best if distance is None else _least_within(choice, distance)
    return Part(
        subject=task.subject,
        choice=choice,
        sharing=task.sharing,
        chosen=chosen,
        warning=warning(task.subject, chosen, task.wishes),
    )


def _choice(task: Task, epsilon: Epsilon | None) -> Choice:
    """What can be had for ε; for nothing, the constant alone."""
    if epsilon is None:
        return Choice((free := constant(task.subject, task.wishes),), free, ())
    return choose(replace(task, epsilon=epsilon))


def _least_within(choice: Choice, distance: Fraction) -> Candidate:
    """The best of those candidates that come close enough; the search has found one."""
    near = [candidate for candidate in choice.candidates if comes_within(candidate, distance)]
    return near[0] if near else choice.best
