"""How many rows a group has: a noisy count for all statistics that have no value without rows.

Ranks, modes, spreads and means of no rows do not exist, so a value is told only where a noisy count
shows that there are rows (docs/proofs/few-rows.md). A question that counts its rows anyway has its
count; otherwise one is bought, for a small share of ε, where rows are split into groups. Statistics
share a count where they are taken of the same rows: each column has gaps of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor
from typing import Any

from discreet.budget import Cost, cost_to_dict
from discreet.exact import Epsilon
from discreet.mechanisms import GeometricMechanism
from discreet.planning.releases.noise import NoiseRelease, reach_upwards
from discreet.planning.releases.release import EMPTY_TOLD, DrawnRows, DrawnValue, Ready, Release
from discreet.planning.sharing import Sharing
from discreet.planning.subjects.subject import Subject, subject_of
from discreet.planning.wishes import Wishes
from discreet.questions import EVERY_ROW, Item, Question
from discreet.statistics import Count, Counted, Moments, Placed, Ratio
from discreet.tables import Dataset

ONE_IN = 20
"""A bought count takes one part in so many of ε."""


@dataclass(frozen=True, kw_only=True)
class RowCount:
    """A noisy number of rows for every group, for the statistics that are taken of these."""

    subject: Subject
    sharing: Sharing
    epsilon: Epsilon
    part: int
    """The first statistic that needs it: the rows of that one are counted."""

    @classmethod
    def of(
        cls, part: int, billionths: int, question: Question, dataset: Dataset, groups: int
    ) -> "RowCount":
        """The count that so many billionths of ε buy."""
        subject = subject_of(Item(statistic=Count()), question, dataset, groups)
        sharing = Sharing.of(subject, dataset, groups)
        return cls(
            subject=subject,
            sharing=sharing,
            epsilon=sharing.epsilon_for(billionths),
            part=part,
        )

    @property
    def cost(self) -> Cost:
        """What it costs over all groups."""
        return self.sharing.cost(self.epsilon)

    @cached_property
    def release(self) -> NoiseRelease:
        """Two-sided geometric noise, clamped to what is possible."""
        made = GeometricMechanism.counting(self.epsilon, max(1, self.subject.steps))
        return NoiseRelease(self.subject, made.rate(), clamped=True)

    def ready(self, by_group: Sequence[Counted], wishes: Wishes) -> tuple[Ready, ...]:
        """A count that waits to be drawn for every group, of rows that are counted already."""
        rows = (Moments(one.rows, one.rows) for one in by_group)
        return tuple(self.release.ready(one, wishes.confidence) for one in rows)

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "epsilon": str(self.epsilon),
            "cost": cost_to_dict(self.cost),
            "told_from": told_from(self.release),
        }


def counted_by(
    subjects: Sequence[Subject], paying: Sequence[bool], groups: int
) -> tuple[list[int | None], list[int]]:
    """For each statistic, which draw counts its rows; and for which ones a count must be bought.

    Draws are numbered: the question's statistics first, then the counts that are bought. None for a
    statistic that needs no rows, or whose rows nobody counts.
    """
    found: list[int | None] = [None] * len(subjects)
    bought: list[int] = []
    for place, subject in enumerate(subjects):
        if not paying[place] or not isinstance(subject.form, Ratio | Placed):
            continue
        if groups < 2 and subject.taken == EVERY_ROW:
            continue
        at_hand = [place] if isinstance(subject.form, Ratio) else _at_hand(place, subjects, paying)
        if at_hand:
            found[place] = at_hand[0]
        elif groups > 1:
            same = [one for one in bought if subjects[one].taken == subject.taken]
            bought += [] if same else [place]
            found[place] = len(subjects) + bought.index(same[0] if same else place)
    return found, bought


def _at_hand(place: int, subjects: Sequence[Subject], paying: Sequence[bool]) -> list[int]:
    """What counts the rows of a statistic anyway: COUNT(*), else a sum over a count."""
    taken = subjects[place].taken
    paid = [
        (place, one) for place, one in enumerate(subjects) if paying[place] and one.taken == taken
    ]
    asked = [place for place, one in paid if _counts_all(one)]
    return [*asked, *(place for place, one in paid if isinstance(one.form, Ratio))]


def _counts_all(subject: Subject) -> bool:
    return isinstance(subject.statistic, Count) and subject.item.condition == EVERY_ROW


def told_from(release: Release[Any]) -> int:
    """From how many rows on, about, a value is told in 95 % of draws: twice what noise reaches."""
    return 0 if release.silence is None else 2 * floor(release.silence) + 1


def is_ever_told(release: Release[Any]) -> bool:
    """Whether a count of as many rows as there can be shows that there are any."""
    return release.silence is None or release.silence < release.subject.most_rows


def least_epsilon(release: NoiseRelease, billionths: int) -> Epsilon:
    """The least ε of two digits whose count could show that there are rows; so many do not."""
    digits = 10 ** max(0, len(str(billionths)) - 2)
    found = billionths // digits * digits
    most = release.subject.most_rows
    while reach_upwards(release.rate * found / billionths, EMPTY_TOLD) >= most:
        found += 10 ** max(0, len(str(found)) - 2)
    return Epsilon(found)


def told(value: DrawnValue, rows: DrawnRows | None) -> DrawnValue:
    """A drawn value as it is told of so many rows: not at all where there may be none."""
    if rows is not None and rows.too_few:
        return DrawnValue(None, None, rows=rows)
    return replace(value, rows=rows)
