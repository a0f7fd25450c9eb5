"""The exponential mechanism over integer partitions (Blocki, Datta & Bonneau 2016), exact.

A partition of n is a sorted list of counts with sum n. Each is drawn with a probability
∝ exp(−ε·|π(v) − s|₁/(2Δ)), entry after entry: docs/proofs/partitions.md.
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
from discreet.sorting.partition_tables import PartitionTables

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
