"""Graphs that the items of 002 look at, beyond the families of `discreet.graphs`."""

from collections.abc import Iterable
from itertools import product

from discreet.graphs import DatabaseGraph, LargeHistograms, Ring, histograms
from discreet.graphs.families import listed
from discreet.graphs.named import named_graph


def star(leaves: int) -> DatabaseGraph:
    """One node beside all others, which have no other neighbour."""
    return _of(leaves + 1, ((0, leaf) for leaf in range(1, leaves + 1)), f"star {leaves}")


def tree(branches: int, depth: int) -> DatabaseGraph:
    """Every node but the leaves has so many nodes below it; the root is node 0.

    >>> tree(2, 3).layer_sizes(0)
    (1, 2, 4, 8)
    """
    inner = sum(branches**layer for layer in range(depth))
    below = [(k, branches * k + i) for k in range(inner) for i in range(1, branches + 1)]
    return _of(len(below) + 1, below, f"tree {branches}, depth {depth}")


def grid(rows: int, columns: int) -> DatabaseGraph:
    """Two counts at once: neighbours differ by one in one of them.

    >>> grid(2, 3).diameter
    3
    """
    along = [
        (r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)
    ]
    across = [
        (r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)
    ]
    return _of(rows * columns, along + across, f"grid {rows}×{columns}")


def petersen() -> DatabaseGraph:
    """Petersen's graph: transitive, with regular layers, and no family of databases."""
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return _of(10, outer + inner + [(i, i + 5) for i in range(5)], "Petersen's graph")


def prism(sides: int) -> DatabaseGraph:
    """Two cycles side by side: transitive, but from three or five sides its layers are uneven."""
    rings = [(i + s, (i + 1) % sides + s) for s in (0, sides) for i in range(sides)]
    return _of(2 * sides, rings + [(i, i + sides) for i in range(sides)], f"prism {sides}")


def twins(nodes: int) -> DatabaseGraph:
    """A cycle whose every node stands there twice: transitive, but a twin is a dead end.

    >>> twins(6).layer_sizes(0)
    (1, 5, 4, 2)
    """
    ring = listed(Ring(nodes))
    edges = [(2 * i, 2 * i + 1) for i in range(nodes)]
    edges += [(2 * i + a, 2 * j + b) for i, j in ring.edges for a, b in product((0, 1), repeat=2)]
    return _of(2 * nodes, edges, f"cycle {nodes} of twins")


def named(words: str) -> DatabaseGraph:
    """A listed graph of a family, as `discreet graph` names it."""
    graph = named_graph(words.split())
    if isinstance(graph, LargeHistograms):
        return histograms(graph.records, graph.values)
    return graph if isinstance(graph, DatabaseGraph) else listed(graph)


def _of(nodes: int, edges: Iterable[tuple[int, int]], name: str) -> DatabaseGraph:
    return DatabaseGraph.of([str(node) for node in range(nodes)], edges, name=name)
