"""A proven lower bound over all fair and row-monotone mechanisms (docs/proofs/band.md)."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from discreet.design.band import Triangles, chained_costs
from discreet.design.program import Floats, Indices

Flags = npt.NDArray[np.bool_]

_UNIT = 2.0**-53
_NOTICED = 1e-9


def band_bound(triangles: Triangles, multipliers: Floats) -> float:
    """A number that no fair, row-monotone mechanism costs less than, whatever the multipliers.

    For each row, the cheapest way to fall on either side of a diagonal cell of 1, when column j
    pays multipliers[j], comes from dynamic programming over the places where the row drops by a
    factor of e^ε: at least Δ apart. `triangles.shrink` must be e^(−ε) rounded down.

    >>> from discreet.design.band import best_plan, reach_of
    >>> ones = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 3
    >>> triangles = Triangles((2 * ones,), 1, 0.5)
    >>> plan, value, multipliers = best_plan(triangles, reach_of(triangles, 3))
    >>> 0 <= value - band_bound(triangles, multipliers) < 1e-12
    True
    """
    terms = [-multipliers, np.array([triangles.diagonal])]
    sizes = max(float(cost.max()) for cost in triangles.costs) + 2 * np.abs(multipliers).max()
    doubt = 4 * _UNIT * float(sizes) * triangles.size**2 * len(triangles.costs)
    for reduced in _reduced(triangles, multipliers):
        cheapest, unsure = _cheapest_falls(reduced, triangles.steps, triangles.shrink)
        terms.append(cheapest)
        doubt += unsure
    rows = np.concatenate(terms)
    rounding = 4 * _UNIT * (math.fsum(np.abs(rows)) + math.fsum(np.abs(multipliers)))
    falls_short = min(0.0, math.fsum(rows) - doubt - rounding)
    return math.fsum(multipliers) + falls_short * largest_diagonal(triangles) - rounding


def short_of_the_best(triangles: Triangles, reach: Indices, multipliers: Floats) -> Flags:
    """The rows whose cheapest fall is not among those that are tied beyond the reach."""
    short = np.zeros(triangles.size - 1, dtype=bool)
    row = np.arange(triangles.size)[:, None]
    beyond = np.arange(triangles.size) - row - np.append(reach, 0)[:, None]
    for reduced in _reduced(triangles, multipliers):
        free, _ = _cheapest_falls(reduced, triangles.steps, triangles.shrink)
        chained = chained_costs(reduced, triangles.steps, triangles.shrink)
        tied = np.where(beyond > -triangles.steps, chained, reduced)
        tied[beyond > 0] = 0.0
        bound, _ = _cheapest_falls(tied, triangles.steps, triangles.shrink)
        short |= (free < bound - _NOTICED * np.abs(bound).max())[:-1]
    return short


def largest_diagonal(triangles: Triangles) -> float:
    """No fair mechanism has a larger diagonal: its middle column would sum to more than 1."""
    away = np.abs(np.arange(triangles.size) - triangles.size // 2)
    changes = -(-away // triangles.steps)
    return float(1 / np.sum(triangles.shrink**changes)) * (1 + 2.0**-40)


def _reduced(triangles: Triangles, multipliers: Floats) -> Iterator[Floats]:
    """What a cell of each triangle costs when its column pays its multiplier."""
    if triangles.mirrored:
        yield triangles.costs[0] - multipliers - multipliers[::-1]
    else:
        yield triangles.costs[0] - multipliers
        yield triangles.costs[1] - multipliers[::-1]


def _cheapest_falls(reduced: Floats, steps: int, shrink: float) -> tuple[Floats, float]:
    """For each row, the least Σ_{j>i} reduced·x with x falling from 1; and the doubt of them all.

    `falls` is the best from a column on when the next drop may come at once, in units of the level
    before it; after a drop the level is kept for Δ columns.
    """
    size = len(reduced)
    by_column = np.ascontiguousarray(reduced.T)
    falls = np.zeros((size + steps + 1, size))
    window = np.zeros(size)
    cheapest = np.zeros(size)
    largest = 0.0
    for j in range(size - 1, 0, -1):
        here = by_column[j, :j]
        window = window[:j] + here
        if j + steps < size:
            window -= by_column[j + steps, :j]
        dropped = shrink * (window + falls[j + steps, :j])
        falls[j, :j] = np.minimum(dropped, here + falls[j + 1, :j])
        cheapest[j - 1] = falls[j, j - 1]
        largest = max(largest, float(np.abs(window).max()), float(np.abs(here).max()))
    largest = max(largest, float(np.abs(falls).max()))
    doubt = 8 * _UNIT * (size + steps) * largest / (1 - shrink)
    return cheapest, size * doubt
