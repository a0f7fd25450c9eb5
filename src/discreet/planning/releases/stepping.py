"""The law of a choice by noise in whole steps, for figures (docs/proofs/stepped.md).

Write a score as whole steps and what it has beyond them. With z the chance by which the winner's
noise is exceeded, the others that reach its level must not do so with more beyond it: products of
1 − z·q as for permute-and-flip, but for these z is rounded to a power of e^(−step), up or down.
"""

import math

import numpy as np
import numpy.typing as npt

from discreet.planning.subjects.priors import Floats

Whole = npt.NDArray[np.int64]
_DIGITS = 9
"""Scores that differ by less, in steps, are the same."""
_NODES, _QUICK_NODES = 16, 3
"""For every factor of e² that z falls by."""
_SURE, _QUICK = 1e-8, 3e-3
"""Where z times all coins is so little, Π(1 − z·q) is 1 but for that: its square is left out."""
_QUICKLY_OUT = 12.0
_TOGETHER = 1 << 15
"""About so many scores are worked out together, of tables that need about as many of them."""


def stepped(scores: Floats, step: float) -> Floats:
    """How likely each output is to be chosen, table by table.

    >>> alpha = math.exp(-1)
    >>> bool(np.isclose(stepped(np.array([[0.0, -0.5]]), 1.0)[0, 1], alpha / (1 + alpha)))
    True
    """
    return np.concatenate([_law(one[None, :], step, None, _NODES, _SURE) for one in scores])


def stepped_quickly(scores: Floats, step: float, ways: Whole | None = None) -> Floats:
    """The same to five digits. A score may stand for so many outputs that are scored alike.

    Only scores that come near the best of their table are looked at.
    """
    held = np.ones(scores.shape[1]) if ways is None else ways.astype(np.float64)
    many = np.broadcast_to(held, scores.shape)
    near = scores - scores.max(axis=1, keepdims=True) + np.log(np.maximum(many, 1e-300))
    needed = (near > -_QUICKLY_OUT - math.log(scores.shape[1])).sum(axis=1)
    chances = np.zeros_like(scores)
    for tables in np.array_split(np.argsort(needed), 1 + scores.size // _TOGETHER):
        kept = int(needed[tables].max())
        best = np.argpartition(-near[tables], kept - 1, axis=1)[:, :kept]
        chosen = np.take_along_axis(scores[tables], best, axis=1)
        alike = np.take_along_axis(many[tables], best, axis=1)
        law = _law(chosen, step, alike, _QUICK_NODES, _QUICK)
        chances[tables[:, None], best] = law / law.sum(axis=1, keepdims=True)
    return chances


def _law(scores: Floats, step: float, ways: Floats | None, many: int, rest: float) -> Floats:
    gaps = np.round((scores - scores.max(axis=1, keepdims=True)) / step, _DIGITS)
    levels = np.floor(gaps)
    beyond = np.round(gaps - levels, _DIGITS - 2)
    order = np.argsort(-beyond, axis=1, kind="stable")
    coins = np.exp(step * np.take_along_axis(levels, order, axis=1))
    beyond = np.take_along_axis(beyond, order, axis=1)
    many_of = np.ones_like(coins) if ways is None else np.take_along_axis(ways, order, axis=1)
    first, after = _ties(beyond)
    rows = np.arange(len(coins))[:, None]

    def passed(chance: float) -> Floats:
        """Running sums of log(1 − chance·q)."""
        logs = many_of * np.log(np.maximum(1 - chance * coins, 1e-300))
        return np.pad(np.cumsum(logs, axis=1), ((0, 0), (1, 0)))

    sums = (many_of * coins).sum(axis=1)
    integral, level, high, upper = np.zeros_like(coins), 0, 1.0, passed(1.0)
    while high * sums.max() > rest:
        low = math.exp(-step * (level + 1))
        lower = passed(low)
        others = upper[rows, first] + lower[:, -1:] - lower[rows, after]
        for at, weight in zip(*_pieces(low, high, many), strict=True):
            same = passed(at)
            alike = same[rows, after] - same[rows, first]
            integral += weight * np.exp(others + alike) / (1 - at * coins)
        level, high, upper = level + 1, low, lower
    integral = coins * many_of * (integral + high * (1 - high * sums[:, None] / 2))
    chances: Floats = np.empty_like(scores)
    np.put_along_axis(chances, order, integral, axis=1)
    return chances


def _pieces(low: float, high: float, many: int) -> tuple[list[float], list[float]]:
    """Nodes and weights between two ends, so many for every factor of e² at most."""
    pieces = math.ceil(math.log(high / low) / 2 - 1e-9)
    ends = np.geomspace(low, high, pieces + 1)
    nodes, weights = np.polynomial.legendre.leggauss(many)
    wide = np.diff(ends)[:, None]
    at = ends[:-1, None] + (nodes + 1) / 2 * wide
    return at.ravel().tolist(), (weights / 2 * wide).ravel().tolist()


def _ties(beyond: Floats) -> tuple[Whole, Whole]:
    """For each place of sorted lines, where those that are equal to it start and end."""
    size = beyond.shape[1]
    places = np.arange(size)
    new = np.pad(beyond[:, 1:] != beyond[:, :-1], ((0, 0), (1, 0)), constant_values=True)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last = np.pad(new[:, 1:], ((0, 0), (0, 1)), constant_values=True)
    after = np.minimum.accumulate(np.where(last, places + 1, size)[:, ::-1], axis=1)[:, ::-1]
    return first, after
