"""Order statistics with an interval that holds for every table (docs/proofs/every-table.md).

Half of ε goes to the estimate, a quarter to a private bound on either side. Where the declared
range is all that can be said on one side, the other has its quarter and its share of the failures.
"""

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.errors import QuestionError, named
from discreet.exact import Epsilon
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.releases.bounds import Bound, BoundedRelease, Place, least_shift
from discreet.planning.subjects.subject import Subject
from discreet.planning.told import About, IntervalRule
from discreet.planning.wishes import Wishes
from discreet.statistics import Rank

RUNS = 33
"""Into so many runs values are cut, where rows are few; where they are many, into more."""
MORE_RUNS = 1_001
MANY_ROWS = 1_000
"""From so many rows times ε on, bounds are as fine as the values."""
PROOF = "docs/proofs/every-table.md"


def wants_bounds(task: Task) -> bool:
    """Whether an order statistic is asked for with an interval that holds for every table."""
    every = task.wishes.interval == IntervalRule.EVERY_TABLE
    return every and isinstance(task.subject.statistic, Rank)


def without_bounds(task: Task) -> Task:
    """What is left for the estimate."""
    return replace(
        task,
        epsilon=Epsilon(task.epsilon.billionths - 2 * (task.epsilon.billionths // 4)),
        wishes=replace(task.wishes, interval=IntervalRule.USUAL, about=About.TABLE),
    )


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
    found = _bounds(subject, wishes, epsilon)
    if found == (None, None):
        raise _too_small(subject, wishes, epsilon)
    return found


def rows_needed(bound: Bound) -> int:
    """From so many rows on a bound can be better than the declared end."""
    most = 1
    while bound.place.of(most) <= bound.shift:
        most *= 2
    return bisect_left(range(most), True, key=lambda rows: bound.place.of(rows) > bound.shift)


def _bounds(
    subject: Subject, wishes: Wishes, epsilon: Epsilon
) -> tuple[Bound | None, Bound | None]:
    quarter, failure = Epsilon(max(1, epsilon.billionths // 4)).value, (1 - wishes.confidence) / 2
    lower, upper = (
        _bound(subject, wishes, quarter, failure, from_above=side) for side in (False, True)
    )
    if lower is not None and upper is not None:
        return lower, upper
    alone = [
        _bound(subject, wishes, 2 * quarter, 2 * failure, from_above=side) for side in (False, True)
    ]
    if lower is not None or (upper is None and alone[0] is not None):
        return alone[0], None
    return None, alone[1]


def _bound(
    subject: Subject, wishes: Wishes, epsilon: Fraction, failure: Fraction, *, from_above: bool
) -> Bound | None:
    """A bound on one side, or None where it would be the declared end whatever the rows are."""
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
    starts = _starts(subject.size, 4 * float(rate) * subject.most_rows)
    shift = least_shift(len(starts), rate, drawing, subject.most_rows)
    if place.of(subject.most_rows) <= shift:
        return None
    return Bound(place=place, starts=starts, values=subject.size, shift=shift, rate=rate)


def _starts(values: int, rows_by_epsilon: float) -> tuple[int, ...]:
    """Where runs start: they cover every value, and are alike in length."""
    runs = min(values, RUNS if rows_by_epsilon < MANY_ROWS else MORE_RUNS)
    return tuple((np.arange(runs) * values // runs).tolist())


def _too_small(subject: Subject, wishes: Wishes, epsilon: Epsilon) -> QuestionError:
    """What to spend for an interval that says anything."""
    ladder = [digits * 10**power for power in range(5, 11) for digits in range(10, 100)]
    at = bisect_left(
        ladder, True, key=lambda least: _bounds(subject, wishes, Epsilon(least)) != (None, None)
    )
    option = named("interval", wishes.interval)
    instead = "" if at == len(ladder) else f"spend at least ε = {Epsilon(ladder[at])}, or "
    return QuestionError(
        f"ε = {epsilon} is too small for {option}: the {subject.statistic.name} of "
        f"{subject.most_rows:,} rows could lie anywhere in the declared range; {instead}"
        "leave it out"
    )
