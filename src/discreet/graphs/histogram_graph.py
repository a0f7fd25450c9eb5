"""Histograms as nodes, and their metrics in closed form (002 Examples 1 and 2).

Why the closed forms are the shortest paths: docs/proofs/histogram-metric.md.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, islice, pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from discreet.graphs.database_graph import MOST_NODES, DatabaseGraph, Distances, check_size
from discreet.graphs.symmetric import check_count
from discreet.model.neighbours import ONE_RECORD, Relation

Vector = tuple[int, ...]
MOST_ENTRIES = 200
"""How many entries of a sorted histogram a node may hold."""


def histograms(
    records: int, values: int, relation: Relation | str = Relation.CHANGE
) -> DatabaseGraph:
    """(N, T)-histograms: how many of N records have each of T values (002 Example 1).

    With `"change"` every node holds N records, neighbours differ by moving one of them, and
    d(x, y) = ½‖x − y‖₁. With `"add-or-remove"` a node holds at most N records, neighbours
    differ by one record more or less, and d(x, y) = ‖x − y‖₁.

    >>> histograms(2, 3).space.names
    ('0.0.2', '0.1.1', '0.2.0', '1.0.1', '1.1.0', '2.0.0')
    >>> histograms(2, 2, "add-or-remove").size
    6
    """
    check_count(records, "the number of records", 1, 10**6)
    check_count(values, "the number of values", 1, 10**6)
    name = f"histograms {records} {values}"
    if Relation.of(relation, ONE_RECORD) == Relation.CHANGE:
        check_size(comb(records + values - 1, values - 1), name)
        nodes = sorted(_compositions(records, values))
        return _graph(nodes, _moves, _half_of_taxicab, name)
    name = f"{name}, {Relation.ADD_OR_REMOVE.words}"
    check_size(comb(records + values, values), name)
    nodes = sorted(vector[:-1] for vector in _compositions(records, values + 1))
    return _graph(nodes, _steps, _taxicab, name)


def sorted_histograms(records: int, values: int, largest: int | None = None) -> DatabaseGraph:
    """Sorted (N, T)-histograms v₁ ≥ … ≥ v_T, or their `largest` first entries (002 Example 2).

    The metric is ½‖x − y‖₁ on full histograms; on first entries it is the larger of what must be
    added and what must be taken away, max(Σ(y − x)⁺, Σ(x − y)⁺).

    >>> sorted_histograms(4, 3).space.names
    ('2.1.1', '2.2.0', '3.1.0', '4.0.0')
    >>> sorted_histograms(4, 3, largest=1).space.names
    ('2', '3', '4')
    """
    check_count(records, "the number of records", 1, 10**6)
    check_count(values, "the number of values", 1, 10**6)
    kept = check_count(
        values if largest is None else largest,
        "the number of largest entries",
        1,
        min(values, MOST_ENTRIES),
    )
    name = f"sorted-histograms {records} {values}" + ("" if kept == values else f" {kept}")
    nodes = sorted(islice(_sorted_prefixes(records, values, kept, records), MOST_NODES + 1))
    check_size(len(nodes), name)
    return _graph(nodes, _moves_and_steps, _larger_of_both_ways, name)


def _compositions(total: int, parts: int) -> Iterator[Vector]:
    """Every way to write `total` as an ordered sum of `parts` numbers, zero allowed."""
    for bars in combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield tuple(after - before - 1 for before, after in pairwise(ends))


def _sorted_prefixes(total: int, parts: int, kept: int, most: int) -> Iterator[Vector]:
    """The first `kept` of `parts` non-increasing numbers, none above `most`, with a given sum."""
    if kept == 0:
        yield ()
        return
    least = -(-total // parts)
    for first in range(least, min(total, most) + 1):
        for rest in _sorted_prefixes(total - first, parts - 1, kept - 1, first):
            yield (first, *rest)


def _moves(node: Vector) -> Iterator[Vector]:
    """One record moved from one entry to another."""
    for source in range(len(node)):
        for target in range(len(node)):
            if source != target and node[source] > 0:
                moved = list(node)
                moved[source] -= 1
                moved[target] += 1
                yield tuple(moved)


def _steps(node: Vector) -> Iterator[Vector]:
    """One record more or less in one entry."""
    for place in range(len(node)):
        for step in (-1, 1):
            yield (*node[:place], node[place] + step, *node[place + 1 :])


def _moves_and_steps(node: Vector) -> Iterator[Vector]:
    """What one changed record can do to the first entries of a sorted histogram."""
    yield from _moves(node)
    yield from _steps(node)


def _differences(nodes: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """For each node, all the others minus it."""
    return (nodes - node for node in nodes)


def _taxicab(nodes: npt.NDArray[np.int64]) -> Distances:
    return np.array([np.abs(away).sum(axis=1) for away in _differences(nodes)])


def _half_of_taxicab(nodes: npt.NDArray[np.int64]) -> Distances:
    return _taxicab(nodes) // 2


def _larger_of_both_ways(nodes: npt.NDArray[np.int64]) -> Distances:
    ways = [
        np.maximum(np.maximum(away, 0).sum(axis=1), np.maximum(-away, 0).sum(axis=1))
        for away in _differences(nodes)
    ]
    return np.array(ways)


def _graph(
    nodes: list[Vector],
    changes: Callable[[Vector], Iterator[Vector]],
    metric: Callable[[npt.NDArray[np.int64]], Distances],
    name: str,
) -> DatabaseGraph:
    place = {node: index for index, node in enumerate(nodes)}
    edges = (
        (index, place[other])
        for node, index in place.items()
        for other in changes(node)
        if place.get(other, -1) > index
    )
    return DatabaseGraph.of(
        [".".join(map(str, node)) for node in nodes],
        edges,
        name=name,
        closed_form=lambda: metric(np.array(nodes, dtype=np.int64)),
    )
