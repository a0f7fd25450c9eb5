"""A graph of databases beside what its programs, mechanisms and bounds cost."""

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.graphs import Comparison, CostLine, DatabaseGraph
from discreet.graphs.comparison import ABOVE, BELOW, MECHANISM, PROGRAM
from discreet.plots.saving import house_style
from discreet.text import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_DRAWN = 400
"""Graphs with more nodes are shown by their costs alone."""
MOST_LETTERS = 160
"""Nodes are named while all names together are not longer."""

_COLOURS = {PROGRAM: "#4c6e91", MECHANISM: "#d99a2b", BELOW: "#5a8f5a", ABOVE: "#a8484f"}
_HATCHES = {PROGRAM: "", MECHANISM: "", BELOW: "//", ABOVE: "\\\\"}


def graph_picture(comparison: Comparison, graph: DatabaseGraph | None = None) -> "Figure":
    """The costs as bars, kinds told apart by colour and hatching; the graph to their left."""
    lines = [line for line in comparison.lines if math.isfinite(line.value)]
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        drawn = graph if graph is not None and graph.size <= MOST_DRAWN else None
        height = max(3.2, 0.42 * len(lines) + 1.2)
        figure = Figure(figsize=(11.0 if drawn else 6.4, height), layout="constrained")
        panels = figure.subplots(1, 2 if drawn else 1, squeeze=False)[0]
        if drawn:
            _graph(panels[0], drawn)
        _bars(panels[-1], lines)
        figure.suptitle(f"{comparison.name}, ε = {comparison.epsilon}")
        return figure


def flat_positions(graph: DatabaseGraph) -> npt.NDArray[np.float64]:
    """Places in the plane whose distances are near those of the graph (classical scaling).

    >>> from discreet.graphs import cycle
    >>> places = flat_positions(cycle(6))
    >>> bool(np.allclose(np.hypot(*places.T), np.hypot(*places[0])))
    True
    """
    squared = graph.distances.astype(np.float64) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    largest = places[np.abs(places).round(9).argmax(axis=0), [0, 1]]
    return np.asarray(places * np.where(largest < 0, -1.0, 1.0))


def _graph(axes: "Axes", graph: DatabaseGraph) -> None:
    places = flat_positions(graph).round(6) + 0.0
    for one, other in graph.edges:
        axes.plot(*places[[one, other]].T, color="#b8c0c8", linewidth=0.9, zorder=1)
    names = [label(graph.label(node)) for node in range(graph.size)]
    named = sum(map(len, names)) <= MOST_LETTERS
    axes.scatter(places[:, 0], places[:, 1], s=36 if named else 18, color="#4c6e91", zorder=2)
    for name, (x, y) in zip(names if named else [], places, strict=False):
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)
    axes.set_title(f"{graph.size} nodes, {len(graph.edges)} edges", fontsize=10)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_axis_off()


def _bars(axes: "Axes", lines: list[CostLine]) -> None:
    bars = axes.barh(
        range(len(lines)),
        [line.value for line in lines],
        color=[_COLOURS[line.kind] for line in lines],
        hatch=[_HATCHES[line.kind] for line in lines],
        edgecolor="white",
    )
    axes.bar_label(bars, labels=[_mark(line) for line in lines], padding=3, fontsize=8)
    axes.yaxis.set_ticks(range(len(lines)), [f"{line.name} ({line.kind})" for line in lines])
    axes.invert_yaxis()
    axes.margins(x=0.3)
    axes.set_title("mean record exchanges between truth and output", fontsize=10)


def _mark(line: CostLine) -> str:
    keeps = "" if line.keeps is None else f", keeps ε = {line.keeps:.4g}"
    return f"{line.value:.4f}{keeps}"
