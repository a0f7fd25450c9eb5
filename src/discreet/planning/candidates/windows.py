"""The rows around a rank, counted by runs of values: a small table that says most of a large one.

A row that changes moves at most one of them from one run to another, so neighbours stay neighbours
(docs/proofs/safe-rule.md, small tables).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.planning.candidates.blocks import ValueRuns

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Window:
    """Of all rows in order those at places `skipped` + 1 to `skipped` + `rows`, by runs."""

    of: int
    """How many rows there are; public."""
    place: int
    """Which of them in order is asked for, from 1; one of the window's."""
    skipped: int
    rows: int
    runs: ValueRuns

    @classmethod
    def around(cls, place: int, of: int, rows: int, runs: ValueRuns) -> "Window":
        """So many rows, the asked one in their middle as far as there are rows on both sides.

        >>> Window.around(10, 10, 4, ValueRuns((0,), (0,), 1)).skipped
        6
        """
        skipped = min(max(0, place - (rows + 1) // 2), of - rows)
        return cls(of=of, place=place, skipped=skipped, rows=rows, runs=runs)

    @property
    def is_everything(self) -> bool:
        """Whether every row is counted, and every value is a run of its own."""
        return self.rows == self.of and len(self.runs) == self.runs.values

    def seen(self, counts: Counts) -> Counts:
        """How many of the window's rows are in each run, for tables that are lines of counts."""
        reached = np.clip(np.cumsum(counts, axis=-1) - self.skipped, 0, self.rows)
        ends = np.array([*self.runs.starts[1:], self.runs.values]) - 1
        return np.diff(reached[..., ends], axis=-1, prepend=0)

    def run(self, seen: Counts) -> Counts:
        """The run that holds the asked row."""
        reached = np.cumsum(seen, axis=-1)
        return np.asarray((reached >= self.place - self.skipped).argmax(axis=-1))

    def rows_off(self, seen: Counts, places: Counts) -> Counts:
        """How many rows must change at most for what is told (indices of values) to be the answer.

        Over all tables in which so many of the window's rows are in each run: a line for each of
        these, a place for each told value.
        """
        reached = np.concatenate([np.zeros_like(seen[:, :1]), np.cumsum(seen, axis=1)], axis=1)
        least = np.where(reached == 0, 0, self.skipped + reached)
        most = np.where(reached == self.rows, self.of, self.skipped + reached)
        least[:, -1], most[:, 0] = self.of, 0
        run = np.searchsorted(self.runs.starts, places, side="right") - 1
        ends = np.array([*self.runs.starts[1:], self.runs.values])
        below = np.where(places == np.array(self.runs.starts)[run], most[:, run], most[:, run + 1])
        up_to = np.where(places == ends[run] - 1, least[:, run + 1], least[:, run])
        away = np.maximum(below - (self.place - 1), self.place - up_to)
        return np.asarray(np.maximum(0, away))
