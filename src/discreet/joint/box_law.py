"""The law of noise on any number of moments: a box, where the count may weigh something by itself.

Balls are summed over stretches of radii from below and from above, so that what intervals rest on
is enclosed (docs/proofs/moments-together.md, Claim 6).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.errors import DesignError
from discreet.joint.moment_laws import NATS, SLACK, Floats, MomentLaw, array_bytes, least

_LINES = 1 << 16
_FARTHEST = 1 << 22
"""Noises that reach farther, in rows, have no law in memory."""
_FINEST = 256
"""Into at most so many stretches a row's own size is cut."""
_SEEN = 1e-12
_LEAST_LEFT = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class Tails:
    """T(y) = Σ over radii ρ ≥ y of (1 − a)·a^ρ·W(ρ) for some y, enclosed.

    W(ρ) is the number of noises of the other coordinates whose gauge is ρ or less.
    """

    lines: Floats
    """The radii y, from 0 on; every multiple of what a row does is one of them."""
    each: int
    """How many of them there are for what a row does."""
    below: Floats
    above: Floats
    inner: Floats
    """a^y·W(y): what lies no farther than y counts for so much of T(y)."""


@dataclass(frozen=True)
class BoxLaw(MomentLaw):
    """M = alone·(the count) + max over all coordinates; without a count, the maximum alone."""

    @cached_property
    def tails(self) -> Tails:
        """How much noise lies within radii, enclosed."""
        rate, top = float(self.rate * self.shape.joint), self.shape.top
        rows = (NATS + 8 * len(self.shape.scales)) / (rate * top)
        if self.shape.counted:
            rows += float(self.sizes[-1])
        if rows > _FARTHEST:
            raise DesignError("ε is too small for these moments: the noise would be too wide")
        each = max(1, min(_FINEST, top, int(_LINES / rows)))
        lines = np.ceil(np.arange(math.ceil(rows * each) + 2) / each * top)
        balls, most = self._balls(lines[:-1]), self._balls(lines[1:] - 1)
        weights = np.exp(-rate * lines)
        mass = weights[:-1] - weights[1:]
        return Tails(
            lines=lines[:-1],
            each=each,
            below=np.cumsum((mass * balls)[::-1])[::-1],
            above=np.cumsum((mass * most)[::-1])[::-1],
            inner=weights[:-1] * balls,
        )

    def _balls(self, radii: Floats) -> Floats:
        scales = self.shape.scales[1:] if self.shape.counted else self.shape.scales
        balls = np.ones(len(radii))
        for scale in scales:
            balls *= 2 * np.floor(radii / scale) + 1
        return balls

    @cached_property
    def _starts(self) -> np.typing.NDArray[np.int64]:
        """Where the radii begin beside each size of the count's noise."""
        starts = self.tails.each * np.arange(len(self.sizes) if self.shape.counted else 1)
        return np.asarray(np.minimum(starts, len(self.tails.lines) - 1), dtype=np.int64)

    @property
    def bytes(self) -> int:
        """Its tails besides."""
        tails = vars(self).get("tails")
        return super().bytes + (0 if tails is None else array_bytes(tails))

    @cached_property
    def known_forms(self) -> dict[tuple[tuple[int, ...], float], float]:
        """How far weighted sums of its noise reach, as far as that was worked out."""
        return {}

    def weights(self) -> Floats:
        """e^(−rate·(the count alone))·Σ over ρ ≥ (the count's part) of (1 − a)·a^ρ·W(ρ)."""
        tails = self.tails
        single = float(self.rate * self.shape.alone[0] * self.shape.top)
        middle = (tails.below[self._starts] + tails.above[self._starts]) / 2
        return np.asarray(np.exp(-single * self.sizes) * middle)

    @cached_property
    def sure(self) -> float:
        """What is left of a chance when all sums are as far off as their enclosures allow."""
        tails = self.tails
        seen = tails.below > tails.below[0] * _SEEN
        off = float((tails.above[seen] / tails.below[seen]).max() - 1) + SLACK
        return max(_LEAST_LEFT, 1 - (2 + self.company.others) * off)

    def chance_beyond(self, far: int) -> float:
        """Beside each count, those of the others that reach farther than what the count leaves."""
        if not self.shape.counted:
            return float(self._beyond(np.array([float(far)]))[0])
        inner = self.shape.top * self.sizes
        left = far - self.shape.alone[0] * inner
        chance = self._beyond(np.maximum(left, inner))
        return float(self.sided @ np.where(left < inner, 1.0, chance))

    def _beyond(self, places: Floats) -> Floats:
        """At most the chance to lie beyond each place, of radii from each start on."""
        tails = self.tails
        low = np.searchsorted(tails.lines, places, side="right") - 1
        over = tails.above[low] - tails.inner[low]
        return np.asarray(np.clip(over / tails.below[self._starts], 0.0, 1.0))

    def reach(self, failure: float) -> int:
        """A t with P(M > t) at most this, one of the lines."""
        lines, allowed = self.tails.lines, failure * self.sure
        last = len(lines) - 1
        return int(
            lines[least(lambda one: self.chance_beyond(int(lines[min(one, last)])) <= allowed)]
        )

    def count_reach(self, failure: float) -> int:
        """The least t with P(|noise of the count| > t) at most this, but for the enclosure."""
        return super().count_reach(failure * self.sure)
