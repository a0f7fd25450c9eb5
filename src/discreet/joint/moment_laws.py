"""The law of a count's noise and what the noise of a sum does beside it, in closed form.

Proof: docs/proofs/moments-together.md. Figures are floats; what intervals rest on is rounded up.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.joint.moments import MomentShape

Floats = npt.NDArray[np.float64]

NATS = 45
"""e^−45: what is rarer is in no figure."""
_LONGEST = 1 << 20
_FEW = 2048
"""A law of no more sizes is gone through as often as it takes."""
CLOSE = _FEW // 2
"""How far a sum and a count's noise reach together is the least, or one part in so many more."""
SLACK = 1e-6
"""This share of the failures is left to rounding, and to noise that is in no figure."""


def array_bytes(holder: object) -> int:
    """How much memory the arrays take that something holds."""
    return sum(one.nbytes for one in vars(holder).values() if isinstance(one, np.ndarray))


@dataclass(frozen=True)
class Company:
    """With how many other groups' counts the noise of a count cancels."""

    others: int
    rest: bool
    """Whether the rows of no group are one more cell."""


ALONE = Company(0, False)
"""A count that no other cancels."""


@dataclass(frozen=True)
class MomentLaw(ABC):
    """How likely each noise of the count is, alone or among groups whose counts cancel."""

    shape: MomentShape
    rate: Fraction
    company: Company = ALONE

    @cached_property
    def decay(self) -> float:
        """How fast a count's noise falls in the end."""
        shape = self.shape
        return float(self.rate * shape.scales[0] * (shape.alone[0] + shape.joint))

    @cached_property
    def sizes(self) -> Floats:
        """Sizes of the count's noise, as far as any figure looks."""
        far = math.ceil((NATS + 3 * math.log1p(NATS)) / self.decay) + 1
        if far > _LONGEST:
            raise DesignError(
                "ε is too small: noise of so small a rate cannot be drawn together; spend more"
            )
        return np.arange(far, dtype=np.float64)

    @abstractmethod
    def weights(self) -> Floats:
        """The weight of each size of the count's noise, over all noise beside it."""

    @cached_property
    def counts(self) -> Floats:
        """P(noise of the count = m) for m = 0, 1, …; as likely below 0."""
        weights = self.weights()
        if self.company != ALONE:
            weights = weights * _cancelling(
                weights, self.company, float(self.rate * self.shape.top)
            )
        return np.asarray(weights / (2 * weights.sum() - weights[0]))

    @cached_property
    def sided(self) -> Floats:
        """P(size of the count's noise) for 0, 1, …"""
        both = 2 * self.counts
        both[0] /= 2
        return np.asarray(both)

    @cached_property
    def count_error(self) -> float:
        """The mean absolute noise of the count."""
        return float(self.sided @ self.sizes)

    def count_reach(self, failure: float) -> int:
        """The least t with P(|noise of the count| > t) at most this."""
        beyond = np.append(np.cumsum(self.sided[::-1])[::-1][1:], 0.0)
        return int(np.argmax(beyond <= failure * (1 - SLACK)))

    @abstractmethod
    def chance_beyond(self, far: int) -> float:
        """P(M > far) for one group, or a little more."""

    def reach(self, failure: float) -> int:
        """A t with P(M > t) at most this: all coordinates at once."""
        return least(lambda far: self.chance_beyond(far) <= failure * (1 - SLACK))

    def reaches(self, failure: float) -> tuple[int, ...]:
        """How far every coordinate's noise reaches, all at once but for this chance.

        Worked out once: nothing but public facts is in it.
        """
        known = self._known_reaches.get(failure)
        if known is None:
            shape, far = self.shape, self.reach(failure)
            known = self._known_reaches[failure] = tuple(
                far // (scale * (alone + shape.joint))
                for scale, alone in zip(shape.scales, shape.alone, strict=True)
            )
        return known

    @property
    def bytes(self) -> int:
        """How much memory its figures take, as far as they were worked out."""
        return array_bytes(self)

    @cached_property
    def _known_reaches(self) -> dict[float, tuple[int, ...]]:
        return {}


