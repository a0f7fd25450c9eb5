"""Losses side by side: a bar for each mechanism, the smallest called best."""

from collections.abc import Sequence
from math import isclose

from discreet.figures.axis import Axis
from discreet.figures.marks import element, text, title
from discreet.figures.picture import Picture, drawn
from discreet.text import brief, shortened

_LEFT, _RIGHT, _PACE = 4.0, 330.0, 38.0


def loss_bars(
    names: Sequence[str], losses: Sequence[float], message: str, *, name: str = "loss"
) -> Picture:
    """Names above their bars, so that long ones have room."""
    axis = Axis(low=0.0, high=max(losses) or 1.0, start=_LEFT, end=_RIGHT)
    least = min(losses)
    marks, rows = [], []
    for place, (who, loss) in enumerate(zip(names, losses, strict=True)):
        y, best = _PACE * place, isclose(loss, least, rel_tol=1e-9, abs_tol=1e-15)
        label = brief(loss) + (" best" if best else "")
        marks += [
            text(_LEFT, y + 14, shortened(who, 52), "label strong" if best else "label"),
            element(
                "rect",
                title(f"{who}: {label}"),
                x=_LEFT,
                y=y + 19,
                width=axis.at(loss) - _LEFT,
                height=12,
                class_="bar" if best else "bar pale",
            ),
            text(axis.at(loss) + 6, y + 29, label, "tick"),
        ]
        rows.append((who, label))
    return drawn(message, _PACE * len(names) + 4, marks, ("mechanism", name), rows, kind="compare")
