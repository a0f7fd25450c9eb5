"""How noise on several counts is drawn, and its exact laws (docs/proofs/counts-together.md)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import uniform_below
from discreet.joint.radius import Radius
from discreet.joint.series import Ball, figure, least_within
from discreet.model import Relation

Floats = npt.NDArray[np.float64]

_RAREST = Fraction(1, 10**18)
"""What is rarer is in no figure."""
_LONGEST = 1 << 21


@dataclass(frozen=True)
class CountLaw(ABC):
    """Noise z on `counts` counts, where a step of its gauge costs the rate.

    Counts are exchangeable, and the noise of one is symmetric.
    """

    counts: int
    rate: Fraction

    @property
    @abstractmethod
    def radius(self) -> Radius:
        """What limits the noise of all counts."""

    @abstractmethod
    def draw(self) -> list[int]:
        """One noise for all counts."""

    @abstractmethod
    def excess(self, far: int) -> Ball:
        """E max(|z| − far, 0) for one count, at the working precision."""

    @abstractmethod
    def beyond(self, far: int) -> Ball:
        """P(|z| > far) for one count, at the working precision."""

    @abstractmethod
    def any_beyond(self, far: int) -> Ball:
        """P(max |z| > far) over all counts, at the working precision."""

    @abstractmethod
    def _weights(self, far: int) -> Floats:
        """P(z = 0), P(z = 1), … in proportion, up to a distance."""

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.radius.drawable

    @property
    def error(self) -> float:
        """The mean absolute noise of one count."""
        return _error(self)

    def reach(self, confidence: Fraction) -> int:
        """The least t with P(|z| ≤ t) at least the confidence, for one count."""
        return _reach(self, confidence)

    def reach_of_all(self, confidence: Fraction) -> int:
        """The least t with P(max |z| ≤ t) at least the confidence: for all counts at once."""
        return least_within(self.any_beyond, 1 - confidence)

    @property
    def chances(self) -> Floats:
        """P(z = 0), P(z = 1), … for one count, for figures."""
        return _chances(self)


class Changing(CountLaw):
    """Where rows change, P(z) is in proportion to e^(−rate·max|z|).

    Given the radius s, every z is uniform on −s … s.
    """

    @cached_property
    def radius(self) -> Radius:
        """Weights (2s + 1)^r·e^(−rate·s)."""
        many = self.counts
        return Radius.of(lambda s: (2 * s + 1) ** many, dimension=many, rate=self.rate)

    def draw(self) -> list[int]:
        """One noise for all counts: uniform up to the radius."""
        far = self.radius.draw()
        return [uniform_below(2 * far + 1) - far for _ in range(self.counts)]

    def excess(self, far: int) -> Ball:
        """From E max(|z| − t, 0) = (s − t)(s − t + 1)/(2s + 1), given s ≥ t."""
        fewer = self.counts - 1
        return self.radius.share(
            lambda s: (s - far) * (s - far + 1) * (2 * s + 1) ** fewer,
            degree=self.counts + 1,
            start=far,
        )

    def beyond(self, far: int) -> Ball:
        """From P(|z| > t) = 2(s − t)/(2s + 1), given s > t."""
        fewer = self.counts - 1
        return self.radius.share(
            lambda s: 2 * (s - far) * (2 * s + 1) ** fewer, degree=self.counts, start=far + 1
        )

    def any_beyond(self, far: int) -> Ball:
        """The largest |z| is the gauge."""
        return self.radius.beyond(far)

    def _weights(self, far: int) -> Floats:
        return _sum_down(_powers(2 * np.arange(far) + 1, self.counts - 1, self.rate))


class ComingOrGoing(CountLaw):
    """Where rows come or go, P(z) is in proportion to e^(−rate·(max z⁺ + max z⁻)).

    Given the radius s, z_i = U_i − U_0 for U_0, …, U_r that are uniform on 0 … s.
    """

    @cached_property
    def radius(self) -> Radius:
        """Weights (s + 1)^(r + 1)·e^(−rate·s)."""
        more = self.counts + 1
        return Radius.of(lambda s: (s + 1) ** more, dimension=more, rate=self.rate)

    def draw(self) -> list[int]:
        """One noise for all counts: uniform up to the radius, less another one."""
        far = self.radius.draw()
        common = uniform_below(far + 1)
        return [uniform_below(far + 1) - common for _ in range(self.counts)]

    def excess(self, far: int) -> Ball:
        """From E max(|z| − t, 0) = (s − t)(s − t + 1)(s − t + 2)/(3(s + 1)²), given s ≥ t."""
        fewer = self.counts - 1
        return (
            self.radius.share(
                lambda s: (s - far) * (s - far + 1) * (s - far + 2) * (s + 1) ** fewer,
                degree=self.counts + 2,
                start=far,
            )
            / 3
        )

    def beyond(self, far: int) -> Ball:
        """From P(|z| > t) = (s − t)(s − t + 1)/(s + 1)², given s > t."""
        fewer = self.counts - 1
        return self.radius.share(
            lambda s: (s - far) * (s - far + 1) * (s + 1) ** fewer,
            degree=self.counts + 1,
            start=far + 1,
        )

    def any_beyond(self, far: int) -> Ball:
        """Near t the places about U_0 are cut at both ends; from s = 2t on never at both."""
        many, rest = self.counts, 2 * far + 1
        near, longest = PowerSums(many), PowerSums(many).upto(2 * far)
        left_out = PowerSums(many).upto(far)

        def short(s: int) -> int:
            inside: int = (2 * far - s + 1) * (s + 1) ** many
            every: int = (s + 1) ** (many + 1)
            return every - inside - 2 * (near.upto(s) - left_out)

        def long(s: int) -> int:
            inside: int = (s + 1 - 2 * far) * rest**many
            every: int = (s + 1) ** (many + 1)
            return every - inside - 2 * (longest - left_out)

        share, degree = self.radius.share, many + 1
        both = share(short, degree=degree, start=far + 1) + share(long, degree=degree, start=rest)
        return both - share(short, degree=degree, start=rest)

    def _weights(self, far: int) -> Floats:
        return _sum_down(_sum_down(_powers(np.arange(far) + 1, self.counts - 1, self.rate)))


@lru_cache(maxsize=256)
def count_law(counts: int, relation: Relation, rate: Fraction) -> CountLaw:
    """The law of the noise on so many counts, where a step of its gauge costs the rate."""
    kind = ComingOrGoing if relation == Relation.ADD_OR_REMOVE else Changing
    return kind(counts, rate)


@lru_cache(maxsize=1024)
def _reach(law: CountLaw, confidence: Fraction) -> int:
    return least_within(law.beyond, 1 - confidence)


@lru_cache(maxsize=1024)
def _error(law: CountLaw) -> float:
    return figure(lambda: law.excess(0))


@lru_cache(maxsize=16)
def _chances(law: CountLaw) -> Floats:
    far = law.reach(1 - _RAREST) + 1
    if far > _LONGEST:
        raise DesignError(f"noise of rate {law.rate} is too wide to compute its errors; spend more")
    weights = law._weights(far)
    return np.asarray(weights / (2 * weights.sum() - weights[0]))


@dataclass(frozen=True)
class PowerSums:
    """1^p + 2^p + … + n^p for any n, and at little cost for the n that follows.

    >>> PowerSums(1).upto(100), PowerSums(3).upto(0)
    (5050, 0)
    """

    power: int
    known: dict[int, int] = field(default_factory=dict)

    def upto(self, last: int) -> int:
        """The sum up to a last term, by the differences of the first sums."""
        if last not in self.known:
            before = self.known.get(last - 1)
            self.known[last] = self._far(last) if before is None else before + last**self.power
        return self.known[last]

    def _far(self, last: int) -> int:
        return sum(much * comb(last, order) for order, much in enumerate(_differences(self.power)))


@lru_cache(maxsize=64)
def _differences(power: int) -> tuple[int, ...]:
    """The power sum is a polynomial of degree p + 1 in its last term."""
    values = [0]
    for term in range(1, power + 2):
        values.append(values[-1] + term**power)
    differences = []
    while values:
        differences.append(values[0])
        values = [right - left for left, right in pairwise(values)]
    return tuple(differences)


def _powers(bases: npt.NDArray[np.int64], power: int, rate: Fraction) -> Floats:
    """bases^power·e^(−rate·s) for s = 0, 1, …, times a factor that keeps them in range."""
    logs = power * np.log(bases) - float(rate) * np.arange(len(bases))
    return np.asarray(np.exp(logs - logs.max()))


def _sum_down(weights: Floats) -> Floats:
    """Each with all that come after it."""
    return np.asarray(weights[::-1].cumsum()[::-1])