@dataclass(frozen=True)
class PairLaw(MomentLaw):
    """Count and sum: beside a count's noise m the sum's is flat, or falls slowly, up to B|m|."""

    @cached_property
    def _slow(self) -> float:
        return float(self.rate * self.shape.alone[1])

    @cached_property
    def _fast(self) -> float:
        return float(self.rate * (self.shape.alone[1] + self.shape.joint))

    @cached_property
    def _ends(self) -> Floats:
        return self.shape.scales[0] * self.sizes

    def weights(self) -> Floats:
        """In closed form."""
        return np.asarray(np.exp(-self.decay * self.sizes) * self._totals)

    @cached_property
    def _totals(self) -> Floats:
        """All weights of the sum's noise beside each m, the first 1."""
        return np.asarray(1 + 2 * self._above(np.zeros(len(self.sizes))))

    def _tail(self, places: Floats) -> Floats:
        """The weights of the sum's noise above a place that is not below B|m|."""
        falls = self._slow * (places + 1) + (self._fast - self._slow) * (places + 1 - self._ends)
        return np.asarray(np.exp(-falls) / -math.expm1(-self._fast))

    def _above(self, places: Floats) -> Floats:
        """The weights above a place (0 or more) beside each m."""
        beyond = np.maximum(places, self._ends)
        return np.asarray(self._tail(beyond) + _run(self._slow, places, beyond - places))

    def _excess(self, places: Floats) -> Floats:
        """Σ over whole places from this one on of the weights above them, beside each m."""
        beyond = np.maximum(places, self._ends)
        tail, inside = self._tail(beyond), beyond - places
        further = tail / -math.expm1(-self._fast)
        return np.asarray(further + inside * tail + _ramp(self._slow, places, inside))

    def above(self, places: Floats) -> Floats:
        """P(noise of the sum > a whole place) beside each m."""
        over = self._above(np.maximum(places, 0)) / self._totals
        under = 1 - self._above(np.maximum(-places - 1, 0)) / self._totals
        return np.asarray(np.where(places >= 0, over, under))

    def beyond(self, moved: Floats, far: int) -> Floats:
        """P(|noise of the sum − moved| > far) beside each m, for whole numbers moved."""
        return np.asarray(self.above(moved + far) + 1 - self.above(moved - far - 1))

    def chance_beyond(self, far: int) -> float:
        """What the count leaves of the gauge, the sum must exceed."""
        single, joint = self.shape.alone, self.shape.joint
        left = (far - single[0] * self._ends) / (single[1] + joint)
        inside = far - (single[0] + joint) * self._ends
        if single[1]:
            left = np.where(left >= self._ends, left, inside / single[1])
        outside = 2 * self.above(np.floor(np.maximum(left, 0)))
        return float(self.sided @ np.where(inside < 0, 1.0, outside))

    def sum_error(self, slope: float = 0.0) -> float:
        """E|noise of the sum − slope·(noise of the count)|, shifts rounded to whole ones."""
        moved = np.rint(abs(slope) * self.sizes)
        return float(self.sided @ (moved + 2 * self._excess(moved) / self._totals))

    def sum_reach(self, failure: float, slope: float = 0.0) -> int:
        """A t with P(|noise of the sum − slope·(noise of the count)| > t) at most this.

        The sum's noise is symmetric and falls with its size, so that a shift is rounded up, and by
        less than 1.
        """
        moved, allowed = np.ceil(abs(slope) * self.sizes), failure * (1 - SLACK)
        if len(moved) <= _FEW:
            reach = least(lambda far: float(self.sided @ self.beyond(moved, far)) <= allowed)
        else:
            reach = self._long_reach(moved, allowed)
        return reach + (slope != 0)

    def _long_reach(self, moved: Floats, allowed: float) -> int:
        """The same for a long law: the least one, or at most one part in `_FEW` more.

        It is found near where the law at some sizes says, and held against the whole law.
        """
        thin = _Thinned(self.shape, self.rate, self.company, len(moved) // _FEW + 1)
        places = slice(None, None, thin.every)
        share = self.sided[places] / self.sided[places].sum()
        near = least(lambda far: float(share @ thin.beyond(moved[places], far)) <= allowed)
        step, far = near // _FEW + 1, near

        def enough(far: int) -> bool:
            return float(self.sided @ self.beyond(moved, far)) <= allowed

        while not enough(far):
            far += step
        while far >= step and enough(far - step):
            far -= step
        return far


@dataclass(frozen=True)
class _Thinned(PairLaw):
    """The same law, looked at where the count's noise is a multiple of so many rows."""

    every: int = 1

    @cached_property
    def sizes(self) -> Floats:
        """Some of the sizes."""
        return super().sizes[:: self.every]


def least(enough: Callable[[int], bool]) -> int:
    """The least whole number from 0 on that is enough, where every larger one is too."""
    low, high = 0, 1
    while not enough(high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _cancelling(weights: Floats, company: Company, rest: float) -> Floats:
    """P(the others' counts sum to m) for m = 0, 1, …, by its Fourier series."""
    sizes = np.arange(len(weights))
    spread = math.sqrt(float(2 * weights @ sizes**2) / float(2 * weights.sum() - weights[0]))
    wanted = 2 * len(weights) + 24 * spread * math.sqrt(company.others + 1)
    points = 1 << math.ceil(math.log2(wanted))
    if points > _LONGEST:
        raise DesignError("ε is too small for so many groups; spend more")
    around = np.zeros(points)
    around[: len(weights)] = weights
    around[points - len(weights) + 1 :] = weights[:0:-1]
    logs = np.fft.rfft(around / around.sum()).real
    turned = np.sign(logs) ** company.others * np.abs(logs) ** company.others
    if company.rest:
        ratio, angle = math.exp(-rest), 2 * np.pi * np.arange(points // 2 + 1) / points
        turned = turned * (1 - ratio) ** 2 / (1 + ratio**2 - 2 * ratio * np.cos(angle))
    return np.maximum(np.fft.irfft(turned, points)[: len(weights)], 0.0)


def _run(decay: float, first: Floats, many: Floats) -> Floats:
    """Σ e^(−decay·(first + j)) over j = 1, …, many."""
    if decay == 0:
        return many
    return np.asarray(np.exp(-decay * (first + 1)) * np.expm1(-decay * many) / math.expm1(-decay))


def _ramp(decay: float, first: Floats, many: Floats) -> Floats:
    """Σ j·e^(−decay·(first + j)) over j = 1, …, many."""
    flat = many * (many + 1) / 2
    if decay == 0:
        return np.asarray(flat)
    once = -math.expm1(-decay)
    steep = math.exp(-decay) * (1 - np.exp(-decay * many) * (1 + many * once)) / once**2
    return np.asarray(np.exp(-decay * first) * np.where(decay * many < SLACK, flat, steep))
