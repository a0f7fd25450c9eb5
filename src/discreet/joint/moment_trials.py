"""Noises of moments that are evenly likely, for figures alone: nothing is drawn from them.

Beside a count's noise m the others lie in a ball of a radius ρ ≥ (what m takes of the gauge), each
by itself: e^(−rate·max) is a sum of a^ρ over all larger radii (docs/proofs/moments-together.md).
"""

import math
from fractions import Fraction

import numpy as np

from discreet.joint.moment_laws import NATS, Floats
from discreet.joint.moments import MomentShape

MANY = 4096
_LINES = 1 << 14


def even_noises(shape: MomentShape, rate: Fraction, counts: Floats | None) -> Floats:
    """Evenly likely noises, a line each: `counts` is the law of the count's from 0 on, if any.

    Lines are the points of a lattice that fills the cube evenly (Roberts 2018), so that means over
    them are much closer than means over as many random ones.
    """
    first = 0 if counts is None else 1
    cube = even_points(len(shape.scales) - first + 2)
    noises = np.zeros((MANY, len(shape.scales)))
    if counts is not None:
        both = np.concatenate([counts[:0:-1], counts])
        places = np.searchsorted(np.cumsum(both / both.sum()), cube[:, 0])
        noises[:, 0] = np.minimum(places, len(both) - 1) - (len(counts) - 1)
    radii = _radii(shape, rate, first, noises[:, 0] if counts is not None else None, cube[:, 1])
    for place in range(first, len(shape.scales)):
        scale, alone = shape.scales[place], shape.alone[place]
        ends = np.floor(radii / scale)
        noises[:, place] = _inside(float(rate * scale * alone), ends, cube[:, place - first + 2])
    return noises


def _radii(
    shape: MomentShape, rate: Fraction, first: int, counts: Floats | None, shares: Floats
) -> Floats:
    """A radius beside each count; without a joint part, as far as any figure looks."""
    scales, single = shape.scales[first:], shape.alone[first:]
    least = np.zeros(MANY) if counts is None else shape.scales[0] * np.abs(counts)
    if not shape.joint:
        return np.full(MANY, math.inf)
    fall = float(rate * shape.joint)
    far = float(least.max()) + (NATS + 8 * len(shape.scales)) / fall
    step = max(1, math.ceil(far / _LINES))
    lines = np.arange(0, math.ceil(far) + step, step, dtype=np.float64)
    weights = -fall * lines
    for scale, alone in zip(scales, single, strict=True):
        weights += np.log(_mass(float(rate * scale * alone), np.floor(lines / scale)))
    tails = np.cumsum(np.exp(weights - weights.max())[::-1])[::-1]
    starts = np.minimum(np.ceil(least / step).astype(int), len(lines) - 1)
    wanted = tails[starts] * (1 - shares)
    places = len(lines) - np.searchsorted(tails[::-1], wanted, side="right") - 1
    return np.asarray(np.maximum(lines[np.maximum(places, starts)], least))


def _mass(fall: float, ends: Floats) -> Floats:
    """Σ e^(−fall·|z|) over whole |z| ≤ ends."""
    if fall == 0:
        return np.asarray(2 * ends + 1)
    return np.asarray(1 + 2 * np.exp(-fall) * np.expm1(-fall * ends) / np.expm1(-fall))


def _inside(fall: float, ends: Floats, shares: Floats) -> Floats:
    """A whole number within ± ends for each share of its law."""
    if fall == 0:
        return np.asarray(np.floor(shares * (2 * ends + 1)) - ends)
    half = _mass(fall, ends) / 2
    inner = np.abs(shares - 0.5) * 2 * half  # how much of one side's mass lies inside
    grown = np.maximum(inner - 0.5, 0.0) * np.expm1(-fall) / np.exp(-fall)
    sizes = np.ceil(-np.log1p(np.maximum(grown, -1 + 1e-300)) / fall - 1e-12)
    return np.asarray(np.sign(shares - 0.5) * np.minimum(sizes, ends))


def even_points(dimension: int) -> Floats:
    """Points of a cube by multiples of a root of x^(d+1) = x + 1, modulo 1."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimension + 1))
    steps = root ** -np.arange(1.0, dimension + 1)
    return np.asarray((0.5 + np.outer(np.arange(1, MANY + 1), steps)) % 1.0)
