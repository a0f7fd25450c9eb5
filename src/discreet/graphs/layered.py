"""Mechanisms that know only distances: one integer level for each layer (002 Theorem 1).

Output y has weight v_d under x, where d = d(x, y). On a graph that looks the same from every node
all columns have the same sum Σ s_d·v_d, and neighbours x, x' see y at distances at most one apart:
so the ratios of consecutive levels are all the ratios there are (docs/proofs/theorem-1.md).
"""

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from discreet.certifier import Certified
from discreet.errors import GoalError, MechanismError
from discreet.exact import Epsilon, EpsilonLike, show, uniform_below
from discreet.graphs.symmetric import SymmetricGraph, check_node

BITS = 62
"""Column sums stay below 2^62, so that weights fit machine words."""
_FINE = 128


@dataclass(frozen=True)
class LayeredMechanism:
    """A level for each layer of a symmetric graph: a matrix of any size in a handful of numbers.

    >>> from discreet.graphs.symmetric import Hamming
    >>> LayeredMechanism(Hamming(3, 2), (8, 4, 2, 1)).total
    27
    """

    graph: SymmetricGraph
    levels: tuple[int, ...]

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """How many outputs have each level."""
        return self.graph.layer_sizes

    @cached_property
    def total(self) -> int:
        """The sum of every column."""
        return sum(self.masses)

    @cached_property
    def masses(self) -> tuple[int, ...]:
        """The weight of each whole layer, s_d·v_d."""
        return tuple(s * v for s, v in zip(self.layer_sizes, self.levels, strict=True))

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """Running sums of the layers; layer d owns the integers from sum d − 1 up to sum d."""
        return tuple(accumulate(self.masses))

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""
        facts = {"graph": self.graph.name, "levels": [f"{level:x}" for level in self.levels]}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def draw_node(certified: Certified[LayeredMechanism], node: int) -> int:
    """An output for the true node: a distance by the weight of the layers, then any node there.

    Exact: output y has probability (s_d·v_d / total)·(1 / s_d) = v_d / total.
    """
    if type(certified) is not Certified or type(certified.mechanism) is not LayeredMechanism:
        raise MechanismError(
            f"only a certified mechanism can be drawn from, got {show(certified)}; use "
            f"certify_layers first"
        )
    mechanism = certified.mechanism
    check_node(mechanism.graph, node)
    cumulative = mechanism.cumulative
    distance = bisect_right(cumulative, uniform_below(cumulative[-1]))
    return mechanism.graph.uniform_at(node, distance)


def integer_levels(
    layer_sizes: Sequence[int], epsilon: EpsilonLike, bits: int = BITS
) -> tuple[int, ...]:
    """Levels v_d, as near γ^d as whole numbers can be, with v_d ≤ e^ε·v_{d+1} exactly.

    Each level is the one before divided by a rational just under e^ε, rounded up; the sum
    Σ s_d·v_d stays below 2^bits.

    >>> integer_levels([1, 2, 2], "log 2", bits=8)
    (101, 51, 26)
    """
    ratio = Epsilon.of(epsilon).ratio_below
    room = 1 << bits
    if sum(layer_sizes) >= room:
        raise GoalError(f"{sum(layer_sizes):,} nodes do not fit into {bits} bits; use more bits")
    fine_room = room << _FINE
    fine = _falling(fine_room, ratio, len(layer_sizes), up=True)
    first = room * fine_room // sum(s * v for s, v in zip(layer_sizes, fine, strict=True))
    while True:
        levels = tuple(_falling(max(first, 1), ratio, len(layer_sizes), up=True))
        excess = sum(s * v for s, v in zip(layer_sizes, levels, strict=True)) - room
        if excess < 0:
            return levels
        first -= max(1, min(excess * first // room, first - 1))


def layer_cost(layer_sizes: Sequence[int], epsilon: EpsilonLike) -> float:
    """The optimum of LP[4], Σ s_d·d·γ^d / Σ s_d·γ^d (002 Lemma 4).

    >>> round(layer_cost([1, 2, 1], "log 2"), 12)
    0.666666666667
    """
    return float(layer_cost_bounds(layer_sizes, epsilon)[0])


def layer_cost_bounds(
    layer_sizes: Sequence[int], epsilon: EpsilonLike
) -> tuple[Fraction, Fraction]:
    """Two rationals with the optimum of LP[4] between them (docs/proofs/theorem-1.md).

    >>> low, high = layer_cost_bounds([1, 2, 1], "0.5")
    >>> low < high < low + Fraction(1, 10**30)
    True
    """
    if not layer_sizes or any(isinstance(s, bool) or s != int(s) or s < 1 for s in layer_sizes):
        raise GoalError(f"layer sizes must be whole numbers of at least 1, got {show(layer_sizes)}")
    eps = Epsilon.of(epsilon)
    first = _fine_start(layer_sizes, eps)
    low, high = (
        mean_layer([size * level for size, level in zip(layer_sizes, levels, strict=True)])
        for levels in (
            _falling(first, eps.ratio_above, len(layer_sizes), up=False),
            _falling(first, eps.ratio_below, len(layer_sizes), up=True),
        )
    )
    return low, high


def mean_layer(masses: Sequence[int]) -> Fraction:
    """The mean distance when layer d has weight masses[d]."""
    return Fraction(sum(d * mass for d, mass in enumerate(masses)), sum(masses))


def _fine_start(layer_sizes: Sequence[int], epsilon: Epsilon) -> int:
    """A first level so large that what rounding does to the others is out of sight."""
    factors = (max(layer_sizes), len(layer_sizes), math.ceil(epsilon.ratio_above))
    return 1 << (_FINE + sum(factor.bit_length() for factor in factors))


def _falling(first: int, ratio: Fraction, count: int, *, up: bool) -> Iterator[int]:
    """first, first/ratio, …, each rounded up (or down) to a whole number."""
    p, q = ratio.numerator, ratio.denominator

    def next_level(level: int, _: int) -> int:
        return -(-level * q // p) if up else level * q // p

    return accumulate(range(count - 1), next_level, initial=first)
