"""Counts, sums, means and what follows from squares and products of the same rows: one noise.

Proof: docs/proofs/moments-together.md.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from discreet.exact import Epsilon
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.model import Relation
from discreet.planning.candidates.candidate import Candidate, Figures, Task, loss_name
from discreet.planning.candidates.curves import (
    Coordinates,
    Monomial,
    Setting,
    curve_by,
    fars_of,
    monomials_of,
)
from discreet.planning.candidates.moments import NAME, PROOF, loss_of, mean_by
from discreet.planning.joint.joined import Joiner, JointAnswer, JointRelease, Whole
from discreet.planning.releases.curves import CurveRelease
from discreet.planning.releases.moments import BoxedCount, BoxedMean, BoxedSum, CountNoise
from discreet.planning.releases.release import Ready, judged
from discreet.planning.releases.shared import Shared
from discreet.planning.row_counts import counts_rows
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About, Wishes
from discreet.statistics import Count, Counted, Mean, OfSums, Products, Ratio, Sum

Telling = BoxedCount | BoxedSum | BoxedMean | CurveRelease
_MOST = 10
"""At most so many sums share one noise."""


@dataclass(frozen=True)
class MomentsTogether(JointRelease):
    """One draw of all sums for every group; each statistic tells its part of it."""

    subjects: tuple[Subject, ...]
    mechanism: MomentMechanism
    coordinates: Coordinates
    tellings: tuple[Telling, ...]

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.mechanism.certificate

    @property
    def body(self) -> dict[str, Any] | None:
        """The gauge, and what it was certified for."""
        return self.mechanism.body

    @property
    def drawable(self) -> bool:
        """Whether the noise can be drawn."""
        return self.mechanism.drawable

    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """Answers that wait for one draw of all sums, each of them read from one statistic."""
        by_group = list(zip(*counted, strict=True))
        sums = [self._sums(one) for one in by_group]
        rows = [next(_rows(self.subjects, one)) for one in by_group]
        shared = Shared(partial(_drawn, self.mechanism, sums))
        return tuple(
            tuple(
                Ready(partial(_part, one, shared, place, many), told)
                for place, many in enumerate(rows)
            )
            for one in self.tellings
            for told in [partial(one.told, confidence=confidence)]
        )

    def _sums(self, counted: Sequence[Counted]) -> tuple[int, ...]:
        """The true sums of one group, in the order of the noise."""
        known: dict[Monomial, int] = {}
        for subject, one in zip(self.subjects, counted, strict=True):
            known |= _known(subject, one)
        return tuple(known[one] for one in self.coordinates.monomials)


def _rows(subjects: Sequence[Subject], counted: Sequence[Counted]) -> Iterator[int]:
    """The number of rows, from a statistic of a column."""
    for subject, one in zip(subjects, counted, strict=True):
        if not isinstance(subject.statistic, Count):
            yield one.rows


def _known(subject: Subject, counted: Counted) -> dict[Monomial, int]:
    """What the counts of one statistic say of sums; those of a count, nothing."""
    if isinstance(subject.statistic, Count):
        return {}
    fars = tuple(fars_of(subject).values())
    if isinstance(counted, Products):
        sums = counted.sums(fars)
        return {one: sums[slot] for slot, one in monomials_of(subject).items()}
    halves = 2 * counted.total - fars[0] * counted.rows
    return dict(zip(monomials_of(subject).values(), (counted.rows, halves), strict=True))


def _drawn(mechanism: MomentMechanism, sums: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    noises = mechanism.draw(len(sums))
    return [
        tuple(number + more for number, more in zip(one, noise, strict=True))
        for one, noise in zip(sums, noises, strict=True)
    ]


def _part(telling: Telling, shared: Shared[tuple[int, ...]], place: int, rows: int) -> Any:
    return telling.output(shared.part(place), rows)


def _sets(whole: Whole) -> list[tuple[int, ...]]:
    """Statistics of the same rows: all of them, those of a column, those of two."""
    if _wants_otherwise(whole.wishes):
        return []
    subjects = [task.subject for task in whole.tasks]
    of_columns = [place for place, one in enumerate(subjects) if _is_summed(one)]
    found: dict[tuple[int, ...], None] = {}
    for first in of_columns:
        taken = subjects[first].taken
        same = [place for place in of_columns if subjects[place].taken == taken]
        counts = [
            place for place, one in enumerate(subjects) if counts_rows(one, taken) and one.size > 1
        ]
        used = {name for place in same for name in fars_of(subjects[place])}
        for columns in (used, *({name} for name in used), set(fars_of(subjects[first]))):
            inside = [place for place in same if set(fars_of(subjects[place])) <= columns]
            if inside:
                found[tuple(sorted({*inside, *counts}))] = None
    return [places for places in found if len(places) > 1 and _is_small(subjects, places)]


def _is_small(subjects: Sequence[Subject], places: tuple[int, ...]) -> bool:
    return len(Coordinates.of([subjects[place] for place in places]).monomials) <= _MOST


def _wants_otherwise(wishes: Wishes) -> bool:
    """Whether answers are wished that are told in other ways."""
    return bool(
        wishes.unbiased
        or wishes.worst_case
        or wishes.requirements
        or wishes.clamp
        or wishes.remap is not None
        or wishes.about == About.POPULATION
    )


def _is_summed(subject: Subject) -> bool:
    """Whether it is worked out from sums of columns."""
    summed = isinstance(subject.statistic, Sum | Mean | OfSums) and subject.size > 1
    return summed and all(fars_of(subject).values())  # of a constant, counts tell all


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    """The gauge with the least error, weighted by importance, beside that of the first."""
    tasks = [whole.tasks[place] for place in places]
    importance = whole.wishes.importance or (Fraction(1),) * len(whole.tasks)
    coordinates = Coordinates.of([task.subject for task in tasks if _is_summed(task.subject)])
    tried = [
        (mechanism, tuple(_candidate(task, mechanism, coordinates, epsilon) for task in tasks))
        for mechanism in _setting(whole, tasks).mechanisms(coordinates, epsilon)
    ]
    losses = [[loss_of(*pair) for pair in zip(tasks, made, strict=True)] for _, made in tried]
    compared = [
        sum(
            float(importance[place]) * mine / max(first, 1e-9)
            for place, mine, first in zip(places, ours, losses[0], strict=True)
        )
        for ours in losses
    ]
    mechanism, candidates = tried[compared.index(min(compared))]
    release = MomentsTogether(
        tuple(task.subject for task in tasks),
        mechanism,
        coordinates,
        tuple(_telling(one) for one in candidates),
    )
    return JointAnswer(release, candidates)


def _telling(candidate: Candidate) -> Telling:
    release = candidate.release
    assert isinstance(release, BoxedCount | BoxedSum | BoxedMean | CurveRelease)
    return release


def _setting(whole: Whole, tasks: Sequence[Task]) -> Setting:
    of_column = next(task for task in tasks if _is_summed(task.subject))
    grouped = whole.groups > 1
    return Setting(
        relation=Relation.ADD_OR_REMOVE if grouped else of_column.subject.relation,
        rows_per_unit=whole.rows_per_unit,
        groups=whole.groups,
        cells=of_column.cells,
    )


def _candidate(
    task: Task, mechanism: MomentMechanism, coordinates: Coordinates, epsilon: Epsilon
) -> Candidate:
    """What a statistic is told by."""
    subject = task.subject
    if isinstance(subject.statistic, OfSums):
        return replace(curve_by(task, mechanism, coordinates, epsilon), name=NAME)
    if isinstance(subject.statistic, Count):
        return _noisy(task, BoxedCount(subject, CountNoise(mechanism)), epsilon)
    place = coordinates.place((subject.item.column or "",))
    assert place is not None
    if isinstance(subject.form, Ratio):
        return mean_by(task, mechanism, epsilon, place)
    return _noisy(task, BoxedSum(subject, mechanism, place), epsilon)


def _noisy(task: Task, release: BoxedCount | BoxedSum, epsilon: Epsilon) -> Candidate:
    """A count or a sum, whose noise is the same for every table."""
    started = time.perf_counter()
    name = loss_name(task.subject, task.wishes)
    return Candidate(
        name=NAME,
        title="from one noise with the others",
        citation="Hardt & Talwar 2010",
        epsilon=epsilon,
        figures=Figures(
            loss=float(judged(name, abs(release.noises)).mean()),
            expected=release.error,
            worst=release.error,
            within=float(release.reach(task.wishes.confidence)),
        ),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof=PROOF,
    )


MOMENTS_TOGETHER = Joiner(NAME, _sets, _make)
