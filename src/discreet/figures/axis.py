"""Axes: from numbers or days to places, and round ones to mark them with."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from discreet.figures.marks import line, text
from discreet.figures.picture import WIDTH
from discreet.text import brief, year_text

_NOTHING = 1e-290
_HALF_LETTER = 4.0
"""Stretches shorter than this have no digits left for ticks."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A stretch of numbers laid out between two places; evenly, or by their logarithms."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    years: bool = False
    """Whether its numbers are years of the calendar, which have no separator."""

    def at(self, value: float) -> float:
        """Where a number is; one outside lies at the nearer end."""
        low, high, here = (self._lay(one) for one in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def _lay(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.logarithmic else value

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers inside the stretch, `most` of them or fewer."""
        if self.logarithmic:
            return _round_powers(self.low, self.high, most)
        return _round_steps(self.low, self.high, most)


Tick = tuple[float, str]
"""A place on an axis, and what is written there."""


def bottom_axis(axis: Axis, y: float, name: str, most: int = 6, *, days: bool = False) -> list[str]:
    """A horizontal axis with its ticks and its name below; its numbers may count days."""
    marks = [line(axis.start, y, axis.end, y, "axis")]
    ticks = day_ticks(axis.low, axis.high, most) if days else _named_ticks(axis, most)
    for tick, words in ticks:
        at = axis.at(tick)
        inside = min(at, max(WIDTH - _HALF_LETTER * len(words), WIDTH / 2))
        marks += [line(at, y, at, y + 4, "axis"), text(inside, y + 17, words, "tick", "middle")]
    middle = (axis.start + axis.end) / 2
    return [*marks, text(middle, y + 34, name, "label", "middle")] if name else marks


def _named_ticks(axis: Axis, most: int) -> list[Tick]:
    if axis.years:
        return [(tick, year_text(tick)) for tick in axis.ticks(most) if tick == round(tick)]
    return _numbered(axis.ticks(most))


def left_axis(axis: Axis, x: float, far: float, most: int = 5) -> list[str]:
    """The numbers of a vertical axis, with a faint line across for each."""
    marks = []
    for tick, words in _named_ticks(axis, most):
        at = axis.at(tick)
        marks += [line(x, at, far, at, "rule"), text(x - 6, at + 4, words, "tick", "end")]
    return marks


def _round_steps(low: float, high: float, most: int) -> list[float]:
    if not high - low > _NOTHING:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10, 20) if power * times >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def _round_powers(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**power for power in powers for digit in digits]
        inside = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if len(inside) <= most:
            return inside
    return inside[:: -(-len(inside) // most)]


def _numbered(ticks: Sequence[float]) -> list[Tick]:
    """What is written at each tick; of those that would read alike the roundest is left.

    >>> _numbered([1999.5, 2000.0, 2000.5]), [words for _, words in _numbered([0.0, 2.0, 4.0])]
    ([(2000.0, '2,000')], ['0', '2', '4'])
    """
    roundest: dict[str, float] = {}
    for tick in sorted(ticks, key=lambda tick: len(f"{tick:.12g}")):
        roundest.setdefault(brief(tick), tick)
    return sorted((tick, words) for words, tick in roundest.items())


def day_of(moment: date) -> float:
    """A date as a number on an axis: whole days, and the share of a day that has passed.

    >>> day_of(date(1, 1, 2)), day_of(datetime(1, 1, 2, 6))
    (2.0, 2.25)
    """
    if not isinstance(moment, datetime):
        return float(moment.toordinal())
    return moment.toordinal() + (moment - datetime.combine(moment, time())) / timedelta(days=1)


def day_ticks(low: float, high: float, most: int = 6) -> list[Tick]:
    """Round hours, days, months or years between two days, `most` of them or fewer.

    >>> [words for _, words in day_ticks(day_of(date(2021, 1, 1)), day_of(date(2023, 12, 1)))]
    ['2021-01', '2021-07', '2022-01', '2022-07', '2023-01', '2023-07']
    >>> [words for _, words in day_ticks(day_of(date(2021, 3, 1)), day_of(date(2021, 3, 9)))]
    ['2021-03-01', '2021-03-03', '2021-03-05', '2021-03-07', '2021-03-09']
    """
    for step in _DAYS:
        if (high - low) / step <= most - 1:
            first = math.ceil(low) if step >= 1 else math.ceil(low / step - 1e-9) * step
            return [(at, _day_words(at)) for at in _from(first, high, step)]
    ticks: list[Tick] = []
    for months in _MONTHS:
        if (high - low) / (31 * months) <= most:
            ticks = _starts_of_months(low, high, months)
        if 0 < len(ticks) <= most:
            break
    return ticks


_DAYS = (1 / 96, 1 / 48, 1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 24000, 60000)
"""How far ticks may be from one another."""


def _from(first: float, high: float, step: float) -> list[float]:
    return [first + place * step for place in range(math.floor((high - first) / step + 1e-9) + 1)]


def _day_words(at: float) -> str:
    day = date.fromordinal(math.floor(at + 1e-9))
    minutes = round((at - day.toordinal()) * 24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}" if minutes else day.isoformat()


def _starts_of_months(low: float, high: float, step: int) -> list[Tick]:
    days = (date.fromordinal(math.floor(at)) for at in (low, high))
    first, last = (day.year * 12 + day.month - 1 for day in days)
    ticks = []
    for count in range(-(-first // step) * step, last + 1, step):
        start = date(count // 12, count % 12 + 1, 1) if count >= 12 else date.min
        at = float(start.toordinal())
        if low <= at <= high:
            ticks.append((at, start.isoformat()[: 4 if step % 12 == 0 else 7]))
    return ticks
