"""Theorem 1: where exp(−ε d) is the best there is. Solved as programs, and for any size."""

import math

import numpy as np

from discreet.designer.programs.solver import solve
from discreet.graphs import (
    DatabaseGraph,
    Hamming,
    conditions,
    implicit_exponential,
    layer_cost,
    layer_degrees,
    optima_2_and_3,
    optimal_exponential,
    optimum_1,
    optimum_5,
    regular_layers,
)
from discreet.graphs.programs import program_4
from discreet.papers.checking import at_most, equal, statement
from discreet.papers.item import (
    Cell,
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)
from discreet.papers.p002.examples import grid, named, petersen, star, twins

EPSILONS = ("0.1", "0.5", "1", "2")
RECORDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_TOLERANCE = 1e-7


def instances() -> tuple[DatabaseGraph, ...]:
    """Transitive graphs with regular layers."""
    families = (
        "complete 2",
        "complete 6",
        "cycle 5",
        "cycle 8",
        "hypercube 3",
        "hypercube 4",
        "databases 2 3",
        "databases 3 3",
    )
    return (*map(named, families), petersen())


def _theorem_1(step: Step) -> Outcome:
    graphs = instances()
    lines: list[tuple[Cell, ...]] = []
    checks: list[Check] = []
    worst = dict.fromkeys(("LP[1]", "LP[2]", "LP[3]", "LP[5]"), 0.0)
    symmetric, balanced, meant = True, 0, 0
    for place, graph in enumerate(graphs):
        step(0.8 * place / len(graphs), graph.name)
        balanced += _edges_balance(graph)
        meant += conditions(graph).hold
        for epsilon in EPSILONS:
            closed = optimal_exponential(graph, epsilon)
            second, third = optima_2_and_3(graph, epsilon)
            solved = {
                "LP[1]": optimum_1(graph, epsilon).value,
                "LP[2]": second.value,
                "LP[3]": third.value,
                "LP[5]": optimum_5(graph, 0, epsilon).value,
            }
            formula = layer_cost(graph.layer_sizes(0), epsilon)
            weights = closed.certified.mechanism.weights
            symmetric &= bool((weights == weights.T).all())
            lines.append(
                (
                    graph.name,
                    graph.size,
                    float(epsilon),
                    formula,
                    float(closed.value),
                    *solved.values(),
                )
            )
            for name, value in solved.items():
                worst[name] = max(worst[name], abs(value / formula - 1))
    for name, apart in worst.items():
        checks.append(
            at_most(
                f"{name}, solved as a program, has the value of exp(-ε d) on {len(graphs)} graphs "
                "at "
                f"{len(EPSILONS)} ε (largest relative difference)",
                apart,
                _TOLERANCE,
                printed="optimal",
            )
        )
    checks.append(
        statement(
            "both conditions of the theorem hold",
            meant == len(graphs),
            f"on {meant} of {len(graphs)} graphs",
        )
    )
    checks.append(
        statement(
            "(9): s_d·t_d^→ = s_(d+1)·t_(d+1)^← between all layers",
            balanced == len(graphs),
            f"on {balanced} of {len(graphs)} graphs",
            printed="(9)",
        )
    )
    checks.append(
        statement(
            "p(y|x) = p(x|y): the matrices are symmetric, cell by cell",
            symmetric,
            "in exact integers",
            printed="p(y₀|x₀) = p(x₀|y₀)",
        )
    )
    step(0.8, "large binary databases")
    figure, more = _hypercubes()
    return Outcome(
        tables=(
            PrintedTable(
                "instances",
                ("graph", "nodes", "ε", "Σ s_d·d·γ^d/Σ s_d·γ^d", "certified integers", *worst),
                tuple(lines),
                "where both conditions of Theorem 1 hold",
            ),
        ),
        figures=(figure,),
        checks=(*checks, *more),
    )


def _edges_balance(graph: DatabaseGraph) -> bool:
    """Whether s_d·t_d^→ = |E_d| = s_{d+1}·t_{d+1}^← between all layers (002 (9))."""
    degrees = layer_degrees(graph, 0)
    if isinstance(degrees, str):
        return False
    away = np.array(degrees.sizes[:-1]) * np.array(degrees.farther[:-1])
    back = np.array(degrees.sizes[1:]) * np.array(degrees.nearer[1:])
    return bool((away == back).all())


