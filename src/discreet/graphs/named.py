"""The families by name, as a command line says them: `path 12`, `histograms 10 3`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import SpaceError
from discreet.exact import show
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.families import listed, path
from discreet.graphs.histogram_graph import histograms, sorted_histograms
from discreet.graphs.large_histograms import (
    MOST_RECORDS,
    LargeHistograms,
    too_large_to_list,
)
from discreet.graphs.symmetric import Hamming, Ring, SymmetricGraph
from discreet.model.neighbours import Relation

LISTED_UP_TO = 200
"""Symmetric graphs with more nodes are not listed: their layers say it all."""


@dataclass(frozen=True, kw_only=True)
class GraphFamily:
    """A family: its name, what its numbers mean, and a sentence about it."""

    name: str
    numbers: tuple[str, ...]
    optional: int
    """How many of the numbers, the last ones, may be left out."""
    about: str
    build: "Callable[..., AnyGraph]"

    @property
    def usage(self) -> str:
        """How it is written."""
        needed = len(self.numbers) - self.optional
        words = [*self.numbers[:needed], *(f"[{word}]" for word in self.numbers[needed:])]
        return " ".join([self.name, *words])


AnyGraph = DatabaseGraph | SymmetricGraph | LargeHistograms
"""Listed, known by its layers, or gone through class by class."""


def _histograms(records: int, values: int) -> DatabaseGraph | LargeHistograms:
    """Listed while they are few."""
    large = values > 2 and 1 < records <= MOST_RECORDS and too_large_to_list(records, values)
    return LargeHistograms(records, values) if large else histograms(records, values)


def _with_up_to(records: int, values: int) -> DatabaseGraph:
    return histograms(records, values, Relation.ADD_OR_REMOVE)


_ALL = (
    GraphFamily(
        name="path",
        numbers=("NODES",),
        optional=0,
        about="a count, from 0 to NODES - 1",
        build=path,
    ),
    GraphFamily(name="cycle", numbers=("NODES",), optional=0, about="a ring", build=Ring),
    GraphFamily(
        name="complete",
        numbers=("NODES",),
        optional=0,
        about="any two are neighbours",
        build=lambda nodes: Hamming(1, nodes),
    ),
    GraphFamily(
        name="hypercube",
        numbers=("RECORDS",),
        optional=0,
        about="binary databases",
        build=lambda records: Hamming(records, 2),
    ),
    GraphFamily(
        name="databases",
        numbers=("RECORDS", "VALUES"),
        optional=0,
        about="records in order",
        build=Hamming,
    ),
    GraphFamily(
        name="histograms",
        numbers=("RECORDS", "VALUES"),
        optional=0,
        about="counts of values",
        build=_histograms,
    ),
    GraphFamily(
        name="histograms-up-to",
        numbers=("RECORDS", "VALUES"),
        optional=0,
        about="add or remove one record",
        build=_with_up_to,
    ),
    GraphFamily(
        name="sorted-histograms",
        numbers=("RECORDS", "VALUES", "LARGEST"),
        optional=1,
        about="counts, largest first",
        build=sorted_histograms,
    ),
)
GRAPH_FAMILIES: Mapping[str, GraphFamily] = {family.name: family for family in _ALL}


def named_graph(words: Sequence[str | int]) -> AnyGraph:
    """The graph that a name and its numbers mean; symmetric ones are listed while they are small.

    >>> named_graph(["path", 4]), named_graph(["hypercube", "20"])
    (DatabaseGraph(path 4: 4 nodes, 3 edges), Hamming(records=20, values=2))
    """
    family = GRAPH_FAMILIES.get(str(words[0]).strip().lower()) if len(words) else None
    if family is None:
        known = ", ".join(one.usage for one in _ALL)
        raise SpaceError(
            f"unknown graph {show(words[0] if len(words) else '')}; graphs: {known}, or a file of "
            f"edges"
        )
    given = words[1:]
    if not len(family.numbers) - family.optional <= len(given) <= len(family.numbers):
        raise SpaceError(f"write {family.usage} with whole numbers, got {len(given)} of them")
    graph = family.build(*(_whole(word, family) for word in given))
    if isinstance(graph, DatabaseGraph | LargeHistograms) or graph.size > LISTED_UP_TO:
        return graph
    return listed(graph)


def _whole(word: str | int, family: GraphFamily) -> int:
    text = str(word).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise SpaceError(f"write {family.usage} with whole numbers, got {show(word)}")
    return int(text)
