"""A noisy count for every word, the largest told (docs/proofs/laplace.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import add

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.noise import law_of_noise, noise_loss
from discreet.planning.releases.release import DrawnValue, Release, Scattering, gathered
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import NoiseTables, noise_tables
from discreet.sampling.laplace import can_be_drawn
from discreet.statistics import Counted, Counts, Tally


@dataclass(frozen=True)
class CountsRelease(Release[list[int]]):
    """Every word's count with its own noise; the `most` largest are told, the others forgotten.

    One row moves two counts by one (a change) or one count (added or removed): the L1 sensitivity
    is the subject's `steps`.
    """

    subject: Subject
    rate: Fraction
    clamped: bool

    def law(self, counted: Counted) -> Scattering:
        """The noise on the first word's count."""
        assert isinstance(counted, Tally)
        count = int(counted.counts[0])
        most = self.subject.most_rows if self.clamped else None
        values, chances = law_of_noise(float(self.rate), count, most)
        return gathered(values, chances, float(count))

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.rate)

    def sampler(self, counted: Counted) -> Callable[[], list[int]]:
        """Draws every word's count with its noise."""
        assert isinstance(counted, Tally)
        return partial(_with_noise, counted.counts.tolist(), noise_tables(self.rate))

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Of one word's count: that of the noise, whatever the table."""
        return np.full(len(tables), noise_loss(float(self.rate), name))

    def told(self, output: list[int], confidence: Fraction) -> DrawnValue:
        """Words with counts, the largest first; of equal ones, the first declared.

        They are in order before they are clamped: counts below 0 differ too. A list of counts has
        no interval: its error is in the figures.
        """
        form, counts = self.subject.form, output
        assert isinstance(form, Counts)
        names = form.labels.names
        if self.clamped:
            counts = [min(max(count, 0), self.subject.most_rows) for count in counts]
        order = sorted(range(len(names)), key=lambda place: (-output[place], place))
        largest = tuple((names[place], counts[place]) for place in order[: form.told])
        return DrawnValue(largest, None)


def _with_noise(counts: list[int], noise: NoiseTables) -> list[int]:
    return list(map(add, counts, noise.draw_many(len(counts)).tolist()))
