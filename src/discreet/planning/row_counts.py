"""How many rows a group has: a noisy count for all statistics that have no value without rows.

Ranks, modes, spreads and means of no rows do not exist, so a value is told only where a noisy count
shows that there are rows (docs/proofs/few-rows.md). A question that counts its rows anyway has its
count; otherwise one is bought, for a small share of ε, where rows are split into groups. Statistics
share a count where they are taken of the same rows: each column has gaps of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, auto
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from discreet.budget import Cost, Single, cost_to_dict
from discreet.exact import Epsilon, spendable
from discreet.joint import CellNoise
from discreet.joint.moment_laws import least
from discreet.mechanisms import GeometricMechanism
from discreet.model import Relation
from discreet.planning.releases.cells import CellsRelease
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.releases.release import DrawnRows, DrawnValue, Ready, Release
from discreet.planning.subjects.subject import Sharing, Subject, rows_apart, subject_of
from discreet.planning.wishes import Wishes
from discreet.questions import EVERY_ROW, AllOf, Condition, Item, Question, rows_taken
from discreet.statistics import Count, Counted, Moments
from discreet.tables import Dataset

ONE_IN = (20, 18, 16, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3)
"""A bought count takes one part in so many of ε: the first that is enough for likely groups."""
_MOSTLY = Fraction(6, 5)
"""Groups of so many times what noise alone may reach are told a value in most draws."""


@dataclass(frozen=True, kw_only=True)
class RowCount:
    """A noisy number of rows for every group, for the statistics that are taken of these."""

    subject: Subject
    sharing: Sharing
    epsilon: Epsilon
    """What each group's count is run at; where all share one noise, what that is run at."""
    part: int
    """The first statistic that needs it: the rows of that one are counted."""
    cells: int | None = None
    """Where a row may change its group, into how many cells all rows fall: the groups and, unless
    each of a public number of rows is in one, the rest. Their counts share one noise."""

    @classmethod
    def of(
        cls, part: int, billionths: int, question: Question, dataset: Dataset, groups: int
    ) -> "RowCount":
        """The count that so many billionths of ε buy."""
        subject = subject_of(Item(statistic=Count()), question, dataset, groups)
        sharing = Sharing.of(subject, dataset, groups, apart=rows_apart(question, dataset))
        each = sharing.epsilon_for(billionths)
        if dataset.relation != Relation.CHANGE:
            return cls(subject=subject, sharing=sharing, epsilon=each, part=part)
        taken = rows_taken(question.items[part], question, dataset)
        every = dataset.size_is_public and taken == EVERY_ROW
        return cls(
            subject=subject,
            sharing=sharing,
            epsilon=Epsilon(billionths),
            part=part,
            cells=groups if every else groups + 1,
        )

    @property
    def cost(self) -> Cost:
        """What it costs over all groups."""
        return self.sharing.cost(self.epsilon) if self.cells is None else Single.of(self.epsilon)

    @cached_property
    def release(self) -> NoiseRelease | CellsRelease:
        """Two-sided geometric noise, clamped to what is possible; or one noise for all groups."""
        if self.cells is None:
            made = GeometricMechanism.counting(self.epsilon, max(1, self.subject.steps))
            return NoiseRelease(self.subject, made.rate(), clamped=True)
        noise = CellNoise.of(
            self.cells,
            self.epsilon,
            rate=spendable(self.epsilon),
            rows_per_unit=self.sharing.times,
        )
        return CellsRelease(self.subject, noise, clamped=True)

    def ready(self, by_group: Sequence[Counted], wishes: Wishes) -> tuple[Ready, ...]:
        """A count that waits to be drawn for every group, of rows that are counted already."""
        rows = [Moments(one.rows, one.rows) for one in by_group]
        return self.release.ready_by_group(rows, wishes.confidence)

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "epsilon": str(self.epsilon),
            "cost": cost_to_dict(self.cost),
            "told_from": told_from(self.release),
        }


def counts_rows(subject: Subject, rows: Condition) -> bool:
    """Whether these very rows are counted: all of them, or those where a column is filled."""
    if not isinstance(subject.statistic, Count):
        return False
    parts = tuple(one for one in (subject.taken, subject.item.condition) if one != EVERY_ROW)
    return rows == (parts[0] if len(parts) == 1 else AllOf(parts))


def told_from(release: Release[Any]) -> int:
    """From how many rows on, about, a value is told in 95 % of draws: twice what noise reaches."""
    return 0 if release.silence is None else 2 * floor(release.silence) + 1


class Serves(IntEnum):
    """Of which groups a count lets values be told: public facts decide."""

    NONE = auto()
    LARGER = auto()
    """Of some that have more rows than if these were spread evenly."""
    LIKELY = auto()
    """Of those that have as many, in half of the draws."""
    MOSTLY = auto()
    """Of those that have as many, in about seven of ten draws."""
    WELL = auto()
    """Of those that have as many, in 95 % of draws."""


def serves(count: RowCount) -> Serves:
    """Of which groups it lets values be told."""
    subject, release = count.subject, count.release
    likely = subject.most_rows * (Fraction(1) if subject.chance is None else subject.chance)
    if told_from(release) <= likely:
        return Serves.WELL
    if not is_ever_told(release):
        return Serves.NONE
    assert release.silence is not None
    if _MOSTLY * release.silence < likely:
        return Serves.MOSTLY
    return Serves.LIKELY if release.silence < likely else Serves.LARGER


def is_ever_told(release: Release[Any]) -> bool:
    """Whether a count of as many rows as there can be shows that there are any."""
    return release.silence is None or release.silence < release.subject.most_rows


def least_epsilon(count: RowCount, billionths: int) -> Epsilon:
    """The least ε of two digits, from so much on, whose count could show that there are rows."""
    power = max(0, len(str(billionths)) - 2)
    first = 90 * power + billionths // 10**power

    def enough(further: int) -> bool:
        wanted = Fraction(_of_two_digits(first + further), billionths)
        return is_ever_told(_at(count, wanted).release)

    return Epsilon(_of_two_digits(first + least(enough)))


def _of_two_digits(place: int) -> int:
    """The whole number at a place among those of at most two digits and noughts: … 99, 100, 110."""
    power, leading = divmod(max(0, place - 10), 90)
    return int(min(place, 10 + leading) * 10**power)


def _at(count: RowCount, times: Fraction) -> RowCount:
    return replace(count, epsilon=Epsilon(int(count.epsilon.billionths * times)))


def told(value: DrawnValue, rows: DrawnRows | None) -> DrawnValue:
    """A drawn value as it is told of so many rows: not at all where there may be none."""
    if rows is not None and rows.too_few:
        return DrawnValue(None, None, rows=rows)
    return replace(value, rows=rows)
