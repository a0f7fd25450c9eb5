"""The comparisons that a neighbouring relation asks for, as few blocks of rows as possible.

Within Δ steps, every window of Δ + 1 columns is a set of mutual neighbours, and every pair of
neighbours lies in one: so a row keeps all its ratios exactly when the largest entry of each window
is at most e^ε times the smallest. All pairs are one window. A graph has a window for each edge.
Proof: docs/proofs/windows.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.model import AllPairs, Graph, Integers, Mechanism

_CELLS = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows `first_row`…, and for each of their windows the largest and the smallest entry."""

    first_row: int
    windows: list[tuple[int, ...]] | range
    width: int
    largest: Integers
    smallest: Integers

    def columns(self, window: int) -> tuple[int, ...]:
        """The columns of a window."""
        if isinstance(self.windows, range):
            return tuple(range(window, window + self.width))
        return self.windows[window]


def blocks(mechanism: Mechanism) -> Iterator[Block]:
    """Every comparison R.1 asks for, a few rows at a time; none where there are no neighbours."""
    columns = len(mechanism.answers)
    relation = mechanism.neighbours
    if isinstance(relation, Graph):
        edges = list(relation.pairs(columns))
        if edges:
            yield from _edge_blocks(mechanism.weights, edges)
        return
    steps = columns - 1 if isinstance(relation, AllPairs) else min(relation.steps, columns - 1)
    if steps < 1:
        return
    width = steps + 1
    rows = max(1, _CELLS // columns)
    for first in range(0, len(mechanism.outputs), rows):
        part = mechanism.weights[first : first + rows]
        yield Block(
            first_row=first,
            windows=range(columns - steps),
            width=width,
            largest=sliding(part, width, np.maximum),
            smallest=sliding(part, width, np.minimum),
        )


def sliding(rows: Integers, width: int, pick: np.ufunc) -> Integers:
    """The largest (or smallest) of each window, by doubling: log2(width) passes."""
    reach, best = 1, rows
    while reach < width:
        step = min(reach, width - reach)
        best = pick(best[:, :-step], best[:, step:])
        reach += step
    return best


def _edge_blocks(weights: Integers, edges: list[tuple[int, int]]) -> Iterator[Block]:
    ends = np.array(edges)
    rows = max(1, _CELLS // len(edges))
    for first in range(0, len(weights), rows):
        part = weights[first : first + rows]
        left, right = part[:, ends[:, 0]], part[:, ends[:, 1]]
        windows: list[tuple[int, ...]] = list(edges)
        yield Block(
            first_row=first,
            windows=windows,
            width=2,
            largest=np.maximum(left, right),
            smallest=np.minimum(left, right),
        )
