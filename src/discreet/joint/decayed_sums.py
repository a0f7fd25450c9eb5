"""Decayed sums over runs of a line of numbers, without subtractions.

A run is cut at the one multiple of the largest power of 2 inside it. Where lines are cut, and what
sums are multiplied by, follows from the positions and is worked out once for many lines
(docs/proofs/quantiles-together.md, Claim 7).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import numpy as np

from discreet.joint.magnitudes import Arithmetic, Booleans, Integers, Numbers


@dataclass(frozen=True, eq=False)
class SummedBlocks(Generic[Numbers]):
    """How a line at these positions, which do not fall, is summed block by block."""

    numbers: Arithmetic[Numbers]
    positions: Integers
    factors: list[Numbers]
    """For every power of 2, where two blocks of that length become one, by place: the ratio to the
    power of the distance between its end and the other block's, by which what has to decay does."""

    @classmethod
    def of(cls, numbers: Arithmetic[Numbers], positions: Integers) -> "SummedBlocks[Numbers]":
        """All powers of 2 that are needed to reach over the line but the last."""
        size = len(positions)
        places = np.arange(size)
        factors = []
        for bit in range((size - 1).bit_length() - 1):
            second, before, end = _joined_blocks(places, bit)
            own = np.minimum(places | ((1 << bit) - 1), size - 1)
            start, stop = np.where(second, before, own), np.where(second, places, end)
            factors.append(numbers.powers(positions.take(stop) - positions.take(start)))
        return cls(numbers, positions, factors)

    def sums(self, line: Numbers, first: Integers, last: Integers, at: Integers) -> Numbers:
        """Of runs of a line, each from `first` to `last`, decayed to a position; 0 where empty.

        A run is cut into two, which end and start where blocks of one length do. Blocks of one
        length after the other are summed up, and runs take what they need of them.
        """
        numbers, positions = self.numbers, self.positions
        size, kept = len(positions), first <= last
        end = np.clip(last, 0, size - 1)
        start = np.minimum(first, end)
        apart = start ^ end
        bit = np.maximum((1 << np.arange(size.bit_length())).searchsorted(apart, "right") - 1, 0)
        two = kept & (apart > 0)
        order = bit.argsort(kind="stable")
        cuts = bit.take(order).searchsorted(np.arange(len(self.factors) + 2))
        right, left = [], []
        for (up_to, onwards), low, high in zip(self._summed(line), cuts, cuts[1:], strict=False):
            runs = order[low:high]
            right.append(numbers.picked(up_to, end.take(runs), kept.take(runs)))
            left.append(numbers.picked(onwards, start.take(runs), two.take(runs)))
        split = np.where(two, ((end >> bit) << bit) - 1, end)
        far = (positions.take(end) - positions.take(split)).take(order)
        both = numbers.added(numbers.joined(right), numbers.decayed(numbers.joined(left), far))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        decayed = np.where(kept, at - positions.take(end), 0)
        return numbers.decayed(numbers.picked(both, back), decayed)

    def _summed(self, line: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """For every power of 2, over blocks of that length: from the start of its block to each
        place, decayed to it, and from each place to the end of its block, decayed to that.
        """
        numbers, places = self.numbers, np.arange(len(self.positions))
        up_to = onwards = line
        yield up_to, onwards
        for bit, factor in enumerate(self.factors):
            second, before, end = _joined_blocks(places, bit)
            other = numbers.picked(up_to, np.where(second, before, end))
            grown = numbers.added(numbers.times(onwards, factor), other)
            onwards = numbers.chosen(second, onwards, grown)
            grown = numbers.added(up_to, numbers.times(other, factor))
            up_to = numbers.chosen(second, grown, up_to)
            yield up_to, onwards


def _joined_blocks(places: Integers, bit: int) -> tuple[Booleans, Integers, Integers]:
    """Where two blocks of this length become one: whether a place lies in the second, the last
    place before its own block, and the last place of both.
    """
    second = (places >> bit) & 1 == 1
    before = ((places >> bit) << bit) - 1
    return second, before, np.minimum(places | ((2 << bit) - 1), len(places) - 1)


@dataclass(frozen=True, eq=False)
class Suffixes(Generic[Numbers]):
    """Sums from a place to the end of a line at these positions, decayed back to the place."""

    numbers: Arithmetic[Numbers]
    size: int
    factors: list[Numbers]
    """For every power of 2, by place: the ratio to the power of how far the next block is."""

    @classmethod
    def of(cls, numbers: Arithmetic[Numbers], positions: Integers) -> "Suffixes[Numbers]":
        """All powers of 2 that are needed to reach over the line."""
        size = len(positions)
        factors = []
        for bit in range((size - 1).bit_length()):
            place, _ = _next_block(size, bit)
            factors.append(numbers.powers(positions.take(place) - positions))
        return cls(numbers, size, factors)

    def sums(self, line: Numbers) -> Numbers:
        """Of a line, from every place on."""
        sums = line
        for bit, factor in enumerate(self.factors):
            place, kept = _next_block(self.size, bit)
            rest = self.numbers.picked(sums, place, kept)
            sums = self.numbers.added(sums, self.numbers.times(rest, factor))
        return sums


def _next_block(size: int, bit: int) -> tuple[Integers, Booleans]:
    """Where the second of two blocks of this length starts, and for whom; else the own place."""
    places = np.arange(size)
    middle = (places | ((1 << bit) - 1)) + 1
    kept = ((places >> bit) & 1 == 0) & (middle < size)
    return np.where(kept, middle, places), kept
