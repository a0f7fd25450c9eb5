"""Layers around a start node, and whether they are regular (002 Lemma 3, §4)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.graphs.database_graph import DatabaseGraph
from discreet.measures import PropertyVerdict


@dataclass(frozen=True)
class LayerDegrees:
    """What every node of a regular layer sees: its neighbours one layer nearer and one farther.

    t_d^← and t_d^→ of 002 §4; with `sizes` they satisfy (9), s_d·t_d^→ = s_{d+1}·t_{d+1}^←.
    """

    sizes: tuple[int, ...]
    nearer: tuple[int, ...]
    farther: tuple[int, ...]


def layer_degrees(graph: DatabaseGraph, start: int) -> LayerDegrees | str:
    """The degrees between the layers around a start node, or two nodes that disagree.

    >>> from discreet.graphs.families import cycle, path
    >>> layer_degrees(cycle(6), 0)
    LayerDegrees(sizes=(1, 2, 2, 1), nearer=(0, 1, 1, 2), farther=(2, 1, 1, 0))
    >>> layer_degrees(path(4), 1)
    'around 1, at distance 1: 0 has 0 neighbours one layer farther, 2 has 1'
    """
    away = graph.distances[start]
    here, there = away[graph.directed[:, 0]], away[graph.directed[:, 1]]
    model = np.unique(away, return_index=True)[1]
    degrees = []
    for side, step in (("nearer", -1), ("farther", 1)):
        counts = np.bincount(graph.directed[there == here + step, 0], minlength=graph.size)
        unlike = np.flatnonzero(counts != counts[model[away]])
        if len(unlike):
            return _disagreement(graph, start, int(unlike[0]), side, counts)
        degrees.append(tuple(counts[model].tolist()))
    return LayerDegrees(graph.layer_sizes(start), *degrees)


def regular_layers(graph: DatabaseGraph, start: int | None = None) -> PropertyVerdict:
    """Whether nodes of one layer have equally many neighbours in the layers beside it.

    Around `start`, or around every node when none is given (002 Lemma 3). The counterexample
    names the start node, the layer and two nodes of it.

    >>> from discreet.graphs.families import hypercube, path
    >>> regular_layers(hypercube(3)).holds, regular_layers(path(5), 0).holds
    (True, True)
    """
    starts = range(graph.size) if start is None else (start,)
    for node in starts:
        degrees = layer_degrees(graph, node)
        if isinstance(degrees, str):
            return PropertyVerdict(False, degrees)
    return PropertyVerdict(True)


def _disagreement(
    graph: DatabaseGraph, start: int, node: int, side: str, counts: npt.NDArray[np.int64]
) -> str:
    distance = graph.distances[start, node]
    model = graph.layer(start, distance)[0]
    many = "neighbour" if counts[model] == 1 else "neighbours"
    return (
        f"around {graph.label(start)}, at distance {distance}: {graph.label(model)} has "
        f"{counts[model]} {many} one layer {side}, {graph.label(node)} has {counts[node]}"
    )
