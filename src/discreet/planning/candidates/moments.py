"""Means of an unknown number of rows with one noise for sum and count.

Which gauge is best depends on where means lie and on what a row can do, so several are tried and
figures decide (docs/proofs/moments-together.md).
"""

import time
from dataclasses import replace
from fractions import Fraction

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.joint.moments import MomentShape, count_and_sum
from discreet.model import Relation
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.ratio import (
    figures_of_mean,
    resolution_of,
    why_no_ratio,
    without_gaps,
)
from discreet.planning.judging import verdict
from discreet.planning.releases.moments import BoxedMean
from discreet.planning.subjects.subject import Spread, Subject
from discreet.statistics import Ratio

PROOF = "docs/proofs/moments-together.md"
NAME = "sum and count together"
_NEARER_SUMS = ((1, 1), (3, 5), (3, 10))
"""p/q: the smaller, the nearer is the sum and the farther the count."""

_HOPELESS = 3
"""Of groups that are more than so many times a person's rows, each has noise of its own."""


def shapes_for(relation: Relation, far: int) -> tuple[MomentShape, ...]:
    """The gauges to try where a row can do this."""
    if relation == Relation.ADD_OR_REMOVE:
        return tuple(count_and_sum(far, alone=(0, q - p), joint=p) for p, q in _NEARER_SUMS)
    return (count_and_sum(far, alone=(1, 1), joint=0), count_and_sum(far, alone=(1, 0), joint=1))


def mean_by(task: Task, mechanism: MomentMechanism, epsilon: Epsilon, place: int = 1) -> Candidate:
    """The mean that a noise on sum and count tells, the sum's being at this place of a draw."""
    started = time.perf_counter()
    release = BoxedMean(task.subject, mechanism, Fraction(1), place)
    figures = figures_of_mean(release, task.wishes)
    release = replace(release, resolution=resolution_of(figures))
    return Candidate(
        name=NAME,
        title="sum over count, with one noise for both",
        citation="Hardt & Talwar 2010",
        epsilon=epsilon,
        figures=without_gaps(release, task.wishes, figures),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof=PROOF,
    )


def loss_of(task: Task, candidate: Candidate) -> float:
    """What candidates are compared by."""
    judged = verdict(task, candidate).candidate if task.wishes.safe else candidate
    return judged.figures.loss


def _make(task: Task) -> Candidate:
    tried = [mean_by(task, *one) for one in _mechanisms(task)]
    return min(tried, key=lambda one: loss_of(task, one))


def spread_over(
    spread: Spread | None, shape: MomentShape, epsilon: Epsilon
) -> list[MomentMechanism]:
    """One noise for all groups where a person has at most one row in each, if it can be had."""
    if spread is None or _HOPELESS * spread.most < spread.groups:
        return []
    try:
        return [MomentMechanism.spread(shape, spread.groups, epsilon, spread.relation)]
    except DesignError:
        return []


def _mechanisms(task: Task) -> list[tuple[MomentMechanism, Epsilon]]:
    far, whole = task.subject.size - 1, task.whole
    shared = spread_over(task.spread, count_and_sum(far), whole)
    return [*_by_rows(task), *((made, whole) for made in shared)]


def _by_rows(task: Task) -> list[tuple[MomentMechanism, Epsilon]]:
    """What is private for c times what a row may do."""
    subject, far = task.subject, task.subject.size - 1
    if task.cells is not None:
        groups, whole = task.sharing.groups, task.whole
        made = MomentMechanism.grouped(
            count_and_sum(far),
            groups,
            whole,
            rest=task.cells > groups,
            rows_per_unit=task.sharing.times,
        )
        return [(made, whole)]
    return [
        (MomentMechanism.of(shape, task.epsilon, subject.relation, _rows(subject)), task.epsilon)
        for shape in shapes_for(subject.relation, far)
    ]


def _rows(subject: Subject) -> int:
    """How many rows of one person count: by group, what they cost is counted elsewhere."""
    return subject.rows_per_unit


MOMENTS = Maker(NAME, Ratio, why_no_ratio, _make)
