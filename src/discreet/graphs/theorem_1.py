"""When exp(−ε d) is the best there is, as exact integers (002 Theorem 1).

Proof, and why whole numbers lose next to nothing: docs/proofs/theorem-1.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.certifier import Certified, certify, certify_layers
from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.graphs.automorphisms import transitive
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.layered import (
    BITS,
    LayeredMechanism,
    draw_node,
    integer_levels,
    layer_cost_bounds,
    mean_layer,
)
from discreet.graphs.layers import regular_layers
from discreet.graphs.symmetric import SymmetricGraph
from discreet.measures import PropertyVerdict
from discreet.model import Mechanism


@dataclass(frozen=True)
class Conditions:
    """What Theorem 1 asks of a graph, each with its counterexample (002 Lemma 3)."""

    transitive: PropertyVerdict
    regular_layers: PropertyVerdict

    @property
    def hold(self) -> bool:
        """Whether exp(−ε d) is optimal for every ε."""
        return self.transitive.holds and self.regular_layers.holds


def conditions(graph: DatabaseGraph) -> Conditions:
    """Whether Theorem 1 applies.

    On a transitive graph the layers around one node are like those around any other.

    >>> from discreet.graphs.families import cycle, path
    >>> conditions(cycle(5)).hold, conditions(path(5)).hold
    (True, False)
    """
    moves = transitive(graph)
    return Conditions(moves, regular_layers(graph, 0 if moves.holds else None))


@dataclass(frozen=True)
class ClosedForm:
    """exp(−ε d) on a graph where it is optimal: certified integers and a proven bound.

    `value` is the exact cost of the integers, `lower_bound` holds for every private mechanism.
    """

    certified: Certified
    value: Fraction
    lower_bound: Fraction


@dataclass(frozen=True)
class ImplicitClosedForm:
    """The same on a symmetric graph of any size, without a list of its nodes."""

    certified: Certified[LayeredMechanism]
    value: Fraction
    lower_bound: Fraction

    def draw(self, node: int) -> int:
        """A private output for a true node, drawn exactly."""
        return draw_node(self.certified, node)


def optimal_exponential(graph: DatabaseGraph, epsilon: EpsilonLike) -> ClosedForm:
    """The optimal mechanism of LP[1], LP[2] and LP[3] where Theorem 1 applies, else DesignError.

    >>> from discreet.graphs.families import cycle
    >>> best = optimal_exponential(cycle(5), "log 2")
    >>> round(float(best.value), 12), best.certified.guarantee.epsilon
    (0.8, Epsilon('log 2'))
    """
    holding = conditions(graph)
    if not holding.hold:
        broken = holding.regular_layers if holding.transitive.holds else holding.transitive
        raise DesignError(
            f"exp(-ε d) need not be optimal on {graph.name}: {broken.counterexample}; "
            "solve LP[1] instead"
        )
    sizes = graph.layer_sizes(0)
    levels = integer_levels(sizes, epsilon)
    mechanism = Mechanism.of(
        graph.space,
        graph.space,
        graph.neighbours,
        np.array(levels, dtype=np.int64)[graph.distances],
        name="exp(-ε d)",
    )
    return ClosedForm(certify(mechanism, epsilon), *_value_and_bound(sizes, levels, epsilon))


def implicit_exponential(graph: SymmetricGraph, epsilon: EpsilonLike) -> ImplicitClosedForm:
    """The same from layer sizes alone: binary databases of 20 records need no program at all.

    >>> from discreet.graphs.symmetric import Hamming
    >>> best = implicit_exponential(Hamming(20, 2), 1)
    >>> round(float(best.value), 9), 0 <= best.draw(0) < 2**20
    (5.378828427, True)
    """
    sizes = graph.layer_sizes
    levels = integer_levels(sizes, epsilon, bits=_enough_bits(sizes, epsilon))
    certified = certify_layers(LayeredMechanism(graph, levels), epsilon)
    return ImplicitClosedForm(certified, *_value_and_bound(sizes, levels, epsilon))


def _enough_bits(sizes: tuple[int, ...], epsilon: EpsilonLike) -> int:
    """So many that rounding every level up adds a share of at most 2^−BITS to the cost.

    A level is off by at most 1 + γ + γ² + …, so the cost by Σ s_d·d/(1 − γ) units.
    """
    ratio = Epsilon.of(epsilon).ratio_below
    units = sum(size * d for d, size in enumerate(sizes)) * ratio / (ratio - 1)
    return BITS + math.ceil(units / layer_cost_bounds(sizes, epsilon)[0]).bit_length()


def _value_and_bound(
    sizes: tuple[int, ...], levels: tuple[int, ...], epsilon: EpsilonLike
) -> tuple[Fraction, Fraction]:
    value = mean_layer([size * level for size, level in zip(sizes, levels, strict=True)])
    return value, layer_cost_bounds(sizes, epsilon)[0]
