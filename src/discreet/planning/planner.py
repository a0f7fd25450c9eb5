"""The plan of a question: which mechanisms answer it, how well, and for how much.

A plan is made from public facts alone; it never sees a row, so that neighbouring tables have the
same plan by construction.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from discreet.budget import Cost, Sequential, cost_to_dict
from discreet.designer import Progress
from discreet.designer.entry import CacheLike
from discreet.errors import GoalError, QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import Choice, choose
from discreet.planning.candidates.constant import always, constant
from discreet.planning.candidates.population import check_population
from discreet.planning.consistency import consistent_counts
from discreet.planning.reasons import Caution, Note
from discreet.planning.releases.release import DrawnValue, Interval, Ready, Value
from discreet.planning.search import comes_within, smallest_epsilon
from discreet.planning.second_look import warning
from discreet.planning.settling import settled
from discreet.planning.sharing import Sharing, group_names
from discreet.planning.showing import plan_html, plan_sentence
from discreet.planning.subjects.subject import Subject, subject_of
from discreet.planning.told import About, check_statistics
from discreet.planning.wishes import Wishes, read_confidence
from discreet.planning.words import note_text, reason_text, sense_text
from discreet.questions import EVERY_ROW, Question
from discreet.statistics import Count, Counted
from discreet.tables import Dataset

_FARTHEST = 10**15
MOST_ANSWERS = 5_000
"""How many answers one question may have: they are drawn and stored together."""


MOST_COUNTS = 1 << 25
"""How many counts of rows one statistic may need, over all groups."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One statistic of a plan: its candidates, and what the chosen one costs over all groups."""

    subject: Subject
    choice: Choice
    sharing: Sharing
    chosen: Candidate
    warning: Note | None = None
    """Set when a constant would do better for rows that are spread evenly."""

    @property
    def cost(self) -> Cost:
        """What the chosen candidate costs over all groups."""
        if self.chosen.epsilon is None:
            return Sequential(())
        return self.sharing.cost(self.chosen.epsilon)

    @property
    def note(self) -> Note | None:
        """Set when a constant does as well."""
        free, baseline = self.chosen.epsilon is None, self.choice.baseline
        if (free and self.subject.size == 1) or (not free and self.choice.beats_constant):
            return None
        better = baseline.figures.loss < 0.9 * self.chosen.figures.loss
        paid = Caution.CONSTANT_BETTER if better else Caution.CONSTANT_AS_GOOD
        return Note(
            kind=Caution.FREE if free else paid,
            statistic=self.subject.statistic.name,
            always=always(baseline),
            epsilon=self.chosen.epsilon,
            error=self.chosen.figures.within if free else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """The part as plain JSON values."""
        return {
            "statistic": self.subject.item.to_dict(),
            "label": self.subject.item.label,
            "chosen": self.chosen.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.choice.candidates],
            "constant": {
                **self.choice.baseline.to_dict(),
                "value": _plain(always(self.choice.baseline)),
            },
            "left_out": [
                {"name": name, "reason": reason_text(why)} for name, why in self.choice.left_out
            ],
            "best": None if self.choice.sense is None else sense_text(self.choice.sense),
            "cost": cost_to_dict(self.cost),
            "note": None if self.note is None else note_text(self.note),
            "warning": None if self.warning is None else note_text(self.warning),
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a question will be answered."""

    question: Question
    wishes: Wishes
    groups: tuple[str, ...]
    parts: tuple[Part, ...]
    known_total: int | None
    """The number of rows over all groups, when it is public and every row is in one."""

    @property
    def cost(self) -> Cost:
        """What the whole question costs."""
        costs = tuple(part.cost for part in self.parts)
        return costs[0] if len(costs) == 1 else Sequential(costs)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What will not be worth its ε."""
        both = [note for part in self.parts for note in (part.note, part.warning)]
        return tuple(note for note in both if note is not None)

    def ready(self, counted: Sequence[Sequence[Counted]]) -> "ReadyPlan":
        """Everything ready to be drawn: all that depends on rows is worked out here.

        Args:
            counted: For each statistic and each group, the counts of its rows.

        Returns:
            Answers that wait to be drawn, under a charge.
        """
        confidence = self.wishes.confidence
        return ReadyPlan(
            self,
            tuple(
                tuple(part.chosen.release.ready(one, confidence) for one in by_group)
                for part, by_group in zip(self.parts, counted, strict=True)
            ),
        )

    def consistent(self, drawn: list[list[DrawnValue]]) -> list[list[DrawnValue]]:
        """What was drawn, with its counts by group made consistent where that is wished.

        Args:
            drawn: For each statistic, a value for each group.

        Returns:
            The same, mended.
        """
        if not self.wishes.consistent or len(self.groups) < 2:
            return drawn
        return [
            self._consistent(part, by_group)
            for part, by_group in zip(self.parts, drawn, strict=True)
        ]

    def _consistent(self, part: Part, drawn: list[DrawnValue]) -> list[DrawnValue]:
        if not isinstance(part.subject.statistic, Count):
            return drawn
        total = self.known_total if part.subject.item.condition == EVERY_ROW else None
        counts = [one.value for one in drawn if isinstance(one.value, int)]
        mended = consistent_counts(counts, total)
        return [
            DrawnValue(value, _holding(value, one.interval))
            for value, one in zip(mended, drawn, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "question": self.question.to_dict(),
            "wishes": self.wishes.to_dict(),
            "groups": list(self.groups),
            "parts": [part.to_dict() for part in self.parts],
            "cost": cost_to_dict(self.cost),
            "billionths": self.cost.total,
            "notes": [note_text(note) for note in self.notes],
            "digest": self.digest,
        }

    def __str__(self) -> str:
        return plan_sentence(self.to_dict())

    def _repr_html_(self) -> str:
        return plan_html(self.to_dict())

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return sum(part.choice.bytes for part in self.parts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what will be done: the question, the mechanisms and their cost."""
        facts = {
            "question": self.question.to_dict(),
            "wishes": self.wishes.to_dict(),
            "groups": list(self.groups),
            "mechanisms": [_identity(part.chosen) for part in self.parts],
            "cost": cost_to_dict(self.cost),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class ReadyPlan:
    """A plan whose answers wait to be drawn: no row is needed any more."""

    plan: Plan
    waiting: tuple[tuple[Ready, ...], ...]

    def draw(self) -> list[list[DrawnValue]]:
        """Draw everything, once, under the charge: for each statistic, for each group."""
        return self.plan.consistent([[one.draw() for one in group] for group in self.waiting])


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

    Several statistics share ε evenly; groups run in parallel (docs/proofs/groups.md).
    """
    if (epsilon is None) == (within is None):
        raise QuestionError("give epsilon, or within (how far off an answer may be), not both")
    wanted = Wishes() if wishes is None else wishes
    if confidence is not None:
        wanted = _with_confidence(wanted, confidence)
    question = settled(question, dataset)
    groups = group_names(question, dataset)
    if len(groups) * len(question.items) > MOST_ANSWERS:
        raise QuestionError(
            f"{len(groups):,} groups with {len(question.items)} statistics each are too many "
            f"answers, at most {MOST_ANSWERS:,}; use wider bins: GROUP BY BIN(column, width)"
        )
    subjects = [subject_of(item, question, dataset, len(groups)) for item in question.items]
    for subject in subjects:
        _check_counts(subject, len(groups))
    sharings = [Sharing.of(subject, dataset, len(groups)) for subject in subjects]
    _check_wishes(wanted, subjects, len(groups))
    _check_intervals(wanted, subjects, within=within is not None)
    quick = within is not None
    tasks = [
        Task(subject, wanted, Epsilon(1), cache=cache, progress=progress, quick=quick)
        for subject in subjects
    ]
    distance = None if within is None else _distance(within)
    if distance is not None:
        at = [smallest_epsilon(task, distance) for task in tasks]
    else:
        assert epsilon is not None
        at = _spread(Epsilon.of(epsilon), sharings, subjects)
    parts = tuple(
        _part(task, sharing, each, distance)
        for task, sharing, each in zip(tasks, sharings, at, strict=True)
    )
    every = dataset.size_is_public and question.where == EVERY_ROW
    return Plan(
        question=question,
        wishes=wanted,
        groups=groups,
        parts=parts,
        known_total=dataset.most_rows if every else None,
    )


def _part(task: Task, sharing: Sharing, epsilon: Epsilon | None, distance: Fraction | None) -> Part:
    """The candidates for one statistic; the chosen one has shown that it can be drawn from."""
    choice = _choice(task, epsilon)
    chosen = choice.best if distance is None else _least_within(choice, distance)
    chosen.release.rehearse(task.wishes.confidence)
    return Part(
        subject=task.subject,
        choice=choice,
        sharing=sharing,
        chosen=chosen,
        warning=warning(task.subject, chosen, task.wishes),
    )


def _check_counts(subject: Subject, groups: int) -> None:
    """Refuse more counts than memory should hold: public facts decide, not how many are there."""
    if subject.needs_values and groups * subject.values > MOST_COUNTS:
        raise QuestionError(
            f"{groups:,} groups with a count for each of {subject.values:,} values are too many, "
            f"at most {MOST_COUNTS:,} counts are kept; use wider bins: GROUP BY BIN(column, width)"
        )


def _choice(task: Task, epsilon: Epsilon | None) -> Choice:
    """What can be had for ε; for nothing, the constant alone."""
    if epsilon is None:
        return Choice((free := constant(task.subject, task.wishes),), free, ())
    return choose(replace(task, epsilon=epsilon))


def _holding(value: int, interval: Interval | None) -> Interval | None:
    """An interval that holds the truth as surely, and the value too."""
    if interval is None:
        return None
    return min(interval[0], Fraction(value)), max(interval[1], Fraction(value))


def _spread(
    epsilon: Epsilon, sharings: list[Sharing], subjects: list[Subject]
) -> list[Epsilon | None]:
    """What each statistic's mechanism may be run at, all of them together for ε."""
    shares = _shares(subjects, epsilon)
    return [sharing.epsilon_for(share) for sharing, share in zip(sharings, shares, strict=True)]


def _shares(subjects: list[Subject], epsilon: Epsilon) -> list[int]:
    """An even share for every statistic that is not public anyway, in billionths: none is left."""
    paying = [subject.size > 1 for subject in subjects]
    whole, rest = divmod(epsilon.billionths, max(1, sum(paying)))
    return [whole + (place < rest) for place in accumulate(paying[:-1], initial=0)]


def _least_within(choice: Choice, distance: Fraction) -> Candidate:
    """The best of those candidates that come close enough; the search has found one."""
    near = [candidate for candidate in choice.candidates if comes_within(candidate, distance)]
    return near[0] if near else choice.best


def _distance(within: "RationalLike | None") -> Fraction:
    distance = rational(within, "within", GoalError)
    if distance > _FARTHEST:
        raise GoalError(f"within is at most {_FARTHEST:g}, got {show(within)}")
    if distance < 0:
        raise GoalError(f"within is how far off an answer may be, at least 0, got {show(within)}")
    return distance


def _with_confidence(wishes: Wishes, confidence: RationalLike) -> Wishes:
    return replace(wishes, confidence=read_confidence(confidence))


def _check_wishes(wishes: Wishes, subjects: list[Subject], groups: int) -> None:
    counts = any(isinstance(subject.statistic, Count) for subject in subjects)
    if wishes.consistent and (groups < 2 or not counts):
        raise GoalError("only counts by group are made consistent; ask for them, or leave it out")
    for prior in (wishes.prior, wishes.remap):
        if isinstance(prior, tuple) and any(subject.size != len(prior) for subject in subjects):
            sizes = sorted({subject.size for subject in subjects})
            raise GoalError(
                f"the prior has {len(prior)} numbers, the answers are "
                f"{', '.join(f'{size:,}' for size in sizes)}; give one for each possible answer"
            )


def _check_intervals(wishes: Wishes, subjects: list[Subject], *, within: bool) -> None:
    statistics = [subject.statistic for subject in subjects]
    check_statistics((wishes.interval, wishes.about), statistics, within=within)
    if wishes.about == About.POPULATION:
        for subject in subjects:
            check_population(subject)


def _identity(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "title": candidate.title,
        "epsilon": None if candidate.epsilon is None else str(candidate.epsilon),
        "certificate": candidate.certificate,
    }


def _plain(value: Value) -> Any:
    if isinstance(value, tuple):
        return [[word, count] for word, count in value]
    return value if isinstance(value, int | str) else float(value)
