"""Counts, shares, sums, means, and what follows from squares and products: one noise.

All of them are of the same rows.

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
    CurveSetting,
    Monomial,
    addend_of,
    curve_by,
    fars_of,
    monomials_of,
)
from discreet.planning.candidates.moments import NAME, PROOF, loss_of, mean_by
from discreet.planning.joint.joined import Joiner, JointAnswer, JointRelease, Whole
from discreet.planning.releases.curves import CurveRelease
from discreet.planning.releases.moments import BoxedCount, BoxedMean, BoxedSum, NoiseOfRows
from discreet.planning.releases.release import Ready, judged
from discreet.planning.releases.shared import Shared
from discreet.planning.row_counts import counts_rows
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About, Wishes
from discreet.questions import EVERY_ROW
from discreet.statistics import (
    Added,
    Count,
    Counted,
    Mean,
    OfSums,
    Products,
    Ratio,
    Share,
    Sum,
)

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
    def bytes(self) -> int:
        """About how much memory it takes: most of it is the law of the noise."""
        return self.mechanism.bytes

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
        rows = [next(self._adding(one))[1].rows for one in by_group]
        shared = Shared(partial(_drawn, self.mechanism, sums))
        return tuple(
            tuple(
                Ready(partial(_part, one, shared, place, many), tell)
                for place, many in enumerate(rows)
            )
            for one in self.tellings
            for tell in [partial(one.told, confidence=confidence)]
        )

    def _sums(self, counted: Sequence[Counted]) -> tuple[int, ...]:
        """The true sums of one group, in the order of the noise."""
        known: dict[Monomial, int] = {}
        for subject, one in self._adding(counted):
            known |= _known(subject, one)
        return tuple(known[one] for one in self.coordinates.monomials)

    def _adding(self, counted: Sequence[Counted]) -> Iterator[tuple[Subject, Counted]]:
        """The statistics that have sums of their own, with their counts."""
        for subject, one, telling in zip(self.subjects, counted, self.tellings, strict=True):
            if not isinstance(telling, BoxedCount):
                yield subject, one


def _known(subject: Subject, counted: Counted) -> dict[Monomial, int]:
    """What the counts of one statistic say of sums."""
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
    sets: dict[tuple[int, ...], None] = {}
    for first in of_columns:
        taken = subjects[first].taken
        same = [place for place in of_columns if subjects[place].taken == taken]
        counts = [
            place for place, one in enumerate(subjects) if counts_rows(one, taken) and one.size > 1
        ]
        meeting = [
            place for place, one in enumerate(subjects) if one.taken == taken and _counts_some(one)
        ]
        used = {name for place in same for name in fars_of(subjects[place])}
        for columns in (used, *({name} for name in used), set(fars_of(subjects[first]))):
            inside = [place for place in same if set(fars_of(subjects[place])) <= columns]
            if inside:
                sets[tuple(sorted({*inside, *counts}))] = None
                sets[tuple(sorted({*inside, *counts, *meeting}))] = None
    return [places for places in sets if len(places) > 1 and _is_small(subjects, places)]


def _is_small(subjects: Sequence[Subject], places: tuple[int, ...]) -> bool:
    return len(_coordinates([subjects[place] for place in places]).monomials) <= _MOST


def _coordinates(subjects: Sequence[Subject]) -> Coordinates:
    """All sums that are needed: a count of all their rows has none of its own."""
    taken = next(one.taken for one in subjects if _is_summed(one))
    meeting = (one for one in subjects if one.taken == taken and _counts_some(one))
    return Coordinates.of([*filter(_is_summed, subjects), *meeting])


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
    """Whether it is worked out from sums, and not from one count alone."""
    summed = isinstance(subject.statistic, Sum | Mean | OfSums) or (
        isinstance(subject.statistic, Share) and isinstance(subject.form, Ratio)
    )
    return summed and subject.size > 1 and all(fars_of(subject).values())  # a constant adds nothing


def _counts_some(subject: Subject) -> bool:
    """Whether it counts which of its rows meet a condition, as a number or as a share of all."""
    counted = isinstance(subject.statistic, Count | Share) and isinstance(subject.form, Added)
    return counted and subject.size > 1 and subject.item.condition != EVERY_ROW


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    """The gauge with the least error, weighted by importance, beside that of the first."""
    tasks = [whole.tasks[place] for place in places]
    importance = whole.wishes.importance or (Fraction(1),) * len(whole.tasks)
    coordinates = _coordinates([task.subject for task in tasks])
    tried = [
        (mechanism, tuple(_candidate(task, mechanism, coordinates, epsilon) for task in tasks))
        for mechanism in _setting(whole, tasks).mechanisms(coordinates, epsilon)
    ]
    mechanism, candidates = tried[0]
    if len(tried) > 1:
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


def _setting(whole: Whole, tasks: Sequence[Task]) -> CurveSetting:
    of_column = next(task for task in tasks if _is_summed(task.subject))
    grouped = whole.groups > 1
    return CurveSetting(
        relation=Relation.ADD_OR_REMOVE if grouped else of_column.subject.relation,
        rows_per_unit=whole.rows_per_unit,
        groups=whole.groups,
        cells=of_column.cells,
        spread=of_column.spread,
    )


def _candidate(
    task: Task, mechanism: MomentMechanism, coordinates: Coordinates, epsilon: Epsilon
) -> Candidate:
    """What a statistic is told by."""
    subject = task.subject
    if isinstance(subject.statistic, OfSums):
        return replace(curve_by(task, mechanism, coordinates, epsilon), name=NAME)
    place = coordinates.place((addend_of(subject),))
    if place is None:
        return _noisy(task, BoxedCount(subject, NoiseOfRows(mechanism)), epsilon)
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
