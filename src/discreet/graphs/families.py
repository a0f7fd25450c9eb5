"""The graphs of paper 002 by name: path, cycle, complete, hypercube, databases over T values."""

from discreet.graphs.database_graph import DatabaseGraph, check_size
from discreet.graphs.symmetric import Hamming, Ring, SymmetricGraph, check_count


def path(nodes: int) -> DatabaseGraph:
    """A path of `nodes` nodes: counts of a yes/no column (002 §5).

    >>> path(4).edges
    ((0, 1), (1, 2), (2, 3))
    """
    check_size(check_count(nodes, "the number of nodes of a path", 2, 10**9), f"path {nodes}")
    return DatabaseGraph.of(
        [str(node) for node in range(nodes)],
        [(node, node + 1) for node in range(nodes - 1)],
        name=f"path {nodes}",
    )


def cycle(nodes: int) -> DatabaseGraph:
    """A cycle of `nodes` nodes.

    >>> cycle(5).diameter
    2
    """
    return listed(Ring(nodes))


def complete(nodes: int) -> DatabaseGraph:
    """All nodes neighbours of one another: one record with `nodes` possible values."""
    return listed(Hamming(1, nodes))


def hypercube(records: int) -> DatabaseGraph:
    """Binary databases of `records` records; `Hamming(records, 2)` needs no list of nodes.

    >>> hypercube(3).layer_sizes(0)
    (1, 3, 3, 1)
    """
    return listed(Hamming(records, 2))


def databases(records: int, values: int) -> DatabaseGraph:
    """Ordered databases of `records` records over `values` values (𝒳^N of 002 §2)."""
    return listed(Hamming(records, values))


def listed(symmetric: SymmetricGraph) -> DatabaseGraph:
    """The same graph with its nodes listed, remembering that it is symmetric."""
    size = check_size(symmetric.size, symmetric.name)
    return DatabaseGraph.of(
        [symmetric.label(node) for node in range(size)],
        ((node, other) for node in range(size) for other in symmetric.around(node) if other > node),
        name=symmetric.name,
        symmetry=symmetric,
    )
