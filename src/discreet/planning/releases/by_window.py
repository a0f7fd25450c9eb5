"""Draws from a certified matrix whose columns are the rows around a rank, by runs of values."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.model import numbers_of
from discreet.planning.candidates.windows import Window
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.statistics import Counted, Tally


@dataclass(frozen=True, eq=False, kw_only=True)
class WindowRelease(DatabaseRelease):
    """The column of the window's own histogram, over runs of values."""

    window: Window

    def column(self, counted: Counted) -> int:
        """Where the window of a table stands; how many rows there are is public."""
        assert isinstance(counted, Tally)
        return self.databases.column(self.window.seen(counted.counts).tolist())

    def possible(self, line: list[int]) -> range:
        """The answers of tables with so many of the window's rows in each run."""
        run = int(self.window.run(np.array(line)))
        start = self.blocks.starts[run]
        return range(start, start + self.blocks.sizes[run])

    def rows_off(self, confidence: Fraction) -> int:
        """How many rows at most must change for what is told to be the answer, in every table.

        But for the chance that the confidence leaves (docs/proofs/safe-rule.md, small tables).
        """
        mechanism = self.certified.mechanism
        outputs = numbers_of(mechanism.outputs, "rows off").values()
        places = [int((output - self.subject.start) / self.subject.unit) for output in outputs]
        away = self.window.rows_off(self.databases.counts, np.array(places)).T
        needed = -(-confidence * mechanism.total // 1)
        weights = mechanism.weights.astype(object)
        for rows in range(self.window.of):
            if np.where(away <= rows, weights, 0).sum(axis=0).min() >= needed:
                return rows
        return self.window.of
