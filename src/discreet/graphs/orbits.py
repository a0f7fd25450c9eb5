"""Which pairs of nodes are alike: what the automorphism group maps to one another.

An optimum of LP[1] may be averaged over the group without changing its cost or breaking a ratio,
so that alike cells may share one variable (docs/proofs/lp-bounds.md).
"""

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.graphs.automorphisms import Permutation, find_automorphism, reachable
from discreet.graphs.database_graph import DatabaseGraph

Cells = npt.NDArray[np.int64]
"""For each output (row) and true node (column), the number of its class, from 0 without gaps."""

Classes = npt.NDArray[np.int64]
"""For each node, the number of its class, from 0 without gaps."""


def every_cell(graph: DatabaseGraph) -> Cells:
    """Every cell in a class of its own: no symmetry is used."""
    return np.arange(graph.size**2).reshape(graph.size, graph.size)


def alike_cells(graph: DatabaseGraph) -> Cells:
    """Cells in one class where an automorphism leads from one to the other.

    A symmetric family has a class for each distance. Where the group cannot be found, no
    symmetry is used: classes may be finer than they could be, never coarser.

    >>> from discreet.graphs.families import cycle, path
    >>> alike_cells(cycle(4)).tolist()[0], int(alike_cells(path(5)).max()) + 1
    ([0, 1, 2, 1], 13)
    """
    if graph.symmetry is not None:
        return graph.distances
    try:
        return pair_orbits(graph.size, generators(graph))
    except DesignError:
        return every_cell(graph)


def alike_nodes(graph: DatabaseGraph) -> Classes:
    """Nodes in one class where an automorphism leads from one to the other, numbered from 0.

    >>> from discreet.graphs.families import cycle, path
    >>> alike_nodes(cycle(4)).tolist(), alike_nodes(path(5)).tolist()
    ([0, 0, 0, 0], [0, 1, 2, 1, 0])
    """
    if graph.symmetry is not None:
        return np.zeros(graph.size, dtype=np.int64)
    try:
        moves = generators(graph)
    except DesignError:
        moves = ()
    classes, kinds = np.full(graph.size, -1, dtype=np.int64), 0
    for node in range(graph.size):
        if classes[node] < 0:
            classes[sorted(reachable({node}, list(moves)))] = kinds
            kinds += 1
    return classes


def generators(graph: DatabaseGraph) -> tuple[Permutation, ...]:
    """Automorphisms that generate the whole group.

    Nodes are singled out one after another until nothing can move; then, from the last to the
    first, each is led to every node it can reach while those before it stay.

    >>> from discreet.graphs.families import path
    >>> generators(path(4))
    ((3, 2, 1, 0),)
    """
    base = _base(graph)
    moves: list[Permutation] = []
    for level in reversed(range(len(base))):
        node, fixed = base[level], base[:level]
        orbit = reachable({node}, moves)
        for target in range(graph.size):
            if target not in orbit and _may_move(graph, node, target, fixed):
                move = find_automorphism(graph, node, target, fixed)
                if move is not None:
                    moves.append(move)
                    orbit = reachable({node}, moves)
    return tuple(moves)


def _base(graph: DatabaseGraph) -> tuple[int, ...]:
    """Nodes whose distances tell all nodes apart: only the identity leaves all of them alone."""
    base: list[int] = []
    colours = np.zeros(graph.size, dtype=np.int64)
    while True:
        sizes = np.bincount(colours)
        if sizes.max() == 1:
            return tuple(base)
        base.append(int(np.flatnonzero(sizes[colours] == sizes.max())[0]))
        joined = colours * (graph.diameter + 1) + graph.distances[base[-1]]
        colours = np.unique(joined, return_inverse=True)[1].reshape(-1)


def _may_move(graph: DatabaseGraph, node: int, target: int, fixed: tuple[int, ...]) -> bool:
    """Whether the degree and the distances to fixed nodes allow it: a quick refusal."""
    apart = graph.distances[list(fixed)]
    return len(graph.beside[node]) == len(graph.beside[target]) and bool(
        (apart[:, node] == apart[:, target]).all()
    )


def pair_orbits(size: int, moves: tuple[Permutation, ...]) -> Cells:
    """Classes of pairs under given permutations: labels spread until all agree."""
    labels: Cells = np.arange(size * size).reshape(size, size)
    maps = [np.array(move) for move in moves]
    while True:
        before = labels
        for move in maps:
            # labels[x, y] and labels[move x, move y] belong together.
            image = np.ix_(move, move)
            smaller = np.minimum(labels, labels[image])
            labels = smaller.copy()
            labels[image] = np.minimum(labels[image], smaller)
        labels = labels.reshape(-1)[labels]
        if np.array_equal(labels, before):
            return np.unique(labels, return_inverse=True)[1].reshape(size, size)
