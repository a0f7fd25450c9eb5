"""Error against ε or size: a line for each mechanism, told apart by marker as well as colour."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput
from discreet.plots.saving import house_style
from discreet.text import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "osD^vP*Xhd<>"
COLOURS = ("#4c6e91", "#d99a2b", "#5a8f5a", "#a8484f", "#7a5c99", "#5f6b6d", "#b07d62", "#3f8f8f")


def curves_picture(
    at: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    *,
    axis: str,
    title: str | None = None,
    measure: str = "expected loss",
) -> "Figure":
    """A line for each name over the points `at`; logarithmic where they span a decade."""
    if not at or not curves:
        raise InvalidInput("a curve needs at least one point and one mechanism, got none")
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.subplots()
        for place, (name, values) in enumerate(curves.items()):
            axes.plot(
                list(at),
                list(values),
                label=label(name),
                marker=MARKERS[place % len(MARKERS)],
                color=COLOURS[place % len(COLOURS)],
                markersize=5,
                linewidth=1.4,
            )
        if min(at) > 0 and max(at) >= 10 * min(at):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(axis)
        axes.set_ylabel(measure)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=9)
        if title:
            axes.set_title(title, fontsize=11)
        return figure
