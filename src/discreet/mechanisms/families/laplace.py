"""Noise that falls alike on both sides: Laplace's on real numbers, and geometric noise on a grid.

The Laplace mechanism (001 Props. 5 and 6; 003 Mechanism 1; docs/proofs/laplace.md) is the density
snapped to the outputs; as a sampler it adds exact discrete Laplace noise on a declared grid, to one
value or to many. The normalized one (Croft, Sack & Shi 2019; 003 Mechanism 3;
docs/proofs/normalized-laplace.md) is divided by its sum instead: formula (22) of 003 lacks the
minus sign of its second exponential, and nothing here uses it. The geometric mechanism (Ghosh,
Roughgarden & Sundararajan 2009; docs/proofs/geometric.md) is the same noise in whole steps: for
counts, a Bayes remap of its truncated form is the best mechanism for every prior and every loss
that grows with the distance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput, SpaceError
from discreet.exact import (
    Epsilon,
    EpsilonLike,
    RationalLike,
    exp_lower,
    log_lower,
    log_upper,
    rational,
    show,
    spendable,
)
from discreet.exact.numbers import check_positive, check_said, failure_of, nearest_step
from discreet.mechanisms.discretisation import Bound, Noise, discretised, snapped, snapped_density
from discreet.model import Grid, Mechanism, Neighbours, Space, numbers_of, places_apart, sensitivity
from discreet.repair import integer_mechanism
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


def normalized_laplace(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Laplace of scale 2ΔF/ε, cut to the outputs' categories and scaled up to mass 1, 003 (22).

    Scaling depends on the answer, so the noise must be twice as wide as Laplace's.

    >>> from discreet.model import AllPairs, Grid
    >>> m = normalized_laplace(Grid.between(1, 5), AllPairs(), 1)
    >>> m.probabilities()[:, 0].round(3).tolist()
    [0.247, 0.225, 0.198, 0.175, 0.155]
    """
    width = sensitivity(numbers_of(answers, "the normalized Laplace mechanism"), neighbours)
    return discretised(
        answers,
        neighbours,
        epsilon,
        laplace_noise(2 * width),
        outputs=outputs,
        name="normalized-laplace",
        normalise=True,
    )


def laplace_accuracy(
    sensitivity: RationalLike,
    epsilon: EpsilonLike,
    confidence: RationalLike,
    dimensions: int = 1,
) -> float:
    """With this confidence none of `dimensions` values is off by more: ln(k/δ)·Δ/ε (Prop. 6).

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


def geometric(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Noise of k steps with probability ∝ e^(−ε|k|/Δ), snapped to the outputs.

    On the answers themselves this is the truncated geometric mechanism; on a wider grid it is the
    two-sided one, as far as the grid reaches.

    >>> from discreet.model import Grid, Within
    >>> geometric(Grid.between(0, 2), Within(1), "log 2").probabilities().round(6).tolist()
    [[0.666667, 0.333333, 0.166667], [0.166667, 0.333333, 0.166667], [0.166667, 0.333333, 0.666667]]
    """
    if not isinstance(answers, Grid):
        raise SpaceError(
            f"the geometric mechanism needs evenly spaced numbers, got {show(answers)}; "
            "use laplace or exponential"
        )
    places = max(places_apart(len(answers), neighbours), 1)
    grid, first = _common_grid(answers, outputs)

    def propose(at: float) -> npt.NDArray[np.float64]:
        return truncated_geometric(len(grid), first, len(answers), at / places)

    mechanism = integer_mechanism(
        answers, grid, neighbours, propose, Epsilon.of(epsilon), name="geometric"
    )
    return mechanism if outputs is None or outputs == grid else snapped(mechanism, outputs)


def truncated_geometric(
    outputs: int, first: int, answers: int, rate: float
) -> npt.NDArray[np.float64]:
    """Pr(output i | answer j) = (1 − α)/(1 + α)·α^|i−j|, and α^|i−j|/(1 + α) at both ends.

    α is e^(−rate), and answer 0 stands at output `first`.
    """
    apart = np.abs(np.arange(outputs)[:, None] - first - np.arange(answers)[None, :])
    masses = np.exp(-rate * apart) / (1.0 + np.exp(-rate))
    masses[1:-1] *= -np.expm1(-rate)
    return masses if outputs > 1 else np.ones_like(masses)


def _common_grid(answers: Grid, outputs: Space | None) -> tuple[Grid, int]:
    """The answers' own grid, stretched to reach the outputs, and where the answers begin in it."""
    if not isinstance(outputs, Grid):
        return answers, 0
    before = max(int(-((outputs.start - answers.start) // answers.step)), 0)
    after = max(int(-((answers.last - outputs.last) // answers.step)), 0)
    size = before + len(answers) + after
    return Grid(answers.start - before * answers.step, answers.step, size), before


@dataclass(frozen=True)
class GeometricMechanism(LaplaceMechanism):
    """Two-sided geometric noise on whole numbers, such as counts: always on the grid.

    >>> GeometricMechanism.counting(1).rate()
    Fraction(1, 1)
    """

    on_grid: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.granularity != 1:
            raise InvalidInput(
                f"geometric noise comes in steps of 1, got a granularity of "
                f"{show(self.granularity)}; use LaplaceMechanism"
            )

    @classmethod
    def counting(cls, epsilon: EpsilonLike, sensitivity: RationalLike = 1) -> "GeometricMechanism":
        """For counts that one record moves by `sensitivity` in all."""
        return cls(rational(sensitivity, "the sensitivity"), Epsilon.of(epsilon))

    def draw_counts(self, counts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """A whole array of counts, each with its own noise."""
        whole = np.asarray(counts)
        if whole.dtype.kind not in "iu":
            raise SpaceError(f"counts must be whole numbers, got an array of {whole.dtype}")
        noise = discrete_laplace(self.rate(), whole.size)
        return cast("npt.NDArray[np.int64]", whole.astype(np.int64) + noise.reshape(whole.shape))
