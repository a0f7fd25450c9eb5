"""The Laplace mechanism (001 Props. 5 and 6; 003 Mechanism 1).

Proof: docs/proofs/laplace.md. As a matrix it is the Laplace density, snapped to the outputs; as a
sampler it adds exact discrete Laplace noise on a declared grid, to one value or to many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import (
    Epsilon,
    EpsilonLike,
    RationalLike,
    exp_lower,
    log_lower,
    log_upper,
    rational,
)
from discreet.mechanisms.discretisation import Bound, Noise, snapped_density
from discreet.mechanisms.sensitivities import (
    check_positive,
    check_said,
    failure_of,
    nearest_step,
    sensitivity,
    spendable,
)
from discreet.model import Mechanism, Neighbours, Space, numbers_of
from discreet.sampling import discrete_laplace


def laplace_noise(width: Fraction) -> Noise:
    """The Laplace density of scale width/ε, 003 (19)."""

    def half(low: Bound, high: Bound, epsilon: float) -> float:
        rate = epsilon / float(width)
        return -math.exp(-rate * float(low)) * math.expm1(-rate * float(high - low)) / 2

    return Noise(half)


def laplace(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """The boundary-snapping Laplace mechanism of 003: scale ΔF/ε, 003 (16) with (19).

    >>> from discreet.model import AllPairs, Grid
    >>> likert = laplace(Grid.between(1, 5), AllPairs(), 1)
    >>> likert.probabilities()[:, 0].round(3).tolist()
    [0.559, 0.098, 0.076, 0.059, 0.208]
    """
    width = sensitivity(numbers_of(answers, "the Laplace mechanism"), neighbours)
    return snapped_density(
        answers, neighbours, epsilon, laplace_noise(width), outputs=outputs, name="laplace"
    )


def laplace_accuracy(
    sensitivity: RationalLike,
    epsilon: EpsilonLike,
    confidence: RationalLike,
    dimensions: int = 1,
) -> float:
    """What no one of `dimensions` values is off by, with this confidence: ln(k/δ)·Δ/ε (Prop. 6).

    >>> round(laplace_accuracy(2, 2, "0.95", 10_000), 4)
    12.2061
    """
    failure = failure_of(confidence, dimensions)
    width = float(rational(sensitivity, "the sensitivity"))
    return math.log(1 / failure) * width / float(Epsilon.of(epsilon))


@dataclass(frozen=True)
class LaplaceMechanism:
    """Exact discrete Laplace noise on the multiples of `granularity`, for any number of values.

    `sensitivity` is how far one record moves the values, in L1 (001 Def. 2). Values are rounded to
    the grid first. If they are known to lie on it (`on_grid`: counts, with granularity 1) that
    changes nothing; otherwise rounding k values may move them k − 1 steps further, and the noise
    is widened for it.

    >>> names = LaplaceMechanism.of(2, 2, on_grid=True)
    >>> names.accuracy("0.95", 10_000)
    Fraction(12, 1)
    """

    sensitivity: Fraction
    epsilon: Epsilon
    granularity: Fraction = Fraction(1)
    on_grid: bool = False

    def __post_init__(self) -> None:
        check_positive("sensitivity", self.sensitivity)
        check_positive("granularity", self.granularity)
        check_said("on_grid", self.on_grid)

    @classmethod
    def of(
        cls,
        sensitivity: RationalLike,
        epsilon: EpsilonLike,
        granularity: RationalLike = 1,
        *,
        on_grid: bool = False,
    ) -> "LaplaceMechanism":
        """Read the numbers exactly."""
        return cls(
            rational(sensitivity, "the sensitivity"),
            Epsilon.of(epsilon),
            rational(granularity, "the granularity"),
            on_grid,
        )

    def rate(self, dimensions: int = 1) -> Fraction:
        """ε for each step of the grid: the noise is k steps with probability ∝ exp(−rate·|k|)."""
        steps = math.ceil(self.sensitivity / self.granularity)
        if not self.on_grid:
            steps += dimensions - 1
        return spendable(self.epsilon) / steps

    def draw(self, value: RationalLike) -> Fraction:
        """The value with noise."""
        return self.draw_many([value])[0]

    def draw_many(self, values: Sequence[RationalLike]) -> list[Fraction]:
        """All the values, each with its own noise."""
        if not len(values):
            return []
        rounded = [nearest_step(value, self.granularity) for value in values]
        noise = discrete_laplace(self.rate(len(rounded)), len(rounded))
        return [
            (steps + int(moved)) * self.granularity
            for steps, moved in zip(rounded, noise, strict=True)
        ]

    def accuracy(self, confidence: RationalLike, dimensions: int = 1) -> Fraction:
        """With this confidence, no rounded value is off by more: Prop. 6 for discrete noise.

        Pr(|k| > t) = 2·exp(−rate·(t + 1)) / (1 + exp(−rate)), and a union bound over dimensions.
        """
        failure = failure_of(confidence, dimensions)
        rate = self.rate(dimensions)
        needed = log_upper(2 / failure) - log_lower(1 + exp_lower(-rate))
        return max(math.ceil(needed / rate) - 1, 0) * self.granularity
