"""Answers by group: a bar for each, with a whisker from the low to the high end of its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.text import brief, shortened
from discreet.web.figures.axis import Axis, bottom_axis
from discreet.web.figures.marks import element, line, text, title
from discreet.web.figures.picture import Picture, drawn

_LEFT, _RIGHT, _TOP = 112.0, 396.0, 6.0


@dataclass(frozen=True)
class Bar:
    """One group's answer."""

    name: str
    value: float
    low: float | None
    high: float | None


def group_bars(bars: Sequence[Bar], message: str, *, name: str = "answer") -> Picture:
    """Horizontal bars from zero, the same scale for all."""
    pace = 30.0 if len(bars) <= 12 else 20.0 if len(bars) <= 30 else 14.0
    every = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    low, high = min(0.0, *every), max(0.0, *every)
    axis = Axis(low=low, high=high if high > low else low + 1, start=_LEFT, end=_RIGHT)
    zero, base = axis.at(0.0), _TOP + pace * len(bars) + 4
    marks = [line(zero, _TOP, zero, base, "axis")]
    for place, bar in enumerate(bars):
        y, end = _TOP + pace * place, axis.at(bar.value)
        middle = y + pace / 2
        marks += [
            text(_LEFT - 8, middle + 4, shortened(bar.name, 13), "label", "end"),
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
    marks += bottom_axis(axis, base, name, most=5)
    rows = [(bar.name, brief(bar.value, 6), _end(bar.low), _end(bar.high)) for bar in bars]
    head = ("group", name, "from", "to")
    return drawn(message, base + 42, marks, head, rows, kind="groups")


def _whisker(axis: Axis, bar: Bar, middle: float, pace: float) -> list[str]:
    if bar.low is None or bar.high is None:
        return []
    left, right, tip = axis.at(bar.low), axis.at(bar.high), pace * 0.17
    return [
        line(left, middle, right, middle, "whisker"),
        line(left, middle - tip, left, middle + tip, "whisker"),
        line(right, middle - tip, right, middle + tip, "whisker"),
    ]


def _told(bar: Bar) -> str:
    between = "" if bar.low is None else f", between {_end(bar.low)} and {_end(bar.high)}"
    return f"{bar.name}: {brief(bar.value, 6)}{between}"


def _end(value: float | None) -> str:
    return "–" if value is None else brief(value, 6)
