"""Sums by group from one noise for all, where a person has at most one row in each group."""

import time

from discreet.errors import DesignError
from discreet.joint.moments import count_and_sum
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task, loss_name
from discreet.planning.candidates.moments import spread_over
from discreet.planning.reasons import OTHER_STATISTIC, PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.moments import SharedSum
from discreet.planning.releases.release import judged
from discreet.statistics import Added, Sum

_NAME = "sums with one row a group"


def _why_not(task: Task) -> Unsuitable | None:
    form = task.subject.form
    if task.spread is None or not isinstance(form, Added) or form.linear is None:
        return OTHER_STATISTIC
    if task.wishes.requirements or task.wishes.unbiased:
        return PROPERTIES_UNKNOWN
    return None if task.wishes.safe else Unsuitable(Misfit.NO_WORST_CASE)


def _make(task: Task) -> Candidate:
    started, shape = time.perf_counter(), count_and_sum(task.subject.values - 1)
    made = spread_over(task.spread, shape, task.whole)
    if not made:
        raise DesignError("one noise for all groups is not possible here, or gains nothing")
    release = SharedSum(task.subject, made[0])
    name, confidence = loss_name(task.subject, task.wishes), task.wishes.confidence
    return Candidate(
        name=_NAME,
        title="sums of all groups with one noise",
        citation="Hardt & Talwar 2010",
        epsilon=task.whole,
        figures=Figures(
            loss=float(judged(name, abs(release.noises)).mean()),
            expected=release.error,
            worst=release.error,
            within=float(release.reach(confidence)),
        ),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof="docs/proofs/one-row-a-group.md",
    )


SPREAD_SUMS = Maker(_NAME, Sum, _why_not, _make)
