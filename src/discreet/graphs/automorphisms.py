"""Is the automorphism group transitive? (002 §3, Lemma 2)

Nodes are told apart by colours: a node's colour is refined by the colours around it until nothing
changes. Where colours alone do not decide, one node is singled out on both sides and the search
goes on; it backtracks until it has an automorphism, or none is left (docs/proofs/layers.md).
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.graphs.database_graph import DatabaseGraph
from discreet.measures import PropertyVerdict

Permutation = tuple[int, ...]
Colours = npt.NDArray[np.int64]

MOST_STEPS = 100_000
MOST_DEPTH = 400
"""How many nodes a search may single out, in all and at once, before it admits defeat."""


def transitive(graph: DatabaseGraph) -> PropertyVerdict:
    """Whether some automorphism leads from any node to any other, decided exactly.

    A graph that is symmetric by construction says so; all others are searched.

    >>> from discreet.graphs.families import cycle, path
    >>> transitive(cycle(7)).holds
    True
    >>> transitive(path(3)).counterexample
    'no automorphism leads from 0 to 1: 0 has 1 neighbour, 1 has 2'
    """
    return PropertyVerdict(True) if graph.symmetry is not None else search_transitive(graph)


def search_transitive(graph: DatabaseGraph) -> PropertyVerdict:
    """The same by searching, whatever the graph knows of itself."""
    orbit = {0}
    generators: list[Permutation] = []
    while len(orbit) < graph.size:
        target = next(node for node in range(graph.size) if node not in orbit)
        automorphism = find_automorphism(graph, 0, target)
        if automorphism is None:
            return PropertyVerdict(False, _why_not(graph, target))
        generators.append(automorphism)
        orbit = reachable({0}, generators)
    return PropertyVerdict(True)


def reachable(start: Iterable[int], generators: Iterable[Permutation]) -> set[int]:
    """All nodes that the automorphisms lead to, one after another."""
    moves, orbit = list(generators), set(start)
    waiting = list(orbit)
    while waiting:
        node = waiting.pop()
        for move in moves:
            if move[node] not in orbit:
                orbit.add(move[node])
                waiting.append(move[node])
    return orbit


def is_automorphism(graph: DatabaseGraph, permutation: Permutation) -> bool:
    """Whether a permutation of the nodes keeps every edge.

    >>> from discreet.graphs.families import path
    >>> is_automorphism(path(3), (2, 1, 0)), is_automorphism(path(3), (1, 0, 2))
    (True, False)
    """
    if sorted(permutation) != list(range(graph.size)):
        return False
    images = ((permutation[one], permutation[other]) for one, other in graph.edges)
    return {(min(pair), max(pair)) for pair in images} == graph.neighbours.edges


def find_automorphism(
    graph: DatabaseGraph, source: int, target: int, fixed: Iterable[int] = ()
) -> Permutation | None:
    """An automorphism that leads from source to target and leaves `fixed` nodes alone, if any.

    >>> from discreet.graphs.families import path
    >>> find_automorphism(path(4), 0, 3), find_automorphism(path(4), 0, 1)
    ((3, 2, 1, 0), None)
    """
    search = _Matching(graph)
    left = right = np.zeros(graph.size, dtype=np.int64)
    for one, other in (*((node, node) for node in fixed), (source, target)):
        left, right = search.singled_out(left, right, one, other)
    return search.extended(left, right)


class _Matching:
    """One search: who stands beside whom, as arrays, and how many steps are left."""

    def __init__(self, graph: DatabaseGraph) -> None:
        self.graph = graph
        self.steps = MOST_STEPS
        self.beside = _padded(graph)

    def singled_out(
        self, left: Colours, right: Colours, one: int, other: int
    ) -> tuple[Colours, Colours]:
        """Tell nodes apart by their distance to `one` on the left, to `other` on the right."""
        distances = self.graph.distances
        layers = self.graph.diameter + 1
        return _recoloured(
            (left * layers + distances[one])[:, None], (right * layers + distances[other])[:, None]
        )

    def refined(self, left: Colours, right: Colours) -> tuple[Colours, Colours] | None:
        """Colours that neighbours agree on; None as soon as the two sides differ."""
        count = 0
        while np.array_equal(np.sort(left), np.sort(right)):
            now = int(left.max()) + 1
            if now == count:
                return left, right
            count = now
            left, right = _recoloured(self._signature(left), self._signature(right))
        return None

    def extended(self, left: Colours, right: Colours, depth: int = 0) -> Permutation | None:
        """The first automorphism that leads each colour on the left to the same on the right."""
        agreed = self.refined(left, right)
        if agreed is None:
            return None
        left, right = agreed
        sizes = np.bincount(left)
        if sizes.max() == 1:
            permutation = tuple(np.argsort(right)[left].tolist())
            return permutation if is_automorphism(self.graph, permutation) else None
        colour = int(np.flatnonzero(sizes == sizes[sizes > 1].min())[0])
        node = int(np.flatnonzero(left == colour)[0])
        images = np.flatnonzero(right == colour).tolist()
        # Trying the next node first makes long cycles, which show transitivity soonest.
        for image in sorted(images, key=lambda other: (other <= node, other)):
            self._count_step(depth)
            found_below = self.extended(*self.singled_out(left, right, node, image), depth + 1)
            if found_below is not None:
                return found_below
        return None

    def _signature(self, colours: Colours) -> Colours:
        around = np.append(colours, -1)[self.beside]
        around.sort(axis=1)
        return np.concatenate([colours[:, None], around], axis=1)

    def _count_step(self, depth: int) -> None:
        self.steps -= 1
        if self.steps < 0 or depth > MOST_DEPTH:
            raise DesignError(
                f"the automorphisms of {self.graph.name} were not found within "
                f"{MOST_STEPS:,} steps and {MOST_DEPTH} fixed nodes; use a smaller graph"
            )


def _recoloured(left: Colours, right: Colours) -> tuple[Colours, Colours]:
    """Colours 0, 1, … for the distinct rows of both sides together."""
    rows = np.concatenate([left, right])
    numbers = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    return numbers[: len(left)], numbers[len(left) :]


def _padded(graph: DatabaseGraph) -> Colours:
    """The neighbours of each node, or the others if they are fewer, filled up with `size`."""
    around = [list(nodes) for nodes in graph.beside]
    if len(graph.edges) * 4 > graph.size**2:
        everyone = set(range(graph.size))
        around = [sorted(everyone - set(nodes) - {k}) for k, nodes in enumerate(graph.beside)]
    table = np.full((graph.size, max(map(len, around))), graph.size, dtype=np.int64)
    for node, nodes in enumerate(around):
        table[node, : len(nodes)] = nodes
    return table


def _why_not(graph: DatabaseGraph, target: int) -> str:
    claim = f"no automorphism leads from {graph.label(0)} to {graph.label(target)}"
    here, there = len(graph.beside[0]), len(graph.beside[target])
    if here != there:
        many = "neighbour" if here == 1 else "neighbours"
        return f"{claim}: {graph.label(0)} has {here} {many}, {graph.label(target)} has {there}"
    sizes = graph.layer_sizes(0), graph.layer_sizes(target)
    if sizes[0] != sizes[1]:
        return f"{claim}: their layers hold {_listed(sizes[0])} and {_listed(sizes[1])} nodes"
    return f"{claim}, though their layers are equally large"


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes))
