"""Days and times as whole numbers, and back: how they are counted, read and written.

A moment is counted in units of its resolution from the start of 1970, so that dates are numbers on
a grid like any others. The calendar is the Gregorian one, throughout the years 1 to 9999.
"""

import calendar
import re
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from discreet.text.writing import Word, show

_DAY = 86_400
_FIRST = date(1970, 1, 1).toordinal()
_MONDAY = date(1969, 12, 29).toordinal()
"""The first day of the week in which counting begins."""
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.0+)?)?)?)?", re.ASCII
)


class Resolution(Word):
    """What moments are told to: each is one unit, counted from the start of 1970."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"

    @property
    def seconds(self) -> int | None:
        """How long a unit is; None where some are longer than others."""
        return _SECONDS.get(self)

    @property
    def months(self) -> int | None:
        """How many months a unit is; None where it is no whole number of them."""
        return _MONTHS.get(self)

    @property
    def of_days(self) -> bool:
        """Whether a unit begins with a day, so that it is told by a date without a time."""
        return (self.seconds or _DAY) >= _DAY


_SECONDS = {
    Resolution.WEEK: 7 * _DAY,
    Resolution.DAY: _DAY,
    Resolution.HOUR: 3_600,
    Resolution.MINUTE: 60,
    Resolution.SECOND: 1,
}
_MONTHS = {Resolution.YEAR: 12, Resolution.QUARTER: 3, Resolution.MONTH: 1}


def count_of(moment: date, resolution: Resolution) -> Fraction:
    """How many units have passed at a moment; within a unit, the share of it that has passed.

    >>> count_of(date(1970, 1, 11), Resolution.DAY), count_of(date(1971, 2, 1), Resolution.MONTH)
    (Fraction(10, 1), Fraction(13, 1))
    >>> count_of(datetime(1970, 1, 1, 18), Resolution.DAY)
    Fraction(3, 4)
    """
    day, time = moment.toordinal(), _time(moment)
    seconds, months = resolution.seconds, resolution.months
    if seconds is not None:
        first = _MONDAY if resolution is Resolution.WEEK else _FIRST
        return Fraction((day - first) * _DAY + time, seconds)
    assert months is not None
    unit = (moment.year * 12 + moment.month - 1) // months
    start, end = _month_start(unit * months), _month_start((unit + 1) * months)
    return unit - 1970 * 12 // months + Fraction((day - start) * _DAY + time, (end - start) * _DAY)


def moment_of(count: Fraction | int, resolution: Resolution) -> date:
    """When the nearest unit begins: a date, or a date and time where units are shorter than days.

    Whatever is beyond the calendar is brought to its end.

    >>> moment_of(10, Resolution.DAY), moment_of(Fraction(27, 2), Resolution.MONTH)
    (datetime.date(1970, 1, 11), datetime.date(1971, 3, 1))
    >>> moment_of(-1, Resolution.HOUR)
    datetime.datetime(1969, 12, 31, 23, 0)
    """
    unit = (2 * Fraction(count) + 1) // 2
    seconds, months = resolution.seconds, resolution.months
    if months is not None:
        start = _month_start(unit * months + 1970 * 12)
        return date.fromordinal(min(start, date.max.toordinal()))
    assert seconds is not None
    first = _MONDAY if resolution is Resolution.WEEK else _FIRST
    day, time = divmod(unit * seconds, _DAY)
    ordinal = min(max(day + first, 1), date.max.toordinal())
    if resolution.of_days:
        return date.fromordinal(ordinal)
    midnight = datetime.fromordinal(ordinal)
    return midnight + timedelta(seconds=time) if ordinal == day + first else midnight


def read_moment(given: object) -> date | None:
    """A date, or a date and time, as people write them in ISO 8601; None where it is neither.

    A month alone is its first day; times with an offset are brought to UTC.

    >>> read_moment("2023-05-01 18:30"), read_moment("2023-05"), read_moment("1 May")
    (datetime.datetime(2023, 5, 1, 18, 30), datetime.date(2023, 5, 1), None)
    """
    if isinstance(given, datetime) and given.tzinfo is not None:
        return given.astimezone(UTC).replace(tzinfo=None)
    if isinstance(given, date):
        return given
    match = _ISO.fullmatch(given.strip()) if isinstance(given, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    try:
        if match[4] is None:
            return date(year, month, day or (1 if match[3] is None else 0))
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def no_moment_text(given: object) -> str | None:
    """That there is no such day or time, of what is written as one; None of anything else.

    >>> no_moment_text("2020-13-45"), no_moment_text("2020-01-31 25:00"), no_moment_text("May")
    ("there is no such day: '2020-13-45'", "there is no such time: '2020-01-31 25:00'", None)
    """
    match = _ISO.fullmatch(given.strip()) if isinstance(given, str) else None
    if match is None or read_moment(given) is not None:
        return None
    day = read_moment("-".join(part for part in match.groups()[:3] if part is not None))
    return f"there is no such {'day' if day is None else 'time'}: {show(given)}"


def period_name(name: str, resolution: Resolution | None) -> str:
    """What a group of days is called in a table: its year, quarter or month, where it is one.

    >>> [period_name("2021-04-01", Resolution(one)) for one in ("year", "quarter", "month", "week")]
    ['2021-04-01', '2021 Q2', '2021-04', '2021-04-01']
    >>> period_name("2021-01-01", Resolution.YEAR), period_name("(missing)", Resolution.QUARTER)
    ('2021', '(missing)')
    """
    first = re.fullmatch(r"(\d{4})-(\d{2})-01", name)
    months = None if first is None or resolution is None else resolution.months
    if first is None or months is None or (int(first[2]) - 1) % months:
        return name
    if resolution is Resolution.QUARTER:
        return f"{first[1]} Q{(int(first[2]) + 2) // 3}"
    return first[1] if resolution is Resolution.YEAR else f"{first[1]}-{first[2]}"


def later(moment: date, units: int, resolution: Resolution) -> date | None:
    """A moment so many units later, the last day of a shorter month; None beyond the calendar.

    >>> later(date(2023, 1, 31), 1, Resolution.MONTH), later(date(2023, 1, 1), -1, Resolution.DAY)
    (datetime.date(2023, 2, 28), datetime.date(2022, 12, 31))
    """
    try:
        if resolution.seconds is not None:
            timed = isinstance(moment, datetime) or resolution.of_days
            whole = moment if timed else datetime(moment.year, moment.month, moment.day)
            return whole + timedelta(seconds=units * resolution.seconds)
        month = moment.year * 12 + moment.month - 1 + units * (resolution.months or 0)
        year, month = month // 12, month % 12 + 1
        last = calendar.monthrange(year, month)[1]
        return moment.replace(year=year, month=month, day=min(moment.day, last))
    except (OverflowError, ValueError, calendar.IllegalMonthError):
        return None


def _time(moment: date) -> Fraction:
    """The seconds since midnight."""
    if not isinstance(moment, datetime):
        return Fraction(0)
    whole = moment.hour * 3_600 + moment.minute * 60 + moment.second
    return whole + Fraction(moment.microsecond, 10**6)


def _month_start(month: int) -> int:
    """The number of the day on which a month begins, months being counted from the year 0."""
    year, place = divmod(month, 12)
    if not date.min.year <= year <= date.max.year:
        return 1 if year < date.min.year else date.max.toordinal() + (year == date.max.year + 1)
    return date(year, place + 1, 1).toordinal()
