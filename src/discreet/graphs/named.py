"""The families by name, as a command line says them: `path 12`, `histograms 10 3`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import SpaceError
from discreet.exact import show
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.families import listed, path
from discreet.graphs.histogram_graph import ADD_OR_REMOVE_ONE, histograms, sorted_histograms
from discreet.graphs.symmetric import Hamming, Ring, SymmetricGraph

LISTED_UP_TO = 200
"""Symmetric graphs with more nodes are not listed: their layers say it all."""


@dataclass(frozen=True)
class GraphFamily:
    """A family: its name, what its numbers mean, and a sentence about it."""

    name: str
    numbers: tuple[str, ...]
    optional: int
    """How many of the numbers, the last ones, may be left out."""
    about: str
    build: Callable[..., DatabaseGraph | SymmetricGraph]

    @property
    def usage(self) -> str:
        """How it is written."""
        needed = len(self.numbers) - self.optional
        words = [*self.numbers[:needed], *(f"[{word}]" for word in self.numbers[needed:])]
        return " ".join([self.name, *words])


def _with_up_to(records: int, values: int) -> DatabaseGraph:
    return histograms(records, values, ADD_OR_REMOVE_ONE)


_ALL = (
    GraphFamily("path", ("NODES",), 0, "a count, from 0 to NODES - 1", path),
    GraphFamily("cycle", ("NODES",), 0, "a ring", Ring),
    GraphFamily(
        "complete", ("NODES",), 0, "any two are neighbours", lambda nodes: Hamming(1, nodes)
    ),
    GraphFamily(
        "hypercube", ("RECORDS",), 0, "binary databases", lambda records: Hamming(records, 2)
    ),
    GraphFamily("databases", ("RECORDS", "VALUES"), 0, "records in order", Hamming),
    GraphFamily("histograms", ("RECORDS", "VALUES"), 0, "counts of values", histograms),
    GraphFamily(
        "histograms-up-to", ("RECORDS", "VALUES"), 0, "add or remove one record", _with_up_to
    ),
    GraphFamily(
        "sorted-histograms",
        ("RECORDS", "VALUES", "LARGEST"),
        1,
        "counts, largest first",
        sorted_histograms,
    ),
)
GRAPH_FAMILIES: Mapping[str, GraphFamily] = {family.name: family for family in _ALL}


def named_graph(words: Sequence[str | int]) -> DatabaseGraph | SymmetricGraph:
    """The graph that a name and its numbers mean; symmetric ones are listed while they are small.

    >>> named_graph(["path", 4]), named_graph(["hypercube", "20"])
    (DatabaseGraph(path 4: 4 nodes, 3 edges), Hamming(records=20, values=2))
    """
    family = GRAPH_FAMILIES.get(str(words[0]).strip().lower()) if len(words) else None
    if family is None:
        known = ", ".join(one.usage for one in _ALL)
        raise SpaceError(
            f"unknown graph {show(words[0] if len(words) else '')}; there are {known}, "
            "or a file of edges"
        )
    given = words[1:]
    if not len(family.numbers) - family.optional <= len(given) <= len(family.numbers):
        raise SpaceError(f"write {family.usage} with whole numbers, got {len(given)} of them")
    found = family.build(*(_whole(word, family) for word in given))
    if isinstance(found, DatabaseGraph) or found.size > LISTED_UP_TO:
        return found
    return listed(found)


def _whole(word: str | int, family: GraphFamily) -> int:
    text = str(word).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise SpaceError(f"write {family.usage} with whole numbers, got {show(word)}")
    return int(text)
