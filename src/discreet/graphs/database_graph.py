"""A graph whose nodes are databases and whose edges join neighbours (002 §3)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from discreet.errors import SpaceError
from discreet.exact import show
from discreet.graphs.symmetric import SymmetricGraph
from discreet.model import Graph, Labels, Loss

Distances = npt.NDArray[np.int64]
MOST_NODES = 5_000
"""A matrix of all distances must fit in memory; larger graphs need their symmetry."""
MOST_EDGES = 1_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class DatabaseGraph:
    """Nodes with readable labels, edges between databases one record apart.

    The record-exchange metric is the length of a shortest path (002 §3). A family may know it in
    closed form, or know its symmetry; both are only ever a quicker way to the same facts.

    >>> graph = DatabaseGraph.of(["a", "b", "c"], [(0, 1), (1, 2)], name="a walk")
    >>> graph.distances.tolist(), graph.diameter, graph.layer_sizes(0)
    ([[0, 1, 2], [1, 0, 1], [2, 1, 0]], 2, (1, 1, 1))
    """

    name: str
    space: Labels
    neighbours: Graph
    symmetry: SymmetricGraph | None = None
    closed_form: Callable[[], Distances] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        edges: Iterable[tuple[int, int]],
        *,
        name: str = "custom",
        symmetry: SymmetricGraph | None = None,
        closed_form: Callable[[], Distances] | None = None,
    ) -> "DatabaseGraph":
        """Check labels and edges; at least two nodes, all of them connected."""
        check_size(len(labels), name)
        pairs = list(islice(edges, MOST_EDGES + 1))
        if len(pairs) > MOST_EDGES:
            raise SpaceError(
                f"{name} has more than {MOST_EDGES:,} edges, too many to list; use a smaller one"
            )
        graph = cls(
            name=name,
            space=Labels.of(labels),
            neighbours=Graph.of(len(labels), pairs),
            symmetry=symmetry,
            closed_form=closed_form,
        )
        _check_connected(graph)
        return graph

    @property
    def size(self) -> int:
        """How many nodes there are (K in 002)."""
        return len(self.space)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of neighbouring nodes, the smaller first, in order."""
        return tuple(self.neighbours.pairs(self.size))

    @cached_property
    def directed(self) -> npt.NDArray[np.int64]:
        """Every edge in both directions: a line for each, from and to."""
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        return np.concatenate([ends, ends[:, ::-1]])

    def label(self, node: int) -> str:
        """A readable name of a node."""
        return self.space.names[node]

    @cached_property
    def beside(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of every node, in order."""
        neighbours: list[list[int]] = [[] for _ in range(self.size)]
        for one, other in self.edges:
            neighbours[one].append(other)
            neighbours[other].append(one)
        return tuple(tuple(sorted(around)) for around in neighbours)

    @cached_property
    def distances(self) -> Distances:
        """The record-exchange metric d(x, y), as a matrix."""
        return self.shortest_paths() if self.closed_form is None else self.closed_form()

    def shortest_paths(self) -> Distances:
        """The same metric by breadth-first search from all nodes at once."""
        distances = np.full((self.size, self.size), -1, dtype=np.int64)
        np.fill_diagonal(distances, 0)
        frontier = np.eye(self.size, dtype=np.bool_)
        unreached = ~frontier
        distance = 0
        while frontier.any():
            distance += 1
            reached = np.array([frontier[list(around)].any(axis=0) for around in self.beside])
            frontier = reached & unreached
            unreached &= ~frontier
            distances[frontier] = distance
        return distances

    @cached_property
    def diameter(self) -> int:
        """The largest distance (D in 002)."""
        return int(self.distances.max())

    @cached_property
    def loss(self) -> Loss:
        """The cost of an output y for a true x: d(x, y) (002 (4))."""
        return Loss.of_table(self.distances.tolist(), name="record exchanges")

    def layer(self, start: int, distance: int) -> tuple[int, ...]:
        """The nodes at a distance of a start node (S_d(y) in 002)."""
        return tuple(np.flatnonzero(self.distances[start] == distance).tolist())

    def layer_sizes(self, start: int) -> tuple[int, ...]:
        """How many nodes lie at distance 0, 1, … of a start node (s_d(y) in 002)."""
        return tuple(np.bincount(self.distances[start]).tolist())

    def __repr__(self) -> str:
        return f"DatabaseGraph({self.name}: {self.size} nodes, {len(self.edges)} edges)"


def check_size(nodes: int, name: str) -> int:
    """A number of nodes we can list, or a SpaceError that says what to do."""
    if nodes < 2:
        raise SpaceError(f"a graph of databases needs at least two nodes, {name} has {nodes}")
    if nodes > MOST_NODES:
        raise SpaceError(
            f"{name} has more than {MOST_NODES:,} nodes, too many to list; use a smaller one"
        )
    return nodes


def _check_connected(graph: DatabaseGraph) -> None:
    reached, waiting = {0}, [0]
    while waiting:
        for node in graph.beside[waiting.pop()]:
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    if len(reached) < graph.size:
        lost = next(node for node in range(graph.size) if node not in reached)
        raise SpaceError(
            f"every database must be reachable by record exchanges, but no path leads from "
            f"{show(graph.label(0))} to {show(graph.label(lost))}; give each part its own graph"
        )
