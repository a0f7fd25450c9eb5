"""A mechanism on a terminal: a table while it fits, a small picture when it does not."""

from typing import TYPE_CHECKING

from discreet.cli.rendering.heat import cell_style, picture, thumbnail
from discreet.model import Mechanism
from discreet.text import label, ticks

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
    return f"{label(space.value(0))} … {label(space.value(len(space) - 1))} ({len(space)})"
