"""Example 4: the index of the largest noisy count, and what its scale really buys."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from discreet.certifier import certify, tight_epsilon
from discreet.mechanisms import noisy_max
from discreet.model import Graph, Labels, Mechanism
from discreet.papers.checking import at_most, statement
from discreet.papers.item import Figure, Outcome, Panel, PaperItem, PrintedTable, Series, Step

QUERIES, LARGEST = 3, 5
EPSILONS = ("0.1", "0.25", "0.5", "1", "1.5", "2", "3")

Counts = tuple[int, ...]


def counts(queries: int, largest: int) -> list[Counts]:
    """Every list of so many counts, each from 0 to the largest."""
    return list(itertools.product(range(largest + 1), repeat=queries))


def relation(nodes: list[Counts], moves: Iterable[int]) -> Graph:
    """Neighbours when one record moves every count by one of `moves`."""
    index = {node: place for place, node in enumerate(nodes)}
    steps = list(itertools.product(moves, repeat=len(nodes[0])))
    edges = {
        (index[node], index[moved])
        for node in nodes
        for step in steps
        if any(step) and (moved := tuple(c + s for c, s in zip(node, step, strict=True))) in index
    }
    return Graph.of(len(nodes), edges)


def printed_scale(queries: int, largest: int, epsilon: str, *, replaced: bool) -> Mechanism:
    """Noise of scale 1/ε on each count, as printed, under either meaning of neighbours."""
    nodes = counts(queries, largest)
    space = Labels(tuple(",".join(map(str, node)) for node in nodes))
    which = Labels(tuple(f"count {place + 1}" for place in range(queries)))
    table = np.array(nodes).T.tolist()
    added = relation(nodes, (0, 1))
    made = noisy_max(space, added, epsilon, outputs=which, scores=table, monotone=True)
    if not replaced:
        return made
    return Mechanism.of(space, which, relation(nodes, (-1, 0, 1)), made.weights)


def _example_4(step: Step) -> Outcome:
    lines = []
    for place, epsilon in enumerate(EPSILONS):
        step(place / len(EPSILONS), f"ε = {epsilon}")
        added = printed_scale(QUERIES, LARGEST, epsilon, replaced=False)
        certify(added, epsilon)
        replaced = printed_scale(QUERIES, LARGEST, epsilon, replaced=True)
        half = printed_scale(QUERIES, LARGEST, str(float(epsilon) / 2), replaced=True)
        certify(half, epsilon)
        needs = [float(tight_epsilon(one)) for one in (added, replaced, half)]
        lines.append((float(epsilon), *needs))
    over = max(lines, key=lambda line: line[2] / line[0])
    return Outcome(
        tables=(
            PrintedTable(
                "noisy-max",
                (
                    "ε",
                    "scale 1/ε, a record added",
                    "scale 1/ε, a record replaced",
                    "scale 2/ε, a record replaced",
                ),
                tuple(lines),
                f"the smallest ε that report noisy max keeps for {QUERIES} counts from 0 to "
                f"{LARGEST}, every neighbour compared in exact integers",
            ),
        ),
        figures=(_figure(lines),),
        checks=(
            at_most(
                "a record is added or removed: noise of scale 1/ε is ε-private",
                max(line[1] / line[0] for line in lines),
                1.0,
                printed="ε",
            ),
            statement(
                "two databases are adjacent if they differ in a single row (§2.2): noise of "
                "scale 1/ε is ε-private",
                over[2] <= over[0],
                f"at ε = {over[0]:g} it needs {over[2]:.4f}",
                printed="ε",
                note="A slip of scale: a replaced row raises some counts and lowers others, "
                "so the printed noise keeps only 2ε (docs/proofs/noisy-max.md). Claim 3.9 "
                "of the cited book adds or removes a row.",
            ),
            at_most("it keeps 2ε then", max(line[2] / line[0] for line in lines), 2.0),
            at_most(
                "noise of scale 2/ε corrects it", max(line[3] / line[0] for line in lines), 1.0
            ),
        ),
    )


def _figure(lines: Sequence[tuple[float, ...]]) -> Figure:
    at = tuple(line[0] for line in lines)
    series = (
        Series("ε, as printed", at, at, "paper"),
        Series("scale 1/ε, a record added", at, tuple(line[1] for line in lines), "ours"),
        Series("scale 1/ε, a record replaced", at, tuple(line[2] for line in lines), "ours"),
        Series("scale 2/ε, a record replaced", at, tuple(line[3] for line in lines), "ours"),
    )
    panel = Panel(title="", x_label="ε promised", y_label="ε needed", series=series)
    return Figure(
        "example-4",
        "Where a row is replaced, report noisy max needs twice the printed noise.",
        (panel,),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/example-4",
        title="Noisy max",
        paper="001",
        claim="Adding Laplace noise of scale 1/ε to counts and releasing the index of the largest "
        "is "
        "ε-private.",
        run=_example_4,
        seconds=1.5,
    ),
)
