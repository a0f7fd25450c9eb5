"""How answers would scatter: the law of a plan's answer on an imagined table.

The imagined table has its rows spread evenly over the declared values. No row is looked at: the
same picture belongs to every table with these public facts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.planning.candidates.ratio import RatioRelease, simulated_noise
from discreet.planning.candidates.selection import ChoiceRelease
from discreet.planning.candidates.tops import CountsRelease
from discreet.planning.planner import Part
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.release import MatrixRelease, NoiseRelease, noise_reach
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, true_index
from discreet.statistics import Counted, Moments, Tally

_OUT_OF_SIGHT = 1e-4
_MOST_KEPT = 4_000
_TRIALS = 20_000


@dataclass(frozen=True)
class Scattering:
    """The answers that might be told, in rising order, and the chance of each."""

    answers: tuple[float, ...]
    chances: tuple[float, ...]
    truth: float
    words: tuple[str, ...] | None = None
    """Instead of numbers, where answers are words; `truth` is then an index."""

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


def scattering_of(part: Part) -> Scattering | None:
    """How the chosen candidate would answer on the imagined table; None where it never varies."""
    release: Any = part.chosen.release
    law = _LAWS.get(type(release))
    return None if law is None else law(release, imagined(part.subject))


def imagined(subject: Subject) -> Counted:
    """Rows spread evenly: how many of the selected ones have each index of the column."""
    chance = Fraction(1, 2) if subject.chance is None else subject.chance
    rows = subject.most_rows if subject.fixed_size else round(subject.most_rows * chance)
    if subject.column is None:
        held = Fraction(1, 2) if subject.holds_chance is None else subject.holds_chance
        return Moments(rows, round(rows * held))
    each, more = divmod(rows, subject.values)
    first = (subject.values - more) // 2
    counts = np.full(subject.values, each, dtype=np.int64)
    counts[first : first + more] += 1
    return Tally(counts)


def _of_matrix(release: MatrixRelease, table: Counted) -> Scattering:
    return _of_column(release, release.column(table), table)


def _of_database(release: DatabaseRelease, table: Counted) -> Scattering:
    return _of_column(release, release.column(table), table)


def _of_column(release: MatrixRelease | DatabaseRelease, column: int, table: Counted) -> Scattering:
    mechanism, subject = release.certified.mechanism, release.subject
    chances = np.asarray(mechanism.column(column) / mechanism.total, dtype=np.float64)
    if subject.labels is not None:
        words = tuple(str(mechanism.outputs.value(i)) for i in range(len(mechanism.outputs)))
        places = tuple(map(float, range(len(words))))
        return Scattering(places, tuple(chances.tolist()), _truth(subject, table), words)
    kept = _in_sight(chances)
    values = np.array([float(mechanism.outputs.value(int(i))) for i in kept])
    return _gathered(values, chances[kept], _truth_value(subject, table))


def _of_noise(release: NoiseRelease, table: Counted) -> Scattering:
    subject = release.subject
    place = true_index(subject, table)
    last = subject.size - 1
    values, chances = _noisy(float(release.rate), place, last if release.clamped else None)
    unit, start = float(subject.unit), float(subject.start)
    return _gathered(start + unit * values, chances, start + unit * place)


def _of_counts(release: CountsRelease, table: Counted) -> Scattering:
    """The noise on one word's count."""
    assert isinstance(table, Tally)
    count = int(table.counts[0])
    most = release.subject.most_rows if release.clamped else None
    values, chances = _noisy(float(release.rate), count, most)
    return _gathered(values, chances, float(count))


def _noisy(rate: float, place: int, last: int | None) -> tuple[Floats, Floats]:
    """The law of a place plus two-sided geometric noise, cut to 0 … last when there is one."""
    reach = noise_reach(rate, _OUT_OF_SIGHT)
    steps = np.arange(-reach, reach + 1)
    alpha = np.exp(-rate)
    chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps)
    chances /= chances.sum()
    told = place + steps
    if last is None:
        return told.astype(np.float64), chances
    cut = np.clip(told, 0, last)
    values, where = np.unique(cut, return_inverse=True)
    return values.astype(np.float64), np.bincount(where, chances).astype(np.float64)


def _of_choice(release: ChoiceRelease, table: Counted) -> Scattering:
    subject, chances = release.subject, release.chances(table)
    if subject.labels is not None:
        places = tuple(map(float, range(subject.size)))
        return Scattering(
            places, tuple(chances.tolist()), _truth(subject, table), subject.labels.names
        )
    values = float(subject.start) + float(subject.unit) * np.arange(subject.size, dtype=np.float64)
    return _gathered(values, chances, _truth_value(subject, table))


def _of_ratio(release: RatioRelease, table: Counted) -> Scattering:
    """By trials with a fixed seed: nothing here is private, and a picture should not flicker."""
    subject, dice = release.subject, np.random.default_rng(20_200_217)
    rows = table.rows
    halves = 2 * table.total - (subject.size - 1) * rows
    noisy_rows = rows + simulated_noise(dice, float(release.count_rate), _TRIALS)
    noisy_halves = halves + simulated_noise(dice, float(release.sum_rate), _TRIALS)
    middle, unit = float(subject.start + subject.last) / 2, float(subject.unit)
    told = middle + unit / 2 * noisy_halves / np.maximum(1.0, noisy_rows)
    told = np.clip(told, float(subject.start), float(subject.last))
    truth = middle + (unit / 2 * halves / rows if rows else 0.0)
    width = max(float(release.resolution), (told.max() - told.min()) / 400, 1e-12)
    places, counts = np.unique(np.rint(told / width), return_counts=True)
    return _gathered(places * width, counts / _TRIALS, truth)


def _truth(subject: Subject, table: Counted) -> float:
    return float(true_index(subject, table))


def _truth_value(subject: Subject, table: Counted) -> float:
    return float(subject.start + subject.unit * true_index(subject, table))


def _in_sight(chances: Floats) -> npt.NDArray[np.int64]:
    """All places but the far ends that hardly ever come out."""
    below = np.cumsum(chances)
    first = int(np.searchsorted(below, _OUT_OF_SIGHT / 2))
    last = int(np.searchsorted(below, 1 - _OUT_OF_SIGHT / 2))
    return np.arange(first, min(last, len(chances) - 1) + 1)


def _gathered(values: Floats, chances: Floats, truth: float) -> Scattering:
    """As plain numbers; where they are very many, neighbours are put together."""
    together = -(-len(values) // _MOST_KEPT)
    if together > 1:
        starts = np.arange(0, len(values), together)
        values = values[np.minimum(starts + together // 2, len(values) - 1)]
        chances = np.add.reduceat(chances, starts)
    return Scattering(tuple(values.tolist()), tuple(chances.tolist()), truth)


_LAWS: dict[type, Callable[[Any, Counted], Scattering]] = {
    MatrixRelease: _of_matrix,
    DatabaseRelease: _of_database,
    NoiseRelease: _of_noise,
    CountsRelease: _of_counts,
    ChoiceRelease: _of_choice,
    RatioRelease: _of_ratio,
}
