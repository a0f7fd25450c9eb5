"""The plan of a question: which mechanisms answer it, how well, and for how much.

A plan is made from public facts alone; it never sees a row, so that neighbouring tables have the
same plan by construction.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.budget import Cost, Sequential, cost_to_dict
from discreet.certifier import Certified
from discreet.model.gauges import GaugeNoise
from discreet.model.largest import LargestGauge
from discreet.planning.candidates.candidate import Candidate
from discreet.planning.consistency import consistent_counts
from discreet.planning.grouping import Grouping
from discreet.planning.joint.joined import Joined
from discreet.planning.origin import Origin
from discreet.planning.parts import Part
from discreet.planning.promises import counting, interval_remarks, uncounted_remark
from discreet.planning.reasons import Caution, Imputed, Note
from discreet.planning.releases.release import DrawnValue, Interval, Ready, Release
from discreet.planning.row_counts import RowCount, told, told_from
from discreet.planning.showing import plan_html, plan_sentence
from discreet.planning.wishes import About, Wishes
from discreet.planning.words import (
    SHAPES_DECIDE,
    at_once_text,
    kept_rows_text,
    note_text,
    origin_text,
    shared_text,
    together_text,
)
from discreet.questions import EVERY_ROW, Question
from discreet.statistics import Count, Counted, Placed, Rank
from discreet.tables import CLEANING, PrivacyUnit
from discreet.text import ON_SHAPES, empty_groups_text, told_from_text


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
    sought: bool = False
    """Whether ε was looked for, as the least for an accuracy."""
    imputed: tuple[Imputed, ...] = ()
    """What gaps count as, in the columns where they count."""
    kept_rows: PrivacyUnit | None = None
    """Which rows of one person count, where rows say whose they are."""
    origin: Origin | None = None
    """The stored release that it will be told from, where there is one: then nothing is drawn."""
    known: str = ""
    """How exact what will be told from there is, in words."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups by name, in order; one without a name when there are none."""
        return self.grouping.names

    @cached_property
    def joined(self) -> tuple[Joined, ...]:
        """Which statistics are answered together, each set once."""
        joined = [part.joined for part in self.parts if part.joined is not None]
        return tuple({one.places: one for one in joined}.values())

    @property
    def booked(self) -> list[dict[str, Any]]:
        """What the entry of its charge says of every draw that several answers share."""
        by_groups = [
            _booked(place, gauge, certified)
            for place, part in enumerate(self.parts)
            if part.joined is None
            for gauge, certified in part.chosen.release.gauges
        ]
        return [*by_groups, *(one.booked for one in self.joined)]

    @property
    def cost(self) -> Cost:
        """What the whole question costs: nothing, where a stored release contains it."""
        return self.cost_of_draw if self.origin is None else Sequential(())

    @property
    def cost_of_draw(self) -> Cost:
        """What it costs to draw the answer, wherever it comes from."""
        alone = (part.cost for part in self.parts if part.joined is None)
        together = (one.cost for one in self.joined)
        costs = (*alone, *together, *(count.cost for count in self.row_counts))
        return costs[0] if len(costs) == 1 else Sequential(costs)

    @cached_property
    def releases(self) -> tuple[Release[Any], ...]:
        """What is drawn from: the question's statistics, then the counts of rows."""
        bought = (count.release for count in self.row_counts)
        return (*(part.chosen.release for part in self.parts), *bought)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What will not be worth its ε, and what its figures or its answer rest on.

        What is told from a stored release costs nothing: only the latter is said of it.
        """
        drawn = self.parts if self.origin is None else ()
        notes = [note for part in drawn for note in (part.note, part.warning, part.vague)]
        notes += [
            Note(kind=Caution.IMPUTED, statistic=one.column, imputed=one) for one in self.imputed
        ]
        return tuple(note for note in notes if note is not None)

    @property
    def told_from(self) -> int | None:
        """From about how many rows on values are released in 95 % of draws; None where always."""
        sources = {part.rows_by for part in self.parts if part.rows_by is not None}
        return max((told_from(self.releases[one]) for one in sources), default=None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What intervals cost and are about, and from how many rows on values are released."""
        remarks = [
            remark
            for part in self.parts
            for remark in interval_remarks(part.subject, self.wishes, part.chosen)
        ]
        if self.told_from is not None:
            grouped = len(self.groups) > 1
            remarks.append(told_from_text(self.told_from, grouped=grouped, count=self._lacking))
            remarks += [empty_groups_text(len(self.groups))] if grouped else []
        remarks += self.uncounted
        remarks += [together_text(one, len(self.parts)) for one in self.joined]
        if self.kept_rows is not None:
            remarks.append(kept_rows_text(self.kept_rows))
        several = len(self.parts) > 1
        remarks += [
            shared_text(part.saved_by_groups, part.subject.item.label if several else None)
            for part in self.parts
            if part.shares_groups
        ]
        if self.question.view is not None and self.question.view.at_once > 1:
            remarks.append(at_once_text(self.question.view.at_once, self.wishes.confidence))
        remarks += [SHAPES_DECIDE] if self._rests_on_shapes else []
        remarks += [] if self.stored is None else [self.stored]
        return tuple(dict.fromkeys(remarks))

    @property
    def _rests_on_shapes(self) -> bool:
        """Whether ε is what hard public shapes of tables need, and the answer says of itself how
        exact it is."""
        figures = [part.chosen.figures for part in self.parts]
        supposed = any(one.rests_on == ON_SHAPES and not one.by_rows for one in figures)
        return self.sought and self.origin is None and supposed

    @cached_property
    def uncounted(self) -> tuple[str, ...]:
        """What is told though there may be no row, and what would count these."""
        many = len(self.parts)
        remarks = (
            uncounted_remark(self.question, part, self.wishes, many)
            for part in self.parts
            if self._tells_of_any_rows(part)
        )
        return tuple(dict.fromkeys(remarks))

    def _tells_of_any_rows(self, part: Part) -> bool:
        """Whether a value is told though a condition, or gaps, may leave no row, and nobody counts.

        Of gaps alone this matters where percentiles would be told.
        """
        subject, free = part.subject, part.chosen.epsilon is None
        if free or part.rows_by is not None or not isinstance(subject.form, Placed):
            return False
        if self.question.where == EVERY_ROW:
            return subject.taken != EVERY_ROW and isinstance(subject.statistic, Rank)
        return True

    @property
    def stored(self) -> str | None:
        """Where it will be read from, how exact that is and what a fresh draw would cost; None
        where it will be drawn."""
        if self.origin is None:
            return None
        return origin_text(self.origin, self.known, self.cost_of_draw.total)

    @property
    def _lacking(self) -> str | None:
        """What could be asked besides, to count the rows of values; None where it is asked."""
        if not self.row_counts:
            return None
        return counting(self.question, self.parts[self.row_counts[0].part])

    def ready(self, counted: Sequence[Sequence[Counted]]) -> "ReadyPlan":
        """Everything ready to be drawn: all that depends on rows is worked out here.

        Args:
            counted: For each statistic and each group, the counts of its rows.

        Returns:
            Answers that wait to be drawn, under a charge.

        Raises:
            ValueError: The counts are those of other groups.
        """
        confidence, groups = self.wishes.confidence, self.grouping.counted
        waiting: list[tuple[Ready, ...]] = []
        for part, by_group in zip(self.parts, counted, strict=True):
            if len(by_group) != groups:
                raise ValueError("the counts are those of other groups")
            alone = part.joined is None
            release = part.chosen.release
            waiting.append(release.ready_by_group(by_group, confidence) if alone else ())
        for one in self.joined:
            together = one.release.ready([counted[place] for place in one.places], confidence)
            for place, ready in zip(one.places, together, strict=True):
                waiting[place] = ready
        for count in self.row_counts:
            waiting.append(count.ready(counted[count.part], self.wishes))
        return ReadyPlan(self, tuple(waiting))

    def told(self, drawn: list[list[DrawnValue]]) -> list[list[DrawnValue]]:
        """What is released of all draws: consistent counts, no value where there may be no rows.

        Args:
            drawn: For each statistic, then for each bought count, a value for each group.

        Returns:
            For each statistic, a value for each group.
        """
        if self._tells_as_drawn:
            return drawn
        asked = self.consistent(drawn[: len(self.parts)])
        return [
            by_group if part.rows_by is None else self._of_rows(by_group, part.rows_by, drawn)
            for part, by_group in zip(self.parts, asked, strict=True)
        ]

    @cached_property
    def _tells_as_drawn(self) -> bool:
        """Whether nothing is mended or kept back, whatever is drawn."""
        rows = self.row_counts or any(part.rows_by is not None for part in self.parts)
        mended = self.grouping.totals is None and any(map(self.mends, self.parts))
        return not rows and not mended

    def _of_rows(
        self, by_group: list[DrawnValue], source: int, drawn: list[list[DrawnValue]]
    ) -> list[DrawnValue]:
        release, confidence = self.releases[source], self.wishes.confidence
        bought, about_table = source >= len(self.parts), self.wishes.about == About.TABLE
        rows = (
            one.rows
            or release.rows_from(
                one.value, confidence, one.interval if bought or about_table else None
            )
            for one in drawn[source]
        )
        return [told(one, many) for one, many in zip(by_group, rows, strict=True)]

    def consistent(self, drawn: list[list[DrawnValue]]) -> list[list[DrawnValue]]:
        """What was drawn, with its counts by group made consistent if that is requested.

        Args:
            drawn: For each statistic, a value for each group.

        Returns:
            The same, adjusted.
        """
        if self.grouping.totals is not None:  # whose release has made them so
            return drawn
        return [
            self._consistent(part, by_group) if self.mends(part) else by_group
            for part, by_group in zip(self.parts, drawn, strict=True)
        ]

    def mends(self, part: Part) -> bool:
        """Whether counts are adjusted after they are drawn: one may then be farther off.

        Args:
            part: A part of the plan.

        Returns:
            True where its counts are made consistent, by request or because totals are released.
        """
        if len(self.groups) < 2 or not isinstance(part.subject.statistic, Count):
            return False
        with_totals = self.grouping.totals is not None
        return not self.wishes.unbiased if with_totals else self.wishes.consistent

    def _consistent(self, part: Part, drawn: list[DrawnValue]) -> list[DrawnValue]:
        total = self.known_total if part.subject.item.condition == EVERY_ROW else None
        counts = [one.value for one in drawn if isinstance(one.value, int)]
        mended = consistent_counts(counts, total)
        return [
            DrawnValue(value, _holding(value, one.interval), drawn=one.drawn)
            for value, one in zip(mended, drawn, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "question": self.question.to_dict(),
            "wishes": self.wishes.to_dict(),
            "groups": list(self.groups),
            "parts": [part.to_dict() for part in self.parts],
            "together": [one.to_dict() for one in self.joined],
            "row_counts": [count.to_dict() for count in self.row_counts],
            "told_from": self.told_from,
            "cost": cost_to_dict(self.cost),
            "billionths": self.cost.total,
            "notes": [note_text(note) for note in self.notes],
            "remarks": list(self.remarks),
            "from": None if self.origin is None else self.origin.to_dict(),
            "digest": self.digest,
        }

    def __str__(self) -> str:
        return plan_sentence(self.to_dict())

    def _repr_html_(self) -> str:
        return plan_html(self.to_dict())

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        together = sum(one.release.bytes for one in self.joined)
        return together + sum(part.choice.bytes for part in self.parts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what will be done: the question, the mechanisms and their cost."""
        if self.origin is not None:
            return self.origin.digest(self.question)
        facts: dict[str, Any] = {
            "question": self.question.to_dict(),
            "wishes": self.wishes.to_dict(),
            "groups": list(self.groups),
            "mechanisms": [_identity(part.chosen) for part in self.parts],
            "cost": cost_to_dict(self.cost),
            "cleaning": CLEANING,
        }
        if any(part.rows_by is not None for part in self.parts):
            facts["rows_by"] = [part.rows_by for part in self.parts]
        if self.joined:
            facts["together"] = [one.places for one in self.joined]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class ReadyPlan:
    """A plan whose answers wait to be drawn: no row is needed any more."""

    plan: Plan
    waiting: tuple[tuple[Ready, ...], ...]

    def draw(self) -> list[list[DrawnValue]]:
        """Draw everything, once, under the charge: for each statistic, for each group."""
        return self.plan.told([[one.draw() for one in group] for group in self.waiting])


def _holding(value: int, interval: Interval | None) -> Interval | None:
    """An interval that holds the truth as surely, and the value too."""
    if interval is None:
        return None
    return min(interval[0], Fraction(value)), max(interval[1], Fraction(value))


def _identity(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "title": candidate.title,
        "epsilon": None if candidate.epsilon is None else str(candidate.epsilon),
        "certificate": candidate.certificate,
    }


def _booked(
    place: int, gauge: str, certified: Certified[GaugeNoise] | Certified[LargestGauge]
) -> dict[str, Any]:
    """What proves a draw private that the groups of one statistic share."""
    body: dict[str, Any] = {"gauge": gauge, **certified.mechanism.facts}
    return {
        "parts": [place],
        "epsilon": str(certified.guarantee.epsilon),
        "certificate": certified.certificate.digest,
        "body": body,
    }
