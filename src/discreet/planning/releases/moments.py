"""Count, sum and mean of the same rows, from one noise (docs/proofs/moments-together.md).

Outputs are those of one draw: half steps from the middle of the range, summed, and rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial

import numpy as np

from discreet.joint.forms import Formed, form_reach
from discreet.joint.moment_laws import CLOSE, MomentLaw, PairLaw
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.model import LossName
from discreet.planning.releases.by_noise import ByNoise
from discreet.planning.releases.ratio import MeanRelease
from discreet.planning.releases.ratio_interval import CELLS, Reaching
from discreet.planning.releases.release import (
    DrawnValue,
    Ready,
    Release,
    Scattering,
    gathered,
    in_units,
    judged,
    true_value,
)
from discreet.planning.releases.shared import Shared
from discreet.planning.releases.symmetric import SymmetricRelease
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Added, Counted

_OUT_OF_SIGHT = 1e-13


def halves_of(counted: Counted, far: int) -> int:
    """Half steps from the middle of a range of far + 1 values, over all rows."""
    return 2 * counted.total - far * counted.rows


def with_noise(numbers: tuple[int, int], noise: tuple[int, ...]) -> tuple[int, int]:
    """A sum and a number of rows with the noise that was drawn for (rows, sum)."""
    return numbers[0] + noise[1], numbers[1] + noise[0]


@dataclass(frozen=True)
class BoxedMean(ByNoise, MeanRelease):
    """A mean whose sum and count have one noise; by group, perhaps one for all of them."""

    subject: Subject
    mechanism: MomentMechanism
    resolution: Fraction
    place: int = 1
    """Where the noise of the sum is in a draw; that of the count is first."""

    def output(self, sums: Sequence[int], rows: int) -> tuple[int, int]:
        """Its part of noisy sums."""
        return sums[self.place], sums[0]

    def sampler(self, counted: Counted) -> Callable[[], tuple[int, int]]:
        """Draws the noise of one group, which shares it with no other."""
        if self.together:
            raise TypeError("means that share their noise are drawn together")
        numbers = halves_of(counted, self.subject.size - 1), counted.rows
        return lambda: with_noise(numbers, self.mechanism.draw(1)[0])

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Means that wait for one noise where they share it."""
        if not self.together:
            return super().ready_by_group(by_group, confidence)
        shared = Shared(partial(self.mechanism.draw, len(by_group)))
        tell = partial(self.told, confidence=confidence)
        self.along(1 - float(confidence))
        return tuple(
            Ready(partial(_of_group, shared, place, (self._halves(one), one.rows)), tell)
            for place, one in enumerate(by_group)
        )

    def trials(self, dice: np.random.Generator, many: int) -> tuple[Floats, Floats]:
        """Any of the evenly likely ones."""
        sums, counts = self.even_noises()
        which = dice.integers(0, len(sums), many)
        return sums[which], counts[which]

    def even_noises(self) -> tuple[Floats, Floats]:
        """Those of the mechanism."""
        return self.mechanism.even[:, self.place], self.mechanism.even[:, 0]

    def along(self, failure: float) -> tuple[int, ...]:
        """By the law of both noises, whatever others there are beside them."""
        law, far = self.mechanism.law, self.subject.size - 1
        if isinstance(law, PairLaw):
            return _along(law, far, failure)
        return _along_a_box(law, self.place, far, failure)

    def reaching(self, failure: float) -> Sequence[int]:
        """Of a count and a sum one by one."""
        law = self.mechanism.law
        if isinstance(law, PairLaw):
            return _reaching(law, self.subject.size - 1, failure)
        return self.along(failure)

    def at_once(self, failure: float) -> tuple[int, int]:
        """As far as the gauge reaches."""
        every = self.mechanism.law.reaches(failure)
        return every[self.place], every[0]

    def upwards(self, failure: Fraction) -> int:
        """The noise of the count is symmetric."""
        return self.mechanism.law.count_reach(min(2 * float(failure), 1.0))


def _of_group(
    shared: Shared[tuple[int, ...]], place: int, numbers: tuple[int, int]
) -> tuple[int, int]:
    return with_noise(numbers, shared.part(place))


@lru_cache(maxsize=256)
def _reaching(law: PairLaw, far: int, failure: float) -> Reaching:
    return Reaching(lambda cell: law.sum_reach(failure, far * cell / CELLS), CLOSE)


def _along(law: PairLaw, far: int, failure: float) -> tuple[int, ...]:
    return tuple(_reaching(law, far, failure))


@lru_cache(maxsize=256)
def _along_a_box(law: MomentLaw, place: int, far: int, failure: float) -> tuple[int, ...]:
    middles = (Fraction(far * cell, CELLS) for cell in range(CELLS + 1))
    reaches = [math.ceil(two_reach(law, place, Fraction(1), middle, failure)) for middle in middles]
    return tuple(min(reaches[cell:]) for cell in range(CELLS + 1))  # what is wider holds for less


def two_reach(
    law: MomentLaw, place: int, of_sum: Fraction, of_count: Fraction, failure: float
) -> Fraction:
    """How far `of_sum` times a sum's noise and `of_count` times the count's reach together.

    The nearer of two bounds that both hold: the weighted sum's own, and as far as the gauge reaches
    in all coordinates at once (docs/proofs/moments-together.md, Claim 9).
    """
    every, counted = law.reaches(failure), law.shape.counted
    bound = abs(of_sum) * every[place] + (abs(of_count) * every[0] if counted else Fraction(0))
    if not isinstance(law, Formed):
        return bound
    weights = [0.0] * len(every)
    weights[0] = float(abs(of_count)) if counted else 0.0
    weights[place] = float(abs(of_sum))
    nearer = form_reach(law, weights, failure)
    return Fraction(nearer) if nearer < bound else bound


