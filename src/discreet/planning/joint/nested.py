"""Counts of rows up to a, up to b, …: each holds all before it, so that they are running totals.

Measured are sums of the cells between them that err least over all counts, as for `CUMULATIVE`;
told are counts that never fall (docs/proofs/workloads.md).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.joint.estimates import Estimates
from discreet.joint.strategies import PlainSums
from discreet.joint.tables import INDEPENDENT
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Figures, loss_name
from discreet.planning.candidates.sums import best_sums
from discreet.planning.joint.count_releases import true_count
from discreet.planning.joint.countable import countable, counted_where
from discreet.planning.joint.joined import Joiner, JointAnswer, JointRelease, Whole
from discreet.planning.releases.release import Ready, Release
from discreet.planning.releases.sums import AskedTotals, SumsRelease
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.planning.totals import Totals
from discreet.planning.wishes import About
from discreet.questions.conditions import columns_of, patterns
from discreet.statistics import Counted, Moments

_NAME = "running totals"
_FEWEST = 8
"""Of fewer counts nothing is better than the cells between them."""
_MOST = 128


@dataclass(frozen=True, eq=False)
class NestedView(Release[Any]):
    """One of the counts: its place among them, and how far it errs."""

    subject: Subject
    sums: SumsRelease
    place: int

    def sampler(self, counted: Counted) -> NoReturn:
        """None for one count: all are measured together."""
        raise TypeError("running totals are drawn together")

    def told(self, output: Any, confidence: Fraction) -> NoReturn:
        """None for one count: what is told of it is made to fit the others."""
        raise TypeError("running totals are released together")

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """The same for every table."""
        levels = self.sums.levels
        squared = name == LossName.SQUARED
        each = levels.variances[self.place] if squared else levels.errors[self.place]
        return np.full(len(tables), each)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.sums.certificate


@dataclass(frozen=True, kw_only=True, eq=False)
class NestedTogether(JointRelease):
    """Counts that hold one another, from one measurement."""

    subjects: tuple[Subject, ...]
    sums: SumsRelease
    order: tuple[int, ...]
    """For each statistic, its place among the counts, the smallest first."""

    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """Counts that wait for one measurement of the cells between them."""
        counts = [0] * len(self.order)
        for subject, place, (one,) in zip(self.subjects, self.order, counted, strict=True):
            counts[place] = true_count(subject, one)
        cells = [max(0, one) for one in np.diff(counts, prepend=0).tolist()]
        ready = self.sums.ready_by_group([Moments(one, one) for one in cells], confidence)
        return tuple((ready[place],) for place in self.order)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.sums.certificate

    @property
    def body(self) -> dict[str, Any] | None:
        """The gauge, and what it was certified for; of several measurements, each."""
        levels = self.sums.levels
        facts = [{"gauge": one.gauge, **one.certified.mechanism.facts} for one in levels.tables]
        if isinstance(levels, Estimates):
            plain = (one.noise for one in levels.strategy.layers)
            facts += [
                {"gauge": INDEPENDENT, **one.certified.mechanism.facts}
                for one in plain
                if isinstance(one, PlainSums)
            ]
        first, *others = facts
        return {**first, "others": others} if others else first

    @property
    def drawable(self) -> bool:
        """Whether the noise can be drawn."""
        return self.sums.drawable

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return self.sums.bytes


def _sets(whole: Whole) -> list[tuple[int, ...]]:
    """Counts of conditions on the same columns, each of which holds the one before it."""
    wishes = whole.wishes
    if whole.groups > 1 or wishes.loss == LossName.ZERO_ONE or wishes.about == About.POPULATION:
        return []
    by_columns: dict[frozenset[str], list[int]] = {}
    for place in countable(whole):
        subject = whole.tasks[place].subject
        if subject.unit == 1 and subject.start == 0:
            about = frozenset(columns_of(counted_where(subject)))
            by_columns.setdefault(about, []).append(place)
    chains = [tuple(one) for one in by_columns.values() if _FEWEST <= len(one) <= _MOST]
    return [one for one in chains if _order(whole, one) is not None]


def _order(whole: Whole, places: tuple[int, ...]) -> tuple[int, ...] | None:
    """The places of counts, the smallest first; None where one does not hold another."""
    conditions = tuple(counted_where(whole.tasks[place].subject) for place in places)
    met = patterns(conditions, whole.dataset)
    if met is None:
        return None
    cells = np.array([one for one in met if any(one)], dtype=np.bool_)
    rising = np.argsort(cells.sum(axis=0), kind="stable")
    nested = cells[:, rising]
    if len(cells) != len(places) or (nested[:, :-1] > nested[:, 1:]).any():
        return None
    return tuple(np.argsort(rising).tolist())


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    started, order = time.perf_counter(), _order(whole, places)
    if order is None or whole.groups > 1:
        raise DesignError("these counts are not nested: each must include the one before it")
    tasks = [whole.tasks[place] for place in places]
    largest, many = tasks[order.index(max(order))].subject, len(places)
    asked = AskedTotals(
        totals=Totals(
            cells=many, members=tuple(tuple(range(last + 1)) for last in range(many)), running=True
        ),
        relation=whole.dataset.relation,
        rows_per_unit=whole.rows_per_unit,
        rows=None,
    )
    levels = best_sums(asked, epsilon, largest.most_rows)
    sums = SumsRelease(largest, asked, levels, whole.wishes.unbiased)
    reaches, made = levels.reaches(whole.wishes.confidence), []
    for task, place in zip(tasks, order, strict=True):
        view, error = NestedView(task.subject, sums, place), levels.errors[place]
        (loss,) = view.losses([Moments(0, 0)], loss_name(task.subject, task.wishes)).tolist()
        made.append(
            Candidate(
                name=_NAME,
                title=f"running totals, from {levels.name}",
                citation="Li, Miklau, Hay, McGregor & Rastogi 2015",
                epsilon=epsilon,
                figures=Figures(
                    loss=loss, expected=error, worst=error, within=float(reaches[place])
                ),
                properties=("unbiased",) if task.wishes.unbiased else ("consistent",),
                seconds=time.perf_counter() - started,
                release=view,
                proof="docs/proofs/workloads.md",
            )
        )
    release = NestedTogether(subjects=tuple(task.subject for task in tasks), sums=sums, order=order)
    return JointAnswer(release, tuple(made))


def _never(
    whole: Whole, places: tuple[int, ...], distance: Fraction
) -> list[tuple[tuple[int, ...], Epsilon]]:
    """No accuracy is promised of counts that are made to fit one another."""
    return []


NESTED_COUNTS = Joiner(_NAME, _sets, _make, least=_never)
"""Counts that hold one another."""
