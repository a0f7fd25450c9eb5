"""Means of skewed columns, clamped at a private threshold: an option (docs/proofs/clamped-mean.md).

One part in ten of ε chooses the threshold among a few places, from the largest value downwards; the
rest is for the mean of rows clamped at it. How many rows may lie above is chosen on public
shapes of tables.
"""

import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet.errors import QuestionError, named
from discreet.exact import Epsilon, spendable
from discreet.mechanisms import GeometricMechanism
from discreet.model import Grid
from discreet.planning.candidates.candidate import Candidate, Figures, Task, error_name, loss_name
from discreet.planning.candidates.ratio import RATIO_MAKER, rates
from discreet.planning.judging import Judging, judging_of
from discreet.planning.releases.clamping import ClampedRelease, Threshold
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.releases.ratio import RatioRelease
from discreet.planning.releases.release import Release
from discreet.planning.releases.thinned import lines_of
from discreet.planning.subjects.subject import Subject
from discreet.statistics import MEDIAN, Placed, Ratio, Rows

NAME = "clamped mean"
ONE_IN = 10
"""The threshold takes one part in so many of ε."""
_ABOVE = (1, 10, 40, 100)
"""How many rows may lie above the threshold, times 1/ε: these are tried."""
_HALVES = 2
"""In so many steps the thresholds are halved."""


def clamped_mean(task: Task) -> Candidate:
    """The clamped mean whose rows above the threshold cost least on the public shapes."""
    started, judging = time.perf_counter(), judging_by_value(task.subject)
    name, lines = loss_name(task.subject, task.wishes), lines_of(judging.tables)
    first = release_of(task, _ABOVE[0])
    costs = first.costs(lines, name)

    def loss_of(threshold: Threshold) -> float:
        return judging.mean((threshold.chances(lines) * costs).sum(axis=1), name)

    tried = [replace(first.threshold, above=_rows_above(task, many)) for many in _ABOVE]
    release = replace(first, threshold=min(tried, key=loss_of))
    errors = judging.losses(release, error_name(task.subject))
    width = float(task.subject.last - task.subject.start)
    return Candidate(
        name=NAME,
        title=f"noisy mean of values clamped at a private threshold, which takes {100 // ONE_IN} % "
        "of ε",
        citation="docs/proofs/clamped-mean.md",
        epsilon=task.epsilon,
        figures=Figures(
            loss=loss_of(release.threshold),
            expected=None,
            worst=width,
            within=None,
            typical=judging.typical(errors),
            worst_shape=float(judging.by_shape(errors).max()),
        ),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof="docs/proofs/clamped-mean.md",
    )


def judging_by_value(subject: Subject) -> Judging:
    """The public shapes, as tables counted value by value: those of a median."""
    item = replace(subject.item, statistic=MEDIAN)
    assert subject.grid is not None
    known = judging_of(replace(subject, item=item, form=Placed(subject.grid)))
    return replace(known, subject=subject)


def release_of(task: Task, above: int) -> ClampedRelease:
    """The threshold with so many rows above, times 1/ε, and a mean for each place that it has."""
    subject = task.subject
    first, rest = parts_of(task.epsilon)
    threshold = Threshold(
        places=places_of(subject.values),
        above=_rows_above(task, above),
        rate=spendable(first) / (2 * subject.rows_per_unit),
    )
    mean_of = partial(_mean_up_to, subject, rest, _full_ratio(task, rest))
    return ClampedRelease(
        subject=subject, threshold=threshold, means=tuple(map(mean_of, threshold.places))
    )


def _rows_above(task: Task, many: int) -> int:
    """So many rows times 1/ε, for each row of a person."""
    return math.ceil(many * task.subject.rows_per_unit / parts_of(task.epsilon)[1].value)


def parts_of(epsilon: Epsilon) -> tuple[Epsilon, Epsilon]:
    """What is for the threshold and what for the mean: together ε, to the billionth."""
    first = epsilon.billionths // ONE_IN
    if first < 1:
        raise QuestionError(f"ε = {epsilon} is too small for {named('clamp')}; spend more")
    return Epsilon(first), Epsilon(epsilon.billionths - first)


def places_of(values: int) -> tuple[int, ...]:
    """The largest index, and ever smaller ones down to 1.

    >>> places_of(12)
    (1, 2, 3, 4, 6, 8, 11)
    """
    last = values - 1
    steps = range(_HALVES * last.bit_length() + 1)
    places = np.ceil(last * 0.5 ** (np.array(steps) / _HALVES)).astype(int)
    return tuple(sorted({max(1, int(one)) for one in places}))


def _full_ratio(task: Task, epsilon: Epsilon) -> Candidate | None:
    """The plain sum over a count for all values; None where the number of rows is public."""
    if not isinstance(task.subject.form, Ratio):
        return None
    wishes = replace(task.wishes, clamp=False)
    return RATIO_MAKER.make(replace(task, epsilon=epsilon, wishes=wishes))


def _mean_up_to(
    subject: Subject, epsilon: Epsilon, full: Candidate | None, place: int
) -> Release[Any]:
    """How the mean of values up to a place is told."""
    below = up_to(subject, place)
    if full is None:
        rate = GeometricMechanism.counting(epsilon, max(1, below.steps)).rate()
        return NoiseRelease(below, rate, clamped=True)
    assert isinstance(full.release, RatioRelease)
    exact = spendable(epsilon)
    share = full.release.count_rate * subject.rows_per_unit / exact
    finest = float(full.release.resolution * place / (subject.values - 1))
    resolution = Fraction(10) ** math.floor(math.log10(finest) + 1e-9)
    return RatioRelease(below, *rates(below, exact, share), resolution)


def up_to(subject: Subject, place: int) -> Subject:
    """The same statistic of values up to a place."""
    grid = subject.grid
    assert grid is not None
    rows = Rows(
        values=Grid(grid.start, grid.step, place + 1),
        most=subject.most_rows,
        relation=subject.relation,
    )
    return replace(subject, form=subject.statistic.form(rows))
