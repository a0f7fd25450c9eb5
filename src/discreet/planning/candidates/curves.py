"""Variances, covariances, correlations and regression lines: one noise for all sums they need.

Which sums those are is a matter of the statistic; what one row does to each follows from the
declared values (docs/proofs/moments-together.md).
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.exact import Epsilon
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.joint.moments import MomentShape, boxed
from discreet.model import Relation
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task, loss_name
from discreet.planning.candidates.moments import PROOF, loss_of, shapes_for, spread_over
from discreet.planning.candidates.ratio import resolution_of, why_no_ratio
from discreet.planning.judging import judging_of
from discreet.planning.releases.curves import CurveRelease
from discreet.planning.releases.release import judged
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Spread, Subject
from discreet.planning.wishes import Wishes
from discreet.questions import Condition
from discreet.statistics import FromSums, OfSums, Slot

Addend: TypeAlias = str | Condition
"""What a row has a number of half steps for: a column, or a condition that it meets or not."""
Monomial: TypeAlias = tuple[Addend, ...]
"""What is summed: nothing but the rows, an addend, its square, or the product of two."""

ROWS: Monomial = ()
CURVES_NAME = "one noise on sums"
_OF_ONE = frozenset({Slot.ROWS, Slot.FIRST})


def addend_of(subject: Subject) -> Addend:
    """What a statistic of one column, or of a condition, adds up."""
    column = subject.item.column
    return subject.item.condition if column is None else column


def monomials_of(subject: Subject) -> dict[Slot, Monomial]:
    """What each slot that a statistic needs is the sum of."""
    first, second = addend_of(subject), subject.item.second or ""
    every: dict[Slot, Monomial] = {
        Slot.ROWS: ROWS,
        Slot.FIRST: (first,),
        Slot.SECOND: (second,),
        Slot.FIRST_SQUARES: (first, first),
        Slot.SECOND_SQUARES: (second, second),
        Slot.PRODUCTS: tuple(sorted((first, second), key=str)),
    }
    statistic = subject.statistic
    needed = statistic.slots if isinstance(statistic, OfSums) else _OF_ONE
    return {slot: one for slot, one in every.items() if slot in needed}


def fars_of(subject: Subject) -> dict[Addend, int]:
    """How many half steps the values of each addend lie from the middle at most."""
    if subject.column is None:
        return {addend_of(subject): subject.values - 1}
    columns = (subject.column, subject.second)
    return {one.name: one.size - 1 for one in columns if one is not None}


@dataclass(frozen=True)
class Coordinates:
    """The sums that share one noise, the number of rows first where it is not public."""

    monomials: tuple[Monomial, ...]
    fars: tuple[tuple[Addend, int], ...]

    @classmethod
    def of(cls, subjects: Sequence[Subject]) -> "Coordinates":
        """All that some statistics of the same rows need."""
        monomials = {one: None for subject in subjects for one in monomials_of(subject).values()}
        if all(subject.fixed_size for subject in subjects):
            monomials.pop(ROWS, None)
        fars = {name: far for subject in subjects for name, far in fars_of(subject).items()}
        return cls(tuple(sorted(monomials, key=_in_order)), tuple(fars.items()))

    @property
    def counted(self) -> bool:
        """Whether the number of rows has noise."""
        return ROWS in self.monomials

    @property
    def reaches(self) -> tuple[int, ...]:
        """How far one row moves each sum at most."""
        known = dict(self.fars)
        return tuple(math.prod(known[name] for name in one) for one in self.monomials)

    def place(self, monomial: Monomial) -> int | None:
        """Where the noise of a sum is in a draw."""
        return self.monomials.index(monomial) if monomial in self.monomials else None

    def shapes(self, relation: Relation) -> tuple[MomentShape, ...]:
        """The gauges to try where a row can do this."""
        if self.counted and len(self.monomials) == 2:
            return shapes_for(relation, self.reaches[1])
        alone = int(self.counted and relation == Relation.EITHER)
        return (boxed(self.reaches, counted=self.counted, alone=alone),)


def _in_order(monomial: Monomial) -> tuple[int, bool, tuple[str, ...]]:
    """The number of rows, columns by their names, conditions, and then products."""
    of_columns = all(isinstance(one, str) for one in monomial)
    return len(monomial), not of_columns, tuple(map(str, monomial))


@dataclass(frozen=True, kw_only=True)
class CurveSetting:
    """Whom the noise is for: what a row can do, how many a person has, and into which groups."""

    relation: Relation
    rows_per_unit: int
    groups: int = 1
    cells: int | None = None
    spread: Spread | None = None
    """Where a person has at most one row in each group, and rows in several."""

    def mechanisms(self, coordinates: Coordinates, epsilon: Epsilon) -> list[MomentMechanism]:
        """Every mechanism to try at ε in all."""
        return [*self.by_rows(coordinates, epsilon), *self.for_all(coordinates, epsilon)]

    def for_all(self, coordinates: Coordinates, epsilon: Epsilon) -> list[MomentMechanism]:
        """One noise for all groups, where a person has at most one row in each."""
        if not coordinates.counted:
            return []
        return spread_over(self.spread, boxed(coordinates.reaches, counted=True), epsilon)

    def by_rows(self, coordinates: Coordinates, epsilon: Epsilon) -> list[MomentMechanism]:
        """Those that are private for c times what a row may do."""
        if self.cells is not None:
            shape = boxed(coordinates.reaches, counted=True)
            rest, rows = self.cells > self.groups, self.rows_per_unit
            made = MomentMechanism.grouped(
                shape, self.groups, epsilon, rest=rest, rows_per_unit=rows
            )
            return [made]
        return [
            MomentMechanism.of(shape, epsilon, self.relation, self.rows_per_unit)
            for shape in coordinates.shapes(self.relation)
        ]


def curve_by(
    task: Task, mechanism: MomentMechanism, coordinates: Coordinates, epsilon: Epsilon
) -> Candidate:
    """What a noise on sums tells of a statistic that is worked out from them."""
    started, subject = time.perf_counter(), task.subject
    known = monomials_of(subject)
    release = CurveRelease(
        subject,
        mechanism,
        tuple(coordinates.place(known[slot]) if slot in known else None for slot in Slot),
        Fraction(1),
    )
    figures = _figures(task, release)
    return Candidate(
        name=CURVES_NAME,
        title=f"one noise on {len(coordinates.monomials)} sums",
        citation="Hardt & Talwar 2010",
        epsilon=epsilon,
        figures=figures,
        properties=(),
        seconds=time.perf_counter() - started,
        release=replace(release, resolution=resolution_of(figures)),
        proof=PROOF,
    )


def _figures(task: Task, release: CurveRelease) -> Figures:
    """The errors on imagined tables: those of the public shapes, whatever is wished."""
    subject, wishes = task.subject, task.wishes
    judging = judging_of(subject)
    errors = release.errors(judging.tables)
    losses = judged(loss_name(subject, wishes), errors).mean(axis=1)
    width = float(subject.last - subject.start)
    return Figures(
        loss=width if wishes.worst_case else float(judging.table_weights @ losses),
        expected=float(judging.table_weights @ errors.mean(axis=1)),
        worst=width,
        within=width if wishes.worst_case else _within(errors, judging.table_weights, wishes),
        supposed=not wishes.worst_case,
    )


def _within(errors: Floats, weights: Floats, wishes: Wishes) -> float:
    """How far off answers are at the confidence, over all imagined tables."""
    order = np.argsort(errors, axis=None)
    each = np.repeat(weights / errors.shape[1], errors.shape[1])[order]
    place = int(np.searchsorted(np.cumsum(each), float(wishes.confidence)))
    return float(errors.ravel()[order[min(place, len(order) - 1)]])


def _make(task: Task) -> Candidate:
    subject, epsilon = task.subject, task.epsilon
    coordinates = Coordinates.of([subject])
    rows = subject.rows_per_unit
    if task.cells is not None:
        epsilon, rows = task.whole, task.sharing.times
    setting = CurveSetting(
        relation=subject.relation,
        rows_per_unit=rows,
        groups=task.sharing.groups,
        cells=task.cells,
        spread=task.spread,
    )
    tried = [(one, epsilon) for one in setting.by_rows(coordinates, epsilon)]
    tried += [(one, task.whole) for one in setting.for_all(coordinates, task.whole)]
    made = [curve_by(task, mechanism, coordinates, cost) for mechanism, cost in tried]
    return min(made, key=lambda one: loss_of(task, one)) if len(made) > 1 else made[0]


CURVES = Maker(CURVES_NAME, FromSums, why_no_ratio, _make, plain=True)
