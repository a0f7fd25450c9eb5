"""Counts with symmetric noise that several of them share: what is told of one, and how far it errs.

The noise is drawn elsewhere, for all of them at once (docs/proofs/cells.md, counts-together.md).
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, Protocol

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.noise import NoisyRelease, in_loss_units
from discreet.planning.releases.release import (
    Scattering,
    gathered,
    true_places,
)
from discreet.planning.subjects.priors import Floats, Places
from discreet.planning.subjects.subject import Subject, true_index
from discreet.statistics import Counted

_POWERS = {LossName.ABSOLUTE: 1, LossName.SQUARED: 2, LossName.ZERO_ONE: 0}


class Symmetric(Protocol):
    """What is known of the noise of one count: as likely above as below."""

    @property
    def error(self) -> float:
        """Its mean absolute value."""

    @property
    def chances(self) -> Floats:
        """P(z = 0), P(z = 1), …, for figures."""

    def reach(self, confidence: Fraction) -> int:
        """A t with P(|z| ≤ t) at least the confidence."""


@dataclass(frozen=True)
class SymmetricRelease(NoisyRelease):
    """A count, or a share that is one, plus its part of a noise; clamped to the range, or not."""

    subject: Subject
    noise: Symmetric
    clamped: bool

    @property
    @abstractmethod
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""

    def sampler(self, counted: Counted) -> NoReturn:
        """None for one count: the noise of all is drawn once, or paid again."""
        raise TypeError("counts that share their noise are drawn together")

    def farthest(self, confidence: Fraction) -> int:
        """How far off it is at most, at the confidence, wherever the truth lies.

        Noise that is clamped to 0 … last exceeds t to both sides of a truth only if t < last/2;
        from there on one side is left.
        """
        both = self.noise.reach(confidence)
        last = self.subject.size - 1
        if not self.clamped or both <= last // 2:
            return both
        one_sided = self.noise.reach(max(Fraction(0), 2 * confidence - 1))
        return min(both, max(one_sided, last // 2), last)

    def upwards(self, failure: Fraction) -> int:
        """What symmetric noise exceeds upwards, it exceeds twice as often either way."""
        return self.noise.reach(max(Fraction(0), 1 - 2 * failure))

    def law(self, counted: Counted) -> Scattering:
        """The law of the noise around the count."""
        subject, chances = self.subject, self.noise.chances
        place = true_index(subject, counted)
        places = place + np.arange(1 - len(chances), len(chances))
        both = np.concatenate([chances[:0:-1], chances])
        if self.clamped:
            places = np.clip(places, 0, subject.size - 1)
        unit, start = float(subject.unit), float(subject.start)
        values = np.asarray(start + unit * places, dtype=np.float64)
        return gathered(values, both, start + unit * place)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """What the noise costs, cut where the range ends."""
        return self.losses_at(true_places(self.subject, tables), name)

    def losses_at(self, below: Places, name: LossName) -> Floats:
        """The same at true answers of these places."""
        above = self.subject.size - 1 - below
        if not self.clamped:
            below = above = np.full(len(below), len(self.noise.chances))
        cost = self._cut(below, name) + self._cut(above, name)
        return np.asarray(in_loss_units(name, float(self.subject.unit)) * cost)

    def _cut(self, most: Places, name: LossName) -> Floats:
        """The loss to one side, with so much room there: E min(z⁺, most)^p, in steps."""
        chances, power = self.noise.chances, _POWERS[name]
        far = np.arange(len(chances), dtype=np.float64) ** power
        far[0] = 0.0
        inside = np.cumsum(far * chances)
        beyond = np.append(np.cumsum(chances[::-1])[::-1][1:], 0.0)
        room = np.clip(most, 0, len(chances) - 1)
        return np.asarray(inside[room] + far[room] * beyond[room])
