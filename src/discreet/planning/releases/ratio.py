"""A noisy sum over a noisy count (docs/proofs/ratio-mean.md)."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.noise import noise_reach, reach_upwards
from discreet.planning.releases.ratio_interval import Multiples, Quotient, allowed_means, reaches
from discreet.planning.releases.release import (
    EMPTY_TOLD,
    DrawnValue,
    Interval,
    Release,
    Scattering,
    gathered,
    judged,
    true_value,
)
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import NoiseTables, noise_tables
from discreet.sampling.laplace import can_be_drawn
from discreet.statistics import Counted

_TRIALS = 20_000
_SUM_NOISES, _COUNT_NOISES = 101, 31
"""How many evenly likely values of each noise an expected loss is taken over."""


class MeanRelease(Release[tuple[int, int]]):
    """The middle of the range plus a noisy sum of distances from it over a noisy count."""

    resolution: Fraction
    """Answers are rounded to multiples of this, which is chosen from public facts."""

    @abstractmethod
    def trials(self, dice: np.random.Generator, many: int) -> tuple[Floats, Floats]:
        """Noises of the sum and of the count, for simulations only."""

    @abstractmethod
    def even_noises(self) -> tuple[Floats, Floats]:
        """Evenly likely noises of the sum and of the count, in pairs."""

    @abstractmethod
    def along(self, failure: float) -> tuple[int, ...]:
        """How far the noise of sum − μ·count reaches for |μ| up to i sixteenths of the range."""

    def reaching(self, failure: float) -> Sequence[int]:
        """The same for plans, which may look at few of them."""
        return self.along(failure)

    @abstractmethod
    def at_once(self, failure: float) -> tuple[int, int]:
        """How far the noise of the sum and of the count reaches, both but for this chance."""

    @abstractmethod
    def upwards(self, failure: Fraction) -> int:
        """How far the noise of the count reaches upwards, but for this chance."""

    def law(self, counted: Counted) -> Scattering:
        """By trials with a fixed seed: nothing here is private, and pictures should not flicker."""
        subject, dice = self.subject, np.random.default_rng(20_200_217)
        halves, rows = self._halves(counted), counted.rows
        of_halves, of_rows = self.trials(dice, _TRIALS)
        noisy_rows, noisy_halves = rows + of_rows, halves + of_halves
        middle, unit = float(subject.start + subject.last) / 2, float(subject.unit)
        means = middle + unit / 2 * noisy_halves / np.maximum(1.0, noisy_rows)
        means = np.clip(means, float(subject.start), float(subject.last))
        truth = true_value(subject, counted)
        width = max(float(self.resolution), (means.max() - means.min()) / 400, 1e-12)
        places, counts = np.unique(np.rint(means / width), return_counts=True)
        return gathered(places * width, counts / _TRIALS, truth)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Over evenly likely values of both noises."""
        unit, far = float(self.subject.unit), float(self.subject.last - self.subject.start) / 2
        halves = np.array([float(self._halves(counted)) for counted in tables])[:, None]
        rows = np.array([float(counted.rows) for counted in tables])[:, None]
        of_halves, of_rows = self.even_noises()
        counts = np.maximum(1.0, rows + of_rows)
        means = np.clip(unit / 2 * (halves + of_halves) / counts, -far, far)
        true = unit / 2 * halves / np.maximum(rows, 1.0)
        return np.asarray(judged(name, np.abs(means - true)).mean(axis=1))

    def _halves(self, counted: Counted) -> int:
        """Half steps from the middle of the range, over all rows."""
        return 2 * counted.total - (self.subject.size - 1) * counted.rows

    def told(self, output: tuple[int, int], confidence: Fraction) -> DrawnValue:
        """One answer, and the means that its noisy sum and count allow: few rows, many means."""
        halves, rows = output
        place = self._multiples.nearest((halves, max(1, rows)))
        low, high = self._multiples.around(
            *self._allowed(halves, rows, self.along(1 - float(confidence)))
        )
        return DrawnValue(
            self._told_at(place),
            (self._told_at(min(low, place)), self._told_at(max(high, place))),
            rows=self.rows_from(rows, confidence, self.around(rows, confidence)),
        )

    @cached_property
    def _multiples(self) -> Multiples:
        middle = (self.subject.start + self.subject.last) / 2
        return Multiples.of(middle, self.subject.unit, self.resolution)

    @cached_property
    def _inner(self) -> tuple[int, int]:
        """The first and the last multiple of the resolution inside the range."""
        step = self.resolution
        return math.ceil(self.subject.start / step), math.floor(self.subject.last / step)

    def _told_at(self, place: int) -> Fraction:
        """A multiple of the resolution, brought into the range."""
        first, last = self._inner
        if not first <= place <= last:
            return self.subject.start if place < first else self.subject.last
        step = self.resolution
        return Fraction(step.numerator * place, step.denominator)

    @property
    def silence(self) -> Fraction | None:
        """As far as the count's noise reaches upwards from nothing."""
        return Fraction(self.upwards(EMPTY_TOLD))

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """Less by as much as the count's noise reaches upwards."""
        return Fraction(count - self.upwards(failure))

    def reach(self, rows: int, confidence: Fraction) -> Fraction:
        """How far off a mean of so many rows may be told, whatever their values."""
        ends = (self.subject.size - 1) * rows
        return max(
            abs(end - self._mean(Fraction(halves, 2 * max(1, rows))))
            for halves in (-ends, 0, ends)
            for end in map(
                self._at, self._allowed(halves, rows, self.reaching(1 - float(confidence)))
            )
        )

    def _mean(self, steps: Fraction) -> Fraction:
        """So many steps from the middle of the range."""
        return (self.subject.start + self.subject.last) / 2 + self.subject.unit * steps

    def fewest_rows(self, output: tuple[int, int], confidence: Fraction) -> int:
        """How many rows there are at least, in the draws in which the box holds; 0 or more."""
        return max(0, output[1] - self.at_once(1 - float(confidence))[1])

    def _allowed(self, halves: int, rows: int, reach: Sequence[int]) -> tuple[Quotient, Quotient]:
        """Every mean that the noise of both allows: docs/proofs/ratio-mean.md (the interval)."""
        return allowed_means(halves, rows, self.subject.size - 1, reach) or (
            ((halves, max(1, rows)),) * 2
        )

    def _at(self, mean: Quotient) -> Fraction:
        """A mean in the column's units."""
        return self._mean(Fraction(mean[0], 2 * mean[1]))

    def box(self, output: tuple[int, int], confidence: Fraction) -> Interval:
        """Every mean that both allow, one by one: wider, and holds just when `fewest_rows` does."""
        halves, rows = output
        far, off = self.at_once(1 - float(confidence))
        fewest, most = max(1, rows - off), max(1, rows + off)
        least, largest = halves - far, halves + far
        low = Fraction(least, 2 * (fewest if least < 0 else most))
        high = Fraction(largest, 2 * (fewest if largest > 0 else most))
        if rows <= off:  # perhaps there are no rows: then the answer is the middle
            low, high = min(low, Fraction(0)), max(high, Fraction(0))
        return self._inside(self._mean(low)), self._inside(self._mean(high))

    def _inside(self, mean: Fraction) -> Fraction:
        return min(max(mean, self.subject.start), self.subject.last)


