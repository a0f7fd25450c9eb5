"""Graphs that look the same from every node: layer sizes stand for all of them.

Hamming graphs hold the databases of N records over T values (T = 2: hypercubes, N = 1: complete
graphs); rings hold cycles. Both have a transitive automorphism group and regular layers
(002 Lemma 3; docs/proofs/layers.md), so nothing here ever lists the nodes.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Protocol

from discreet.errors import SpaceError
from discreet.exact import show, uniform_below

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_RECORDS = 4096
MOST_BITS = 8192
"""Beyond these the layer sizes have thousands of digits."""


class SymmetricGraph(Protocol):
    """A graph with a transitive automorphism group and regular layers, known by construction."""

    @property
    def name(self) -> str:
        """The name of the graph."""

    @property
    def size(self) -> int:
        """How many nodes there are (K in 002)."""

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """How many nodes lie at distance 0, 1, … of any node (s_d in 002)."""

    def label(self, node: int) -> str:
        """A readable name of a node."""

    def distance(self, one: int, other: int) -> int:
        """How many record exchanges lead from node to node."""

    def around(self, node: int) -> tuple[int, ...]:
        """The neighbours of a node."""

    def uniform_at(self, node: int, distance: int) -> int:
        """A node at this distance, each equally likely, from the system's random bits."""


@dataclass(frozen=True)
class Hamming:
    """Databases of `records` records, each with one of `values` values; change one record.

    A node is the number whose digits to the base `values` are the records, first record first.

    >>> cube = Hamming(20, 2)
    >>> cube.size, cube.layer_sizes[:3]
    (1048576, (1, 20, 190))
    >>> Hamming(3, 3).label(5), Hamming(3, 3).distance(5, 0)
    ('012', 2)
    """

    records: int
    values: int

    def __post_init__(self) -> None:
        check_count(self.records, "the number of records", 1, MOST_RECORDS)
        check_count(self.values, "the number of values of a record", 2, 10**9)
        if self.records * self.values.bit_length() > MOST_BITS + self.records:
            raise SpaceError(
                f"{self.records:,} records with {self.values:,} values make too many databases to "
                f"count; use fewer"
            )

    @property
    def name(self) -> str:
        """The name of the graph."""
        if self.values == 2:
            return f"hypercube {self.records}"
        if self.records == 1:
            return f"complete {self.values}"
        return f"databases {self.records} {self.values}"

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return int(self.values**self.records)

    @cached_property
    def layer_sizes(self) -> tuple[int, ...]:
        """s_d = C(N, d)·(T − 1)^d: which records differ, and in which value."""
        return tuple(
            comb(self.records, d) * (self.values - 1) ** d for d in range(self.records + 1)
        )

    def label(self, node: int) -> str:
        """The records in order, as digits where each value is one digit."""
        digits = self.digits(node)
        if self.values <= len(_DIGITS):
            return "".join(_DIGITS[digit] for digit in digits)
        return ".".join(map(str, digits))

    def digits(self, node: int) -> tuple[int, ...]:
        """The records of a node."""
        rest, digits = check_node(self, node), []
        for _ in range(self.records):
            rest, digit = divmod(rest, self.values)
            digits.append(digit)
        return tuple(reversed(digits))

    def distance(self, one: int, other: int) -> int:
        """How many records differ."""
        if self.values == 2:
            return (check_node(self, one) ^ check_node(self, other)).bit_count()
        pairs = zip(self.digits(one), self.digits(other), strict=True)
        return sum(a != b for a, b in pairs)

    def around(self, node: int) -> tuple[int, ...]:
        """Every node that differs in one record."""
        neighbours, place = [], 1
        for digit in reversed(self.digits(node)):
            neighbours += [
                node + (other - digit) * place for other in range(self.values) if other != digit
            ]
            place *= self.values
        return tuple(neighbours)

    def uniform_at(self, node: int, distance: int) -> int:
        """A uniform set of records, each changed to one of its other values."""
        check_count(distance, "the distance", 0, self.records)
        digits = list(self.digits(node))
        for position in _uniform_subset(self.records, distance):
            step = 1 + uniform_below(self.values - 1)
            digits[position] = (digits[position] + step) % self.values
        changed = 0
        for digit in digits:
            changed = changed * self.values + digit
        return changed


@dataclass(frozen=True)
class Ring:
    """A cycle of `size` nodes.

    >>> Ring(6).layer_sizes, Ring(7).layer_sizes
    ((1, 2, 2, 1), (1, 2, 2, 2))
    """

    size: int

    def __post_init__(self) -> None:
        check_count(self.size, "the number of nodes of a cycle", 3, 10**6)

    @property
    def name(self) -> str:
        """The name of the graph."""
        return f"cycle {self.size}"

    @cached_property
    def layer_sizes(self) -> tuple[int, ...]:
        """Two nodes at each distance, one at the far end of an even cycle."""
        half = self.size // 2
        return (1, *(2 for _ in range(half - 1)), 2 if self.size % 2 else 1)

    def label(self, node: int) -> str:
        """The node's number."""
        return str(check_node(self, node))

    def distance(self, one: int, other: int) -> int:
        """The shorter way round."""
        apart = abs(check_node(self, one) - check_node(self, other))
        return min(apart, self.size - apart)

    def around(self, node: int) -> tuple[int, ...]:
        """The node before and the node after."""
        return ((check_node(self, node) - 1) % self.size, (node + 1) % self.size)

    def uniform_at(self, node: int, distance: int) -> int:
        """The one or two nodes at this distance, equally likely."""
        check_count(distance, "the distance", 0, self.size // 2)
        forward = uniform_below(2) == 0
        return (check_node(self, node) + (distance if forward else -distance)) % self.size


def check_count(value: int, what: str, least: int, most: int) -> int:
    """A whole number between two bounds, or a SpaceError that names it."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SpaceError(
            f"{what} must be a whole number from {least} to {most:,}, got {show(value)}"
        )
    return value


def check_node(graph: SymmetricGraph, node: int) -> int:
    """A node of the graph, or a SpaceError."""
    return check_count(node, "a node", 0, graph.size - 1)


def _uniform_subset(size: int, count: int) -> set[int]:
    """`count` of the numbers below `size`, every set equally likely (Floyd's algorithm)."""
    chosen: set[int] = set()
    for last in range(size - count, size):
        candidate = uniform_below(last + 1)
        chosen.add(last if candidate in chosen else candidate)
    return chosen
