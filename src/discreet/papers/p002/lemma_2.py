"""Lemma 2: on a transitive graph any point of LP[2] can be turned into one of LP[3], no dearer."""

from fractions import Fraction

import numpy as np

from discreet.graphs import DatabaseGraph, complete, cycle, hypercube
from discreet.graphs.lemma_2 import Point, cost, evened
from discreet.papers.checking import statement
from discreet.papers.item import Outcome, PaperItem, PrintedTable, Step

RATIO = 3
TRIED = 20


def feasible(graph: DatabaseGraph, ratio: int = RATIO) -> Point:
    """A point of LP[2] at ε = log(ratio) from random whole numbers, raised until ratios hold."""
    random = np.random.default_rng().integers(0, 50, (graph.size, graph.size))
    rows = []
    for row in random.tolist():
        apart = graph.distances.tolist()
        rows.append(
            [
                max(Fraction(cell, ratio**d) for cell, d in zip(row, apart[x], strict=True))
                for x in range(graph.size)
            ]
        )
    mass = sum((cell for row in rows for cell in row), Fraction(0))
    return tuple(tuple(cell * graph.size / mass for cell in row) for row in rows)


def _run(step: Step) -> Outcome:
    graphs = (cycle(5), cycle(6), hypercube(3), complete(4))
    lines = []
    for place, graph in enumerate(graphs):
        step(place / len(graphs), graph.name)
        pairs = []
        for _ in range(TRIED):
            before = feasible(graph)
            after = evened(graph, before)
            kept = all(
                row[x] <= RATIO * row[other]
                for row in after
                for x, other in graph.directed.tolist()
            )
            whole = all(sum(row) == 1 for row in after)
            pairs.append((cost(graph, before), cost(graph, after), kept and whole))
        lines.append(
            (
                graph.name,
                len(pairs),
                sum(after <= before for before, after, _ in pairs),
                sum(fine for *_, fine in pairs),
                float(min(after / before for before, after, _ in pairs)),
            )
        )
    return Outcome(
        tables=(
            PrintedTable(
                "lemma-2",
                ("graph", "points", "cost no more", "rows sum to 1, ratios kept", "least ratio"),
                tuple(lines),
                f"random points of LP[2] at ε = log {RATIO}, in exact fractions",
            ),
        ),
        checks=(
            statement(
                "every feasible solution p of LP[2] can be transformed into p' with "
                "f(p') ≤ f(p) that satisfies (7)",
                all(line[1] == line[2] == line[3] for line in lines),
                f"{sum(line[1] for line in lines)} random points, exactly",
                printed="f(p') ≤ f(p)",
            ),
        ),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/lemma-2",
        title="From LP[2] to LP[3] on transitive graphs",
        paper="002",
        claim="On a graph with a transitive automorphism group every feasible solution of LP[2] "
        "becomes one whose rows sum to 1, at no larger cost.",
        run=_run,
        seconds=1,
    ),
)
