"""A mechanism as a heat map: outputs down, true answers across, depth of ink for probability."""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.figures.marks import element, text, title
from discreet.figures.picture import WIDTH, Picture, drawn
from discreet.text import shortened

MOST_NUMBERED = 9
"""Up to this many outputs and answers, each cell carries its number as well as its ink."""
_LEFT, _TOP = 62.0, 38.0
_MOST_LABELS = 11


def heat_map(
    chances: Sequence[Sequence[float]], outputs: Sequence[str], answers: Sequence[str], message: str
) -> Picture:
    """The matrix: column j is the law of the output when answer j is true."""
    across, down = len(answers), len(outputs)
    side = min(44.0, (WIDTH - _LEFT - 2) / across, max(8.0, 360.0 / down))
    numbered = max(across, down) <= MOST_NUMBERED and side >= 34
    deepest = max(max(row) for row in chances) or 1.0
    marks = [
        text(_LEFT + side * across / 2, 13, "true answer", "label", "middle"),
        text(_LEFT - 8, 13, "output", "label", "end"),
    ]
    marks += [
        text(_LEFT + side * (place + 0.5), _TOP - 6, shortened(answers[place], 7), "tick", "middle")
        for place in _spread(across, int((WIDTH - _LEFT) // 44))
    ]
    marks += [
        text(
            _LEFT - 8, _TOP + side * (place + 0.5) + 4, shortened(outputs[place], 8), "tick", "end"
        )
        for place in _spread(down, int(max(2, side * down // 16)))
    ]
    for i, row in enumerate(chances):
        for j, chance in enumerate(row):
            words = f"{outputs[i]} when {answers[j]}: {chance:.4f}"
            cell = _Cell(_LEFT + side * j, _TOP + side * i, side, words)
            marks += _inked(cell, chance, chance / deepest, numbered)
    rows = [(outputs[i], *(f"{chance:.4f}" for chance in row)) for i, row in enumerate(chances)]
    head = ("output", *(f"true {name}" for name in answers))
    return drawn(message, _TOP + side * down + 4, marks, head, rows, kind="heat")


@dataclass(frozen=True)
class _Cell:
    x: float
    y: float
    side: float
    told: str


def _inked(cell: _Cell, chance: float, depth: float, numbered: bool) -> list[str]:
    x, y, side = cell.x, cell.y, cell.side
    marks = [
        element(
            "rect",
            title(cell.told),
            x=x,
            y=y,
            width=side,
            height=side,
            class_="cell",
            fill_opacity=depth,
        )
    ]
    if numbered:
        kind = "cell-number deep" if depth > 0.55 else "cell-number"
        marks.append(text(x + side / 2, y + side / 2 + 4, _short(chance), kind, "middle"))
    return marks


def _short(chance: float) -> str:
    if chance == 0:
        return "0"
    return "1" if chance >= 0.9995 else f"{chance:.3f}"[1:] if chance >= 0.0005 else "<.001"


def _spread(size: int, most: int) -> list[int]:
    most = max(2, min(most, _MOST_LABELS))
    if size <= most:
        return list(range(size))
    return sorted({round(i * (size - 1) / (most - 1)) for i in range(most)})
