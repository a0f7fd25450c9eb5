"""Bounds that look public: round, outward, as people know them without having seen a row."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import rational
from discreet.tables.drafts.numbers import Numbers
from discreet.text import decimal_text

MOST_VALUES = 5_000
"""So many values are drafted at most, unless numbers are whole."""
MOST_WHOLE = 20_000
"""Whole numbers are drafted as they are up to here: steps of 2 would change every other one."""

_TICKS = 10
_LONGEST_SCALE = 10
_MOST_DECIMALS = 6
_MEASURED = 3
"""More decimals than this come from dividing or measuring: the last ones say nothing."""
_ENOUGH_VALUES = 1_000
_KNOWN = (
    (r"(^|[^a-z])[fm]?ages?([^a-z]|$)", 0, 120, "an age"),
    (r"percent|pct|(^|[^a-z])perc([^a-z]|$)|%", 0, 100, "a percentage"),
    (r"(^|[^a-z])(share|proportion|prop|probability|prob|fraction)([^a-z]|$)", 0, 1, "a share"),
    (r"(^|[^a-z])month([^a-z]|$)", 1, 12, "a month"),
    (r"(^|[^a-z])weekday([^a-z]|$)", 1, 7, "a day of the week"),
    (r"(^|[^a-z])day([^a-z]|$)", 1, 31, "a day of the month"),
    (r"(^|[^a-z])hour([^a-z]|$)", 0, 23, "an hour of the day"),
    (r"(^|[^a-z])(minute|second)([^a-z]|$)", 0, 59, "minutes or seconds of a clock"),
)
"""Names of columns, the bounds that everybody knows of them, and what they are."""
_YEARS = (1850, 2100)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """A grid to declare, and what it seems to be."""

    low: Fraction
    high: Fraction
    step: Fraction
    whole: bool
    sort: str = ""
    """Such as "an age", where the name and the cells say so."""

    @property
    def middle(self) -> Fraction:
        """The value in the middle, or just below it."""
        return self.low + self.step * ((self.high - self.low) / self.step // 2)

    @property
    def text(self) -> str:
        """The grid in words."""
        low, high = decimal_text(self.low), decimal_text(self.high)
        steps = "" if self.step == 1 else f" in steps of {decimal_text(self.step)}"
        said = f"{self.sort}, " if self.sort else ""
        return f"{said}{'whole ' if self.whole else ''}numbers from {low} to {high}{steps}"


def propose(name: str, seen: Numbers) -> Bounds:
    """Bounds for numbers like these under such a name.

    >>> propose("waited", Numbers(low=2, high=231, whole=True, decimals=0)).text
    'whole numbers from 0 to 250'
    >>> propose("age", Numbers(low=18, high=99, whole=True, decimals=0)).text
    'an age, whole numbers from 0 to 120'
    """
    low, high, sort = _ends(name, seen)
    step = _step(high - low, seen)
    if low == high:
        high += step
    return Bounds(
        low=low, high=high, step=step, whole=seen.whole and step.denominator == 1, sort=sort
    )


def _ends(name: str, seen: Numbers) -> tuple[Fraction, Fraction, str]:
    for pattern, least, most, sort in _KNOWN:
        if re.search(pattern, name, re.I) and least <= seen.low and seen.high <= most:
            return Fraction(least), Fraction(most), sort
    if seen.whole and _YEARS[0] <= seen.low and seen.high <= _YEARS[1]:
        first, last = math.floor(seen.low / 10) * 10, math.ceil(seen.high / 10) * 10
        return Fraction(first), Fraction(max(last, first + 10)), "a year"
    if seen.whole and 0 <= seen.low < seen.high <= _LONGEST_SCALE:
        return Fraction(min(1, int(seen.low))), Fraction(int(seen.high)), "a scale"
    return *_round_outward(rational(seen.low), rational(seen.high), seen), ""


def _round_outward(low: Fraction, high: Fraction, seen: Numbers) -> tuple[Fraction, Fraction]:
    """The ends of an axis on which the numbers would be drawn."""
    span = high - low or abs(high) or Fraction(1)
    finest = Fraction(1) if seen.whole else _finest(_MOST_DECIMALS)
    tick = max(_round_above(span / _TICKS), finest)
    first = math.floor(low / tick)
    if 0 < first <= 2:  # what begins near nought is known to begin there
        first = 0
    elif first == -1 and seen.just_below:  # so few cells do not show how far below it goes
        first = -2
    return tick * first, tick * math.ceil(high / tick)


def _step(span: Fraction, seen: Numbers) -> Fraction:
    """As fine as the cells are written, if there may be so many values."""
    most = MOST_VALUES if seen.decimals <= _MEASURED else _ENOUGH_VALUES
    if seen.whole and span <= MOST_WHOLE:
        return Fraction(1)
    finest = Fraction(1) if seen.whole else _finest(max(seen.decimals, 1))
    return max(finest, _round_above(span / most)) if span else finest


def _finest(decimals: int) -> Fraction:
    return Fraction(1, 10 ** min(decimals, _MOST_DECIMALS))


def _round_above(number: Fraction) -> Fraction:
    """The least of 1, 2, 5, 10, 20, … and of 0.5, 0.2, … that is not below."""
    power = Fraction(10) ** (len(str(number.numerator)) - len(str(number.denominator)) - 1)
    while True:
        for digit in (1, 2, 5):
            if digit * power >= number:
                return digit * power
        power *= 10
