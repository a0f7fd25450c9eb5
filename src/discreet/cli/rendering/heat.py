"""Probabilities as colours: viridis on a terminal that has them, shades on one that has not."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.plots.ink import wants_black

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
