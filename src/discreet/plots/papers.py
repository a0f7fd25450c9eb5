"""Figures of the papers: lines, bars and heat maps, whole or panel by panel, as SVG."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.papers import Figure as PaperFigure
from discreet.papers import Panel
from discreet.plots.curves import COLOURS, MARKERS
from discreet.plots.ink import wants_black
from discreet.plots.saving import house_style
from discreet.text import label, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (*COLOURS, "#c26fa3", "#8a8a2e", "#e0662f", "#7fa8d9")
_DASHES = {"ours": "--", "bound": ":"}
_PANEL = (4.6, 3.2)
_ACROSS = 2
_MOST_NUMBERED = 14
_LONGEST = 46
_DECADES = 100
_INK = "#010101"
"""Black that stays black in a page, where pure black becomes the text's colour."""

Styles = dict[str, dict[str, Any]]


def paper_picture(figure: PaperFigure) -> "Figure":
    """All panels, two in a row, with one legend below where they share their lines."""
    styles = _styles(figure.panels)
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        across = min(_ACROSS, len(figure.panels))
        down = -(-len(figure.panels) // across)
        keys = 0.24 * -(-len(styles) // 3) + 0.1
        size = (_PANEL[0] * across, _PANEL[1] * down + keys)
        picture = Figure(figsize=size, layout="constrained")
        grid = picture.subplots(down, across, squeeze=False).ravel()
        for axes, panel in zip(grid, figure.panels, strict=False):
            _draw(axes, panel, styles)
        for axes in grid[len(figure.panels) :]:
            axes.set_axis_off()
        if styles:
            _legend(picture, styles, columns=3 if across > 1 else 2)
        return picture


def panel_pictures(figure: PaperFigure) -> tuple["Figure", ...]:
    """Each panel by itself, then their legend, so that a page can place them as it likes."""
    styles = _styles(figure.panels)
    with house_style():
        from matplotlib.figure import Figure  # noqa: PLC0415

        pictures = []
        for panel in figure.panels:
            picture = Figure(figsize=_PANEL, layout="constrained")
            _draw(picture.subplots(), panel, styles)
            pictures.append(picture)
        if styles:
            columns = 2
            height = 0.19 * -(-len(styles) // columns) + 0.12
            picture = Figure(figsize=(_PANEL[0], height))
            _legend(picture, styles, columns=columns, alone=True)
            pictures.append(picture)
        return tuple(pictures)


def svg_text(picture: "Figure", name: str) -> str:
    """A picture as SVG to stand in a page: ids are its own, black is the text's colour."""
    content = io.StringIO()
    with house_style():
        picture.savefig(content, format="svg", metadata={"Date": None}, transparent=True)
    text = content.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{re.sub('[^a-zA-Z0-9]', '-', name)}-", text)
    return re.sub(r"#000000|#000(?![0-9a-f])", "currentColor", text)


def _styles(panels: Sequence[Panel]) -> Styles:
    """The look of each label, the same in every panel; heat maps have none."""
    styles: Styles = {}
    for panel in panels:
        for one in panel.series if panel.kind != "heat" else ():
            if one.label in styles:
                continue
            place = len(styles)
            styles[one.label] = {
                "color": _COLOURS[place % len(_COLOURS)],
                "marker": MARKERS[place % len(MARKERS)],
                "linestyle": _DASHES.get(one.style, "-"),
            }
    return styles


def _draw(axes: "Axes", panel: Panel, styles: Styles) -> None:
    draw = {"heat": _heat, "bars": _bars}.get(panel.kind, _lines)
    draw(axes, panel, styles)
    axes.set_xlabel(shortened(panel.x_label, 60))
    axes.set_ylabel(shortened(panel.y_label, _LONGEST))
    if panel.title:
        axes.set_title("\n".join(_wrapped(panel.title)), fontsize=10)


def _lines(axes: "Axes", panel: Panel, styles: Styles) -> None:
    for one in panel.series:
        axes.plot(one.x, one.y, markersize=4, linewidth=1.3, **styles[one.label])
    if panel.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    if panel.log_y:
        _logarithmic(axes)
    else:
        axes.set_ylim(bottom=min([0.0, *(y for one in panel.series for y in one.y)]))


def _bars(axes: "Axes", panel: Panel, styles: Styles) -> None:
    groups = sorted({x for one in panel.series for x in one.x})
    width = 0.8 / max(1, len(panel.series))
    for place, one in enumerate(panel.series):
        heights = dict(zip(one.x, one.y, strict=True))
        where = [i + (place + 0.5) * width - 0.4 for i, x in enumerate(groups) if x in heights]
        axes.bar(
            where,
            [heights[x] for x in groups if x in heights],
            width,
            color=styles[one.label]["color"],
            hatch="//" if styles[one.label]["linestyle"] != "-" else None,
            edgecolor="white",
        )
    axes.set_xticks(range(len(groups)), [f"{x:g}" for x in groups])
    if panel.log_y:
        _logarithmic(axes)


def _logarithmic(axes: "Axes") -> None:
    """Powers of ten as plain numbers; within a decade also what lies between them."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    low, high = axes.get_ylim()
    if high < _DECADES * low:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _heat(axes: "Axes", panel: Panel, _: Styles) -> None:
    cells = np.array([one.y for one in panel.series], dtype=np.float64)
    image = axes.imshow(cells, cmap="viridis", aspect="auto", interpolation="nearest")
    columns = panel.series[0].x
    axes.set_xticks(range(len(columns)), [f"{x:g}" for x in columns])
    axes.set_yticks(range(len(panel.series)), [label(one.label) for one in panel.series])
    if max(cells.shape) > _MOST_NUMBERED:
        return
    colours = image.to_rgba(cells)
    for i, j in np.ndindex(cells.shape):
        ink = _INK if wants_black(*colours[i, j, :3]) else "white"
        axes.text(j, i, f"{cells[i, j]:.3f}", ha="center", va="center", color=ink, fontsize=8)


def _legend(picture: "Figure", styles: Styles, columns: int, *, alone: bool = False) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    keys = [Line2D([], [], markersize=4, linewidth=1.3, **style) for style in styles.values()]
    names = [shortened(name, _LONGEST) for name in styles]
    picture.legend(
        keys,
        names,
        loc="center" if alone else "outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=8,
    )


def _wrapped(title: str) -> list[str]:
    """A title in lines of bearable length, broken between words."""
    words, lines = title.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > _LONGEST and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
