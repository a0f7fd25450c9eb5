"""Two-sided geometric noise on the true answer, and how far it reaches."""

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import ClassVar

import numpy as np

from discreet.lifetimes import holding
from discreet.model import LossName
from discreet.planning.releases.release import (
    EMPTY_TOLD,
    OUT_OF_SIGHT,
    DrawnValue,
    Ready,
    Release,
    Scattering,
    gathered,
    in_units,
    true_places,
)
from discreet.planning.subjects.priors import Floats, Places
from discreet.planning.subjects.subject import Subject, true_index
from discreet.sampling import NoiseTables, noise_tables
from discreet.sampling.laplace import can_be_drawn
from discreet.statistics import Count, Counted


class NoisyRelease(Release[int]):
    """The place of the true answer plus whole noise; clamped to the range, or as it comes.

    Clamping is post-processing, and never leads farther from the truth.
    """

    clamped: bool
    keeps_drawn: ClassVar[bool] = False
    """Whether the noisy place is kept as it was drawn: where sums of such have a law."""

    @abstractmethod
    def farthest(self, confidence: Fraction) -> int:
        """How far off it is at most, in steps, at the confidence, wherever the truth lies."""

    @abstractmethod
    def upwards(self, failure: Fraction) -> int:
        """What the noise does not exceed but for this chance."""

    def reach(self, confidence: Fraction) -> int:
        """As `farthest`, worked out once: nothing but public facts is in it."""
        key = confidence.numerator, confidence.denominator
        known = self._reaches.get(key)
        if known is None:
            known = self._reaches[key] = self.farthest(confidence)
        return known

    @cached_property
    def _reaches(self) -> dict[tuple[int, int], int]:
        """By whole numbers, which are quick to look up."""
        return {}

    def ready(self, counted: Counted, confidence: Fraction) -> Ready:
        """A noisy place that waits to be drawn, and is told with as far as its noise reaches."""
        return Ready(self.sampler(counted), partial(self.within, far=self.reach(confidence)))

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The noisy place in the column's units, and as far as its noise reaches."""
        return self.within(output, self.reach(confidence))

    def within(self, output: int, far: int) -> DrawnValue:
        """The noisy place, and so many steps to both sides, in the column's units."""
        subject, place = self.subject, output
        if self.clamped:
            last = subject.size - 1
            place = 0 if output < 0 else min(output, last)
            low, high = max(place - far, 0), min(place + far, last)
        else:
            low, high = place - far, place + far
        drawn = output if self.keeps_drawn else None
        if subject.counts:
            first, last = subject.start, subject.size - 1
            ends = (
                first if low == 0 else Fraction(low),
                subject.last if high == last else Fraction(high),
            )
            return holding(DrawnValue, {"value": place, "interval": ends, "drawn": drawn})
        value = in_units(subject, subject.value_at(place))
        return DrawnValue(value, (subject.value_at(low), subject.value_at(high)), drawn=drawn)

    @property
    def silence(self) -> Fraction | None:
        """As far as the noise reaches upwards from nothing."""
        if not isinstance(self.subject.statistic, Count):
            return None
        return Fraction(self.upwards(EMPTY_TOLD))

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """Less by as much as the noise reaches upwards."""
        return Fraction(count - self.upwards(failure))


