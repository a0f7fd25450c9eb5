"""The law of one group's noise where groups share it and a person has one row in each.

Beside two radii all groups are independent, so that a group's law is a sum over radii, enclosed
stretch by stretch (docs/proofs/one-row-a-group.md, Claim 6).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.joint.moment_laws import NATS, SLACK, Floats, MomentLaw, least
from discreet.joint.moment_trials import MANY, even_points

_LINES, _MOST_LINES = 1400, 2800
"""Into about so many stretches all radii are cut, and into no more than so many."""
_SIZES, _RADII = 64, 400


@dataclass(frozen=True, eq=False, kw_only=True)
class CountAndReach:
    """How likely the count's noise and the reach of the others beside it are, put together."""

    sizes: Floats
    """The largest size of the count's noise in each part."""
    ends: Floats
    """The largest reach in each stretch, on the gauge."""
    chances: Floats
    """At most the chance of each part, a line for each size."""


@dataclass(frozen=True)
class SpreadMomentLaw(MomentLaw):
    """N + x₁ of all groups lies within one radius, N − x₁ within another."""

    groups: int = 1

    @cached_property
    def _each(self) -> int:
        """Into how many stretches what a row does is cut."""
        if self._rows > _MOST_LINES:
            raise DesignError("ε is too small for so many groups; spend more")
        return max(1, min(self.shape.top, int(_LINES / self._rows)))

    @cached_property
    def _rows(self) -> float:
        """How far both radii reach together, as far as any figure looks, in rows' worth."""
        power = len(self.shape.scales) * self.groups + 2
        far = 2.0 * (power + NATS)
        while far - power * math.log(far / power) - power < NATS:
            far *= 1.1
        return far / float(self.rate * self.shape.top)

    @cached_property
    def sizes(self) -> Floats:
        """Sizes of the count's noise."""
        return np.arange(math.ceil(self._rows / 2) + 1, dtype=np.float64)

    @cached_property
    def lines(self) -> npt.NDArray[np.int64]:
        """Where each stretch of radii begins; every multiple of what a row does is one of them."""
        many = math.ceil(self._rows * self._each) + 2
        return np.asarray(-(-np.arange(many) * self.shape.top // self._each), dtype=np.int64)

    @cached_property
    def _enclosed(self) -> tuple[Floats, Floats, float]:
        """Weights of (size of the count's noise, stretch of the others' reach), from below and
        from above, and what all of them sum to at least, in the same unit."""
        starts, ends = self.lines[:-1], self.lines[1:] - 1
        fall = float(self.rate)
        mass = np.exp(-fall * starts) - np.exp(-fall * (ends + 1))
        low, high = self._inside(starts), self._inside(ends)
        parts = [self._balls(one) for one in (low, high)]
        unit = float(parts[1].max())
        weights = [
            self._beside(inside, (ball / unit) ** (self.groups - 1), mass)
            for inside, ball in zip((low, high), parts, strict=True)
        ]
        return weights[0], weights[1], float(weights[0].sum())

    def _inside(self, radii: npt.NDArray[np.int64]) -> Floats:
        """How many noises of the others lie within each radius."""
        counts = np.ones(len(radii))
        for scale in self.shape.scales[1:]:
            counts *= 2 * (radii // scale) + 1
        return counts

    def _balls(self, inside: Floats) -> Floats:
        """How many noises of a group lie within two radii; none where their sum is too large.

        With h stretches for a row's worth, those with a count of n reach min(i − nh, j + nh), for n
        from −j/2h to i/2h: beside one sum i + j a run of every h-th entry of one list.
        """
        many, each = len(inside), self._each
        sums, firsts = np.arange(many)[:, None], np.arange(many)[None, :]
        near = np.minimum(firsts, sums - firsts)
        listed = np.where(near >= 0, inside[np.maximum(near, 0)], 0.0)
        wide = -(-many // each) * each
        padded = np.zeros((many, wide + each))
        padded[:, each : each + many] = listed
        running = padded.reshape(many, -1, each).cumsum(axis=1).reshape(many, -1)
        seconds = np.maximum(sums - firsts, 0)
        last = firsts + each * (seconds // (2 * each))
        before = firsts - each * (firsts // (2 * each)) - each
        by_sum = np.take_along_axis(running, last + each, 1) - np.take_along_axis(
            running, np.broadcast_to(before + each, (many, many)), 1
        )
        balls = np.zeros((many, many))
        places = np.nonzero(np.broadcast_to(sums >= firsts, (many, many)))
        balls[places[1], places[0] - places[1]] = by_sum[places]
        return balls

    def _beside(self, inside: Floats, others: Floats, mass: Floats) -> Floats:
        """For each size of the count's noise and each reach: the weights of all radii."""
        many, each = len(inside), self._each
        weights = others * mass[:, None] * mass[None, :]
        tails = np.zeros((many + 1, many + 1))
        tails[:many, :many] = weights[:, ::-1].cumsum(axis=1)[:, ::-1]
        totals = np.zeros((len(self.sizes), many))
        reach = np.arange(many)
        for size in range(len(self.sizes)):
            up, down = reach + size * each, reach - size * each
            there = (down >= 0) & (up < many)
            if not there.any():
                break
            up, down = up[there], down[there]
            # The first radius is the nearer one, or else the second is: weights are symmetric.
            some = tails[up, down] + tails[down, np.minimum(up + 1, many)]
            totals[size, there] = (1 if size == 0 else 2) * inside[there] * some
        return totals

    @cached_property
    def _chances(self) -> Floats:
        """At most the chance of each size of the count's noise with each reach of the others."""
        _, high, total = self._enclosed
        return np.asarray(high / total)

    def weights(self) -> Floats:
        """Of each size of the count's noise, in the middle of what encloses it."""
        low, high, _ = self._enclosed
        both = (low.sum(axis=1) + high.sum(axis=1)) / 2
        both[0] *= 2  # all others are for either sign
        return np.asarray(both / 2)

    def count_reach(self, failure: float) -> int:
        """The least t with P(|noise of the count| > t) at most this, but for the enclosure."""
        beyond = np.append(np.cumsum(self._chances.sum(axis=1)[::-1])[::-1][1:], 0.0)
        return int(np.argmax(beyond <= failure * (1 - SLACK)))

    def chance_beyond(self, far: int) -> float:
        """Beside each count, those of the others that reach farther."""
        ends = self.lines[1:] - 1
        inside = np.ones(len(ends))
        for scale in self.shape.scales[1:]:
            inside *= np.minimum(1.0, (2 * (far // scale) + 1) / (2 * (ends // scale) + 1))
        outside = np.where(self.sizes[:, None] * self.shape.top > far, 1.0, 1 - inside[None, :])
        return float((self._chances * outside).sum())

    def reach(self, failure: float) -> int:
        """A t with P(N > t) at most this, one of the lines."""
        lines, allowed = self.lines, failure * (1 - SLACK)
        last = len(lines) - 1
        return int(
            lines[least(lambda one: self.chance_beyond(int(lines[min(one, last)])) <= allowed)]
        )

    @cached_property
    def beside(self) -> CountAndReach:
        """Its parts, several put together as the largest of them."""
        sizes = _cuts(len(self.sizes), _SIZES)
        radii = _cuts(len(self.lines) - 1, _RADII)
        chances = np.add.reduceat(np.add.reduceat(self._chances, sizes[:-1], 0), radii[:-1], 1)
        return CountAndReach(
            sizes=self.sizes[sizes[1:] - 1],
            ends=np.asarray(self.lines[radii[1:]] - 1, dtype=np.float64),
            chances=np.asarray(chances),
        )

    @cached_property
    def known_forms(self) -> dict[tuple[tuple[int, ...], float], float]:
        """How far weighted sums of its noise reach, as far as that was worked out."""
        return {}

    @cached_property
    def even(self) -> Floats:
        """Evenly likely noises of one group, a line each: for figures."""
        low, high, _ = self._enclosed
        middle = low + high
        cube, scales = even_points(len(self.shape.scales) + 1), self.shape.scales
        by_size = np.cumsum(middle.sum(axis=1))
        signed = 2 * cube[:, 0] - 1
        size = np.searchsorted(by_size, np.abs(signed) * by_size[-1])
        running = np.cumsum(middle, axis=1)
        noises = np.zeros((MANY, len(scales)))
        noises[:, 0] = np.sign(signed) * size
        for at in range(MANY):
            line = running[size[at]]
            cell = min(int(np.searchsorted(line, cube[at, 1] * line[-1])), len(line) - 1)
            radius = (self.lines[cell] + self.lines[cell + 1]) // 2
            ends = np.array([radius // scale for scale in scales[1:]])
            noises[at, 1:] = np.floor(cube[at, 2:] * (2 * ends + 1)) - ends
        return noises

    @property
    def bytes(self) -> int:
        """What encloses it besides."""
        held: Any = vars(self).get("_enclosed", ())
        return super().bytes + sum(one.nbytes for one in held if isinstance(one, np.ndarray))


def _cuts(many: int, most: int) -> npt.NDArray[np.int64]:
    return np.unique(np.linspace(0, many, min(many, most) + 1).astype(np.int64))
