"""The radius of gauge noise: a table and a few geometric draws (docs/proofs/gauge-noise.md)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from discreet.errors import MechanismError
from discreet.joint.series import (
    Ball,
    Weigh,
    horner,
    least_within,
    numerator,
    ratio_of,
    sum_from,
)
from discreet.sampling import LazyTable, noise_tables
from discreet.sampling.laplace import NoiseTables, can_be_drawn


@dataclass(frozen=True, kw_only=True, eq=False)
class Radius:
    """s with weights V(s)·e^(−rate·s), where V(s) counts the noises of gauge s or less.

    ΣV(s)x^s = h(x)/(1 − x^L)^(r+1), so s = J + L·(r + 1 geometric draws), J with weights
    h_j·e^(−rate·j). Noise that is uniform in the ball of a radius has weights e^(−rate·M).
    """

    ball: Weigh
    """V: a polynomial of degree r for each remainder of s by the period L."""
    weights: tuple[int, ...]
    """h: whole numbers, none negative."""
    dimension: int
    period: int
    rate: Fraction

    @classmethod
    def of(cls, ball: Weigh, *, dimension: int, rate: Fraction, period: int = 1) -> "Radius":
        """The radius for balls of these sizes."""
        weights = numerator(ball, 0, degree=dimension, period=period)
        if min(weights) < 0:
            raise MechanismError("these sizes are not those of the balls of a gauge")
        while not weights[-1]:
            weights.pop()
        return cls(ball=ball, weights=tuple(weights), dimension=dimension, period=period, rate=rate)

    @property
    def drawable(self) -> bool:
        """Whether a radius of this rate can be drawn."""
        return can_be_drawn(self.rate * self.period)

    def draw(self) -> int:
        """One radius, however large."""
        further = sum(self._steps.draw_size() for _ in range(self.dimension + 1))
        return self._table.draw() + self.period * further

    @cached_property
    def _steps(self) -> NoiseTables:
        return noise_tables(self.rate * self.period)

    @cached_property
    def _table(self) -> LazyTable:
        return LazyTable.of_reals(self._ends)

    def _ends(self) -> list[Ball]:
        """The running sums of h_j·e^(−rate·j), of 1 in all."""
        ratio = ratio_of(self.rate)
        sums, power = [flint.arb(0)], flint.arb(1)
        for weight in self.weights:
            sums.append(sums[-1] + weight * power)
            power *= ratio
        return [*(end / sums[-1] for end in sums[1:-1]), flint.arb(1)]

    def share(self, weigh: Weigh, *, degree: int, start: int = 0) -> Ball:
        """Σ over s ≥ start of weigh(s)·e^(−rate·s), over all weights of the radius.

        So E f(s) for weigh = V·f, where that is whole and of this degree.
        """
        ratio = ratio_of(self.rate)
        some = sum_from(weigh, start, ratio, degree=degree, period=self.period)
        return some * (1 - ratio**self.period) ** (self.dimension + 1) / horner(self.weights, ratio)

    def at(self, radius: int) -> Ball:
        """P(s = radius), at the working precision."""
        ratio = ratio_of(self.rate)
        whole = horner(self.weights, ratio) / (1 - ratio**self.period) ** (self.dimension + 1)
        return self.ball(radius) * ratio**radius / whole

    def beyond(self, far: int) -> Ball:
        """P(M > far), at the working precision, for the gauge of the noise itself."""
        sphere = self.share(
            lambda s: self.ball(s) - self.ball(s - 1), degree=self.dimension, start=far + 1
        )
        return sphere / (1 - ratio_of(self.rate))

    def reach(self, confidence: Fraction) -> int:
        """The least t with P(M ≤ t) at least the confidence: for all answers at once."""
        return least_within(self.beyond, 1 - confidence)
