"""Whole rows whose counts come near to measurements with noise: post-processing, in floats.

The fit is the table of n rows, none below 0, with the least weighted squares; of all that fit as
well, one that is spread as evenly as they allow, since it starts from an even spread and moves by
factors (entropic mirror descent; docs/proofs/workloads.md, Claim 7).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.joint.levels import CellBlocks

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

_STEPS = 400
_ENOUGH = 1e-7
"""A step that gains less than this part of what is left is the last."""
_MOST_WORK = 1 << 26
_LEAST = 1e-9
"""The least variance that noise is taken to have."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured counts of blocks, and how much a squared difference from them counts."""

    blocks: CellBlocks
    counts: Whole
    weight: float

    @classmethod
    def of(cls, blocks: CellBlocks, counts: Whole, variance: float) -> "Measured":
        """Counts with noise of a variance; where ε leaves hardly any, of a little."""
        return cls(blocks, counts, 1 / max(variance, _LEAST))


def fitted(measured: Sequence[Measured], cells: int, rows: int) -> Floats:
    """The cells of a table of so many rows that comes nearest to what was measured."""
    if rows <= 0:
        return np.zeros(cells)
    logs, step = np.zeros(cells), 1.0 / (rows * sum(one.weight for one in measured))
    table = np.full(cells, rows / cells)
    cost, slope = _cost(measured, table)
    for _ in range(min(_STEPS, max(50, _MOST_WORK // (cells * len(measured))))):
        moved = logs - step * slope
        there = np.exp(moved - moved.max())
        there *= rows / there.sum()
        new_cost, new_slope = _cost(measured, there)
        if new_cost > cost:
            step /= 4
            if step < 1e-18:
                break
            continue
        enough = cost - new_cost <= _ENOUGH * cost
        logs, table, cost, slope, step = moved - moved.max(), there, new_cost, new_slope, 1.5 * step
        if enough:
            break
    return table


def _cost(measured: Sequence[Measured], table: Floats) -> tuple[float, Floats]:
    """Half the weighted squares, and how they change with every cell."""
    cost, slope = 0.0, np.zeros_like(table)
    for one in measured:
        off = np.bincount(one.blocks.of_cell, table, one.blocks.many) - one.counts
        cost += one.weight * float(off @ off) / 2
        slope += (one.weight * off)[one.blocks.of_cell]
    return cost, slope


def whole_rows(table: Floats, rows: int, margins: Sequence[CellBlocks] = ()) -> Whole:
    """A table of whole rows near to one of parts of rows, with marginals as near as may be.

    Largest remainders; then single rows are moved for as long as that brings marginals nearer.
    """
    if rows <= 0:
        return np.zeros(len(table), dtype=np.int64)
    scaled = table * (rows / table.sum())
    counts = np.floor(scaled).astype(np.int64)
    short = rows - int(counts.sum())
    order = np.argsort(counts - scaled, kind="stable")
    counts[order[:short]] += 1
    return _moved(counts, scaled, margins)


def _moved(counts: Whole, wanted: Floats, margins: Sequence[CellBlocks]) -> Whole:
    coarse = [one for one in margins if one.many < len(counts)]
    if not coarse:
        return counts
    off = [np.bincount(one.of_cell, counts - wanted, one.many) for one in coarse]
    for _ in range(min(int(counts.sum()), _MOST_WORK // (len(counts) * len(coarse)))):
        pull = sum(part[one.of_cell] for part, one in zip(off, coarse, strict=True))
        source = int(np.where(counts > 0, pull, -np.inf).argmax())
        target = int(np.argmin(pull))
        gain = 0.0
        for part, one in zip(off, coarse, strict=True):
            if one.of_cell[source] != one.of_cell[target]:
                gain += part[one.of_cell[source]] - part[one.of_cell[target]] - 1
        if gain <= 1e-9:
            break
        counts[source] -= 1
        counts[target] += 1
        for part, one in zip(off, coarse, strict=True):
            part[one.of_cell[source]] -= 1
            part[one.of_cell[target]] += 1
    return counts
