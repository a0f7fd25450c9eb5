"""Where to place k outputs on a line, for every k: the heart of designs for all pairs.

A set I of outputs costs Σ_{i∈I} D(i) + (g−1)·Σ_j q_j·min_{i∈I} ℓ(i,j), with D(i) = Σ_j q_j·ℓ(i,j):
every output is open to all, the nearest takes the rest. Where losses fall and then rise along the
outputs, the best sets follow from shortest paths whose arcs are Monge: docs/proofs/all-pairs.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import Floats, Indices

Arcs = Callable[[Indices, Indices], Floats]
"""h(i, i') = Σ_j q_j·min(0, ℓ(i',j) − ℓ(i,j)): what a next output i' > i saves."""


@dataclass(frozen=True, eq=False)
class Places:
    """Outputs in order: what telling each one costs, and what each saves after another."""

    constant: Floats
    saves: Arcs
    doubt: float
    """How far rounding may put off a constant or an arc."""


def best_sets(places: Places, ratio: float) -> Iterator[tuple[float, Indices]]:
    """For k = 1, 2, … the least cost of k outputs and which they are, until k is all of them."""
    size = len(places.constant)
    cost = ratio * places.constant
    before: list[Indices] = []
    for k in range(1, size + 1):
        last = int(cost.argmin())
        yield float(cost[last]), _traced(before, last)
        if k < size:
            saved, chosen = _layer(cost, places.saves, ratio - 1, k)
            before.append(chosen)
            cost = saved + places.constant


def _traced(before: list[Indices], last: int) -> Indices:
    path = [last]
    for chosen in reversed(before):
        path.append(int(chosen[path[-1]]))
    return np.array(path[::-1])


def _layer(cost: Floats, saves: Arcs, factor: float, least: int) -> tuple[Floats, Indices]:
    """min over i < i' of cost(i) + factor·h(i, i') and where, for each i' from `least` on.

    The best i does not fall as i' grows, so places between two known ones are searched between
    their best; with each round the known places are twice as many.
    """
    size = len(cost)
    best, chosen = np.full(size, np.inf), np.zeros(size, dtype=np.int64)
    stride = 1 << (size - least - 1).bit_length() if size - least > 1 else 1
    known = np.zeros(0, dtype=np.int64)
    while stride >= 1:
        targets = np.arange(least + stride - 1, size, 2 * stride)
        position = np.searchsorted(known, targets)
        low = np.append(least - 1, chosen[known])[position]
        high = np.minimum(np.append(chosen[known], size)[position], targets - 1)
        sources, starts = _between(low, high)
        counts = high - low + 1
        values = cost[sources] + factor * saves(sources, np.repeat(targets, counts))
        best[targets], hit = _least_of(values, starts, counts)
        chosen[targets] = sources[hit]
        known = np.sort(np.concatenate([known, targets]))
        stride //= 2
    return best, chosen


def _between(low: Indices, high: Indices) -> tuple[Indices, Indices]:
    """The numbers low … high of each pair, one after the other, and where each pair's begin."""
    counts = high - low + 1
    starts = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) - np.repeat(starts - low, counts), starts


def _least_of(values: Floats, starts: Indices, counts: Indices) -> tuple[Floats, Indices]:
    """The least of each group, and the first place where it stands."""
    if not len(starts):
        return values, starts
    least: Floats = np.minimum.reduceat(values, starts)
    hits = np.flatnonzero(values == np.repeat(least, counts))
    return least, hits[np.searchsorted(hits, starts)]
