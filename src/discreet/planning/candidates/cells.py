"""Counts by group where a row that changes leaves one group and enters another: one noise for all.

Noise on each group by itself pays for both (docs/proofs/cells.md).
"""

import time

import numpy as np

from discreet.joint import CellNoise
from discreet.joint.spread import SpreadNoise
from discreet.mechanisms.sensitivities import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task
from discreet.planning.reasons import PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.cells import CellsRelease
from discreet.statistics import Count


def why_not(task: Task) -> Unsuitable | None:
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
    return shared(task, noise, started, name="together", proof="docs/proofs/cells.md")


def shared(
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


CELLS = Maker("together", Count, why_not, _make, by_cells=True)
