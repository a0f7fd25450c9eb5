"""002 Lemma 2 as a transformation: any point of LP[2] on a transitive graph becomes one of LP[3].

The row that costs least for its mass is copied to every output by an automorphism: rows then sum to
1, ratios stay, and the cost does not grow. Exact, in fractions.
"""

from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import DesignError
from discreet.graphs.automorphisms import find_automorphism
from discreet.graphs.database_graph import DatabaseGraph

Point = tuple[tuple[Fraction, ...], ...]
"""p(y|x), a row for each output y."""


def evened(graph: DatabaseGraph, point: Sequence[Sequence[Fraction]]) -> Point:
    """A point whose rows sum to 1 and that costs no more (002 Lemma 2).

    Raises:
        DesignError: No automorphism leads from the best row's node to another.

    >>> from discreet.graphs.families import cycle
    >>> skewed = [[Fraction(2), Fraction(1), Fraction(1)], [Fraction(0)] * 3, [Fraction(0)] * 3]
    >>> [[str(cell) for cell in row] for row in evened(cycle(3), skewed)]
    [['1/2', '1/4', '1/4'], ['1/4', '1/2', '1/4'], ['1/4', '1/4', '1/2']]
    """
    shares = {y: _share(row) for y, row in enumerate(point) if sum(row) > 0}
    best = min(shares, key=lambda y: _cost_of_row(graph, y, shares[y]))
    made = []
    for y in range(graph.size):
        move = find_automorphism(graph, best, y)
        if move is None:
            raise DesignError(
                f"{graph.name} is not transitive: no automorphism leads from {graph.label(best)} "
                f"to {graph.label(y)}; Lemma 2 needs one"
            )
        row = [Fraction(0)] * graph.size
        for x, cell in enumerate(shares[best]):
            row[move[x]] = cell
        made.append(tuple(row))
    return tuple(made)


def cost(graph: DatabaseGraph, point: Sequence[Sequence[Fraction]]) -> Fraction:
    """f(p) = (1/K)·Σ p(y|x)·d(x, y) (002 (4)), exactly."""
    total = sum((_cost_of_row(graph, y, row) for y, row in enumerate(point)), Fraction(0))
    return total / graph.size


def _share(row: Sequence[Fraction]) -> tuple[Fraction, ...]:
    mass = sum(row, Fraction(0))
    return tuple(cell / mass for cell in row)


def _cost_of_row(graph: DatabaseGraph, output: int, row: Sequence[Fraction]) -> Fraction:
    apart = graph.distances[output].tolist()
    return sum((cell * d for cell, d in zip(row, apart, strict=True)), Fraction(0))
