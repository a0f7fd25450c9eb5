"""Counts by group where a row that changes leaves one group and enters another: one noise for all.

Noise on each group by itself pays for both (docs/proofs/cells.md).
"""

import time

from discreet.exact import Epsilon
from discreet.joint import CellNoise
from discreet.mechanisms.sensitivities import spendable
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task
from discreet.planning.reasons import OTHER_STATISTIC, PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.cells import CellsRelease
from discreet.statistics import Count


def _why_not(task: Task) -> Unsuitable | None:
    if task.cells is None:
        return OTHER_STATISTIC
    if task.wishes.requirements:
        return PROPERTIES_UNKNOWN
    return None if task.wishes.safe or task.wishes.unbiased else Unsuitable(Misfit.NO_WORST_CASE)


def _make(task: Task) -> Candidate:
    started = time.perf_counter()
    assert task.cells is not None
    whole = Epsilon(task.sharing.cost(task.epsilon).total)
    rate, rows = spendable(whole), task.sharing.times
    noise = CellNoise.of(task.cells, whole, rate=rate, rows_per_unit=rows)
    return Candidate(
        name="together",
        title="noise on all groups together",
        citation="Hardt & Talwar 2010",
        epsilon=whole,
        figures=Figures(
            loss=noise.error,
            expected=noise.error,
            worst=noise.error,
            within=float(noise.reach(task.wishes.confidence)),
        ),
        properties=("unbiased",) if task.wishes.unbiased else (),
        seconds=time.perf_counter() - started,
        release=CellsRelease(task.subject, noise, clamped=not task.wishes.unbiased),
        proof="docs/proofs/cells.md",
    )


CELLS = Maker("together", Count, _why_not, _make)
