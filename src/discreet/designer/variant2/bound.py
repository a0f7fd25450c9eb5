"""A proven lower bound over all fair and row-monotone mechanisms (docs/proofs/band.md)."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.variant2.band import Flags, Triangles, chained_costs

_UNIT = 2.0**-53
_TINY = 1e-300
_NOTICED = 1e-12


def band_bound(triangles: Triangles, multipliers: Floats) -> float:
    """A number that no fair, row-monotone mechanism costs less than, whatever the multipliers.

    For each row, the cheapest way to fall on either side of a diagonal cell of 1, when column j
    pays multipliers[j], comes from dynamic programming over the places where the row drops by a
    factor of e^ε: at least Δ apart. `triangles.shrink` must be e^(−ε) rounded down.

    >>> from discreet.designer.variant2.band import reach_of
    >>> from discreet.designer.variant2.search import best_plan
    >>> ones = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 3
    >>> triangles = Triangles((2 * ones,), 1, 0.5)
    >>> plan, value, multipliers = best_plan(triangles, reach_of(triangles, 3))
    >>> 0 <= value - band_bound(triangles, multipliers) < 1e-12
    True
    """
    terms = [-multipliers, np.array([triangles.diagonal])]
    terms += [
        _cheapest_falls(reduced, triangles.steps, triangles.shrink)
        for reduced in _reduced(triangles, multipliers)
    ]
    rows = np.concatenate(terms)
    rounding = 4 * _UNIT * (math.fsum(np.abs(rows)) + math.fsum(np.abs(multipliers)))
    falls_short = min(0.0, math.fsum(rows) - rounding)
    return math.fsum(multipliers) + falls_short * largest_diagonal(triangles) - rounding


def short_of_the_best(triangles: Triangles, reach: Indices, multipliers: Floats) -> Flags:
    """The rows whose cheapest fall is not among those that are tied beyond the reach."""
    short = np.zeros(triangles.size - 1, dtype=bool)
    row = np.arange(triangles.size)[:, None]
    beyond = np.arange(triangles.size) - row - np.append(reach, 0)[:, None]
    for reduced in _reduced(triangles, multipliers):
        free = _cheapest_falls(reduced, triangles.steps, triangles.shrink)
        chained = chained_costs(reduced, triangles.steps, triangles.shrink)
        tied = np.where(beyond > -triangles.steps, chained, reduced)
        tied[beyond > 0] = 0.0
        bound = _cheapest_falls(tied, triangles.steps, triangles.shrink)
        short |= (free < bound - _NOTICED * np.abs(bound).max())[:-1]
    return short


def largest_diagonal(triangles: Triangles) -> float:
    """No fair mechanism has a larger diagonal: its middle column would sum to more than 1."""
    away = np.abs(np.arange(triangles.size) - triangles.size // 2)
    changes = -(-away // triangles.steps)
    return float(1 / np.sum(triangles.shrink**changes)) * (1 + 2.0**-40)


def _reduced(triangles: Triangles, multipliers: Floats) -> Iterator[Floats]:
    """What a cell of each triangle costs when its column pays its multiplier, rounded down."""
    paid = multipliers + multipliers[::-1] if triangles.mirrored else multipliers
    sizes = np.abs(multipliers) + np.abs(multipliers[::-1])
    yield triangles.costs[0] - paid - 8 * _UNIT * (triangles.costs[0] + sizes)
    if not triangles.mirrored:
        yield triangles.costs[1] - paid[::-1] - 8 * _UNIT * (triangles.costs[1] + sizes)


def _cheapest_falls(reduced: Floats, steps: int, shrink: float) -> Floats:
    """For each row, the least Σ_{j>i} reduced·x with x falling from 1, rounded down.

    `falls` is the best from a column on when the next drop may come at once, in units of the level
    before it; after a drop the level is kept for Δ columns.
    """
    size = len(reduced)
    columns = np.ascontiguousarray(reduced.T)
    falls = np.zeros((size + steps, size))
    cheapest = np.zeros(size)
    later = range(size - 1, 0, -1)
    sums, sizes = _window_sums(columns, steps), _window_sums(columns, steps, np.abs)
    for j, kept, kept_size in zip(later, sums, sizes, strict=True):
        level = kept - (steps + 2) * _UNIT * kept_size
        dropped = _down(shrink * _down(level + falls[j + steps, :j]))
        falls[j, :j] = np.minimum(dropped, _down(columns[j, :j] + falls[j + 1, :j]))
        cheapest[j - 1] = falls[j, j - 1]
    return cheapest


def _down(values: Floats) -> Floats:
    """Below what the last operation would have given without rounding."""
    return values - 2 * _UNIT * np.abs(values) - _TINY


def _window_sums(
    columns: Floats, steps: int, each: Callable[[Floats], Floats] = np.positive
) -> Iterator[Floats]:
    """For the last column j and all before it, the sums of columns j … j + Δ − 1 in rows above j.

    A window is the end of one stretch of Δ columns and the start of the next, so that no sum has
    more than Δ terms.
    """
    size = len(columns)
    next_starts = np.zeros((steps + 1, size))
    for end in range(size - 1, 0, -steps):
        first = end - steps + 1
        suffix = np.zeros(size)
        for j in range(end, max(first, 1) - 1, -1):
            suffix = suffix[:j] + each(columns[j, :j])
            yield suffix + next_starts[j - first, :j]
        if first > 0:
            np.cumsum(each(columns[first : end + 1]), axis=0, out=next_starts[1:])
