"""A picture: the drawing, one line that says what it shows, and the numbers in it."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from discreet.figures.marks import element

WIDTH = 420.0
"""How wide every picture is, in its own units: readable from a phone to a desk."""
_TALL = 900.0


@dataclass(frozen=True)
class Picture:
    """A figure for a page: nothing in it is told by the drawing alone."""

    svg: str
    message: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    _: KW_ONLY
    is_tall: bool = False
    """Whether it fills a phone's screen by itself: pages fold it."""


def drawn(
    message: str,
    height: float,
    marks: list[str],
    head: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    *,
    kind: str,
) -> Picture:
    """Put marks together into a picture of the house's width."""
    svg = element(
        "svg",
        *marks,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_label=message,
        class_=f"plot {kind}",
        xmlns="http://www.w3.org/2000/svg",
    )
    return Picture(svg=svg, message=message, head=head, rows=tuple(rows), is_tall=height > _TALL)