@dataclass(frozen=True)
class RatioRelease(MeanRelease):
    """Noise of its own for the sum and for the count."""

    subject: Subject
    sum_rate: Fraction
    """For each half step of the sum."""
    count_rate: Fraction
    resolution: Fraction

    @property
    def drawable(self) -> bool:
        """Whether noise of both rates can be drawn."""
        return can_be_drawn(min(self.sum_rate, self.count_rate))

    def sampler(self, counted: Counted) -> Callable[[], tuple[int, int]]:
        """Draws half steps from the middle, and rows, each with its noise."""
        noise = noise_tables(self.sum_rate), noise_tables(self.count_rate)
        return partial(_with_noise, (self._halves(counted), counted.rows), noise)

    def trials(self, dice: np.random.Generator, many: int) -> tuple[Floats, Floats]:
        """Each by itself."""
        sums = simulated_noise(dice, float(self.sum_rate), many)
        return sums, simulated_noise(dice, float(self.count_rate), many)

    def even_noises(self) -> tuple[Floats, Floats]:
        """Every noise of the one with every noise of the other."""
        sums = _even_noise(float(self.sum_rate), _SUM_NOISES)
        counts = _even_noise(float(self.count_rate), _COUNT_NOISES)
        return np.repeat(sums, _COUNT_NOISES), np.tile(counts, _SUM_NOISES)

    def along(self, failure: float) -> tuple[int, ...]:
        """By the law of both noises."""
        far = self.subject.size - 1
        return reaches(float(self.sum_rate), float(self.count_rate), far, failure)

    def at_once(self, failure: float) -> tuple[int, int]:
        """Half of the failures each."""
        half = failure / 2
        return noise_reach(float(self.sum_rate), half), noise_reach(float(self.count_rate), half)

    def upwards(self, failure: Fraction) -> int:
        """By the law of the count's noise."""
        return reach_upwards(self.count_rate, failure)


def _with_noise(
    numbers: tuple[int, int], noise: tuple[NoiseTables, NoiseTables]
) -> tuple[int, int]:
    return numbers[0] + noise[0].draw(), numbers[1] + noise[1].draw()


def _even_noise(rate: float, many: int) -> Floats:
    """Evenly likely values of two-sided geometric noise, each the mean of its share but for one."""
    share = (np.arange(many) + 0.5) / many
    tail = np.minimum(share, 1 - share)
    return np.asarray(np.sign(share - 0.5) * -np.log(2 * tail) / rate)


def simulated_noise(dice: np.random.Generator, rate: float, count: int) -> Floats:
    """Two-sided geometric noise for simulations only."""
    chance = -np.expm1(-rate)
    noise = dice.geometric(chance, count).astype(np.float64) - dice.geometric(chance, count)
    return np.asarray(noise, dtype=np.float64)
