"""How far the largest value lies above the smallest (docs/proofs/path-length.md)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.statistics.answers import Tables


@dataclass(frozen=True)
class Range:
    """How many steps the largest value lies above the smallest."""

    def places(self, tables: Tables) -> Tables:
        """The steps between the ends of every table; each has a row."""
        low, high = self.ends(tables)
        return np.asarray(high - low)

    def ends(self, tables: Tables) -> tuple[Tables, Tables]:
        """The places of the smallest and of the largest value of every table."""
        held = tables > 0
        return held.argmax(axis=-1), tables.shape[-1] - 1 - held[..., ::-1].argmax(axis=-1)

    def rows_to_change(self, tables: Tables) -> Tables:
        """Rows to change for the largest minus the smallest to be 0, 1, …, T − 1 steps.

        Some window of that width must hold all rows and have both its ends held; whoever is outside
        moves, and movers (or, for want of them, others) take the ends. O(T) for each width.

        >>> Range().rows_to_change(np.array([2, 0, 1, 0])).tolist()
        [1, 1, 0, 1]
        """
        return np.apply_along_axis(_changes, -1, tables)

    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """Those outside a window go, and each end that nobody holds comes.

        >>> Range().rows_to_add_or_remove(np.array([2, 0, 1, 0])).tolist()
        [1, 2, 0, 1]
        """
        return np.apply_along_axis(_steps, -1, tables)


def _changes(counts: Tables) -> Tables:
    return np.array([np.maximum(out, ends).min() for out, ends in _windows(counts)])


def _steps(counts: Tables) -> Tables:
    return np.array([(out + ends).min() for out, ends in _windows(counts)])


def _windows(counts: Tables) -> Iterator[tuple[Tables, Tables]]:
    """For each width: how many rows lie outside each window, and how many ends nobody holds."""
    size = len(counts)
    up_to = np.append(0, np.cumsum(counts))
    empty = (counts == 0).astype(np.int64)
    for width in range(size):
        inside = up_to[width + 1 :] - up_to[: size - width]
        ends = empty[: size - width] + empty[width:] if width else empty
        yield up_to[-1] - inside, ends
