"""How far a weighted sum of the noises of a box reaches: less than its corners do.

Beside each noise of the count and within each radius the others are independent and even, so that
their weighted sum has one law, as wide as the radius (docs/proofs/moments-together.md, Claim 9).
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.joint.box_law import BoxLaw
from discreet.joint.moment_laws import SLACK, Floats
from discreet.joint.spread_moment_law import SpreadMomentLaw

_CELLS = 1024
"""Into so many cells an even noise is cut."""
_STRETCHES, _SIZES = 400, 64
"""Into at most so many stretches radii, and sizes of the count's noise, are put together."""
_UNSEEN = 1e-9
_PARTS = 64
"""Weights are rounded up to such a part of the largest: then few of them are worked out anew."""
_TURNS = 16


Formed = BoxLaw | SpreadMomentLaw
"""Laws of a count's noise and of radii beside it, within which all else is even."""


def form_reach(law: Formed, weights: Sequence[float], failure: float) -> float:
    """A t with P(|Σ weight·noise| > t) at most this, for weights of these sizes or smaller.

    Args:
        law: That of the noise of one group.
        weights: The size of each coordinate's weight at most, not below 0.
        failure: How often the sum may be farther off.
    """
    each = [weight / scale for weight, scale in zip(weights, law.shape.scales, strict=True)]
    largest = max(each) * (1 + SLACK)
    if largest == 0:
        return 0.0
    parts = tuple(math.ceil(_PARTS * one / largest) for one in each)
    known = law.known_forms.get((parts, failure))
    if known is None:  # kept with its law, which is large
        known = law.known_forms[parts, failure] = _reach(law, parts, failure)
    return largest / _PARTS * known


def _reach(law: Formed, parts: tuple[int, ...], failure: float) -> float:
    """The same in the gauge's own units."""
    shape, allowed = law.shape, failure * (1 - SLACK)
    others = [
        (float(part), float(scale))
        for part, scale in zip(parts[shape.counted :], shape.scales[shape.counted :], strict=True)
        if part
    ]
    moved = float(parts[0] * shape.top) if shape.counted else 0.0
    rounded = sum(part * scale for part, scale in others) / 2
    wider = max((scale for _, scale in others), default=0.0) / 2
    law_of_sum = _SumOfEven.of([part for part, _ in others])
    sizes, ends, chances, missed = _beside(law)
    shifts = moved * sizes[:, None]

    def chance(far: float) -> float:
        inside = far - rounded
        scaled = ends[None, :] + wider
        outside = law_of_sum.above((inside - shifts) / scaled)
        outside += law_of_sum.above((inside + shifts) / scaled)
        outside = np.where(shifts > inside, 1.0, outside)  # wider others would lead back inside
        return float((chances * np.minimum(outside, 1.0)).sum()) + missed

    low, high = 0.0, rounded + moved * float(sizes[-1]) + sum(parts) * (float(ends[-2]) + wider)
    if chance(high) > allowed:
        return math.inf
    for _ in range(_TURNS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) <= allowed else (middle, high)
    return high


def _beside(law: Formed) -> tuple[Floats, Floats, Floats, float]:
    """Sizes of the count's noise, ends of stretches of radii, at most the chance of each pair of
    them, and what is left out."""
    if isinstance(law, SpreadMomentLaw):
        known = law.beside
        return known.sizes, known.ends, known.chances, 0.0
    sizes, chances, missed = _counts(law)
    ends, radii = _radii(law, sizes)
    return sizes, ends, chances[:, None] * radii / law.sure, missed / law.sure


def _counts(law: BoxLaw) -> tuple[Floats, Floats, float]:
    """Sizes of the count's noise, how likely each is, and what is left out; several are told as the
    largest of them, beside which all else lies farther out."""
    if not law.shape.counted:
        return np.zeros(1), np.ones(1), 0.0
    beyond = np.append(np.cumsum(law.sided[::-1])[::-1], 0.0)
    last = int(np.argmax(beyond <= _UNSEEN))
    firsts = np.unique(np.linspace(0, last, min(_SIZES, last) + 1).astype(np.int64))
    chances = beyond[firsts[:-1]] - beyond[firsts[1:]]
    return law.sizes[firsts[1:] - 1], np.asarray(chances), float(beyond[last])


def _radii(law: BoxLaw, sizes: Floats) -> tuple[Floats, Floats]:
    """The ends of stretches of radii, and beside each size the chance of each stretch at most."""
    tails = law.tails
    last = int(np.argmax(tails.above <= tails.above[0] * _UNSEEN)) or len(tails.lines) - 1
    starts = np.minimum(sizes.astype(np.int64) * tails.each, len(tails.lines) - 1)
    last = min(max(last, int(starts[-1]) + last), len(tails.lines) - 1)
    cuts = np.unique((last * np.linspace(0, 1, _STRETCHES + 1) ** 1.5).astype(np.int64))
    above = np.append(tails.above, 0.0)
    placed = np.maximum(starts[:, None], np.append(cuts, len(tails.lines))[None, :])
    weights = above[placed[:, :-1]] - above[placed[:, 1:]]
    ends = np.append(tails.lines[cuts[1:]], np.inf)
    return ends, np.asarray(weights / tails.below[starts][:, None])


class _SumOfEven:
    """Σ c·U for U even on −1 … 1: how likely it is above a place, or a little more."""

    def __init__(self, step: float, above: Floats, slack: float) -> None:
        self._step, self._above, self._slack = step, above, slack
        self._middle = len(above) // 2 - 1

    @classmethod
    def of(cls, widths: Sequence[float]) -> "_SumOfEven":
        """Every one is rounded to cells, by half a cell at most."""
        step = max(2 * sum(widths) / _CELLS, 1e-300)
        law = np.ones(1)
        for width in widths:
            law = np.convolve(law, _even(width / step))
        above = np.append(np.cumsum(law[::-1])[::-1], 0.0)
        return cls(step, above, len(widths) * step / 2)

    def above(self, places: Floats) -> Floats:
        """P(sum > place) at most."""
        cells = np.floor((places - self._slack) / self._step) + self._middle + 1
        index = np.clip(cells, 0, len(self._above) - 1).astype(np.int64)
        return np.asarray(self._above[index])


def _even(width: float) -> npt.NDArray[np.float64]:
    """How likely each cell is to hold a number that is even on −width … width cells."""
    far = math.ceil(width + 0.5)
    edges = np.clip(np.arange(-far, far + 2) - 0.5, -width, width)
    return np.asarray(np.diff(edges) / (2 * width))
