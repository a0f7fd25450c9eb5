"""LP[1] to LP[5] of paper 002, as data; LP[1] as a request of a design, too.

Variables are the cells p(y|x), output y by row and true node x by column, or one variable for each
class of alike cells (`orbits.alike_cells`). e^ε is rounded up, so that every program allows all
that is private and its bound is a bound for all of it.
"""

import math
from collections.abc import Sequence

import numpy as np

from discreet.designer.programs.program import Indices, Program, ProgramRows
from discreet.designer.request import Request
from discreet.errors import GoalError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.orbits import Cells, every_cell
from discreet.model import Goal


def program_1(graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None) -> Program:
    """LP[1]: the best mechanism on the graph. Each column sums to 1 (002 (2), (3), (4)).

    >>> from discreet.graphs.families import path
    >>> program_1(path(4), "0.5").shape
    (28, 16)
    """
    kinds = every_cell(graph) if cells is None else cells
    columns = _sums("sums", kinds.T[_models(kinds)], 1.0)
    return _program(graph, kinds, [columns], epsilon, largest=1.0)


def request_of(graph: DatabaseGraph, epsilon: EpsilonLike) -> Request:
    """LP[1] as a design: answers and outputs are the nodes, the loss is d(x, y)."""
    return Request.of(graph.space, graph.neighbours, epsilon, Goal(graph.loss))


def program_2(graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None) -> Program:
    """LP[2]: all cells together sum to K, a relaxation of LP[1] (002 (6))."""
    kinds = every_cell(graph) if cells is None else cells
    everything = _sums("sums", kinds.reshape(1, -1), float(graph.size))
    return _program(graph, kinds, [everything], epsilon, largest=float(graph.size))


def program_3(graph: DatabaseGraph, epsilon: EpsilonLike, cells: Cells | None = None) -> Program:
    """LP[3]: each row sums to 1 (002 (7)); on other than transitive graphs no bound on LP[1]."""
    kinds = every_cell(graph) if cells is None else cells
    rows = _sums("sums", kinds[_models(kinds)], 1.0)
    return _program(graph, kinds, [rows], epsilon, largest=1.0)


def program_of_row(
    graph: DatabaseGraph, output: int, epsilon: EpsilonLike, cells: Cells | None = None
) -> Program:
    """LP(y): one row of LP[3] by itself, the least mean distance from y (002 Lemma 3)."""
    row = np.arange(graph.size) if cells is None else row_classes(cells, output)
    return _one_row(graph, output, row, graph.directed, epsilon)


def program_5(graph: DatabaseGraph, start: int, epsilon: EpsilonLike) -> Program:
    """LP[5]: LP(y) with ratios only along edges that lead away from y (002 (C5))."""
    away = graph.distances[start]
    nearer, farther = graph.directed[:, 0], graph.directed[:, 1]
    outward = graph.directed[away[farther] == away[nearer] + 1]
    return _one_row(graph, start, np.arange(graph.size), outward, epsilon)


def program_4(layer_sizes: Sequence[int], epsilon: EpsilonLike) -> Program:
    """LP[4]: one probability for each layer, p_{d+1} ≥ γ·p_d (002 (C4)).

    >>> program_4([1, 2, 2], "0.5").shape
    (3, 3)
    """
    sizes = np.array(layer_sizes, dtype=np.float64)
    if not len(sizes) or not (sizes >= 1).all():
        raise GoalError(f"layer sizes must be at least 1 each, got {show(layer_sizes)}")
    layers = np.arange(len(sizes))
    total = ProgramRows.equal("sums", layers[None, :], sizes, 1.0)
    steps = np.stack([layers[:-1], layers[1:]], axis=1)
    return Program.of(
        sizes * layers, np.zeros(len(sizes)), 1.0 / sizes, [total, _ratios(steps, epsilon)]
    )


def row_classes(cells: Cells, output: int) -> Indices:
    """The classes of one row's cells, numbered from 0 without gaps."""
    return np.unique(cells[output], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _models(cells: Cells) -> Indices:
    """One node of each class of alike nodes: rows and columns of the others ask the same again."""
    return np.unique(np.diagonal(cells), return_index=True)[1]


def _program(
    graph: DatabaseGraph,
    cells: Cells,
    sums: list[ProgramRows],
    epsilon: EpsilonLike,
    *,
    largest: float,
) -> Program:
    """The cost (4) and the ratios (3), with what sums to what as the only difference."""
    variables = int(cells.max()) + 1
    cost = np.bincount(cells.ravel(), graph.distances.ravel(), minlength=variables) / graph.size
    source, target = graph.directed[:, 0], graph.directed[:, 1]
    rows = cells[_models(cells)]
    pairs = np.stack([rows[:, source].ravel(), rows[:, target].ravel()], axis=1)
    return Program.of(
        cost,
        np.zeros(variables),
        np.full(variables, largest),
        [*sums, _ratios(_distinct(pairs), epsilon)],
    )


def _one_row(
    graph: DatabaseGraph, output: int, row: Indices, edges: Indices, epsilon: EpsilonLike
) -> Program:
    variables = int(row.max()) + 1
    cost = np.bincount(row, graph.distances[output], minlength=variables).astype(np.float64)
    pairs = _distinct(np.stack([row[edges[:, 0]], row[edges[:, 1]]], axis=1))
    total = _sums("sums", row[None, :], 1.0)
    return Program.of(
        cost, np.zeros(variables), np.ones(variables), [total, _ratios(pairs, epsilon)]
    )


def _sums(name: str, lines: Indices, to: float) -> ProgramRows:
    """A row for each line of variables, which may name a variable several times."""
    row, column, value = [], [], []
    for k, line in enumerate(lines):
        members, times = np.unique(line, return_counts=True)
        row.append(np.full(len(members), k))
        column.append(members)
        value.append(times.astype(np.float64))
    ends = np.full(len(lines), to)
    return ProgramRows(
        name=name,
        row=np.concatenate(row),
        column=np.concatenate(column),
        value=np.concatenate(value),
        lower=ends,
        upper=ends,
    )


def _distinct(pairs: Indices) -> Indices:
    """Pairs of two different variables, each once and in order."""
    apart = pairs[pairs[:, 0] != pairs[:, 1]]
    base = int(pairs.max(initial=0)) + 1
    codes = np.unique(apart[:, 0] * base + apart[:, 1])
    return np.stack([codes // base, codes % base], axis=1)


def _ratios(pairs: Indices, epsilon: EpsilonLike) -> ProgramRows:
    """(3): the first of each pair is at most e^ε times the second."""
    return ProgramRows.at_most("ratios", pairs, np.array([1.0, -_ratio_above(epsilon)]))


def _ratio_above(epsilon: EpsilonLike) -> float:
    exact = Epsilon.of(epsilon).ratio_above
    nearest = float(exact)
    return nearest if nearest >= exact else math.nextafter(nearest, math.inf)
