"""One answer on the line of all possible ones, with the interval that holds the truth."""

from discreet.text import brief
from discreet.web.figures.axis import Axis, bottom_axis
from discreet.web.figures.marks import element, line, text
from discreet.web.figures.picture import WIDTH, Picture, drawn

_LEFT, _RIGHT, _MIDDLE, _BASE = 14.0, 406.0, 42.0, 66.0


def answer_span(
    value: float, low: float, high: float, message: str, *, possible: tuple[float, float] | None
) -> Picture:
    """A dot for the answer, a whisker for its interval, on an axis of what is possible."""
    ends = possible or (low, high)
    first, last = min(ends[0], low, value), max(ends[1], high, value)
    if first == last:
        first, last = first - 1, last + 1
    axis = Axis(low=first, high=last, start=_LEFT, end=_RIGHT)
    here, left, right = (axis.at(one) for one in (value, low, high))
    anchor = "start" if here < 50 else "end" if here > WIDTH - 50 else "middle"
    marks = [
        line(left, _MIDDLE, right, _MIDDLE, "whisker"),
        line(left, _MIDDLE - 7, left, _MIDDLE + 7, "whisker"),
        line(right, _MIDDLE - 7, right, _MIDDLE + 7, "whisker"),
        element("circle", cx=here, cy=_MIDDLE, r=6, class_="dot"),
        text(here, _MIDDLE - 16, brief(value, 6), "value-label", anchor),
        *bottom_axis(axis, _BASE, ""),
    ]
    rows = [
        ("answer", brief(value, 6)),
        ("interval from", brief(low, 6)),
        ("interval to", brief(high, 6)),
    ]
    if possible is not None:
        rows.append(("possible", f"{brief(possible[0], 6)} to {brief(possible[1], 6)}"))
    return drawn(message, _BASE + 22, marks, ("part", "value"), rows, kind="span")
