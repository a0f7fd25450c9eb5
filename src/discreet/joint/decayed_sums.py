"""Decayed sums over runs of a line of numbers, without subtractions.

A run is cut at the one multiple of the largest power of 2 inside it. Where lines are cut, and what
sums are multiplied by, follows from the positions and is worked out once for many lines
(docs/proofs/quantiles-together.md, Claim 7).
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from discreet.joint.magnitudes import Arithmetic, Booleans, Integers, Numbers


@dataclass(frozen=True, eq=False)
class _Join(Generic[Numbers]):
    """Two neighbouring blocks become one: what each place takes from the other block."""

    second: Booleans
    """Whether a place lies in the second of them."""
    other: Integers
    """The last place of the first block for places in the second, and the other way round."""
    factor: Numbers
    """The ratio to the power of the distance between both ends: what has to decay does by it."""


@dataclass(frozen=True, eq=False)
class Blocks(Generic[Numbers]):
    """How a line at these positions, which do not fall, is summed block by block."""

    numbers: Arithmetic[Numbers]
    positions: Integers
    joins: list[_Join[Numbers]]

    @classmethod
    def of(cls, numbers: Arithmetic[Numbers], positions: Integers) -> "Blocks[Numbers]":
        """All powers of 2 that are needed to reach over the line but the last."""
        size = len(positions)
        places = np.arange(size)
        joins = []
        for bit in range((size - 1).bit_length() - 1):
            second = (places >> bit) & 1 == 1
            before = ((places >> bit) << bit) - 1
            own = np.minimum(places | ((1 << bit) - 1), size - 1)
            end = np.minimum(places | ((2 << bit) - 1), size - 1)
            start, stop = np.where(second, before, own), np.where(second, places, end)
            factor = numbers.powers(positions.take(stop) - positions.take(start))
            joins.append(_Join(second, np.where(second, before, end), factor))
        return cls(numbers, positions, joins)

    def windows(self, line: Numbers) -> "Windows[Numbers]":
        """All sums of a line over blocks."""
        numbers = self.numbers
        up_to, onwards = [line], [line]
        for join in self.joins:
            other = numbers.picked(up_to[-1], join.other)
            first = numbers.added(numbers.times(onwards[-1], join.factor), other)
            second = numbers.added(up_to[-1], numbers.times(other, join.factor))
            up_to.append(numbers.chosen(join.second, second, up_to[-1]))
            onwards.append(numbers.chosen(join.second, onwards[-1], first))
        return Windows(self, numbers.joined(up_to), numbers.joined(onwards))


@dataclass(frozen=True, eq=False)
class Windows(Generic[Numbers]):
    """Two sums for each place and each power of 2, over its block of that length."""

    blocks: Blocks[Numbers]
    up_to: Numbers
    """From the start of the block to the place, decayed to it."""
    onwards: Numbers
    """From the place to the end of the block, decayed to that."""

    def sums(self, first: Integers, last: Integers, at: Integers) -> Numbers:
        """Of each run from `first` to `last`, decayed to a position; 0 where it is empty."""
        numbers, positions = self.blocks.numbers, self.blocks.positions
        size, kept = len(positions), first <= last
        end = np.clip(last, 0, size - 1)
        start = np.minimum(first, end)
        apart = start ^ end
        bit = np.maximum((1 << np.arange(size.bit_length())).searchsorted(apart, "right") - 1, 0)
        two = kept & (apart > 0)
        split = np.where(two, ((end >> bit) << bit) - 1, end)
        right = numbers.picked(self.up_to, bit * size + end, kept)
        left = numbers.picked(self.onwards, bit * size + start, two)
        far = positions.take(end) - positions.take(split)
        both = numbers.added(right, numbers.decayed(left, far))
        return numbers.decayed(both, np.where(kept, at - positions.take(end), 0))


@dataclass(frozen=True, eq=False)
class Suffixes(Generic[Numbers]):
    """Sums from a place to the end of a line at these positions, decayed back to the place."""

    numbers: Arithmetic[Numbers]
    joins: list[tuple[Integers, Booleans, Numbers]]
    """Where the second of two blocks starts, for whom, and the ratio to the power of how far."""

    @classmethod
    def of(cls, numbers: Arithmetic[Numbers], positions: Integers) -> "Suffixes[Numbers]":
        """All powers of 2 that are needed to reach over the line."""
        size = len(positions)
        places = np.arange(size)
        joins = []
        for bit in range((size - 1).bit_length()):
            middle = (places | ((1 << bit) - 1)) + 1
            kept = ((places >> bit) & 1 == 0) & (middle < size)
            place = np.where(kept, middle, places)
            joins.append((place, kept, numbers.powers(positions.take(place) - positions)))
        return cls(numbers, joins)

    def sums(self, line: Numbers) -> Numbers:
        """Of a line, from every place on."""
        found = line
        for place, kept, factor in self.joins:
            rest = self.numbers.picked(found, place, kept)
            found = self.numbers.added(found, self.numbers.times(rest, factor))
        return found
