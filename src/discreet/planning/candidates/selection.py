"""Values chosen by permute-and-flip: the closer a table is to a value, the likelier it is told.

A *distance* says for each value how far a table is from having it as its answer. One person moves
every distance by a bounded amount, so permute-and-flip may choose by it
(docs/proofs/permute-and-flip.md, docs/proofs/ranks.md); it never errs more than the exponential
mechanism. Public leanings pull the choice towards what the prior holds likely.
"""

import math
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Task,
    loss_name,
    surely_above,
)
from discreet.planning.reasons import PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.choice import ChoiceRelease, Distance, Whole, figured, rows_off
from discreet.planning.releases.release import judged
from discreet.planning.subjects.priors import Floats, beliefs
from discreet.planning.subjects.subject import Subject

Tables = Callable[[Subject, str | tuple[float, ...], int], Whole]
"""So many tables as the prior has them, a line of counts each; the same ones every time."""

MOST_VALUES = 5_001
_TABLES = 400
_CELLS = 2_000_000
_POWERS = (0, 1, 2, 4)
"""How strongly outputs that the prior holds likely are preferred: powers of it that are tried."""
_GRAIN = 1000


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """A distance with all that a candidate needs to be made from it."""

    name: str
    title: str
    citation: str
    proof: str
    distance: Distance
    tables: Tables

    def candidate(self, task: Task, rate: Fraction) -> Candidate:
        """The candidate with the leanings that err least on simulated tables."""
        started, subject = time.perf_counter(), task.subject
        known = beliefs(subject, task.wishes.supposed)
        chances = np.full(subject.size, 1.0) if not known.exact else known.weights
        logs = np.log(np.maximum(chances / chances.max(), 1e-9))
        tried = []
        for power in _POWERS if float(np.ptp(logs)) > 1e-9 else (0,):
            leanings = np.rint(_GRAIN * power * logs) / _GRAIN
            tried.append((self._figures(task, float(rate), leanings), leanings))
        figures, leanings = min(tried, key=lambda one: one[0].loss)
        exact = tuple(Fraction(round(leaning * _GRAIN), _GRAIN) for leaning in leanings)
        within = None
        if figures.within is not None:
            within = subject.unit * math.ceil(figures.within / float(subject.unit) - 1e-9)
        release = ChoiceRelease(
            subject=subject, distance=self.distance, rate=rate, leanings=exact, within=within
        )
        return Candidate(
            name=self.name,
            title=self.title,
            citation=self.citation,
            epsilon=task.epsilon,
            figures=figures,
            properties=(),
            seconds=time.perf_counter() - started,
            release=release,
            proof=self.proof,
        )

    def _figures(self, task: Task, rate: float, leanings: Floats) -> Figures:
        """Errors on simulated tables; on each the law of the output is exact."""
        subject, wishes = task.subject, task.wishes
        away, answers = _simulated(self, subject, wishes.supposed)
        chances = figured(leanings, rate, away)
        places = np.arange(subject.size)
        words = subject.labels is not None
        apart = np.abs(places[None, :] - answers[:, None])
        errors = np.asarray(apart > 0, dtype=np.float64) if words else float(subject.unit) * apart
        losses = (chances * judged(loss_name(subject, wishes), errors)).sum(axis=1)
        expected = (chances * errors).sum(axis=1)
        noise = float(losses.std() / math.sqrt(len(losses)))
        off = rows_off(subject, rate, float(np.ptp(leanings)), 1 - float(wishes.confidence))
        if words:
            return Figures(
                loss=float(losses.mean()),
                expected=float(expected.mean()),
                worst=1.0,
                within=None,
                standard_error=noise,
                supposed=True,
                rows_off=off,
            )

        def is_covered(steps: int) -> bool:
            """Whether so many steps hold the truth often enough, beyond the noise of simulation."""
            near = (chances * (apart <= steps)).sum(axis=1)
            return bool(surely_above(near) >= float(wishes.confidence))

        unit, last = float(subject.unit), subject.size - 1
        within = unit * bisect_left(range(last), True, key=is_covered)
        return Figures(
            loss=float(losses.mean()),
            expected=float(expected.mean()),
            worst=unit * last,
            within=within,
            standard_error=noise,
            supposed=True,
            rows_off=off,
        )


@lru_cache(maxsize=32)
def _simulated(
    chooser: Chooser, subject: Subject, prior: str | tuple[float, ...]
) -> tuple[Whole, Whole]:
    """Distances and true answers of simulated tables."""
    counts = chooser.tables(subject, prior, max(50, min(_TABLES, _CELLS // subject.size)))
    away = chooser.distance(subject, counts)
    rows = counts.sum(axis=1)
    return away, np.asarray(np.where(rows > 0, away.argmin(axis=1), (subject.size - 1) // 2))


def why_not(task: Task, most: int = MOST_VALUES) -> Unsuitable | None:
    """Why a choice is not possible for a task that its kind of statistic would allow."""
    if task.wishes.unbiased or task.wishes.requirements:
        return PROPERTIES_UNKNOWN
    if task.wishes.worst_case:
        return Unsuitable(Misfit.NO_WORST_CASE)
    if task.subject.size > most:
        return Unsuitable(Misfit.TOO_MANY_VALUES, size=task.subject.size, most=most)
    return None
