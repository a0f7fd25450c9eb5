"""Counts by group where a person has at most one row in each, and rows in several: one noise.

Noise on each group by itself pays for all rows of a person (docs/proofs/one-row-a-group.md).
"""

import time

from discreet.joint.spread import MOST_CELLS, SpreadNoise
from discreet.planning.candidates import cells
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.reasons import OTHER_STATISTIC, Unsuitable
from discreet.statistics import Added, Count, Linear


def _why_not(task: Task) -> Unsuitable | None:
    spread, form = task.spread, task.subject.form
    plain = isinstance(form, Added) and form.steps == 1 and form.linear == Linear()
    if spread is None or spread.groups > MOST_CELLS or not plain:
        return OTHER_STATISTIC
    return cells.why_not(task)


def _make(task: Task) -> Candidate:
    started, spread = time.perf_counter(), task.spread
    assert spread is not None
    noise = SpreadNoise.of(spread.groups, task.whole, spread.relation, most_groups=spread.most)
    return cells.shared(
        task, noise, started, name="one row a group", proof="docs/proofs/one-row-a-group.md"
    )


SPREAD = Maker("one row a group", Count, _why_not, _make)
