"""The law of an answer: what might be told of a table, and how likely each value is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.model import LossName
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, true_index
from discreet.statistics import Counted, Ratio

OUT_OF_SIGHT = 1e-4
"""Tails rarer than this are not shown."""
_MOST_KEPT = 4_000


@dataclass(frozen=True)
class Scattering:
    """The answers that might be told, in rising order, and the chance of each."""

    answers: tuple[float, ...]
    chances: tuple[float, ...]
    truth: float
    words: tuple[str, ...] | None = None
    """Instead of numbers, where answers are words; `truth` is then an index."""

    @classmethod
    def of_words(cls, subject: Subject, chances: Floats, counted: Counted) -> "Scattering":
        """The law of a word; the truth is the index of the true one."""
        assert subject.labels is not None
        places = tuple(map(float, range(subject.size)))
        truth = float(true_index(subject, counted))
        return cls(places, tuple(chances.tolist()), truth, subject.labels.names)

    def reach(self, confidence: float) -> float:
        """The least distance from the truth that holds so much of the chance."""
        away = sorted(
            (abs(told - self.truth), chance)
            for told, chance in zip(self.answers, self.chances, strict=True)
        )
        gathered = 0.0
        for far, chance in away:
            gathered += chance
            if gathered >= confidence - 1e-9:
                return far
        return away[-1][0]

    def between(self, reach: float) -> tuple[float, float]:
        """The least and the largest answer that may be told so near to the truth."""
        near = [told for told in self.answers if abs(told - self.truth) <= reach]
        return near[0], near[-1]


def gathered(values: Floats, chances: Floats, truth: float) -> Scattering:
    """As plain numbers; where they are very many, neighbours are put together."""
    together = -(-len(values) // _MOST_KEPT)
    if together > 1:
        starts = np.arange(0, len(values), together)
        values = values[np.minimum(starts + together // 2, len(values) - 1)]
        chances = np.add.reduceat(chances, starts)
    return Scattering(tuple(values.tolist()), tuple(chances.tolist()), truth)


def in_sight(chances: Floats) -> npt.NDArray[np.int64]:
    """All places but the far ends that hardly ever come out."""
    below = np.cumsum(chances)
    first = int(np.searchsorted(below, OUT_OF_SIGHT / 2))
    last = int(np.searchsorted(below, 1 - OUT_OF_SIGHT / 2))
    return np.arange(first, min(last, len(chances) - 1) + 1)


def judged(name: LossName, errors: Floats) -> Floats:
    """What the loss of this name makes of absolute errors."""
    if name == LossName.SQUARED:
        return np.asarray(errors**2, dtype=np.float64)
    return np.asarray(errors > 0, dtype=np.float64) if name == LossName.ZERO_ONE else errors


def true_places(subject: Subject, tables: Sequence[Counted]) -> npt.NDArray[np.int64]:
    """The places of the true answers of some tables; the last few are kept."""
    return _true_places(subject, tuple(tables))


@lru_cache(maxsize=32)
def _true_places(subject: Subject, tables: tuple[Counted, ...]) -> npt.NDArray[np.int64]:
    return np.array([true_index(subject, counted) for counted in tables], dtype=np.int64)


def true_value(subject: Subject, counted: Counted) -> float:
    """The true answer of a table, in the column's units; words are numbered."""
    if isinstance(subject.form, Ratio):
        steps = counted.total / counted.rows if counted.rows else (subject.size - 1) / 2
        return float(subject.start) + float(subject.unit) * steps
    return float(subject.start + subject.unit * true_index(subject, counted))
