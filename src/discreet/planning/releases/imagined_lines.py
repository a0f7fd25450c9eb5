"""Imagined tables as a choice by rank without leanings sees them: for figures alone.

Neighbouring values of which a table has no rows are scored alike by every rule that leans towards
none, whatever ε is and whichever rank is asked for, so that they are put together once for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.planning.releases.thinned import FINE, lines_of, thinned
from discreet.planning.subjects.priors import Floats, Places
from discreet.statistics import Counted


@dataclass(frozen=True, eq=False, kw_only=True)
class ImaginedLines:
    """A line for each table of what is scored alike, and the cells it was put together from."""

    below: Places
    """The rows below each."""
    up_to: Places
    """The rows up to its end."""
    ways: Places
    """How many values it stands for; none where a line is longer than its table needs."""
    middles: Floats
    """Where each of the cells lies among the values, on average."""
    held: Places
    """How many values each cell has."""
    place: Places
    """For each table, where each cell is on its line."""

    def by_cell(self, chances: Floats) -> Floats:
        """How likely each cell is to be told, from how likely each place of the lines is."""
        each = chances / np.maximum(self.ways, 1)
        return np.asarray(np.take_along_axis(each, self.place, axis=1) * self.held)


def imagined_lines(tables: Sequence[Counted]) -> ImaginedLines:
    """The lines of some tables; those of the last few are kept.

    >>> from discreet.statistics import Tally
    >>> one = imagined_lines([Tally(np.array(line)) for line in ([0, 0, 3, 1], [2, 2, 0, 0])])
    >>> one.ways.tolist(), one.up_to.tolist()
    ([[2, 1, 1], [1, 1, 2]], [[0, 3, 4], [2, 4, 4]])
    """
    return _lines(tuple(tables))


@lru_cache(maxsize=4)
def _lines(tables: tuple[Counted, ...]) -> ImaginedLines:
    if getattr(tables[0], "size", 0) > FINE:
        thin = thinned(tables)
        counts, held, middles = thin.counts, thin.ways, thin.middles
    else:
        counts = lines_of(tables)
        held = np.ones(counts.shape[1], dtype=np.int64)
        middles = np.arange(counts.shape[1], dtype=np.float64)
    many, new = len(counts), counts > 0
    new[:, 0] = True
    new[:, 1:] |= counts[:, :-1] > 0
    place = new.cumsum(axis=1) - 1
    longest = int(place[:, -1].max()) + 1
    flat = place + longest * np.arange(many)[:, None]
    ways = np.bincount(flat.ravel(), np.tile(held, many), minlength=many * longest)
    held_rows = np.bincount(flat.ravel(), counts.ravel(), minlength=many * longest)
    rows = np.rint(held_rows).astype(np.int64).reshape(many, longest)
    up_to = rows.cumsum(axis=1)
    return ImaginedLines(
        below=up_to - rows,
        up_to=up_to,
        ways=ways.astype(np.int64).reshape(many, longest),
        middles=middles,
        held=held,
        place=place,
    )
