"""Imagined tables over many values, most of which no row has: values without rows put together.

For figures alone. Values between which no table has a row are scored alike where nothing leans, so
that a law need know only how many they are.
"""

from dataclasses import dataclass

import numpy as np

from discreet.planning.subjects.priors import Floats, Places

FINE = 1_001
"""On finer grids tables are thinned."""


@dataclass(frozen=True, eq=False)
class Thinned:
    """Tables over cells: a value that some table has rows of, or a run of those that none has."""

    counts: Places
    """A line for each table."""
    ways: Places
    """How many values each cell has."""
    middles: Floats
    """Where they lie, on average."""


def thinned(lines: Places) -> Thinned:
    """The tables with every run of values that none of them has rows of as one cell.

    >>> one = thinned(np.array([[0, 0, 3, 1, 0, 0], [0, 0, 4, 0, 0, 0]]))
    >>> one.counts.tolist(), one.ways.tolist(), one.middles.tolist()
    ([[0, 3, 1, 0], [0, 4, 0, 0]], [2, 1, 1, 2], [0.5, 2.0, 3.0, 4.5])
    """
    held = (lines > 0).max(axis=0)
    starts = np.flatnonzero(held | np.append(True, held[:-1]))
    ends = np.append(starts[1:], lines.shape[1])
    return Thinned(lines[:, starts], ends - starts, (starts + ends - 1) / 2)
