"""Groups that have an order, as lines: along days, years or numbers, and a small one for each group
where they are crossed with another column."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from discreet.curator import Result
from discreet.figures import DatedAnswer, GroupPanel, Picture, line_panels, time_line
from discreet.figures.axis import day_of
from discreet.planning.grouping import MISSING
from discreet.questions import Bins, Question
from discreet.questions.words import column_words, counts_years
from discreet.tables import Dataset, DateColumn, NumberColumn
from discreet.text import Resolution, brief, capital, period_name, read_moment

_FEWEST_MOMENTS = 3
_FEWEST_NUMBERS = 5
"""Fewer groups of numbers than this are bars."""
_MOST_PANELS = 12


@dataclass(frozen=True)
class Along:
    """The column that groups follow one another along, and by which name."""

    name: str
    """Empty for days, which name themselves."""
    years: bool
    fewest: int
    period: Resolution | None = None
    """Of which years, quarters or months they are."""


def along_of(question: Question | None, place: int, dataset: Dataset) -> Along | None:
    """Whether the groups of a column have an order that an axis can show."""
    if question is None or place >= len(question.group_by):
        return Along("", years=False, fewest=_FEWEST_MOMENTS) if place == 0 else None
    bins: Bins = question.group_by[place]
    column = dataset.column(bins.column)
    if bins.running or not isinstance(column, NumberColumn):
        return None
    if isinstance(column, DateColumn):
        return Along("", years=False, fewest=_FEWEST_MOMENTS, period=column.resolution)
    years = counts_years(column)
    fewest = _FEWEST_MOMENTS if years else _FEWEST_NUMBERS
    return Along(column_words(bins.column, dataset), years=years, fewest=fewest)


def line_of(
    results: Sequence[Result], name: str, along: Along | None, *, clause: str, silent: str
) -> Picture | None:
    """Groups of one column as a line; None where they are not in such an order."""
    placed = [one for one in results if one.group_cells != (MISSING,)]
    moments = _moments(placed, 0)
    valued = [(one.value, one) for one in moments or () if one.value is not None]
    if along is None or moments is None or len(moments) < along.fewest or len(valued) < 2:
        return None
    message = f"{capital(name)}, along {along.name or 'time'}"
    if any(one.low is not None for one in moments):
        message += f"; the band shows {clause}"
    message += silent
    for one in results:
        if one.group_cells == (MISSING,):
            message += f"; where {along.name or 'the date'} is missing: {one.text}"
    shown = _highest(valued, along)
    return time_line(moments, f"{message}{shown}.", name=name, along=along.name, years=along.years)


def panels_of(
    results: Sequence[Result],
    name: str,
    sides: Sequence[Along | None],
    *,
    clause: str,
    silent: str,
) -> Picture | None:
    """Two crossed columns, of which one has an order, as a line for each group of the other."""
    if len(sides) != 2 or not results or any(len(one.group_cells) != 2 for one in results):
        return None
    for place in (1, 0):
        along = sides[place]
        by = list(dict.fromkeys(one.group_cells[1 - place] for one in results))
        if along is None or not 2 <= len(by) <= _MOST_PANELS:
            continue
        panels = []
        for group in by:
            mine = [
                one
                for one in results
                if one.group_cells[1 - place] == group and one.group_cells[place] != MISSING
            ]
            moments = _moments(mine, place)
            if moments is None or len(moments) < along.fewest:
                return None
            panels.append(GroupPanel(group, tuple(moments)))
        if not any(one.value is not None for panel in panels for one in panel.moments):
            return None
        message = f"{capital(name)}, along {along.name or 'time'}: one panel for each group"
        if any(one.low is not None for panel in panels for one in panel.moments):
            message += f"; bands show {clause}"
        return line_panels(panels, f"{message}{silent}.", name=name, years=along.years)
    return None


def _highest(valued: Sequence[tuple[float, DatedAnswer]], along: Along) -> str:
    """The largest, where its interval says that it is: else none is named."""
    most, highest = max(valued, key=lambda pair: pair[0])
    others = [one.high for _, one in valued if one is not highest]
    if highest.low is None or any(high is None or high >= highest.low for high in others):
        return ""
    name = period_name(highest.name, along.period)
    return f"; the largest is {name} with {f'{most:g}' if along.years else brief(most)}"


def _moments(results: Sequence[Result], place: int) -> list[DatedAnswer] | None:
    """The results in the order of their groups; None where one of them has no place there."""
    read = [_moment(one, place) for one in results]
    moments = [one for one in read if one is not None]
    if len(moments) < len(results) or len({type(one.at) is float for one in moments}) > 1:
        return None
    moments.sort(key=_at)
    return moments if len({_at(one) for one in moments}) == len(moments) else None


def _at(one: DatedAnswer) -> float:
    return day_of(one.at) if isinstance(one.at, date) else one.at


def _moment(result: Result, place: int) -> DatedAnswer | None:
    if isinstance(result.value, tuple | str | date):
        return None
    name = result.group_cells[place]
    first, _, last = name.partition(" to ")
    day = read_moment(first)
    at = day if day is not None else _middle(first, last or first)
    if at is None:
        return None
    value, low, high = values_of(result)
    return DatedAnswer(name, at, value, low, high=high)


def _middle(first: str, last: str) -> float | None:
    try:
        return float((Fraction(first) + Fraction(last)) / 2)
    except (ValueError, ZeroDivisionError):
        return None


def values_of(result: Result) -> tuple[float | None, float | None, float | None]:
    """A value with the ends of its interval, as a drawing needs them."""
    assert not isinstance(result.value, tuple | str | date)
    if result.value is None:
        return None, None, None
    ends = (None, None) if result.interval is None else map(_float, result.interval)
    low, high = ends
    return float(result.value), low, high


def _float(end: object) -> float:
    return day_of(end) if isinstance(end, date) else float(end)  # type: ignore[arg-type]
