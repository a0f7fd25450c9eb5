"""The exponential mechanism over integer partitions (Blocki, Datta & Bonneau 2016), exact.

A partition of n is a sorted list of counts with sum n. Each is drawn with a probability
∝ exp(−ε·|π(v) − s|₁/(2Δ)), entry after entry, from sums over all sorted lists of a total by dynamic
programming: docs/proofs/partitions.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

import flint

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, EpsilonLike, enclosed, show, spendable, uniform_below
from discreet.model.neighbours import Relation
from discreet.sampling import real_choice
from discreet.sorting.largest import largest_counts, sorted_sensitivity

MOST_RECORDS = 400
"""The tables have about n²·log n cells, each a rigorous enclosure."""


@dataclass(frozen=True)
class PartitionMechanism:
    """Sorted lists of counts with the public total n and at most `values` entries that are not 0.

    >>> sum(PartitionMechanism.of(12, 1).draw([6, 5, 1]))
    12
    """

    records: int
    epsilon: Epsilon
    values: int | None = None
    """How many values there are, if that is public."""

    @classmethod
    def of(cls, records: int, epsilon: EpsilonLike, values: int | None = None) -> Self:
        """Check what is public."""
        for number, what in ((records, "the total"), (values, "the number of values")):
            whole = isinstance(number, int) and not isinstance(number, bool)
            if number is not None and not (whole and number >= 1):
                raise InvalidInput(f"{what} must be a whole number from 1, got {show(number)}")
        if records > MOST_RECORDS:
            raise InvalidInput(
                f"partitions of {records:,} records are too many; the limit is {MOST_RECORDS}; "
                "use the Laplace method"
            )
        return cls(records, Epsilon.of(epsilon), values)

    @property
    def entries(self) -> int:
        """How many counts can differ from 0."""
        return self.records if self.values is None else min(self.values, self.records)

    @property
    def rate(self) -> Fraction:
        """ε/(2Δ): a list weighs e^(−rate·|its L₁ distance from the truth|)."""
        return spendable(self.epsilon) / (2 * sorted_sensitivity(self.entries, Relation.CHANGE))

    def draw(self, counts: Sequence[int]) -> tuple[int, ...]:
        """One partition, largest count first; it spends ε."""
        truth = largest_counts(counts, self.entries)
        rate = self.rate

        @lru_cache(maxsize=2)
        def tables(_precision: int) -> PartitionTables:
            decay = enclosed(-rate).exp()
            powers = [flint.arb(1)]
            for _ in range(max(self.records, truth[0])):
                powers.append(powers[-1] * decay)
            return PartitionTables(
                self.records, self.entries, lambda i, s: powers[abs(truth[i] - s)], flint.arb(0)
            )

        def choose(place: int, most: int, left: int) -> int:
            def ends() -> list[Any]:
                running = tables(flint.ctx.prec).running(place, most, left)
                return [weight / running[-1] for weight in running[:-1]] + [flint.arb(1)]

            return real_choice(ends)

        return _entry_by_entry(self.records, self.entries, choose)


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


def uniform_partition(tables: PartitionTables, entries: int) -> tuple[int, ...]:
    """Any list of the tables (with weights 1) as likely as any other.

    >>> sum(uniform_partition(PartitionTables(9, 4, lambda place, count: 1), 4))
    9
    """

    def choose(place: int, most: int, left: int) -> int:
        running = tables.running(place, most, left)
        wanted = uniform_below(running[-1])
        return next(count for count, weight in enumerate(running) if weight > wanted)

    return _entry_by_entry(tables.records, entries, choose)


def _entry_by_entry(
    records: int, entries: int, choose: Callable[[int, int, int], int]
) -> tuple[int, ...]:
    most, left, parts = records, records, []
    for place in range(entries):
        most = choose(place, most, left) if left else 0
        left -= most
        parts.append(most)
    return tuple(parts)
