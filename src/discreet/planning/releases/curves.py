"""Variances, covariances and what follows from them, told of one noise on all sums they need.

Proof and intervals: docs/proofs/moments-together.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from discreet.joint.forms import Formed, form_reach
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.model import LossName
from discreet.planning.releases.by_noise import ByNoise
from discreet.planning.releases.release import (
    EMPTY_TOLD,
    DrawnValue,
    Interval,
    Ready,
    Release,
    Scattering,
    gathered,
    judged,
    true_value,
)
from discreet.planning.releases.shared import Shared
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import (
    BOX_SHARE,
    Counted,
    Deviation,
    FromSums,
    OfSums,
    Products,
    SharpBox,
    Slot,
    SumBox,
    Summed,
    Variance,
)

_TOLD = 400


@dataclass(frozen=True)
class CurveRelease(ByNoise, Release[tuple[int, ...]]):
    """A function of noisy sums; outputs are the sums, slot by slot, 0 where there is none."""

    subject: Subject
    mechanism: MomentMechanism
    places: tuple[int | None, ...]
    """Where the noise of each slot is in a draw; None for what has none."""
    resolution: Fraction
    """Answers are rounded to multiples of this, which is chosen from public facts."""

    @cached_property
    def _form(self) -> FromSums:
        assert isinstance(self.subject.form, FromSums)
        return self.subject.form

    @cached_property
    def _statistic(self) -> OfSums:
        assert isinstance(self.subject.statistic, OfSums)
        return self.subject.statistic

    def sums(self, counted: Counted) -> tuple[int, ...]:
        """The true sums, slot by slot; what is not needed, and so has no noise, is not even looked
        at."""
        assert isinstance(counted, Products)
        return tuple(
            one if slot is Slot.ROWS or place is not None else 0
            for slot, one, place in zip(
                Slot, counted.sums(self._form.fars), self.places, strict=True
            )
        )

    def noisy(self, sums: Sequence[int], noise: Sequence[int]) -> tuple[int, ...]:
        """The sums with the noise that was drawn for them."""
        return tuple(
            one if place is None else one + noise[place]
            for one, place in zip(sums, self.places, strict=True)
        )

    def output(self, sums: Sequence[int], rows: int) -> tuple[int, ...]:
        """Its part of noisy sums; the number of rows may be public."""
        part = [0 if place is None else sums[place] for place in self.places]
        if not self._counted:
            part[Slot.ROWS] = rows
        return tuple(part)

    def sampler(self, counted: Counted) -> Callable[[], tuple[int, ...]]:
        """Draws the noise of one group, which shares it with no other."""
        if self.together:
            raise TypeError("groups that share their noise are drawn together")
        sums = self.sums(counted)
        return lambda: self.noisy(sums, self.mechanism.draw(1)[0])

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """Answers that wait for one noise where they share it."""
        self.reaches(confidence)
        self.reaches(self._surely(confidence))
        if not self.together:
            return super().ready_by_group(by_group, confidence)
        shared = Shared(partial(self.mechanism.draw, len(by_group)))
        tell = partial(self.told, confidence=confidence)
        return tuple(
            Ready(partial(self._of_group, shared, place, self.sums(one)), tell)
            for place, one in enumerate(by_group)
        )

    def _of_group(
        self, shared: Shared[tuple[int, ...]], place: int, sums: tuple[int, ...]
    ) -> tuple[int, ...]:
        return self.noisy(sums, shared.part(place))

    def reaches(self, confidence: Fraction) -> tuple[int, ...]:
        """How far the noise of each slot reaches, all at once."""
        every = self.mechanism.law.reaches(1 - float(confidence))
        return tuple(0 if place is None else every[place] for place in self.places)

    def told(self, output: tuple[int, ...], confidence: Fraction) -> DrawnValue:
        """The value of the noisy sums, in an interval from the corners of their box."""
        step, form = self.resolution, self._form
        summed = Summed(tuple(np.array([float(one)]) for one in output), form.fars, self._doubts)
        value = step * round(Fraction(float(self._statistic.told(summed, form)[0])) / step)
        value = min(max(value, form.low), form.high)
        low, high = self.interval(output, confidence)
        rows, count = None, output[Slot.ROWS]
        if self._counted:
            rows = self.rows_from(count, confidence, self.around(count, confidence))
        ends = min(low, value), max(high, value)
        return DrawnValue(value, ends, rows=rows, mean=self._mean(output, confidence))

    def _mean(
        self, output: tuple[int, ...], confidence: Fraction
    ) -> tuple[Fraction, Fraction, Fraction] | None:
        """The mean by the sums of a variance, in an interval that holds whenever its own does."""
        if not isinstance(self._statistic, Variance | Deviation):
            return None
        (grid,) = self._form.grids
        rows, step = max(1, output[Slot.ROWS]), grid.step / 1000
        box = self._box(output, confidence)
        low, high = box.mean(0)
        if self._counted and box.empty:  # of no rows the mean is the middle
            low, high = min(low, Fraction(0)), max(high, Fraction(0))
        of_sum = Fraction(output[Slot.FIRST], rows)
        middle, half = (grid.start + grid.last) / 2, grid.step / 2
        mean, low, high = (
            min(max(middle + half * one, grid.start), grid.last) for one in (of_sum, low, high)
        )
        value = step * round(mean / step)
        ends = step * math.floor(low / step), step * math.ceil(high / step)
        return value, min(value, ends[0]), max(value, ends[1])

    def interval(self, output: tuple[int, ...], confidence: Fraction) -> Interval:
        """Every value that the sums allow, but for the chance that they lie outside of a wide box,
        or that one weighted sum of them is too far off (docs/proofs/moments-together.md)."""
        form, wide = self._form, self._surely(confidence)
        within, reach = self._box(output, wide), partial(self._reach, 1 - confidence)
        box = SharpBox(within.ranges, within.fars, within.empty, output, reach)
        ends = self._statistic.ends(box, form.grids, self.resolution)
        if ends is None:
            return form.low, form.high
        return (
            min(max(ends[0], form.low), form.high),
            max(min(ends[1], form.high), form.low),
        )

    def tells_all(self, tables: Sequence[Counted], confidence: Fraction) -> list[bool]:
        """Whether the interval is all that was declared: for each table, by an even noise."""
        every, form = self.mechanism.even, self._form
        drawn = every[:: max(1, len(every) // len(tables))].tolist()
        noises = [[round(one) for one in noise] for noise in drawn]
        ends = (
            self.interval(self.noisy(self.sums(table), noise), confidence)
            for table, noise in zip(tables, noises, strict=False)
        )
        return [low <= form.low and high >= form.high for low, high in ends]

    @staticmethod
    def _surely(confidence: Fraction) -> Fraction:
        """The confidence of the box that weighted sums are looked at in."""
        return 1 - (1 - confidence) * BOX_SHARE

    def _reach(
        self, failure: Fraction, weights: dict[Slot, Fraction], share: Fraction
    ) -> Fraction | None:
        """How far a weighted sum of the noise reaches, but for a share of what may fail."""
        law = self.mechanism.law
        sizes = [0.0] * len(law.shape.scales)
        for slot, weight in weights.items():
            if (place := self.places[slot]) is not None:
                sizes[place] += float(weight)
        if not isinstance(law, Formed):
            return None
        far = form_reach(law, sizes, float(failure * share))
        return None if math.isinf(far) else Fraction(far)

    def _box(self, output: tuple[int, ...], confidence: Fraction) -> SumBox:
        ranges = [
            (one - far, one + far)
            for one, far in zip(output, self.reaches(confidence), strict=True)
        ]
        low, high = ranges[Slot.ROWS]
        ranges[Slot.ROWS] = max(1, low), max(1, high)
        return SumBox(tuple(ranges), self._form.fars, empty=low < self._statistic.few)

    @property
    def _counted(self) -> bool:
        """Whether the number of rows has noise too."""
        return self.places[Slot.ROWS] is not None

    @property
    def silence(self) -> Fraction | None:
        """As far as the count's noise reaches upwards from nothing."""
        return Fraction(self._upwards(EMPTY_TOLD)) if self._counted else None

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """Less by as much as the count's noise reaches upwards."""
        return Fraction(count - self._upwards(failure))

    def _upwards(self, failure: Fraction) -> int:
        return self.mechanism.law.count_reach(min(2 * float(failure), 1.0))

    @cached_property
    def _even(self) -> tuple[Floats, ...]:
        """Evenly likely noises, slot by slot."""
        even = self.mechanism.even
        none = np.zeros(len(even))
        return tuple(none if place is None else even[:, place] for place in self.places)

    @cached_property
    def _doubts(self) -> tuple[float, ...]:
        slots = (Slot.FIRST_SQUARES, Slot.SECOND_SQUARES, Slot.PRODUCTS)
        return tuple(float(np.abs(self._even[slot]).mean()) for slot in slots)

    def told_of(self, counted: Counted) -> Floats:
        """What is told of a table by evenly likely noises."""
        sums = tuple(
            float(one) + noise for one, noise in zip(self.sums(counted), self._even, strict=True)
        )
        form = self._form
        return self._statistic.told(Summed(sums, form.fars, self._doubts), form)

    def errors(self, tables: Sequence[Counted]) -> Floats:
        """How far off that is: a line for each table."""
        return np.array(
            [np.abs(self.told_of(one) - true_value(self.subject, one)) for one in tables]
        )

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Over evenly likely noises."""
        return np.asarray(judged(name, self.errors(tables)).mean(axis=1))

    def law(self, counted: Counted) -> Scattering:
        """Over evenly likely noises, put together where they are near."""
        answers, step = self.told_of(counted), self.resolution
        truth = float(step * round(Fraction(true_value(self.subject, counted)) / step))
        width = max(float(self.resolution), float(answers.max() - answers.min()) / _TOLD, 1e-12)
        places, many = np.unique(np.rint(answers / width), return_counts=True)
        return gathered(places * width, many / many.sum(), truth)
