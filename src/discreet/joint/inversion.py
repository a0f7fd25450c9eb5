"""How far weighted sums of noises reach: their law by Fourier series, with its error bounded.

A little noise of a known size is added, so that the series converges fast; what is left out, and
what the period of the series folds back, is bounded and makes intervals wider
(docs/proofs/workloads.md, Claim 8).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from discreet.joint.sums import sum_variance, weighted_reach

Floats = npt.NDArray[np.float64]

_SMOOTH = (0.05, 0.1, 0.2, 0.4)
"""How far the added noise reaches, in standard deviations of the sum: as little as there is time
for."""
_SMOOTHINGS = 10
"""It is the sum of so many even noises."""
_LEFT_OUT = 1e-5
_FOLDED = Fraction(1, 10**9)
_REACHED = Fraction(1, 10**13)
_FAR = 1e-10
_LAST = 40.0
_MOST_MEAN = 200_000
_FIRST_NODES, _LATER_NODES = 120, 160
"""How many frequencies there are up to 8 and from there to the last, in units of the spread."""
_MOST_WORK = 600_000
"""Of larger ones a bound by Markov's inequality is told."""
_MOST_PHASES = 1 << 18
"""So many phases are written down, and no more: a few megabytes."""


def _gauss(low: float, high: float, many: int) -> tuple[Floats, Floats]:
    """Places and weights of an integral, by Gauss and Legendre."""
    places, weights = np.polynomial.legendre.leggauss(many)
    half = (high - low) / 2
    return np.asarray(low + half * (places + 1)), np.asarray(half * weights)


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Frequencies and their shares."""
    parts = _gauss(0.0, 8.0, _FIRST_NODES), _gauss(8.0, _LAST, _LATER_NODES)
    nodes, shares = (np.concatenate(pair) for pair in zip(*parts, strict=True))
    return nodes, shares


@dataclass(frozen=True, eq=False)
class WeightedNoises:
    """Noises of one rate with their weights; where they cancel, weights sum to 0."""

    weights: Floats
    rate: Fraction
    cancelling: bool

    @cached_property
    def grouped(self) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Different weights, and how many noises have each."""
        return np.unique(self.weights, return_counts=True)

    @property
    def variance(self) -> float:
        """The variance of their sum."""
        if not self.cancelling:
            return sum_variance(1, self.rate) * float(np.square(self.weights).sum())
        many = len(self.weights)
        each = sum_variance(1, self.rate, of=many)
        return each * many / (many - 1) * float(np.square(self.weights).sum())

    @cached_property
    def _phases(self) -> Floats:
        """Where noises cancel: the phases that their sum is told apart by, near 0 alone.

        One weight may be taken off all, since the noises cancel; that of most noises is. Then
        farther phases add less than 10^-10 in all.
        """
        if not self.cancelling:
            return np.zeros(1)
        many = self._period
        phases = 2 * np.pi * (np.arange(many) - many // 2) / many
        most, every = int(self.grouped[1].max()), self._logs(phases, len(self.weights))
        enough = math.log(_FAR / many) + math.log(np.exp(every - every.max()).sum()) + every.max()
        return np.asarray(phases[self._logs(phases, most) >= enough])

    @cached_property
    def _period(self) -> int:
        """Sums of all noises are told apart up to this number, which they hardly ever reach."""
        alike = np.ones(len(self.weights))
        return math.ceil(weighted_reach([(alike, self.rate)], 1 - _REACHED))

    def _logs(self, phases: Floats, many: int) -> Floats:
        """log E cos(phase·sum) of so many noises with weight 1."""
        ratio = math.exp(-self.rate)
        each = 2 * math.log1p(-ratio) - np.log1p(ratio * ratio - 2 * ratio * np.cos(phases))
        return np.asarray(many * each)

    @property
    def work(self) -> int:
        """How many cosines one frequency takes.

        Where sums are told apart by very many phases, so many: these are not even written down, for
        a small ε would need gigabytes of them.
        """
        if self.cancelling and self._period > _MOST_PHASES:
            return self._period
        return len(self._phases) * len(self.grouped[0])

    def transform(self, frequencies: Floats) -> Floats:
        """E cos(frequency·sum), given that noises cancel where they do."""
        weights, many = self.grouped
        logs = np.zeros((len(frequencies), len(self._phases)))
        if self.cancelling:
            most = many.argmax()
            logs += self._logs(self._phases, int(many[most]))
            weights, many = np.delete(weights - weights[most], most), np.delete(many, most)
        for weight, times in zip(weights.tolist(), many.tolist(), strict=True):
            logs += self._logs(weight * frequencies[:, None] + self._phases, times)
        if not self.cancelling:
            return np.asarray(np.exp(logs[:, 0]))
        circle = 2 * np.pi * np.arange(self._period) / self._period
        whole = np.exp(self._logs(circle, len(self.weights))).sum()
        return np.asarray(np.exp(logs).sum(axis=1) / whole)


def inverted_reach(sums: Sequence[WeightedNoises], confidence: Fraction) -> Fraction:
    """A t with P(|Σ cᵢzᵢ| ≤ t) at least the confidence: nearly the least.

    Args:
        sums: Noises of several layers, all independent of one another.
        confidence: How often the sum is to be within t, at least.
    """
    plain = [(one.weights, one.rate) for one in sums]
    bound = weighted_reach(plain, confidence)
    spread = math.sqrt(sum(one.variance for one in sums))
    if spread <= 0 or float(bound) <= 0:
        return bound
    folded, work = float(weighted_reach(plain, 1 - _FOLDED)), sum(one.work for one in sums)
    for smooth in _SMOOTH:
        reach = smooth * spread
        period = folded + reach
        many = _terms(period / reach)
        if many * work <= _MOST_WORK:
            break
    else:
        return bound
    place = np.arange(1, many + 1)
    frequencies = np.asarray(place * (math.pi / period), dtype=np.float64)
    law = np.sinc(reach * frequencies / (_SMOOTHINGS * math.pi)) ** _SMOOTHINGS
    for one in sums:
        law = law * one.transform(frequencies)
    terms = 2 * law / (place * math.pi)
    wanted = float(confidence) + 2 * _LEFT_OUT
    low, high = 0.0, min(float(bound), period - reach)
    while high - low > 1e-4 * spread:
        middle = (low + high) / 2
        held = middle / period + float(terms @ np.sin(frequencies * middle))
        low, high = (low, middle) if held >= wanted else (middle, high)
    return min(bound, Fraction(high + reach))


def mean_size(sums: Sequence[WeightedNoises]) -> float | None:
    """E|Σ cᵢzᵢ|, or hardly more; None where it would take long.

    It is 2/π times the integral of (1 − φ(t))/t², with φ the transform of the sum, which is never
    negative: so what lies beyond the last frequency is not more than one by it.
    """
    nodes, shares = _nodes()
    spread = math.sqrt(sum(one.variance for one in sums))
    if spread <= 0 or len(nodes) * sum(one.work for one in sums) > _MOST_MEAN:
        return None if spread > 0 else 0.0
    law = np.ones(len(nodes))
    for one in sums:
        law = law * one.transform(nodes / spread)
    inside = float(shares @ ((1 - law) / np.square(nodes)))
    return 2 / math.pi * spread * (inside + 1 / _LAST)


def _terms(periods: float) -> int:
    """How many terms leave out little, for a period of so many reaches of the added noise."""
    first = _SMOOTHINGS * periods / math.pi
    left = math.log(2 / (math.pi * _SMOOTHINGS * _LEFT_OUT)) / _SMOOTHINGS
    return math.ceil(first * math.exp(left)) + 1


def rounding_reach(sums: Sequence[WeightedNoises], step: Fraction) -> Fraction:
    """How far sums are off at most where weights are rounded to steps, but for a chance of 10⁻⁹."""
    reach = Fraction(0)
    for one in sums:
        many = len(one.weights)
        largest = math.ceil((math.log(4 * many * len(sums)) + 21) / float(one.rate))
        reach += step * many * largest
    return reach
