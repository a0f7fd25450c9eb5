"""Order statistics with an interval that holds for every table (docs/proofs/every-table.md).

Half of ε goes to the estimate, a quarter to a private bound on either side. Where the declared
range is all that can be said on one side, the other has its quarter and its share of the failures.
"""

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from discreet.errors import QuestionError, named
from discreet.exact import Epsilon
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.judging import QUARTER, from_zero, judging_of
from discreet.planning.releases.bounds import Bound, BoundedRelease, Place, least_shift
from discreet.planning.releases.release import true_places
from discreet.planning.releases.thinned import by_run
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About, IntervalRule, Wishes
from discreet.statistics import Rank

RUNS = (9, 17, 33, 65, 129, 257, 513)
"""Into so many runs values may be cut: fewer are found more surely, more say more."""
MOST_RUNS = 1_001
_PARTS = 4
"""Into so many ε is cut: one for each bound, the others for the estimate."""
_GROWING = 200
"""Runs that grow from 0 start with one part in so many of the values."""
PROOF = "docs/proofs/every-table.md"


def without_bounds(task: Task) -> Task:
    """What is left for the estimate."""
    return replace(
        task,
        epsilon=Epsilon(task.epsilon.billionths - 2 * _quarter(task.epsilon)),
        wishes=replace(task.wishes, interval=IntervalRule.USUAL, about=About.TABLE),
    )


def _quarter(epsilon: Epsilon) -> int:
    """What a bound may cost, in billionths."""
    return epsilon.billionths // _PARTS


def with_bounds(task: Task, estimates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Every estimate with the same bounds beside it."""
    lower, upper = bounds_of(task.subject, task.wishes, task.epsilon)
    return tuple(_with_bounds(task, one, lower, upper) for one in estimates)


def _with_bounds(
    task: Task, estimate: Candidate, lower: Bound | None, upper: Bound | None
) -> Candidate:
    return replace(
        estimate,
        title=f"{estimate.title}, with private bounds",
        epsilon=task.epsilon,
        figures=replace(estimate.figures, within=None, rows_off=None),
        properties=(),
        release=BoundedRelease(
            subject=task.subject, within=estimate.release, lower=lower, upper=upper
        ),
        proof=PROOF,
    )


def bounds_of(
    subject: Subject, wishes: Wishes, epsilon: Epsilon
) -> tuple[Bound | None, Bound | None]:
    """The bounds below and above; None where the declared end is told, for nothing."""
    bounds = _bounds(subject, wishes, epsilon)
    if bounds == (None, None):
        raise _too_small(subject, wishes, epsilon)
    return bounds


def _bounds(
    subject: Subject, wishes: Wishes, epsilon: Epsilon
) -> tuple[Bound | None, Bound | None]:
    lower, upper = (
        min(able, key=partial(_distance, subject), default=None)
        for able in _able_on_both_sides(subject, wishes, epsilon)
    )
    return lower, upper


def _able_on_both_sides(
    subject: Subject, wishes: Wishes, epsilon: Epsilon
) -> tuple[list[Bound], list[Bound]]:
    """Bounds below and above that can say more than the declared end; none where that is told, or
    where a quarter of ε is less than a billionth: a whole one would be more than is charged."""
    if epsilon.billionths < _PARTS:
        return [], []
    quarter, failure = Epsilon(_quarter(epsilon)).value, (1 - wishes.confidence) / 2
    lower, upper = (
        _able(subject, wishes, quarter, failure, from_above=side) for side in (False, True)
    )
    if lower and upper:
        return lower, upper
    alone = [
        _able(subject, wishes, 2 * quarter, 2 * failure, from_above=side) for side in (False, True)
    ]
    return (alone[0], []) if lower or (alone[0] and not upper) else ([], alone[1])


def _able(
    subject: Subject, wishes: Wishes, epsilon: Fraction, failure: Fraction, *, from_above: bool
) -> list[Bound]:
    """Bounds on one side that are not the declared end whatever the rows are."""
    assert isinstance(subject.statistic, Rank)
    of_population = wishes.about == About.POPULATION
    drawing = failure / 2 if of_population else failure
    place = Place(
        share=subject.statistic.share,
        from_above=from_above,
        sampling=failure - drawing if of_population else None,
        public=subject.fixed_size,
    )
    rate = epsilon / subject.rows_per_unit
    cut = [_cut(subject, place, starts, rate, drawing) for starts in _layouts(subject)]
    return [bound for bound in cut if place.of(subject.most_rows) > bound.shift]


def _cut(
    subject: Subject, place: Place, starts: tuple[int, ...], rate: Fraction, failure: Fraction
) -> Bound:
    shift = least_shift(len(starts), rate, failure, subject.most_rows)
    return Bound(place=place, starts=starts, values=subject.size, shift=shift, rate=rate)


@lru_cache(maxsize=64)
def _layouts(subject: Subject) -> tuple[tuple[int, ...], ...]:
    """Where runs may start: alike in length, or growing from 0; they cover every value."""
    values = subject.size
    layouts = []
    for many in (*(runs for runs in RUNS if runs < values), min(values, MOST_RUNS)):
        layouts.append(np.arange(many) * values // many)
        if from_zero(subject) and many < values:
            growing = np.rint(np.geomspace(max(1.0, values / _GROWING), values, many)[:-1])
            layouts.append(np.unique(np.append(0, growing)).astype(np.int64))
    return tuple(tuple(starts.tolist()) for starts in layouts)


def _distance(subject: Subject, bound: Bound) -> float:
    """How far a bound lies from what it bounds: the geometric mean over the public shapes.

    By the law of the exponential mechanism, which permute-and-flip never falls behind.
    """
    judging = judging_of(subject)
    each = len(judging.tables) // len(judging.weights)
    tables = judging.tables[::each]
    apart = np.abs(bound.told[None, :] - true_places(subject, tables)[:, None])
    coins = bound.coins(by_run(tables, bound.starts))
    steps = (coins * apart).sum(axis=1) / coins.sum(axis=1)
    return float(judging.weights @ np.log(steps + QUARTER))


def _too_small(subject: Subject, wishes: Wishes, epsilon: Epsilon) -> QuestionError:
    """What to spend for an interval that says anything."""
    ladder = [digits * 10**power for power in range(5, 11) for digits in range(10, 100)]
    at = bisect_left(
        ladder, True, key=lambda least: any(_able_on_both_sides(subject, wishes, Epsilon(least)))
    )
    option = named("interval", wishes.interval)
    instead = "" if at == len(ladder) else f"spend at least ε = {Epsilon(ladder[at])}, or "
    return QuestionError(
        f"ε = {epsilon} is too small for {option}: the {subject.statistic.name} of "
        f"{subject.most_rows:,} rows could lie anywhere in the declared range; {instead}"
        "leave it out"
    )