@dataclass(frozen=True)
class NoiseRelease(NoisyRelease):
    """The true answer plus two-sided geometric noise, clamped to the range or as it comes.

    Proof: docs/proofs/geometric.md; clamping is post-processing.
    """

    subject: Subject
    rate: Fraction
    clamped: bool

    def law(self, counted: Counted) -> Scattering:
        """The law of the noise around the true answer."""
        subject, place = self.subject, true_index(self.subject, counted)
        last = subject.size - 1 if self.clamped else None
        values, chances = law_of_noise(float(self.rate), place, last)
        unit, start = float(subject.unit), float(subject.start)
        return gathered(start + unit * values, chances, start + unit * place)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """What the noise costs, cut where the range ends."""
        rate, unit = float(self.rate), float(self.subject.unit)
        if not self.clamped:
            return np.full(len(tables), in_loss_units(name, unit) * noise_loss(rate, name))
        below = true_places(self.subject, tables)
        return in_loss_units(name, unit) * cut_losses(
            rate, below, self.subject.size - 1 - below, name
        )

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.rate)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws the place of the true answer with its noise."""
        return partial(_with_noise, true_index(self.subject, counted), noise_tables(self.rate))

    def farthest(self, confidence: Fraction) -> int:
        """As far as the noise reaches: docs/proofs/groups.md (intervals)."""
        rate, failure = float(self.rate), 1 - float(confidence)
        if not self.clamped:
            return noise_reach(rate, failure)
        return clamped_reach(rate, failure, self.subject.size - 1)

    def upwards(self, failure: Fraction) -> int:
        """Half of what both sides have."""
        return reach_upwards(self.rate, failure)


def _with_noise(place: int, noise: NoiseTables) -> int:
    return place + noise.draw()


@lru_cache(maxsize=1024)
def noise_reach(rate: float, failure: float) -> int:
    """The smallest t with Pr(|noise| > t) ≤ failure, or one more where floats cannot tell.

    More than t steps have probability 2α^(t+1)/(1 + α).
    """
    needed = (np.log(2 / failure) - np.log1p(np.exp(-rate))) / rate
    return max(int(np.ceil(needed * (1 + 1e-12) + 1e-12)) - 1, 0)


@lru_cache(maxsize=1024)
def noises_apart(rate: float, failure: float) -> int:
    """The smallest t with Pr(one noise − another > t) ≤ failure, or one more where floats differ.

    A difference of m ≥ 0 has the probability ((1 − α)/(1 + α))²·α^m·(m + 1 + 2α²/(1 − α²)), so one
    of at least m has ((1 − α)/(1 + α))²·α^m·((m + 1 + 2α²/(1 − α²))/(1 − α) + α/(1 − α)²).
    """
    alpha = math.exp(-rate)
    rest, falls = 2 * alpha**2 / -math.expm1(-2 * rate), -math.expm1(-rate)

    def is_seldom(far: int) -> bool:
        weight = (far + 2 + rest) / falls + alpha / falls**2
        chance = math.exp(-rate * (far + 1)) * (falls / (1 + alpha)) ** 2 * weight
        return chance * (1 + 1e-9) <= failure

    most = 1
    while not is_seldom(most):
        most *= 2
    return bisect_left(range(most), True, key=is_seldom)


def reach_upwards(rate: Fraction, failure: Fraction) -> int:
    """The smallest t with Pr(noise > t) ≤ failure: half of what both sides have."""
    return noise_reach(float(rate), min(2 * float(failure), 1.0))


def clamped_reach(rate: float, failure: float, last: int) -> int:
    """The same for the error of noise that is clamped to 0..last, wherever the truth lies there.

    Noise can exceed t to both sides of a truth only if t < ⌊last/2⌋: beyond, one tail is left.
    """
    one_sided = noise_reach(rate, min(2 * failure, 1.0))
    return min(noise_reach(rate, failure), max(one_sided, last // 2), last)


def in_loss_units(name: LossName, unit: float) -> float:
    """What an error of one unit costs."""
    powers = {LossName.ABSOLUTE: 1, LossName.SQUARED: 2, LossName.ZERO_ONE: 0}
    return float(unit ** powers[name])


def noise_loss(rate: float, name: LossName) -> float:
    """The expected loss of two-sided geometric noise that is not cut, in steps."""
    alpha = float(np.exp(-rate))
    if name == LossName.SQUARED:
        return float(2 * alpha / np.expm1(-rate) ** 2)
    wrong = 2 * alpha / (1 + alpha)
    return wrong if name == LossName.ZERO_ONE else float(wrong / -np.expm1(-rate))


def cut_losses(rate: float, below: Places, above: Places, name: LossName) -> Floats:
    """The expected loss of noise with so much room below and above, in steps.

    Noise k ≥ t has probability α^t/(1 + α), and is cut where the range ends.
    """
    if name == LossName.ZERO_ONE:
        alpha = np.exp(-rate)
        return np.asarray(alpha / (1 + alpha) * ((below > 0) * 1.0 + (above > 0)))
    cut = _square_cut if name == LossName.SQUARED else _mean_cut
    return np.asarray(cut(rate, below) + cut(rate, above))


def _mean_cut(rate: float, most: Places) -> Floats:
    """E min(k⁺, most) = Σ_{t=1}^{most} α^t/(1 + α)."""
    alpha = np.exp(-rate)
    mean: Floats = alpha * -np.expm1(-rate * most) / (-np.expm1(-rate) * (1 + alpha))
    return mean


def _square_cut(rate: float, most: Places) -> Floats:
    """E min(k⁺, most)² = Σ_{t=1}^{most} (2t − 1)·α^t/(1 + α), summed in closed form."""
    alpha, gone = np.exp(-rate), -np.expm1(-rate)
    tail = np.exp(-rate * most)
    first = alpha * -np.expm1(-rate * most) / gone
    weighted = (first - most * tail * alpha) / gone
    square: Floats = (2 * weighted - first) / (1 + alpha)
    return square


def law_of_noise(rate: float, place: int, last: int | None) -> tuple[Floats, Floats]:
    """The law of a place plus two-sided geometric noise, cut to 0 … last when there is one."""
    reach = noise_reach(rate, OUT_OF_SIGHT)
    steps = np.arange(-reach, reach + 1)
    alpha = np.exp(-rate)
    chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps)
    chances /= chances.sum()
    places = place + steps
    if last is None:
        return places.astype(np.float64), chances
    cut = np.clip(places, 0, last)
    values, where = np.unique(cut, return_inverse=True)
    return values.astype(np.float64), np.bincount(where, chances).astype(np.float64)
