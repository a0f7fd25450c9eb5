"""Imagined tables over many values, most of which no row has: values without rows put together.

For figures alone. Values between which no table has a row are scored alike where nothing leans, so
that a law need know only how many they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.planning.subjects.priors import Floats, Places
from discreet.statistics import Counted, Tally, ThinTally

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


def thinned(tables: Sequence[Counted], run: int = 1) -> Thinned:
    """The tables with every run of values that none of them has rows of as one cell.

    So many neighbouring values may be put together first: they count as one value then.

    >>> lines = np.array([[0, 0, 3, 1, 0, 0], [0, 0, 4, 0, 0, 0]])
    >>> one = thinned([Tally(line) for line in lines])
    >>> one.counts.tolist(), one.ways.tolist(), one.middles.tolist()
    ([[0, 3, 1, 0], [0, 4, 0, 0]], [2, 1, 1, 2], [0.5, 2.0, 3.0, 4.5])
    """
    places, lines, values = _held(tables)
    if run > 1:
        places, firsts = np.unique(places // run, return_index=True)
        lines, values = np.add.reduceat(lines, firsts, axis=1), -(-values // run)
    starts = np.unique(np.concatenate([[0], places, places + 1]))
    starts = starts[starts < values]
    ends = np.append(starts[1:], values)
    counts = np.zeros((len(lines), len(starts)), dtype=np.int64)
    counts[:, starts.searchsorted(places)] = lines
    return Thinned(counts, ends - starts, (starts + ends - 1) / 2)


def by_run(tables: Sequence[Counted], starts: Sequence[int]) -> Places:
    """A line for each table: how many rows lie in each of the runs that start at these values.

    >>> by_run([ThinTally(np.array([2, 5]), np.array([3, 1]), 7)], (0, 3, 4)).tolist()
    [[3, 0, 1]]
    """
    places, lines, _ = _held(tables)
    up_to = np.pad(np.cumsum(lines, axis=1), ((0, 0), (1, 0)))
    firsts = places.searchsorted(starts)
    return np.asarray(up_to[:, np.append(firsts[1:], len(places))] - up_to[:, firsts])


def _held(tables: Sequence[Counted]) -> tuple[Places, Places, int]:
    """Values that hold the rows of all tables, the counts of these, and how many values are."""
    first = tables[0]
    thin = [one for one in tables if isinstance(one, ThinTally)]
    if isinstance(first, ThinTally) and all(_alike(one, first) for one in thin):
        return first.places, np.array([one.held for one in thin]), first.values
    lines = lines_of(tables)
    places = np.flatnonzero((lines > 0).any(axis=0))
    return places, lines[:, places], lines.shape[1]


def _alike(one: ThinTally, other: ThinTally) -> bool:
    return one.places is other.places or np.array_equal(one.places, other.places)


def lines_of(tables: Sequence[Counted]) -> Places:
    """Tallies as lines of counts."""
    return np.array([one.counts for one in tables if isinstance(one, Tally)])
