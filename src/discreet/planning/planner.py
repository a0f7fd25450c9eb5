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
from typing import Any

from discreet.budget import Cost, Sequential, cost_to_dict
from discreet.designer import Progress
from discreet.designer.entry import CacheLike
from discreet.errors import QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import Choice, choose
from discreet.planning.candidates.constant import constant
from discreet.planning.consistency import consistent_counts
from discreet.planning.grouping import Grouping, grouping_of
from discreet.planning.imputing import imputed_by
from discreet.planning.part import Part
from discreet.planning.promises import interval_remarks
from discreet.planning.reasons import Caution, Imputed, Note
from discreet.planning.refusals import (
    check_answers,
    check_clamping,
    check_counts,
    check_intervals,
    check_told,
    check_wishes,
    distance_of,
)
from discreet.planning.releases.release import DrawnValue, Interval, Ready, Release
from discreet.planning.row_counts import RowCount, told, told_from
from discreet.planning.search import comes_within, smallest_epsilon
from discreet.planning.second_look import warning
from discreet.planning.settling import settled
from discreet.planning.sharing import Sharing, cells_of
from discreet.planning.showing import plan_html, plan_sentence
from discreet.planning.spending import Spender
from discreet.planning.subjects.subject import subject_of
from discreet.planning.wishes import Wishes, read_confidence
from discreet.planning.words import note_text
from discreet.questions import EVERY_ROW, Question, name_text
from discreet.statistics import Count, Counted, Placed
from discreet.tables import Dataset
from discreet.text import UNCOUNTED, told_from_text


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a question will be answered."""

    question: Question
    wishes: Wishes
    grouping: Grouping
    parts: tuple[Part, ...]
    known_total: int | None
    """The number of rows over all groups, when it is public and every row is in one."""
    row_counts: tuple[RowCount, ...] = ()
    """Counts of rows that are drawn besides what was asked for."""
    imputed: tuple[Imputed, ...] = ()
    """What gaps count as, in the columns where they count."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups by name, in order; one without a name when there are none."""
        return self.grouping.names

    @property
    def cost(self) -> Cost:
        """What the whole question costs."""
        asked = (part.cost for part in self.parts)
        costs = (*asked, *(count.cost for count in self.row_counts))
        return costs[0] if len(costs) == 1 else Sequential(costs)

    @cached_property
    def releases(self) -> tuple[Release[Any], ...]:
        """What is drawn from: the question's statistics, then the counts of rows."""
        bought = (count.release for count in self.row_counts)
        return (*(part.chosen.release for part in self.parts), *bought)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What will not be worth its ε, and what its figures or its answer rest on."""
        found = [note for part in self.parts for note in (part.note, part.warning)]
        found += [
            Note(kind=Caution.IMPUTED, statistic=one.column, imputed=one) for one in self.imputed
        ]
        return tuple(note for note in found if note is not None)

    @property
    def told_from(self) -> int | None:
        """From how many rows on, about, values are told in 95 % of draws; None where always."""
        sources = {part.rows_by for part in self.parts if part.rows_by is not None}
        return max((told_from(self.releases[one]) for one in sources), default=None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What intervals cost and are about; of how many rows values are told, where not of any."""
        told = [
            remark
            for part in self.parts
            for remark in interval_remarks(part.subject, self.wishes, part.chosen)
        ]
        if self.told_from is not None:
            grouped = len(self.groups) > 1
            told.append(told_from_text(self.told_from, grouped=grouped, count=self._lacking))
        if any(self._tells_of_any_rows(part) for part in self.parts):
            told.append(UNCOUNTED)
        return tuple(dict.fromkeys(told))

    @property
    def _lacking(self) -> str | None:
        """What could be asked besides, to count the rows of values; None where it is asked."""
        if not self.row_counts:
            return None
        subject = self.parts[self.row_counts[0].part].subject
        column, every = subject.item.column, subject.taken == self.question.where
        return "COUNT(*)" if every or column is None else f"COUNT({name_text(column)})"

    def _tells_of_any_rows(self, part: Part) -> bool:
        """Whether a value is told though a condition may select no row, and nobody counts them."""
        without = isinstance(part.subject.form, Placed) and part.rows_by is None
        return without and part.chosen.epsilon is not None and self.question.where != EVERY_ROW

    def ready(self, counted: Sequence[Sequence[Counted]]) -> "ReadyPlan":
        """Everything ready to be drawn: all that depends on rows is worked out here.

        Args:
            counted: For each statistic and each group, the counts of its rows.

        Returns:
            Answers that wait to be drawn, under a charge.

        Raises:
            ValueError: The counts are those of other groups.
        """
        confidence = self.wishes.confidence
        if any(len(by_group) != len(self.groups) for by_group in counted):
            raise ValueError("the counts are those of other groups")
        asked = tuple(
            part.chosen.release.ready_by_group(by_group, confidence)
            for part, by_group in zip(self.parts, counted, strict=True)
        )
        bought = (count.ready(counted[count.part], self.wishes) for count in self.row_counts)
        return ReadyPlan(self, (*asked, *bought))

    def told(self, drawn: list[list[DrawnValue]]) -> list[list[DrawnValue]]:
        """What is told of all draws: consistent counts, and no value where there may be no rows.

        Args:
            drawn: For each statistic, then for each bought count, a value for each group.

        Returns:
            For each statistic, a value for each group.
        """
        asked = self.consistent(drawn[: len(self.parts)])
        return [
            by_group if part.rows_by is None else self._of_rows(by_group, part.rows_by, drawn)
            for part, by_group in zip(self.parts, asked, strict=True)
        ]

    def _of_rows(
        self, by_group: list[DrawnValue], source: int, drawn: list[list[DrawnValue]]
    ) -> list[DrawnValue]:
        release, confidence = self.releases[source], self.wishes.confidence
        rows = (one.rows or release.rows_from(one.value, confidence) for one in drawn[source])
        return [told(one, many) for one, many in zip(by_group, rows, strict=True)]

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
            "row_counts": [count.to_dict() for count in self.row_counts],
            "told_from": self.told_from,
            "cost": cost_to_dict(self.cost),
            "billionths": self.cost.total,
            "notes": [note_text(note) for note in self.notes],
            "remarks": list(self.remarks),
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
        facts: dict[str, Any] = {
            "question": self.question.to_dict(),
            "wishes": self.wishes.to_dict(),
            "groups": list(self.groups),
            "mechanisms": [_identity(part.chosen) for part in self.parts],
            "cost": cost_to_dict(self.cost),
        }
        if any(part.rows_by is not None for part in self.parts):
            facts["rows_by"] = [part.rows_by for part in self.parts]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class ReadyPlan:
    """A plan whose answers wait to be drawn: no row is needed any more."""

    plan: Plan
    waiting: tuple[tuple[Ready, ...], ...]

    def draw(self) -> list[list[DrawnValue]]:
        """Draw everything, once, under the charge: for each statistic, for each group."""
        return self.plan.told([[one.draw() for one in group] for group in self.waiting])


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
    grouping = grouping_of(question, dataset)
    groups = grouping.names
    check_answers(len(groups), len(question.items))
    subjects = [subject_of(item, question, dataset, len(groups)) for item in question.items]
    for subject in subjects:
        check_counts(subject, grouping.every)
    sharings = [Sharing.of(subject, dataset, len(groups)) for subject in subjects]
    check_wishes(wanted, subjects, len(groups))
    check_intervals(wanted, subjects, within=within is not None)
    check_clamping(wanted, subjects, grouping.every, within=within is not None)
    quick = within is not None
    tasks = [
        Task(
            subject,
            wanted,
            Epsilon(1),
            cache=cache,
            progress=progress,
            quick=quick,
            sharing=sharing,
            cells=cells_of(subject, question, dataset, len(groups)),
        )
        for subject, sharing in zip(subjects, sharings, strict=True)
    ]
    distance = None if within is None else distance_of(within)
    spender = Spender(
        question=question,
        dataset=dataset,
        subjects=subjects,
        sharings=sharings,
        groups=len(groups),
    )
    if distance is not None:
        spending = spender.besides([smallest_epsilon(task, distance) for task in tasks])
    else:
        assert epsilon is not None
        spending = spender.all_of(Epsilon.of(epsilon))
    parts = tuple(
        replace(_part(task, sharing, each, distance), rows_by=source)
        for task, sharing, each, source in zip(
            tasks, sharings, spending.at, spending.rows_by, strict=True
        )
    )
    every = dataset.size_is_public and question.where == EVERY_ROW
    made = Plan(
        question=question,
        wishes=wanted,
        grouping=grouping,
        parts=parts,
        known_total=dataset.most_rows if every else None,
        row_counts=spending.row_counts,
        imputed=imputed_by(question, dataset),
    )
    for count in made.row_counts:
        count.release.rehearse(wanted.confidence)
    check_told(
        made.releases,
        spending.rows_by,
        spending.row_counts,
        made.cost.total,
        grouped=len(groups) > 1,
    )
    return made


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


def _least_within(choice: Choice, distance: Fraction) -> Candidate:
    """The best of those candidates that come close enough; the search has found one."""
    near = [candidate for candidate in choice.candidates if comes_within(candidate, distance)]
    return near[0] if near else choice.best


def _with_confidence(wishes: Wishes, confidence: RationalLike) -> Wishes:
    return replace(wishes, confidence=read_confidence(confidence))


def _identity(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "title": candidate.title,
        "epsilon": None if candidate.epsilon is None else str(candidate.epsilon),
        "certificate": candidate.certificate,
    }
