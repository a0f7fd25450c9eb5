"""Counts of all groups with noise that is drawn for them together (docs/proofs/cells.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

from discreet.certifier import Certified
from discreet.joint import CellNoise
from discreet.joint.spread import SpreadNoise
from discreet.model.gauges import GaugeNoise
from discreet.model.largest import LargestGauge
from discreet.planning.releases.release import Ready
from discreet.planning.releases.symmetric import SymmetricRelease
from discreet.statistics import Counted


@dataclass(frozen=True)
class CellsRelease(SymmetricRelease):
    """The count of every group plus its part of one noise; clamped to the range, or as it comes."""

    noise: CellNoise | SpreadNoise

    keeps_drawn: ClassVar[bool] = True

    @property
    def together(self) -> bool:
        """Yes: noise drawn for one group by itself would cost as much again."""
        return True

    @property
    def gauges(self) -> tuple[tuple[str, Certified[GaugeNoise] | Certified[LargestGauge]], ...]:
        """The noise on all cells."""
        return ((self.noise.gauge, self.noise.certified),)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.noise.certified.certificate.digest

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.noise.drawable

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Counts that wait for one noise, which is drawn with the first of them."""
        noisy, subject = _Together(self.noise).noisy, self.subject
        tell = partial(self.within, far=self.reach(confidence))
        place_of, form = subject.statistic.place, subject.form
        counts = [place_of(counted, form) for counted in by_group]
        return tuple(
            [Ready(partial(noisy, place, count), tell) for place, count in enumerate(counts)]
        )


class _Together:
    """One noise for all groups, drawn when the first of them is told."""

    def __init__(self, noise: CellNoise | SpreadNoise) -> None:
        self._noise = noise
        self._drawn: list[int] | None = None

    def noisy(self, place: int, count: int) -> int:
        """A group's count with its part of the noise."""
        if self._drawn is None:
            self._drawn = self._noise.draw().tolist()
        return count + self._drawn[place]
