"""The best mechanism on a graph by whatever is quickest; the program only where nothing else is."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from discreet.certifier import certify
from discreet.designer.entry import Attempt, Design, design
from discreet.designer.request import (
    Progress,
    may_end,
    raise_when_out_of_time,
    relative_gap,
    value_above,
)
from discreet.designer.simplest import simplest
from discreet.designer.tight.method import float_below
from discreet.errors import DesignError
from discreet.exact import EpsilonLike
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.exponentials import widest_exponential
from discreet.graphs.optimum import optimum_1
from discreet.graphs.orbits import Cells
from discreet.graphs.programs import request_of
from discreet.graphs.tight import TightMechanism, tight_mechanism
from discreet.model import Grid, Mechanism, Within


def best_mechanism(
    graph: DatabaseGraph,
    epsilon: EpsilonLike,
    *,
    tight: TightMechanism | None = None,
    cells: Cells | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Design:
    """LP[1]: the closed form of paths, else tight constraints where proved optimal, else a program.

    What is known already, the tight-constraints mechanism and the alike cells, may be given. When
    time is up before the program is solved, it is the best without one, told with its gap.

    >>> from discreet.graphs.families import path
    >>> from discreet.graphs.histogram_graph import histograms
    >>> best_mechanism(path(120), "0.5").method, best_mechanism(histograms(4, 3), 2).method
    ('counts', 'tight constraints')
    """
    walk = walk_of_path(graph)
    if walk is not None:
        return best_count(graph, walk, epsilon)
    known = tight if tight is not None else tight_or_none(graph, epsilon)
    if known is not None and known.optimal and known.design is not None:
        return known.design
    try:
        raise_when_out_of_time()
        return optimum_1(graph, epsilon, cells, progress)
    except (DesignError, KeyboardInterrupt) as met:
        if not may_end(met):
            raise
    return best_without_a_program(graph, epsilon, known)


def best_without_a_program(
    graph: DatabaseGraph, epsilon: EpsilonLike, tight: TightMechanism | None
) -> Design:
    """Tight constraints where they are private, else the widest exponential or one of the simplest.

    The bound is the one that the two solves prove whether or not their weights are a mechanism.
    """
    started = time.perf_counter()
    request = request_of(graph, epsilon)
    if tight is not None and tight.design is not None:
        known = {tight.design.method: tight.design.mechanism}
    else:
        known = {"exponential": widest_exponential(graph, epsilon).certified.mechanism}
    with suppress(DesignError):
        known["simple"] = simplest(request).mechanism
    values = {name: value_above(request, mechanism) for name, mechanism in known.items()}
    name = min(values, key=values.__getitem__)
    bound = 0.0 if tight is None else min(float_below(tight.solved), values[name])
    gap = relative_gap(values[name], bound)
    return Design(
        request=request,
        certified=certify(known[name], epsilon),
        value=values[name],
        lower_bound=bound,
        method=name,
        tried=(Attempt("LP[1]", "time ran out"), Attempt(name, f"gap {gap:.1e}")),
        seconds=time.perf_counter() - started,
        expected_absolute_error=None,
    )


def tight_or_none(graph: DatabaseGraph, epsilon: EpsilonLike) -> TightMechanism | None:
    """The tight-constraints mechanism, or None where its systems are singular or too large."""
    try:
        return tight_mechanism(graph, epsilon)
    except DesignError:
        return None


def walk_of_path(graph: DatabaseGraph) -> tuple[int, ...] | None:
    """The nodes of a path from one end to the other, whatever they are called; None for others.

    >>> from discreet.graphs.families import cycle, path
    >>> walk_of_path(path(4)), walk_of_path(cycle(4))
    ((0, 1, 2, 3), None)
    """
    degrees = sorted(len(around) for around in graph.beside)
    if degrees[:2] != [1, 1] or any(degree != 2 for degree in degrees[2:]):
        return None
    end = next(node for node, around in enumerate(graph.beside) if len(around) == 1)
    return tuple(np.argsort(graph.distances[end]).tolist())


def best_count(graph: DatabaseGraph, walk: tuple[int, ...], epsilon: EpsilonLike) -> Design:
    """A path is a count, whose best mechanism has a closed form (docs/proofs/counts.md)."""
    started = time.perf_counter()
    count = design(Grid.between(0, graph.size - 1), Within(1), epsilon, method="counts", cache=None)
    place = np.argsort(walk)
    mechanism = Mechanism.of(
        graph.space,
        graph.space,
        graph.neighbours,
        count.mechanism.weights[np.ix_(place, place)],
        name="best count",
    )
    return replace(
        count,
        request=request_of(graph, epsilon),
        certified=certify(mechanism, epsilon),
        seconds=time.perf_counter() - started,
        expected_absolute_error=None,
    )
