"""The staircase mechanism (Geng & Viswanath 2014; 003 Mechanism 2).

Proof: docs/proofs/staircase.md. The density falls by e^ε every Δ, in two flat steps of γΔ and
(1 − γ)Δ; among noises that ignore the answer, it has the least expected error.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import GoalError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show, spendable
from discreet.exact.numbers import check_positive, failure_of, nearest_step
from discreet.mechanisms.discretisation import Bound, Noise, snapped_density
from discreet.model import LossName, Mechanism, Neighbours, Space, numbers_of, sensitivity
from discreet.sampling import staircase_noise as draw_staircase


def best_for_absolute(epsilon: float) -> float:
    """The γ with the least expected absolute error: 1/(1 + e^(ε/2)), 003 (20)."""
    return 1.0 / (1.0 + math.exp(epsilon / 2))


def best_for_squared(epsilon: float) -> float:
    """The γ with the least expected squared error (Geng & Viswanath 2014, Theorem 5).

    >>> round(best_for_squared(1.0), 6), round(best_for_absolute(1.0), 6)
    (0.416737, 0.377541)
    """
    b = math.exp(-epsilon)
    return (math.cbrt(b * (1 + b) / 2) - b) / -math.expm1(-epsilon)


_BEST: dict[str, Callable[[float], float]] = {
    LossName.ABSOLUTE: best_for_absolute,
    LossName.SQUARED: best_for_squared,
}


def staircase_noise(width: Fraction, gamma: Callable[[float], float]) -> Noise:
    """The staircase density, 003 (20)–(21), with steps `width` long and γ a function of ε.

    Masses are sums of length × height with exact lengths: intervals on one flat step are equal.
    """

    def half(low: Bound, high: Bound, epsilon: float) -> float:
        split = Fraction(gamma(epsilon))
        share = float(split)
        top = -math.expm1(-epsilon) / (2 * (share + math.exp(-epsilon) * (1 - share)))
        start, end = low / width, high / width
        first = _level(start, split)
        if math.isinf(end):
            rest = math.exp(-epsilon * (first + 1)) / -math.expm1(-epsilon)
            return top * (_piece(first, start, split + first, epsilon) + rest)
        last = _level(end, split)
        if first == last:
            return top * _piece(first, start, end, epsilon)
        between = math.exp(-epsilon * (first + 1)) * -math.expm1(-epsilon * (last - first - 1))
        return top * (
            _piece(first, start, split + first, epsilon)
            + between / -math.expm1(-epsilon)
            + _piece(last, split + last - 1, end, epsilon)
        )

    return Noise(half)


def _level(place: Bound, split: Fraction) -> int:
    """On which flat step a place lies: step 0 ends at γ, step n at γ + n."""
    return math.floor(place - split) + 1


def _piece(level: int, start: Bound, end: Bound, epsilon: float) -> float:
    return math.exp(-epsilon * level) * float(end - start)


def staircase(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    gamma: RationalLike = LossName.ABSOLUTE,
) -> Mechanism:
    """The boundary-snapping staircase mechanism of 003, with the best γ for a loss, or a given γ.

    >>> from discreet.model import AllPairs, Grid
    >>> staircase(Grid.between(1, 5), AllPairs(), 1).probabilities()[:, 2].round(3).tolist()
    [0.305, 0.13, 0.13, 0.13, 0.305]
    """
    width = sensitivity(numbers_of(answers, "the staircase mechanism"), neighbours)
    law = staircase_noise(width, _gamma(gamma))
    return snapped_density(answers, neighbours, epsilon, law, outputs=outputs, name="staircase")


def _gamma(given: RationalLike) -> Callable[[float], float]:
    if isinstance(given, str) and given in _BEST:
        return _BEST[given]
    share = float(rational(given, "gamma, unless absolute or squared,", GoalError))
    if not 0 <= share <= 1:
        raise GoalError(f"gamma must lie between 0 and 1, got {show(given)}")
    return lambda _: share


@dataclass(frozen=True)
class StaircaseMechanism:
    """Exact staircase noise on the multiples of `granularity`, for one value.

    `sensitivity` is how far one record moves the value, which is rounded to the grid first. Every
    value needs its own ε: unlike Laplace noise, staircases do not share one among coordinates.

    >>> coarse = StaircaseMechanism.of(10, 1)
    >>> coarse.width, coarse.centre, coarse.accuracy("0.95")
    (10, 4, Fraction(30, 1))
    """

    sensitivity: Fraction
    epsilon: Epsilon
    granularity: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        check_positive("sensitivity", self.sensitivity)
        check_positive("granularity", self.granularity)

    @classmethod
    def of(
        cls, sensitivity: RationalLike, epsilon: EpsilonLike, granularity: RationalLike = 1
    ) -> "StaircaseMechanism":
        """Read the numbers exactly."""
        return cls(
            rational(sensitivity, "the sensitivity"),
            Epsilon.of(epsilon),
            rational(granularity, "the granularity"),
        )

    @property
    def width(self) -> int:
        """How many steps of the grid one record can move the value, and a stair is long."""
        return math.ceil(self.sensitivity / self.granularity)

    @property
    def centre(self) -> int:
        """The first stair is |k| < centre, chosen for the least expected absolute error.

        With b = e^(−ε), E|k| = (c² + hc + B)/(2c + h) for numbers h and B (see the proof page).
        """
        b, w = math.exp(-float(self.epsilon)), self.width
        rest = -math.expm1(-float(self.epsilon))
        h = 2 * w * b / rest - 1
        B = 2 * b * (w * w * b / rest**2 + w * (w - 1) / (2 * rest))
        middle = math.floor((math.sqrt(max(4 * B - h * h, 0.0)) - h) / 2)
        near = (min(max(c, 1), w) for c in (middle, middle + 1))
        return min(near, key=lambda c: (c * c + h * c + B) / (2 * c + h))

    def draw(self, value: RationalLike) -> Fraction:
        """The value with noise."""
        noise = draw_staircase(spendable(self.epsilon), self.width, self.centre)
        return (nearest_step(value, self.granularity) + noise) * self.granularity

    def accuracy(self, confidence: RationalLike) -> Fraction:
        """With this confidence, the rounded value is off by no more."""
        failure = float(failure_of(confidence))
        stairs = math.ceil(-math.log(failure) / float(self.epsilon)) + 1
        steps = bisect_left(
            range(self.centre + self.width * stairs),
            True,
            key=lambda t: self._beyond(t) <= failure,
        )
        return steps * self.granularity

    def _beyond(self, steps: int) -> float:
        """Pr(|k| > steps)."""
        b, w, c = math.exp(-float(self.epsilon)), self.width, self.centre
        outer = 2 * w * b / -math.expm1(-float(self.epsilon))
        inner = 2 * c - 1
        if steps < c:
            return (outer + 2 * (c - 1 - steps)) / (inner + outer)
        stairs, into = divmod(steps - c + 1, w)
        return float(b**stairs) * (outer - 2 * b * into) / (inner + outer)
