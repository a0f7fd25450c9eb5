"""Several mechanisms side by side: a bar for each, a panel for each measure."""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput
from discreet.plots.saving import house_style
from discreet.text import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR, _BEST = "#4c6e91", "#d99a2b"


def comparison_picture(
    names: Sequence[str],
    panels: Mapping[str, Sequence[float]],
    *,
    title: str | None = None,
) -> "Figure":
    """Bars for each mechanism in one panel for each measure, smallest marked as best.

    `panels` gives, for each measure, a number for each of the names, in their order.
    """
    for measure, numbers in panels.items():
        if len(numbers) != len(names):
            raise InvalidInput(
                f"{measure} has {len(numbers)} numbers for {len(names)} mechanisms; give one for "
                "each"
            )
    if not names or not panels:
        raise InvalidInput("a comparison needs at least one mechanism and one measure, got none")
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        size = (2.6 * len(panels) + 1.6, 0.42 * len(names) + 1.3)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)
        for axes, (measure, numbers) in zip(grid[0], panels.items(), strict=True):
            _bars(axes, measure, [float(number) for number in numbers])
        grid[0][0].yaxis.set_ticks(range(len(names)), [label(name) for name in names])
        grid[0][0].invert_yaxis()
        if title:
            figure.suptitle(title)
        return figure


def _bars(axes: "Axes", measure: str, numbers: list[float]) -> None:
    best = [isclose(number, min(numbers), rel_tol=1e-9) for number in numbers]
    colours = [_BEST if wins else _BAR for wins in best]
    bars = axes.barh(range(len(numbers)), numbers, color=colours)
    marks = [
        f"{number:.3f}{' best' if wins else ''}" for number, wins in zip(numbers, best, strict=True)
    ]
    axes.bar_label(bars, labels=marks, padding=3, fontsize=8)
    axes.margins(x=0.35)
    axes.set_title(measure, fontsize=10)
    axes.xaxis.set_ticks([])
    axes.spines["bottom"].set_visible(False)