def _hypercubes() -> tuple[Figure, list[Check]]:
    series, checks = [], []
    for epsilon in ("0.1", "0.5", "1", "2"):
        ours, bound = [], []
        for records in RECORDS:
            optimum = implicit_exponential(Hamming(records, 2), epsilon)
            ours.append(float(optimum.value))
            bound.append(records / (1 + math.exp(float(epsilon))))
        at = tuple(float(records) for records in RECORDS)
        series.append(Series(f"ε = {epsilon}", at, tuple(ours), "ours"))
        worst = max(range(len(at)), key=lambda i: abs(ours[i] / bound[i] - 1))
        checks.append(
            equal(
                f"binary databases of up to {RECORDS[-1]} records, ε = {epsilon}: each bit turned "
                "with "
                "probability 1/(1 + e^ε) is optimal, N/(1 + e^ε) in all",
                ours[worst],
                bound[worst],
                printed="binary databases of size N",
            )
        )
    panel = Panel(
        title="",
        x_label="records N",
        y_label="mean distance of the best mechanism",
        series=tuple(series),
        log_x=True,
        log_y=True,
    )
    figure = Figure(
        "hypercube",
        "On all 2^N binary databases exp(-ε d) is optimal, and is randomized response on every "
        "record: it costs N/(1 + e^ε).",
        (panel,),
    )
    return figure, checks


def _lemmas_4_and_5(step: Step) -> Outcome:
    starts = (
        (named("path 9"), (0, 2, 4)),
        (star(7), (0, 1)),
        (grid(4, 4), (0, 5)),
        (named("hypercube 3"), (0,)),
        (named("histograms 4 3"), (0, 4)),
        (named("sorted-histograms 8 4"), (0, 7)),
        (twins(10), (0,)),
    )
    lines: list[tuple[Cell, ...]] = []
    worst_4, worst_5, order, gained = 0.0, 0.0, 0.0, 0
    for place, (graph, nodes) in enumerate(starts):
        step(place / len(starts), graph.name)
        for node in nodes:
            regular = regular_layers(graph, node).holds
            for epsilon in EPSILONS:
                sizes = graph.layer_sizes(node)
                formula = layer_cost(sizes, epsilon)
                fourth = solve(program_4(sizes, epsilon)).value
                fifth = optimum_5(graph, node, epsilon).value
                worst_4 = max(worst_4, abs(fourth / formula - 1))
                order = max(order, fifth / formula)
                if regular:
                    worst_5 = max(worst_5, abs(fifth / formula - 1))
                gained += not regular and fifth < formula * (1 - 1e-6)
                lines.append(
                    (
                        graph.name,
                        graph.label(node),
                        float(epsilon),
                        "yes" if regular else "no",
                        formula,
                        fourth,
                        fifth,
                    )
                )
    return Outcome(
        tables=(
            PrintedTable(
                "layers",
                (
                    "graph",
                    "start",
                    "ε",
                    "regular layers",
                    "all of (C4) equal",
                    "LP[4] solved",
                    "LP[5] solved",
                ),
                tuple(lines),
                "the least mean distance from a start node",
            ),
        ),
        checks=(
            at_most(
                "Lemma 4: LP[4] is solved by equality in all of (C4): largest relative difference",
                worst_4,
                _TOLERANCE,
                printed="equality",
            ),
            at_most(
                "Lemma 5: where the layers are regular, equality in (C5) solves LP[5]",
                worst_5,
                _TOLERANCE,
                printed="equality",
            ),
            at_most("LP[5] is never above LP[4]", order, 1 + _TOLERANCE),
            statement(
                "without regular layers it may lie below", gained > 0, f"in {gained} cases here"
            ),
        ),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/theorem-1",
        title="Where the exponential mechanism is optimal",
        paper="002",
        claim="On a graph with a transitive automorphism group and regular layers, "
        "p(y|x) ∝ exp(−ε·d(x, y)) is optimal for LP[1], LP[2] and LP[3].",
        run=_theorem_1,
        seconds=1,
    ),
    PaperItem(
        id="002/lemmas-4-5",
        title="The least mean distance from a node",
        paper="002",
        claim="LP[4] is solved by equality in every constraint (C4), and LP[5] by equality in (C5) "
        "where "
        "the layers are regular.",
        run=_lemmas_4_and_5,
        seconds=1,
    ),
)
