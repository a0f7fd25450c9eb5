"""Answers by group: a bar for each, with a whisker from the low to the high end of its interval."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from discreet.figures.axis import Axis, bottom_axis
from discreet.figures.marks import element, line, text, title
from discreet.figures.picture import Picture, drawn
from discreet.text import brief, shortened

_LEFT, _RIGHT, _TOP = 112.0, 396.0, 6.0
_SHORT, _LONG = 13, 50
"""How many letters fit beside a bar, and above it."""
_LINE = 19.0
_ROOM = 320.0
"""How far right a few words may begin."""


@dataclass(frozen=True)
class Bar:
    """One group's answer."""

    name: str
    value: float | None
    """None where there are too few rows for one."""
    low: float | None
    high: float | None
    _: KW_ONLY
    under: str = ""
    """What it stands under with others, where groups are crossed."""
    few: str = ""
    """What is said in its place where it has no value."""
    faint: str = ""
    """What is said of a group that may be empty: no bar is drawn for it."""


def group_bars(bars: Sequence[Bar], message: str, *, name: str = "answer") -> Picture:
    """Horizontal bars from zero, the same scale for all; long names stand above their bars."""
    pace = 30.0 if len(bars) <= 12 else 20.0 if len(bars) <= 30 else 14.0
    above = any(len(bar.name) > _SHORT for bar in bars)
    start = 8.0 if above else _LEFT
    every = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    low, high = min([0.0, *every]), max([0.0, *every])
    axis = Axis(low=low, high=high if high > low else low + 1, start=start, end=_RIGHT)
    marks: list[str] = []
    zero, y, before = axis.at(0.0), _TOP, ""
    for bar in bars:
        if bar.under != before:
            y += 4 if before else 0
            marks.append(text(4, y + 15, shortened(bar.under, _LONG), "label strong"))
            y, before = y + _LINE, bar.under
        top = y
        if above:
            marks.append(text(start, y + 14, shortened(bar.name, _LONG), "label"))
            y += _LINE - 2
        else:
            named = shortened(bar.name, _SHORT)
            marks.append(text(_LEFT - 8, y + pace / 2 + 4, named, "label", "end"))
        marks += _drawn(axis, bar, y, pace)
        y += pace
        marks.insert(0, line(zero, y - pace if above else top, zero, y, "axis"))
    base = y + 4
    marks += bottom_axis(axis, base, shortened(name, 56), most=5)
    crossed = any(bar.under for bar in bars)
    rows = [
        (*([bar.under] if crossed else []), bar.name, _value(bar), _end(bar.low), _end(bar.high))
        for bar in bars
    ]
    head = (*(["of"] if crossed else []), "group", name, "from", "to")
    return drawn(message, base + 42, marks, head, rows, kind="groups")


def _drawn(axis: Axis, bar: Bar, y: float, pace: float) -> list[str]:
    """A bar with its whisker, or the words in its place."""
    zero, middle = axis.at(0.0), y + pace / 2
    if bar.value is None:
        return [text(zero + 6, middle + 4, bar.few, "tick")]
    end = axis.at(bar.value)
    if bar.faint:
        reach = end if bar.high is None else axis.at(bar.high)
        left = reach + 6 < _ROOM
        anchor, at = ("start", reach + 6) if left else ("end", _RIGHT)
        spot = element("circle", title(_told(bar)), cx=end, cy=middle, r=2.5, class_="faint-dot")
        said = text(at, middle + 4 if left else middle - 3, bar.faint, "tick", anchor)
        return [*_whisker(axis, bar, middle, pace, "whisker faint"), spot, said]
    return [
        element(
            "rect",
            title(_told(bar)),
            x=min(zero, end),
            y=y + pace * 0.18,
            width=abs(end - zero),
            height=pace * 0.64,
            class_="bar",
        ),
        *_whisker(axis, bar, middle, pace),
    ]


def _whisker(axis: Axis, bar: Bar, middle: float, pace: float, kind: str = "whisker") -> list[str]:
    if bar.low is None or bar.high is None:
        return []
    left, right, tip = axis.at(bar.low), axis.at(bar.high), pace * 0.17
    return [
        line(left, middle, right, middle, kind),
        line(left, middle - tip, left, middle + tip, kind),
        line(right, middle - tip, right, middle + tip, kind),
    ]


def _told(bar: Bar) -> str:
    between = "" if bar.low is None else f", between {_end(bar.low)} and {_end(bar.high)}"
    under = f"{bar.under}, " if bar.under else ""
    return f"{under}{bar.name}: {_value(bar)}{between}"


def _value(bar: Bar) -> str:
    if bar.value is None:
        return bar.few
    return f"{brief(bar.value, 6)} ({bar.faint})" if bar.faint else brief(bar.value, 6)


def _end(value: float | None) -> str:
    return "–" if value is None else brief(value, 6)
