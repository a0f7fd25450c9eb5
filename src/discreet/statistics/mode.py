"""The most frequent value, the first of those that tie (docs/proofs/path-length.md)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.statistics.answers import Tables
from discreet.statistics.statistic import OfDates, Placing, Takes, Words


@dataclass(frozen=True)
class Mode(Placing):
    """The most frequent value, or word; the first of those that tie."""

    of_dates: ClassVar[OfDates] = OfDates.DATE
    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="mode",
            functions=("MODE",),
            takes=Takes.VALUES,
            title="the most frequent value",
            phrase="the most frequent {column}",
            make=lambda _: Mode(),
        ),
    )

    def places(self, tables: Tables) -> Tables:
        """Where the count of every table is largest."""
        return np.asarray(tables.argmax(axis=-1))

    def rows_behind(self, tables: Tables) -> Tables:
        """How many rows the most frequent value is ahead of each (docs/proofs/ranks.md, Claim 4).

        >>> Mode().rows_behind(np.array([5, 0, 4])).tolist()
        [0, 5, 1]
        """
        return np.asarray(tables.max(axis=-1, keepdims=True) - tables)

    def rows_to_change(self, tables: Tables) -> Tables:
        """Each row that changes leaves a rival and joins y.

        With k changes y has h_y + k rows, which must exceed what earlier values and reach what
        later values keep: Σ_j (h_j − (h_y + k − [j < y]))⁺ ≤ k. Without the ties [j < y] the
        smallest k depends on h_y alone; ties ask for one more at most.

        >>> Mode().rows_to_change(np.array([5, 0, 4])).tolist()
        [0, 4, 1]
        """
        return np.apply_along_axis(_changes, -1, tables)

    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """Adding y until it leads is as short as anything.

        >>> Mode().rows_to_add_or_remove(np.array([5, 0, 4])).tolist()
        [0, 6, 2]
        """
        return np.apply_along_axis(_steps, -1, tables)


def _changes(counts: Tables) -> Tables:
    top = int(counts.max())
    larger = np.cumsum(np.bincount(counts, minlength=top + 1)[::-1])[::-1]
    surplus = np.append(np.cumsum(larger[:0:-1])[::-1], 0)
    level = np.searchsorted(np.arange(top + 1) - surplus, counts)
    changes = level - counts
    descending = np.argsort(-counts, kind="stable")
    for height in np.unique(level):
        rivals = np.sort(descending[: larger[height]])
        here = np.flatnonzero(level == height)
        tied_before = np.searchsorted(rivals, here)
        changes[here] += surplus[height] + tied_before > changes[here]
    return np.asarray(changes, dtype=np.int64)


def _steps(counts: Tables) -> Tables:
    running = np.maximum.accumulate(counts)
    before = np.append(-1, running[:-1]) + 1
    after = np.append(np.maximum.accumulate(counts[::-1])[::-1][1:], 0)
    return np.asarray(np.maximum(np.maximum(before, after) - counts, 0))
