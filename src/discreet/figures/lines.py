"""Lines: answers along time or along numbers in a band of their intervals, one line or a small one
for each group, and a line of least squares."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date
from itertools import groupby

from discreet.figures.axis import Axis, bottom_axis, day_of, left_axis
from discreet.figures.marks import element, text, title
from discreet.figures.picture import Picture, drawn
from discreet.text import brief, shortened

_LEFT, _RIGHT, _TOP, _BASE = 52.0, 404.0, 24.0, 200.0
_DATE = 24.0
_MOST_DOTS = 60
_PANEL_WIDE, _PANEL_HIGH = 210.0, 132.0
_CLOSE = 0.6
"""An axis begins at zero where the smallest value is less than this share of the largest."""


@dataclass(frozen=True)
class DatedAnswer:
    """One answer of a time line: when, and how much."""

    name: str
    at: date | float
    """A day, or the middle of a group of numbers."""
    value: float | None
    """None where there are too few rows for one."""
    low: float | None
    _: KW_ONLY
    high: float | None


def time_line(
    moments: Sequence[DatedAnswer],
    message: str,
    *,
    name: str = "answer",
    along: str = "",
    years: bool = False,
) -> Picture:
    """Answers from left to right as time passes or numbers grow, broken where there is none."""
    days = isinstance(moments[0].at, date)
    across = Axis(
        low=_place(moments[0]),
        high=_place(moments[-1]),
        start=_LEFT + _DATE,
        end=_RIGHT - _DATE,
        years=years,
    )
    up = _upwards(*_ends(moments), start=_BASE, end=_TOP)
    marks = [
        text(4, 13, shortened(name, 56), "label"),
        *left_axis(up, _LEFT, _RIGHT),
        *bottom_axis(across, _BASE, along, most=4 if days else 6, days=days),
    ]
    for there, several in groupby(moments, key=lambda one: one.value is not None):
        if there:
            marks += _stretch(list(several), across, up, dots=len(moments) <= _MOST_DOTS)
    rows = [(one.name, _value(one.value), _value(one.low), _value(one.high)) for one in moments]
    height = _BASE + (42 if along else 26)
    head = (along or "time", name, "from", "to")
    return drawn(message, height, marks, head, rows, kind="time")


@dataclass(frozen=True)
class GroupPanel:
    """The line of one group among several."""

    name: str
    moments: tuple[DatedAnswer, ...]


def line_panels(
    panels: Sequence[GroupPanel], message: str, *, name: str = "answer", years: bool = False
) -> Picture:
    """A small line for each group, two beside one another, all on the same scales."""
    every = [one for panel in panels for one in panel.moments]
    days = isinstance(every[0].at, date)
    places = [_place(one) for one in every]
    low, high = _ends(every)
    marks = [text(4, 13, shortened(name, 56), "label")]
    for number, panel in enumerate(panels):
        left = (number % 2) * _PANEL_WIDE
        top = 22 + (number // 2) * _PANEL_HIGH
        across = Axis(
            low=min(places),
            high=max(places),
            start=left + 46,
            end=left + _PANEL_WIDE - 14,
            years=years,
        )
        up = _upwards(low, high, start=top + _PANEL_HIGH - 30, end=top + 24)
        marks += [
            text(left + 4, top + 14, shortened(panel.name, 26), "label strong"),
            *left_axis(up, left + 42, left + _PANEL_WIDE - 10, most=2),
            *bottom_axis(across, up.start, "", most=2, days=days),
        ]
        for there, several in groupby(panel.moments, key=lambda one: one.value is not None):
            if there:
                marks += _stretch(list(several), across, up, dots=len(panel.moments) <= 15)
    rows = [
        (panel.name, one.name, _value(one.value), _value(one.low), _value(one.high))
        for panel in panels
        for one in panel.moments
    ]
    height = 26 + -(-len(panels) // 2) * _PANEL_HIGH
    return drawn(message, height, marks, ("of", "group", name, "from", "to"), rows, kind="time")


def _place(one: DatedAnswer) -> float:
    return day_of(one.at) if isinstance(one.at, date) else one.at


def _ends(moments: Sequence[DatedAnswer]) -> tuple[float, float]:
    answered = [one for one in moments if one.value is not None]
    ends = [end for one in answered for end in (one.value, one.low, one.high) if end is not None]
    return min(ends), max(ends)


def _upwards(low: float, high: float, *, start: float, end: float) -> Axis:
    if 0 < low < _CLOSE * high:
        low = 0.0
    if -_CLOSE * -low < high < 0:
        high = 0.0
    room = (high - low) * 0.04 or 1.0
    return Axis(low=low if low == 0 else low - room, high=high + room, start=start, end=end)


def _stretch(moments: list[DatedAnswer], across: Axis, up: Axis, *, dots: bool) -> list[str]:
    """One run of answers: the band of their intervals, the line through them, a dot for each."""
    spots = [(across.at(_place(one)), one) for one in moments]
    if len(spots) == 1:  # a band needs a width to be seen
        spots = [(spots[0][0] + off, spots[0][1]) for off in (-2.0, 2.0)]
    above = [(x, up.at(one.high)) for x, one in spots if one.high is not None]
    below = [(x, up.at(one.low)) for x, one in spots if one.low is not None]
    marks = []
    if above:
        marks.append(element("polygon", points=_path([*above, *reversed(below)]), class_="band"))
    line = [(x, up.at(one.value)) for x, one in spots if one.value is not None]
    marks.append(element("polyline", points=_path(line), class_="curve curve-0"))
    if dots:
        marks += [
            element(
                "circle",
                title(_told(one)),
                cx=across.at(_place(one)),
                cy=up.at(one.value),
                r=3,
                class_="spot curve-0",
            )
            for one in moments
            if one.value is not None
        ]
    return marks


def fitted_line(
    slope: float,
    intercept: float,
    across: tuple[float, float],
    message: str,
    *,
    names: tuple[str, str],
) -> Picture:
    """A line of least squares over the range of the column that it is drawn against."""
    ends = [(x, intercept + slope * x) for x in across]
    low, high = sorted(y for _, y in ends)
    right = Axis(low=across[0], high=across[1], start=_LEFT + 6, end=_RIGHT - 6)
    up = _upwards(low, high, start=_BASE, end=_TOP)
    marks = [
        text(4, 13, shortened(names[1], 56), "label"),
        *left_axis(up, _LEFT, _RIGHT),
        *bottom_axis(right, _BASE, shortened(names[0], 56), most=5),
        element(
            "polyline",
            points=_path([(right.at(x), up.at(y)) for x, y in ends]),
            class_="curve curve-0",
        ),
    ]
    rows = [(brief(x, 6), brief(y, 6)) for x, y in ends]
    return drawn(message, _BASE + 42, marks, names, rows, kind="fitted")


def _path(spots: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)


def _told(one: DatedAnswer) -> str:
    between = "" if one.low is None else f", between {_value(one.low)} and {_value(one.high)}"
    return f"{one.name}: {_value(one.value)}{between}"


def _value(value: float | None) -> str:
    return "–" if value is None else brief(value, 6)
