"""Ours: the plan that anybody gets who says nothing but ε, and how far off its answers are."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.real_columns.asked import Asked, Statistic
from benchmarks.real_columns.columns import Counts
from discreet.planning import Part, Plan, plan
from discreet.questions import parse_sql
from discreet.statistics import Counted, Moments, Tally

Floats = npt.NDArray[np.float64]
CONFIDENCE = Fraction(19, 20)
DRAWS = 400
"""Answers drawn of a table where a mechanism has no law."""


@dataclass(frozen=True)
class Planned:
    """What the planner chose, and how long that took."""

    asked: Asked
    plan: Plan
    seconds: float

    @classmethod
    def of(cls, asked: Asked) -> "Planned":
        """Plan on the declared facts."""
        dataset = asked.dataset()
        started = time.process_time()
        made = plan(parse_sql(asked.sql, dataset), dataset, epsilon=asked.epsilon, cache=None)
        return cls(asked, made, time.process_time() - started)

    @property
    def part(self) -> Part:
        """The statistic that was asked for."""
        return self.plan.parts[0]

    def counted(self, counts: Counts) -> Counted:
        """The rows as the curator counts them for this part."""
        tally = Tally(counts)
        return tally if self.part.subject.needs_values else Moments(tally.rows, tally.total)

    def error(self, counts: Counts) -> float:
        """The expected error on a table, in steps; of a mode, the chance of being wrong."""
        told, chances = self.law(counts)
        return float(chances @ errors(self.asked, counts, told))

    def law(self, counts: Counts) -> tuple[Floats, Floats]:
        """What may be told, in steps from the first value, and how likely that is."""
        counted, release = self.counted(counts), self.part.chosen.release
        law = release.law(counted)
        if law is not None:
            return self._steps(law.answers, law.words), np.array(law.chances)
        waiting = release.ready(counted, CONFIDENCE)
        drawn = [waiting.draw().value for _ in range(DRAWS)]
        return self._steps(drawn, self.part.subject.labels), np.full(DRAWS, 1 / DRAWS)

    def _steps(self, told: Sequence[Any], words: object) -> Floats:
        if words is None:
            return np.array([float(one) for one in told]) - (0 if self.asked.from_zero else 1)
        place = {word: place for place, word in enumerate(self.asked.labels)}
        return np.array([float(place.get(one, one)) for one in told])


def errors(asked: Asked, counts: Counts, told: Floats) -> Floats:
    """How far off each told value is: for a mode, 1 unless it is as frequent as any."""
    if asked.statistic is Statistic.MODE:
        places = np.clip(np.rint(told).astype(int), 0, asked.values - 1)
        return (counts[places] < counts.max()).astype(float)
    return np.abs(told - truth(asked, counts))


def truth(asked: Asked, counts: Counts) -> float:
    """The true answer, in steps from the first value."""
    rows, share = int(counts.sum()), asked.statistic.share
    if share is None:
        return float(counts @ np.arange(len(counts)) / rows)
    rank = max(1, -(-share.numerator * rows // share.denominator))
    return float(np.argmax(np.cumsum(counts) >= rank))
