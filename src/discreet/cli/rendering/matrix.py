"""A mechanism on a terminal: a table while it fits, a small picture in colours when it does not."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.model import Mechanism
from discreet.plots.ink import wants_black
from discreet.text import label, ticks

if TYPE_CHECKING:
    from rich.text import Text

Shares = npt.NDArray[np.float64]

_VIRIDIS = (
    (68, 1, 84),
    (72, 40, 120),
    (62, 74, 137),
    (49, 104, 142),
    (38, 130, 142),
    (31, 158, 137),
    (53, 183, 121),
    (110, 206, 88),
    (181, 222, 43),
    (253, 231, 37),
)
_SHADES = " ░▒▓█"


def colour(share: float) -> tuple[int, int, int]:
    """The colour of a share between 0 and 1, from dark to bright.

    >>> colour(0.0), colour(1.0)
    ((68, 1, 84), (253, 231, 37))
    """
    place = min(max(share, 0.0), 1.0) * (len(_VIRIDIS) - 1)
    low = min(int(place), len(_VIRIDIS) - 2)
    rest = place - low
    below, above = _VIRIDIS[low], _VIRIDIS[low + 1]
    red, green, blue = (round(a + rest * (b - a)) for a, b in zip(below, above, strict=True))
    return red, green, blue


def cell_style(share: float) -> str:
    """A rich style: the colour behind, and black or white on it, whichever can be read."""
    red, green, blue = colour(share)
    ink = "rgb(0,0,0)" if wants_black(red / 255, green / 255, blue / 255) else "rgb(255,255,255)"
    return f"{ink} on rgb({red},{green},{blue})"


def thumbnail(shares: Shares, rows: int, columns: int) -> Shares:
    """The matrix shrunk to at most rows × columns, each cell the largest of those it stands for."""
    for axis, most in ((0, rows), (1, columns)):
        size = shares.shape[axis]
        if size > most:
            starts = np.arange(most) * size // most
            shares = np.maximum.reduceat(shares, starts, axis=axis)
    return shares


def picture(shares: Shares, *, coloured: bool) -> list["Text"]:
    """Lines of a small picture: two rows of the matrix in each line of coloured half blocks.

    Without colours, one row a line in five shades of grey.
    """
    from rich.text import Text

    scaled = shares / (float(shares.max()) or 1.0)
    if not coloured:
        levels = np.minimum((scaled * len(_SHADES)).astype(int), len(_SHADES) - 1)
        return [Text("".join(_SHADES[level] * 2 for level in row)) for row in levels]
    lines = []
    for top in range(0, len(scaled), 2):
        line = Text()
        for column in range(scaled.shape[1]):
            upper = _rgb(scaled[top, column])
            below = f" on {_rgb(scaled[top + 1, column])}" if top + 1 < len(scaled) else ""
            line.append("▀", style=f"{upper}{below}")
        lines.append(line)
    return lines


def _rgb(share: float) -> str:
    return f"rgb({','.join(map(str, colour(float(share))))})"


if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_ROWS = 40
_PICTURE = (48, 72)


def matrix(mechanism: Mechanism, console: "Console") -> list["RenderableType"]:
    """What to print of the matrix on this console: never more than about a screen."""
    if _fits(mechanism, console.width):
        return [_caption(), _table(mechanism, coloured=_has_colours(console))]
    return _summary(mechanism, coloured=_has_colours(console))


def _has_colours(console: "Console") -> bool:
    return console.is_terminal and console.color_system is not None and not console.no_color


def _widths(mechanism: Mechanism) -> tuple[int, int]:
    """How wide the row heads and a cell are."""
    heads = max(len(label(value)) for value in mechanism.outputs.values())
    cells = max(len(label(value)) for value in mechanism.answers.values())
    return max(heads, len("output")), max(cells, len("0.000"))


def _fits(mechanism: Mechanism, width: int) -> bool:
    rows, columns = mechanism.shape
    if rows > MOST_ROWS or columns > width // len(" 0.000 "):
        return False
    heads, cells = _widths(mechanism)
    return heads + 3 + columns * (cells + 2) <= width


def _caption() -> "RenderableType":
    from rich.text import Text

    return Text("probability of each output (down) for each true answer (across)", style="dim")


def _table(mechanism: Mechanism, *, coloured: bool) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    shares = mechanism.probabilities()
    largest = float(shares.max())
    grid = Table(box=None, padding=0, pad_edge=False)
    heads, cells = _widths(mechanism)
    grid.add_column("output", justify="right", style="bold", header_style="dim", width=heads)
    for value in mechanism.answers.values():
        grid.add_column(Text(f"{label(value):>{cells}} "), justify="right", width=cells + 2)
    for i, row in enumerate(shares.tolist()):
        numbers = [
            Text(f"{share:>{cells}.3f} ", style=cell_style(share / largest) if coloured else "")
            for share in row
        ]
        grid.add_row(label(mechanism.outputs.value(i)), *numbers)
    return grid


def _summary(mechanism: Mechanism, *, coloured: bool) -> list["RenderableType"]:
    from rich.text import Text

    shares = mechanism.probabilities()
    rows, columns = _PICTURE
    if not coloured:
        rows, columns = rows // 2, columns // 2
    small = thumbnail(shares, rows, columns)
    lines: list[RenderableType] = [
        Text(
            f"outputs {_ends(mechanism, 'outputs')} down, true answers "
            f"{_ends(mechanism, 'answers')} across, bright is likely "
            f"(largest {float(shares.max()):.3f})",
            style="dim",
        )
    ]
    lines.extend(picture(small, coloured=coloured))
    lines.append(Text("the likeliest output for some true answers", style="dim"))
    for j in ticks(len(mechanism.answers), 7):
        i = int(shares[:, j].argmax())
        answer, output = mechanism.answers.value(j), mechanism.outputs.value(i)
        lines.append(Text(f"  {label(answer):>10} → {label(output)} ({shares[i, j]:.3f})"))
    return lines


def _ends(mechanism: Mechanism, which: str) -> str:
    space = mechanism.outputs if which == "outputs" else mechanism.answers
    return f"{label(space.value(0))} … {label(space.value(len(space) - 1))} ({len(space):,})"
