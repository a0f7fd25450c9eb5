"""Sums over all sorted lists of a total, by dynamic programming (docs/proofs/partitions.md)."""

from collections.abc import Callable, Sequence
from typing import Any

Weight = Callable[[int, int], Any]
"""What entry `place` (from 0) weighs when it is `count`: a number of any kind."""


class PartitionTables:
    """For lists n ≥ s₁ ≥ … ≥ s_T ≥ 0 of sum n: the weight of all ways to go on from any place.

    `layers[i][v][m]` sums the products of weights over s_i, …, s_T of sum m, none above v. As the
    first i entries are no smaller, v ≤ n/i: about n²·log n cells in all.

    >>> PartitionTables(5, 5, lambda place, count: 1).total
    7
    """

    def __init__(self, records: int, entries: int, weight: Weight, zero: Any = 0) -> None:
        self.records = records
        self.layers: list[list[list[Any]]] = [[[zero + 1] + [zero] * records]]
        for place in range(entries - 1, -1, -1):
            self.layers.append(self._layer(place, weight, zero))
        self.layers.reverse()

    def _layer(self, place: int, weight: Weight, zero: Any) -> list[list[Any]]:
        after = self.layers[-1]
        before = [zero] * (self.records + 1)
        layer = []
        for count in range(self.records // (place + 1) + 1):
            rest = after[min(count, len(after) - 1)]
            times = weight(place, count)
            row = before[:count]
            row += [
                known + times * going_on
                for known, going_on in zip(before[count:], rest, strict=False)
            ]
            layer.append(row)
            before = row
        return layer

    @property
    def total(self) -> Any:
        """The weight of all lists together."""
        return self.layers[0][-1][self.records]

    def running(self, place: int, most: int, left: int) -> Sequence[Any]:
        """Running weights of an entry 0, 1, …, at most `most`, when `left` records remain."""
        layer = self.layers[place]
        return [row[left] for row in layer[: min(most, left, len(layer) - 1) + 1]]
