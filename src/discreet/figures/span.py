"""Answers on a line: one in its interval, or several quantiles of each group side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from discreet.figures.axis import Axis, bottom_axis, day_of
from discreet.figures.marks import element, line, text, title
from discreet.figures.picture import WIDTH, Picture, drawn
from discreet.text import brief, shortened, value_text

_LEFT, _RIGHT, _MIDDLE, _BASE = 14.0, 406.0, 42.0, 66.0
_PACE = 40.0
_DATE = 34.0
"""How far a date under an axis reaches to its sides."""


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


@dataclass(frozen=True)
class GroupSpread:
    """The quantiles of one group, smallest first; dates in place of numbers where they are that."""

    name: str
    values: tuple[float | date, ...]
    """Empty where there are too few rows for any."""
    few: str = ""
    """What is said in their place."""
    faint: str = ""
    """Said beside values that may lie anywhere; they are drawn without ink."""


def quantile_spreads(
    spreads: Sequence[GroupSpread],
    heads: Sequence[str],
    message: str,
    *,
    name: str,
    years: bool = False,
) -> Picture:
    """A box plot for each group: the middle quantile as a line in a box between its neighbours, and
    whiskers to the first and the last; of an even number, a bar with a mark for each.

    Args:
        spreads: The groups; one has a value for each head, or none.
        heads: What the quantiles are called.
        message: What the picture shows.
        name: What the values are.
        years: Whether they are years of the calendar.

    Returns:
        The picture.
    """
    days = any(isinstance(one, date) for spread in spreads for one in spread.values)
    every = [_place(one) for spread in spreads for one in spread.values]
    low, high = min(every), max(every)
    if low == high:
        low, high = low - 1, high + 1
    room = _DATE if days else 0.0
    axis = Axis(low=low, high=high, start=_LEFT + room, end=_RIGHT - room, years=years)
    named = any(spread.name for spread in spreads)
    pace = _PACE if named else 24.0
    marks = []
    for place, spread in enumerate(spreads):
        y = pace * place + 2
        if named:
            marks.append(
                text(_LEFT - 6, y + 13, shortened(spread.name, 24 if spread.faint else 50), "label")
            )
        if spread.faint:
            marks.append(text(_RIGHT, y + 13, spread.faint, "tick", "end"))
        marks += _dots(spread, heads, axis, y + pace - 14)
    base = pace * len(spreads) + 8
    marks += bottom_axis(axis, base, shortened(name, 56), most=4 if days else 5, days=days)
    rows = [(spread.name, *_cells(spread, len(heads), axis)) for spread in spreads]
    return drawn(message, base + 42, marks, ("group", *heads), rows, kind="spreads")


def _dots(spread: GroupSpread, heads: Sequence[str], axis: Axis, y: float) -> list[str]:
    if not spread.values:
        return [text(_LEFT, y + 4, spread.few, "tick")]
    at = [axis.at(_place(one)) for one in spread.values]
    middle, boxed = len(at) // 2, len(at) % 2 == 1 and len(at) > 1
    first, last = (middle - 1, middle + 1) if boxed else (0, len(at) - 1)
    width = max(at[last] - at[first], 0.0)
    whisker = "whisker faint" if spread.faint else "whisker"
    box = "box faint" if spread.faint else "bar box"
    marks = [
        *(
            line(start, y, end, y, whisker)
            for start, end in ((at[0], at[first]), (at[last], at[-1]))
            if start < end
        ),
        element("rect", x=at[first], y=y - 8, width=width, height=16, class_=box),
    ]
    for place, (x, head, value) in enumerate(zip(at, heads, spread.values, strict=True)):
        label = title(f"{spread.name} {head}: {_words(value, axis)}".strip())
        if len(at) == 1:
            dot = "faint-dot" if spread.faint else "dot"
            marks.append(element("circle", label, cx=x, cy=y, r=6, class_=dot))
            continue
        kind = "median" if boxed and place == middle and not spread.faint else whisker
        tip = 8 if not boxed or first <= place <= last else 5
        marks.append(element("line", label, x1=x, y1=y - tip, x2=x, y2=y + tip, class_=kind))
    return marks


def _place(value: float | date) -> float:
    return day_of(value) if isinstance(value, date) else value


def _words(value: float | date, axis: Axis) -> str:
    if axis.years and not isinstance(value, date):
        return f"{value:.6g}"
    return value_text(value) if isinstance(value, date) else brief(value, 6)


def _cells(spread: GroupSpread, many: int, axis: Axis) -> list[str]:
    return [_words(one, axis) for one in spread.values] or [spread.few or "–"] * many
