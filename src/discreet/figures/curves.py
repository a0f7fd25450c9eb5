"""Error against ε: a line for each mechanism, told apart by dashes, marks and names."""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.figures.axis import Axis, bottom_axis, left_axis
from discreet.figures.marks import element, line, text
from discreet.figures.picture import Picture, drawn
from discreet.text import brief, shortened

_LEFT, _RIGHT, _TOP, _BASE = 52.0, 412.0, 12.0, 220.0
MOST_CURVES = 6


@dataclass(frozen=True)
class Curve:
    """One mechanism's error at each ε."""

    name: str
    errors: tuple[float, ...]


def error_curves(
    epsilons: Sequence[float],
    curves: Sequence[Curve],
    message: str,
    *,
    here: float | None = None,
    name: str = "expected error",
) -> Picture:
    """The curves over a logarithmic ε axis; `here` marks the ε that is being looked at."""
    shown = list(curves)[:MOST_CURVES]
    across = Axis(low=min(epsilons), high=max(epsilons), start=_LEFT, end=_RIGHT, logarithmic=True)
    top = max(error for curve in shown for error in curve.errors) or 1.0
    up = Axis(low=0.0, high=top * 1.05, start=_BASE, end=_TOP)
    marks = [*left_axis(up, _LEFT, _RIGHT), *bottom_axis(across, _BASE, "ε")]
    if here is not None and across.low <= here <= across.high:
        marks.append(line(across.at(here), _TOP, across.at(here), _BASE, "truth"))
    for place, curve in enumerate(shown):
        spots = [
            (across.at(at), up.at(error)) for at, error in zip(epsilons, curve.errors, strict=True)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        marks.append(element("polyline", points=path, class_=f"curve curve-{place}"))
        marks += [_spot(x, y, place) for x, y in spots]
    for place, curve in enumerate(shown):
        y = _BASE + 54 + 18 * place
        path = f"{_LEFT:g},{y:g} {_LEFT + 34:g},{y:g}"
        marks += [
            element("polyline", points=path, class_=f"curve curve-{place}"),
            _spot(_LEFT + 17, y, place),
            text(_LEFT + 44, y + 4, shortened(curve.name, 38), "label"),
        ]
    rows = [
        (brief(at, 3), *(brief(curve.errors[place]) for curve in shown))
        for place, at in enumerate(epsilons)
    ]
    head = ("ε", *(curve.name for curve in shown))
    return drawn(f"{message}", _BASE + 54 + 18 * len(shown), marks, head, rows, kind="curves")


def _spot(x: float, y: float, place: int) -> str:
    kind = f"spot curve-{place}"
    if place % 3 == 0:
        return element("circle", cx=x, cy=y, r=3, class_=kind)
    if place % 3 == 1:
        return element("rect", x=x - 2.7, y=y - 2.7, width=5.4, height=5.4, class_=kind)
    points = f"{x:.1f},{y - 3.6:.1f} {x - 3.4:.1f},{y + 2.6:.1f} {x + 3.4:.1f},{y + 2.6:.1f}"
    return element("polygon", points=points, class_=kind)
