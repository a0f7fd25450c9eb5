"""A mechanism as a picture: outputs down, true answers across, probability as colour."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.model import Mechanism, Space
from discreet.plots.ink import wants_black
from discreet.plots.saving import house_style
from discreet.text import label, ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]

MOST_NUMBERED = 14
"""Up to this many outputs and answers, each cell carries its number as well as its colour."""

_CELL = 0.62
_MOST_TICKS = 11


def heat_map(mechanism: Mechanism, *, title: str | None = None) -> "Figure":
    """The matrix as a heat map, with the numbers in the cells while they can be read."""
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        rows, columns = mechanism.shape
        size = (_inches(columns) + 2.0, _inches(rows) + 1.4)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(title or mechanism.name)
        axes.set_xlabel("true answer")
        axes.set_ylabel("output")
        axes.xaxis.set_ticks(*_ticks(mechanism.answers))
        axes.yaxis.set_ticks(*_ticks(mechanism.outputs))
        if max(len(text) for text in _ticks(mechanism.answers)[1]) > 5:
            axes.tick_params(axis="x", labelrotation=45)
        shares = mechanism.probabilities()
        image = axes.imshow(
            shares, cmap="viridis", vmin=0.0, aspect="auto", interpolation="nearest"
        )
        figure.colorbar(image, ax=axes, label="probability")
        if max(rows, columns) <= MOST_NUMBERED:
            _number_cells(axes, shares, image.to_rgba(shares))
        return figure


def _inches(cells: int) -> float:
    return min(max(2.4, _CELL * cells), _CELL * MOST_NUMBERED)


def _ticks(space: Space) -> tuple[list[int], list[str]]:
    most = len(space) if len(space) <= MOST_NUMBERED else _MOST_TICKS
    places = ticks(len(space), most)
    return places, [label(space.value(place)) for place in places]


def _number_cells(axes: "Axes", shares: Floats, colours: Floats) -> None:
    for i, row in enumerate(shares.tolist()):
        for j, share in enumerate(row):
            red, green, blue, _ = colours[i, j]
            readable = "black" if wants_black(red, green, blue) else "white"
            axes.text(j, i, f"{share:.3f}", ha="center", va="center", color=readable, fontsize=8)
