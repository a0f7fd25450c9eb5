"""Examples 1 and 2: histograms and sorted histograms as graphs, and the conjecture of §4."""

from dataclasses import astuple, dataclass
from math import comb

import numpy as np

from discreet.graphs import (
    DatabaseGraph,
    conditions,
    full_exponential,
    half_exponential,
    histograms,
    optimum_1,
    sorted_histograms,
    widest_exponential,
)
from discreet.papers.checking import at_most, statement
from discreet.papers.item import (
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)

SMALL = ((2, 2), (3, 2), (3, 3), (4, 3), (5, 3), (3, 4), (6, 3))
SORTED = ((4, 2), (5, 3), (6, 3), (8, 4), (10, 4))
LARGEST = "largest r"
FIRST = ((6, 3, 2), (8, 5, 3), (10, 4, 2))


def vectors(graph: DatabaseGraph) -> np.ndarray:
    """The counts that the nodes of a graph of histograms stand for."""
    return np.array([[int(part) for part in name.split(".")] for name in graph.space.names])


def half_of_taxicab(graph: DatabaseGraph) -> np.ndarray:
    """½‖x − y‖₁ between all nodes."""
    nodes = vectors(graph)
    return np.asarray(np.abs(nodes[:, None, :] - nodes[None, :, :]).sum(axis=2) / 2)


