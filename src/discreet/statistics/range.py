"""How far the largest value lies above the smallest (docs/proofs/path-length.md, ranks.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.model import Grid
from discreet.statistics.answers import Chances, Placed, Rows, Tables
from discreet.statistics.statistic import Placing, Takes, Words
from discreet.statistics.widths import least_by_width


@dataclass(frozen=True)
class Range(Placing):
    """The largest value minus the smallest, in steps of the values."""

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="range",
            functions=("SPREAD",),
            takes=Takes.NUMBERS,
            title="the largest minus the smallest",
            phrase="the largest minus the smallest {column}",
            make=lambda _: Range(),
        ),
    )

    def form(self, rows: Rows) -> Placed:
        """0 to the width of the values: one row can lead anywhere."""
        assert isinstance(rows.values, Grid)
        return Placed(Grid(Fraction(0), rows.values.step, rows.values.size))

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
        up_to, empty = np.cumsum(tables, axis=-1), (tables == 0).astype(np.int64)
        out, before = up_to[..., -1:] - up_to, up_to - tables
        least = least_by_width(out, -before, empty, empty)
        least[..., 0] = np.maximum(out + before, empty).min(axis=-1)
        return least

    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """Those outside a window go, and each end that nobody holds comes.

        >>> Range().rows_to_add_or_remove(np.array([2, 0, 1, 0])).tolist()
        [1, 2, 0, 1]
        """
        return np.stack([(out + ends).min(axis=-1) for out, ends in _windows(tables)], axis=-1)

    def likely_rows(self, place: int, size: int, rows: int) -> Chances:
        """Spread evenly over a window of that width in the middle, many at its ends."""
        first = (size - 1 - place) // 2
        chances = np.zeros(size)
        chances[first : first + place + 1] = 0.5 / (place + 1)
        chances[first] += 0.25
        chances[first + place] += 0.25
        return chances


def _windows(tables: Tables) -> Iterator[tuple[Tables, Tables]]:
    """For each width: how many rows lie outside each window, and how many ends nobody holds."""
    size = tables.shape[-1]
    up_to = np.cumsum(tables, axis=-1)
    before = np.concatenate([np.zeros_like(up_to[..., :1]), up_to], axis=-1)
    empty = (tables == 0).astype(np.int64)
    for width in range(size):
        inside = before[..., width + 1 :] - before[..., : size - width]
        ends = empty[..., : size - width] + empty[..., width:] if width else empty
        yield before[..., -1:] - inside, ends
