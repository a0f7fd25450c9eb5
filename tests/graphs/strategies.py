"""Small connected graphs, at random and of every family."""

from hypothesis import strategies as st

from discreet.graphs import (
    DatabaseGraph,
    complete,
    cycle,
    databases,
    histograms,
    hypercube,
    path,
    sorted_histograms,
)


@st.composite
def connected_graphs(draw: st.DrawFn, most: int = 8) -> DatabaseGraph:
    """A random tree, with some more edges."""
    size = draw(st.integers(2, most))
    edges = [(draw(st.integers(0, node - 1)), node) for node in range(1, size)]
    node = st.integers(0, size - 1)
    extra = draw(st.lists(st.tuples(node, node), max_size=2 * size))
    edges += [(one, other) for one, other in extra if one != other]
    return DatabaseGraph.of([f"n{node}" for node in range(size)], edges)


EPSILONS = st.sampled_from(["0.05", "0.2", "0.5", "log 2", "1", "1.7", "3"])

SYMMETRIC = [cycle(3), cycle(4), cycle(7), cycle(10), complete(2), complete(6), hypercube(1),
             hypercube(2), hypercube(4), databases(2, 3)]  # fmt: skip
OTHERS = [path(2 + 3), path(6), histograms(3, 3), sorted_histograms(6, 4),
          histograms(2, 2, "add-or-remove")]  # fmt: skip