def _examples(step: Step) -> Outcome:
    graphs: list[tuple[str, DatabaseGraph]] = []
    graphs += [("histograms", histograms(n, t)) for n, t in SMALL]
    graphs += [("sorted", sorted_histograms(n, t)) for n, t in SORTED]
    graphs += [(LARGEST, sorted_histograms(n, t, r)) for n, t, r in FIRST]
    lines, steps = [], set()
    for place, (kind, graph) in enumerate(graphs):
        step(place / len(graphs), graph.name)
        walked = graph.shortest_paths()
        holding = conditions(graph)
        lines.append(
            (
                kind,
                graph.name,
                graph.size,
                graph.diameter,
                float((walked - half_of_taxicab(graph)).max()),
                "yes" if holding.transitive.holds else "no",
                "yes" if holding.regular_layers.holds else "no",
                holding.transitive.counterexample or "",
            )
        )
        steps.add(int(np.abs(np.diff(walked[graph.directed], axis=1)).max()))
    whole = [line for line in lines if line[0] != LARGEST]
    part = max((line for line in lines if line[0] == LARGEST), key=lambda line: line[4])
    counted = all(histograms(n, t).size == comb(n + t - 1, t - 1) for n, t in SMALL)
    return Outcome(
        tables=(
            PrintedTable(
                "metric",
                (
                    "kind",
                    "graph",
                    "nodes",
                    "diameter",
                    "largest d − ½‖x − y‖₁",
                    "transitive",
                    "regular layers",
                    "counterexample",
                ),
                tuple(lines),
                "shortest walks by single record exchanges against half the L₁ distance",
            ),
        ),
        checks=(
            statement(
                "the record-exchange metric of histograms, plain or sorted, is ½‖x − y‖₁",
                all(line[4] == 0 for line in whole),
                f"on every pair of nodes of {len(whole)} graphs",
                printed="½‖x − y‖₁",
            ),
            statement(
                "so it is for the r largest values of a sorted histogram (Example 2)",
                part[4] == 0,
                f"on {part[1]} a distance exceeds it by {part[4]:g}",
                printed="½‖x − y‖₁",
                note="One exchange can change a single count that is released. There d is "
                "max(Σ(y − x)⁺, Σ(x − y)⁺) (docs/proofs/histogram-metric.md).",
            ),
            statement(
                "−d has sensitivity 1", steps == {1}, f"on all {len(graphs)} graphs", printed="1"
            ),
            statement(
                "there are C(N + T − 1, T − 1) histograms",
                counted,
                f"for {len(SMALL)} pairs (N, T)",
            ),
            statement(
                "the regularity conditions are not fully satisfied by sorted histograms (§4)",
                all(line[5] == "no" for line in lines if line[0] != "histograms"),
                "none of the graphs here is transitive",
                printed="not fully satisfied",
                note="nor are plain histograms: a corner has fewer neighbours",
            ),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Near:
    """How near the exponentials come to the optimum on one graph."""

    family: str
    records: int
    nodes: int
    epsilon: float
    best: float
    half: float
    widest: float
    full: float
    used: float
    """How many times ε exp(−ε d) needs."""

    @classmethod
    def of(cls, family: str, records: int, graph: DatabaseGraph, epsilon: str) -> "Near":
        """Solve LP[1], and measure the exponentials."""
        full = full_exponential(graph, epsilon)
        return cls(
            family=family,
            records=records,
            nodes=graph.size,
            epsilon=float(epsilon),
            best=optimum_1(graph, epsilon).value,
            half=half_exponential(graph, epsilon).cost,
            widest=widest_exponential(graph, epsilon).cost,
            full=full.cost,
            used=float(full.tight) / float(epsilon),
        )


def _families() -> dict[str, list[tuple[int, DatabaseGraph]]]:
    return {
        "histograms, 3 values": [(n, histograms(n, 3)) for n in (2, 3, 4, 6, 8, 10)],
        "sorted, 3 values": [(n, sorted_histograms(n, 3)) for n in (4, 6, 8, 12, 16, 20)],
        "sorted, 4 values": [(n, sorted_histograms(n, 4)) for n in (4, 6, 8, 10, 12)],
    }


def _conjecture(step: Step) -> Outcome:
    near: list[Near] = []
    panels = []
    for place, (name, graphs) in enumerate(_families().items()):
        series = []
        for epsilon in ("0.5", "2"):
            step((place + (epsilon == "2") / 2) / 3, f"{name}, ε = {epsilon}")
            here = [Near.of(name, records, graph, epsilon) for records, graph in graphs]
            near += here
            at = tuple(float(one.records) for one in here)
            series += [
                Series(
                    f"exp(-ε d/2), ε = {epsilon}", at, tuple(o.best / o.half for o in here), "ours"
                ),
                Series(
                    f"exp(-a d), ε = {epsilon}", at, tuple(o.best / o.widest for o in here), "ours"
                ),
                Series(
                    f"exp(-ε d), not ε-private, ε = {epsilon}",
                    at,
                    tuple(o.best / o.full for o in here),
                ),
            ]
        panels.append(
            Panel(title=name, x_label="records N", y_label="LP[1] ÷ cost", series=tuple(series))
        )
    return Outcome(
        tables=(
            PrintedTable(
                "conjecture",
                (
                    "family",
                    "records N",
                    "nodes",
                    "ε",
                    "LP[1]",
                    "exp(-ε d/2)",
                    "exp(-a d)",
                    "exp(-ε d)",
                    "exp(-ε d) needs, ÷ ε",
                ),
                tuple(astuple(one) for one in near),
                "exp(-a d) has the largest rate that keeps ε",
            ),
        ),
        figures=(
            Figure(
                "conjecture",
                "Up to the sizes that a program reaches, more records bring the "
                "exponential mechanisms that keep ε no nearer to the optimum.",
                tuple(panels),
            ),
        ),
        checks=_conjectured(near),
        notes=(
            "The paper says that it cannot verify its conjecture; these graphs are small beside "
            "“very large” databases, and prove nothing about those.",
        ),
    )


def _conjectured(near: list[Near]) -> tuple[Check, ...]:
    first = {(one.family, one.epsilon): one for one in reversed(near)}
    last = {(one.family, one.epsilon): one for one in near}
    nearer = sum(
        last[key].best / last[key].half > first[key].best / first[key].half for key in last
    )
    widest = sum(
        last[key].best / last[key].widest > first[key].best / first[key].widest for key in last
    )
    least = min(last.values(), key=lambda one: one.used)
    far = min(last.values(), key=lambda one: one.best / one.full)
    return (
        statement(
            "conjectured: with more records exp(-ε d/2), which keeps ε, comes nearer to the "
            "optimum",
            nearer == len(last),
            f"in {nearer} of {len(last)} families here",
            printed="approximately optimal",
            note="half the rate costs about twice as much on graphs much wider than 1/ε",
        ),
        statement(
            "nor does exp(-a d), with the largest rate that keeps ε",
            widest < len(last),
            f"it comes nearer in {widest} of {len(last)}",
        ),
        statement(
            "conjectured: the conditions hold approximately, so that exp(-ε d) nearly keeps ε",
            least.used < 1.05,
            f"at the largest N it needs {least.used:.2f}·ε or more",
            printed="approximately",
            note="the corners of the graph are as far from regular as ever",
        ),
        at_most(
            "exp(-ε d) costs nearly what LP[1] does at the largest N: LP[1] ÷ cost, at least",
            0.8,
            far.best / far.full,
            note="it is cheap because it does not keep ε",
        ),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/examples-1-2",
        title="Histograms and sorted histograms",
        paper="002",
        claim="The record-exchange metric of histograms, plain or sorted, is half the L₁ distance, "
        "and "
        "−d has sensitivity 1.",
        run=_examples,
        seconds=0.2,
    ),
    PaperItem(
        id="002/conjecture",
        title="Is it nearly optimal on histograms?",
        paper="002",
        claim="Conjectured: for very large databases the regularity conditions hold approximately, "
        "and "
        "the exponential mechanism is approximately optimal.",
        run=_conjecture,
        seconds=4,
    ),
)
