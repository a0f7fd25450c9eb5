"""Several tables of counts from one radius: a row that changes moves one step in each of them.

The gauge of the noise is the largest of ½Σ|z| over the tables, so that all of them are told from
one ε (docs/proofs/marginals.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.certifier.largest import certify_largest
from discreet.exact import Epsilon, spendable
from discreet.exact.randomness import uniform_below
from discreet.joint.cells import CellNoise
from discreet.joint.radius import Radius
from discreet.joint.series import least_within
from discreet.model.largest import LargestGauge

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

MOST_DIMENSIONS = 40
"""Of more, the radius leaves little to gain."""
MOST_RADII = 600
"""Laws of wider noise are not worked out."""
_RARE = Fraction(1, 10**9)
"""Radii that are rarer are counted as if every count were off by more than any distance."""


@dataclass(frozen=True, eq=False)
class MarginalNoise:
    """Noise on tables of so many cells each, whose counts sum to one public number."""

    sizes: tuple[int, ...]
    certified: Certified[LargestGauge]

    @classmethod
    def of(
        cls, sizes: Sequence[int], epsilon: Epsilon, *, rows_per_unit: int = 1
    ) -> "MarginalNoise":
        """The noise at ε, certified."""
        rate = spendable(epsilon)
        parts = tuple(
            CellNoise.of(cells, epsilon, rate=rate, rows_per_unit=rows_per_unit).certified.mechanism
            for cells in sizes
        )
        return cls(tuple(sizes), certify_largest(LargestGauge(parts), epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.parts[0].rate

    @property
    def digest(self) -> str:
        """That of its certificate."""
        return self.certified.certificate.digest

    @cached_property
    def radius(self) -> Radius:
        """How large the noise is, by its gauge."""
        return Radius.of(
            lambda s: math.prod(ball_size(cells, s) for cells in self.sizes),
            dimension=sum(self.sizes) - len(self.sizes),
            rate=self.rate,
        )

    @property
    def drawable(self) -> bool:
        """Whether such noise can be drawn."""
        return self.radius.drawable

    def draw(self) -> list[Whole]:
        """One noise for all tables: a radius, then each table by itself, uniform in its ball."""
        radius = self.radius.draw()
        return [_in_ball(cells, radius) for cells in self.sizes]

    @cached_property
    def _last(self) -> int:
        """The radius that is exceeded no more often than `_RARE`."""
        return least_within(self.radius.beyond, _RARE)

    @property
    def has_law(self) -> bool:
        """Whether its law is worked out."""
        return self._last <= MOST_RADII

    @cached_property
    def _radii(self) -> Floats:
        """P(radius = s) for s = 0, 1, …, but for what is rare."""
        radii = range(self._last + 1)
        logs = np.array([_log(self.radius.ball(s)) - float(self.rate) * s for s in radii])
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    @lru_cache(maxsize=256)  # noqa: B019  lives as long as its plan
    def chances(self, table: int, many: int) -> Floats:
        """P(the noise of a sum of so many cells of a table = t) for t = 0, 1, …"""
        cells, radii = self.sizes[table], self._radii
        fewer = min(many, cells - many)
        if fewer == 0:
            return np.ones(1)
        inside = _in_balls(cells, fewer, len(radii))
        balls = np.array([float(ball_size(cells, s)) for s in range(len(radii))])
        return np.asarray((radii / balls) @ inside)

    def error(self, table: int, many: int) -> float:
        """How far such a sum is off on average, for any table."""
        chances = self.chances(table, many)
        return float(2 * chances @ np.arange(len(chances)))

    def variance(self, table: int, many: int) -> float:
        """The variance of such a sum."""
        chances = self.chances(table, many)
        return float(2 * chances @ np.square(np.arange(len(chances))))

    def reach(self, table: int, many: int, confidence: Fraction) -> int:
        """How far such a sum is off at most, at a confidence, for any table."""
        chances = self.chances(table, many)
        if len(chances) == 1:
            return 0
        missed = 1 - (2 * np.cumsum(chances) - chances[0])
        allowed = float(1 - confidence - 2 * _RARE) * (1 - 1e-9)
        return int(np.argmax(missed <= allowed)) if missed[-1] <= allowed else len(chances)


@lru_cache(maxsize=1 << 14)
def ball_size(cells: int, radius: int) -> int:
    """How many noises on cells that cancel have ½Σ|z| of at most a radius."""
    most = cells - 1
    return sum(
        math.comb(most, i) ** 2 * math.comb(radius - i + most, most)
        for i in range(min(most, radius) + 1)
    )


def _in_ball(cells: int, radius: int) -> Whole:
    """A noise on cells that cancels, uniform among those of at most a radius."""
    chosen = uniform_below(ball_size(cells, radius))
    low, high = -1, radius
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ball_size(cells, middle) > chosen else (middle, high)
    return _on_sphere(cells, high)


def _on_sphere(cells: int, radius: int) -> Whole:
    """The same, uniform among those of exactly a radius."""
    noise = np.zeros(cells, dtype=np.int64)
    if radius == 0:
        return noise
    ways = [_signs(cells, many, radius) for many in range(1, cells)]
    chosen = uniform_below(sum(ways))
    many = 0
    while chosen >= ways[many]:
        chosen -= ways[many]
        many += 1
    above = sorted(_subset(cells, many + 1))
    below = [cell for cell in range(cells) if cell not in above]
    noise[above] = _composition(radius - len(above), len(above)) + 1
    noise[below] = -_composition(radius, len(below))
    return noise


def _signs(cells: int, above: int, radius: int) -> int:
    """How many such noises have so many cells above 0."""
    below = cells - above
    return (
        math.comb(cells, above)
        * math.comb(radius - 1, above - 1)
        * math.comb(radius + below - 1, below - 1)
    )


def _composition(total: int, parts: int) -> Whole:
    """Numbers that sum to a total, none below 0, uniform: bars among stars."""
    bars = np.array(sorted(_subset(total + parts - 1, parts - 1)), dtype=np.int64)
    return np.diff(np.concatenate([[-1], bars, [total + parts - 1]])) - 1


def _subset(of: int, many: int) -> set[int]:
    """So many different numbers below a bound, every set as likely (Floyd's way)."""
    subset: set[int] = set()
    for last in range(of - many, of):
        chosen = uniform_below(last + 1)
        subset.add(last if chosen in subset else chosen)
    return subset


@lru_cache(maxsize=8)
def _in_balls(cells: int, many: int, radii: int) -> Floats:
    """For each radius, how many noises in its ball have a sum of so many cells of t = 0, 1, …"""
    ways = np.zeros((radii, radii))
    for t in range(radii):
        some, others = _halves(many, t, radii), _halves(cells - many, -t, radii)
        ways[:, t] = np.convolve(some, others)[:radii]
    return np.cumsum(ways, axis=0)


def _halves(cells: int, total: int, radii: int) -> Floats:
    """How many numbers on cells have this total, by the sum of those above 0."""
    counts = np.zeros(radii)
    above = np.arange(max(total, 0), radii)
    for j in range(cells + 1):
        ways = _into(above - j, j) * _into(above - total, cells - j)
        counts[above] += math.comb(cells, j) * ways
    return counts


def _into(totals: Whole, parts: int) -> Floats:
    """In how many ways each total is a sum of parts, none below 0."""
    if parts == 0:
        return np.asarray(totals == 0, dtype=np.float64)
    ways = np.ones(len(totals))
    for i in range(1, parts):
        ways *= (totals + i) / i
    return np.where(totals >= 0, ways, 0.0)


def _log(number: int) -> float:
    """The natural logarithm of a whole number of any size."""
    shift = max(0, number.bit_length() - 900)
    return math.log(number >> shift) + shift * math.log(2)