@dataclass(frozen=True)
class NoiseOfRows:
    """What a noise on several moments does to the number of rows."""

    mechanism: MomentMechanism

    @property
    def error(self) -> float:
        """Its mean absolute value."""
        return self.mechanism.law.count_error

    @cached_property
    def chances(self) -> Floats:
        """Its law, as far as it is seen."""
        law = self.mechanism.law.counts
        return law[: max(2, int(np.count_nonzero(law > _OUT_OF_SIGHT)))]

    def reach(self, confidence: Fraction) -> int:
        """By its law."""
        return self.mechanism.law.count_reach(1 - float(confidence))


@dataclass(frozen=True)
class BoxedCount(SymmetricRelease):
    """The number of rows that a noise on several moments tells besides."""

    noise: NoiseOfRows
    clamped: bool = True

    def output(self, sums: Sequence[int], rows: int) -> int:
        """Its part of noisy sums."""
        return sums[0]

    @property
    def noises(self) -> Floats:
        """Evenly likely noises."""
        return self.noise.mechanism.even[:, 0]

    @property
    def error(self) -> float:
        """The mean absolute noise."""
        return self.noise.error

    @property
    def certificate(self) -> str | None:
        """That of the noise."""
        return self.noise.mechanism.certificate


@dataclass(frozen=True)
class BoxedSum(Release[tuple[int, int]]):
    """A sum, or the mean of a public number of rows: what half steps and rows add up to."""

    subject: Subject
    mechanism: MomentMechanism
    place: int = 1
    """Where the noise of the sum is in a draw; that of the count, if it has any, is first."""

    def output(self, sums: Sequence[int], rows: int) -> tuple[int, int]:
        """Its part of noisy sums; the number of rows may be public."""
        return sums[self.place], sums[0] if self.mechanism.shape.counted else rows

    @property
    def bytes(self) -> int:
        """About how much memory it takes: most of it is the law of the noise."""
        return super().bytes + self.mechanism.bytes

    def sampler(self, counted: Counted) -> Callable[[], tuple[int, int]]:
        """None by itself: it is a part of a draw."""
        raise TypeError("a sum that is released with others is drawn with them")

    @cached_property
    def _linear(self) -> tuple[int, Fraction, Fraction]:
        """The place of the answer: a number, and what each row and each half step adds to it."""
        form = self.subject.form
        assert isinstance(form, Added)
        assert form.linear is not None
        half = Fraction(form.linear.slope, 2)
        return form.linear.first, form.linear.base + half * (self.subject.values - 1), half

    @property
    def noises(self) -> Floats:
        """Evenly likely noises of the sum."""
        _, by_row, by_half = self._linear
        even = self.mechanism.even
        noises = float(by_half) * even[:, self.place]
        if self.mechanism.shape.counted:
            noises = noises + float(by_row) * even[:, 0]
        return np.asarray(float(self.subject.unit) * noises)

    @property
    def error(self) -> float:
        """The mean absolute noise of the sum."""
        law = self.mechanism.law
        if not isinstance(law, PairLaw):
            return float(np.abs(self.noises).mean())
        _, by_row, by_half = self._linear
        return float(self.subject.unit * by_half) * law.sum_error(float(by_row / by_half))

    def reach(self, confidence: Fraction) -> Fraction:
        """How far the noise of the sum reaches; sums are a whole number of units apart."""
        law, failure = self.mechanism.law, 1 - float(confidence)
        _, by_row, by_half = self._linear
        if isinstance(law, PairLaw):
            far = by_half * law.sum_reach(failure, float(by_row / by_half))
        else:
            far = two_reach(law, self.place, by_half, by_row, failure)
        return self.subject.unit * math.floor(far + Fraction(1, 2))

    def told(self, output: tuple[int, int], confidence: Fraction) -> DrawnValue:
        """The nearest possible sum, and as far as the noise reaches."""
        halves, rows = output
        subject, (first, by_row, by_half) = self.subject, self._linear
        place = min(max(round(first + by_row * rows + by_half * halves), 0), subject.size - 1)
        value, far = subject.start + subject.unit * place, self.reach(confidence)
        ends = max(value - far, subject.start), min(value + far, subject.last)
        return DrawnValue(in_units(subject, value), ends)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Over evenly likely noises, cut where the range ends."""
        answers, true = self._told_of(tables)
        return np.asarray(judged(name, np.abs(answers - true[:, None])).mean(axis=1))

    def law(self, counted: Counted) -> Scattering:
        """Over evenly likely noises."""
        answers, true = self._told_of([counted])
        places, many = np.unique(answers[0], return_counts=True)
        return gathered(places, many / many.sum(), float(true[0]))

    def _told_of(self, tables: Sequence[Counted]) -> tuple[Floats, Floats]:
        true = np.array([true_value(self.subject, counted) for counted in tables])
        ends = float(self.subject.start), float(self.subject.last)
        return np.clip(true[:, None] + self.noises, *ends), true

    @property
    def certificate(self) -> str | None:
        """That of the noise."""
        return self.mechanism.certificate


@dataclass(frozen=True)
class SharedSum(ByNoise, BoxedSum):
    """A sum by group that is asked for alone, where all groups share one noise."""

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Sums that wait for it."""
        shared = Shared(partial(self.mechanism.draw, len(by_group)))
        tell, far = partial(self.told, confidence=confidence), self.subject.values - 1
        self.reach(confidence)
        return tuple(
            Ready(partial(_of_group, shared, place, (halves_of(one, far), one.rows)), tell)
            for place, one in enumerate(by_group)
        )
