"""Counts of all groups with noise that is drawn for them together (docs/proofs/cells.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NoReturn

import numpy as np

from discreet.joint import CellNoise
from discreet.model import LossName
from discreet.planning.releases.law import Scattering, gathered, true_places
from discreet.planning.releases.release import EMPTY_TOLD, DrawnValue, Interval, Ready, Release
from discreet.planning.subjects.priors import Floats, Places
from discreet.planning.subjects.subject import Subject, true_index
from discreet.sampling.laplace import can_be_drawn
from discreet.statistics import Counted


@dataclass(frozen=True)
class CellsRelease(Release[int]):
    """The count of every group plus its part of one noise; clamped to the range, or as it comes.

    Clamping is post-processing, and never leads farther from the truth.
    """

    subject: Subject
    noise: CellNoise
    clamped: bool

    @property
    def together(self) -> bool:
        """Yes: noise drawn for one group by itself would cost as much again."""
        return True

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.noise.certified.certificate.digest

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.noise.rate / 2)

    def sampler(self, counted: Counted) -> NoReturn:
        """None for a single group: the noise of all groups is drawn once, or paid again."""
        raise TypeError("counts that share their noise are drawn together")

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Counts that wait for one noise, which is drawn with the first of them."""
        together, told = _Together(self.noise), partial(self.told, confidence=confidence)
        return tuple(
            Ready(together.counting(place, true_index(self.subject, counted)), told)
            for place, counted in enumerate(by_group)
        )

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The noisy count, and as far as the noise of a group reaches."""
        count = min(max(output, 0), self.subject.size - 1) if self.clamped else output
        return DrawnValue(count, self._interval(count, confidence))

    @property
    def silence(self) -> Fraction | None:
        """As far as the noise of a group reaches upwards from nothing."""
        return Fraction(self._upwards(EMPTY_TOLD))

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """Less by as much as the noise of a group reaches upwards."""
        return Fraction(count - self._upwards(failure))

    def _upwards(self, failure: Fraction) -> int:
        """The noise is symmetric: what it exceeds upwards, it exceeds twice as often either way."""
        return self.noise.reach(1 - 2 * failure)

    def _interval(self, count: int, confidence: Fraction) -> Interval:
        far = self.noise.reach(confidence)
        if not self.clamped:
            return Fraction(count - far), Fraction(count + far)
        return Fraction(max(count - far, 0)), Fraction(min(count + far, self.subject.size - 1))

    def law(self, counted: Counted) -> Scattering:
        """The law of one group's noise around its count."""
        place, chances = true_index(self.subject, counted), self.noise.chances
        values = place + np.arange(1 - len(chances), len(chances))
        both = np.concatenate([chances[:0:-1], chances])
        if self.clamped:
            values = np.clip(values, 0, self.subject.size - 1)
        return gathered(values.astype(np.float64), both, float(place))

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """What the noise of one group costs, cut where the range ends."""
        below = true_places(self.subject, tables)
        if not self.clamped:
            return np.asarray(2 * self._cut(np.full(len(tables), len(self.noise.chances)), name))
        above = self.subject.size - 1 - below
        return np.asarray(self._cut(below, name) + self._cut(above, name))

    def _cut(self, most: Places, name: LossName) -> Floats:
        """The loss to one side, with so much room there."""
        chances = self.noise.chances[1:]
        far = np.minimum.outer(most, np.arange(1, len(chances) + 1))
        powers = {LossName.ABSOLUTE: 1, LossName.SQUARED: 2}
        costs = far ** powers[name] if name in powers else (far > 0)
        return np.asarray(costs @ chances, dtype=np.float64)


class _Together:
    """One noise for all groups, drawn when the first of them is told."""

    def __init__(self, noise: CellNoise) -> None:
        self._noise = noise
        self._drawn: list[int] | None = None

    def counting(self, place: int, count: int) -> Callable[[], int]:
        """What adds a group's part of the noise to its count."""
        return lambda: count + self._part(place)

    def _part(self, place: int) -> int:
        if self._drawn is None:
            self._drawn = self._noise.draw().tolist()
        return self._drawn[place]
