"""Counts by group from one noise for all, where noise on each group by itself pays more.

A row that changes leaves one group and enters another (docs/proofs/cells.md); a person may have at
most one row in each group, and rows in several (docs/proofs/one-row-a-group.md).
"""

import time

import numpy as np

from discreet.exact import spendable
from discreet.joint import CellNoise
from discreet.joint.spread import MOST_CELLS, SpreadNoise
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task
from discreet.planning.reasons import OTHER_STATISTIC, PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.cells import CellsRelease
from discreet.statistics import Added, Count, Linear


def _why_not(task: Task) -> Unsuitable | None:
    """Why one noise for all groups cannot be had."""
    if task.wishes.requirements:
        return PROPERTIES_UNKNOWN
    return None if task.wishes.safe or task.wishes.unbiased else Unsuitable(Misfit.NO_WORST_CASE)


def _make(task: Task) -> Candidate:
    started = time.perf_counter()
    assert task.cells is not None
    whole = task.whole
    rate, rows = spendable(whole), task.sharing.times
    noise = CellNoise.of(task.cells, whole, rate=rate, rows_per_unit=rows)
    return _shared(task, noise, started, name="together", proof="docs/proofs/cells.md")


def _shared(
    task: Task, noise: CellNoise | SpreadNoise, started: float, *, name: str, proof: str
) -> Candidate:
    """Counts of all groups from one noise, with their figures."""
    release = CellsRelease(task.subject, noise, clamped=not task.wishes.unbiased)
    error = min(noise.error, _worst(release))
    return Candidate(
        name=name,
        title="noise on all groups together",
        citation="Hardt & Talwar 2010",
        epsilon=task.whole,
        figures=Figures(
            loss=error,
            expected=error,
            worst=error,
            within=float(release.reach(task.wishes.confidence)),
        ),
        properties=("unbiased",) if task.wishes.unbiased else (),
        seconds=time.perf_counter() - started,
        release=release,
        proof=proof,
    )


def _worst(release: CellsRelease) -> float:
    """The error of a count in the middle of the range, where least of the noise is cut."""
    middle = np.array([(release.subject.size - 1) // 2])
    return float(release.losses_at(middle, LossName.ABSOLUTE)[0])


def _why_not_spread(task: Task) -> Unsuitable | None:
    spread, form = task.spread, task.subject.form
    plain = isinstance(form, Added) and form.steps == 1 and form.linear == Linear()
    assert spread is not None
    if spread.groups > MOST_CELLS or not plain:
        return OTHER_STATISTIC
    return _why_not(task)


def _make_spread(task: Task) -> Candidate:
    started, spread = time.perf_counter(), task.spread
    assert spread is not None
    noise = SpreadNoise.of(spread.groups, task.whole, spread.relation, most_groups=spread.most)
    return _shared(
        task, noise, started, name="one row a group", proof="docs/proofs/one-row-a-group.md"
    )


CELLS = Maker("together", Count, _why_not, _make, by_cells=True)
SPREAD = Maker("one row a group", Count, _why_not_spread, _make_spread, by_spread=True)
