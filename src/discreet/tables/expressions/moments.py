"""Days and times on rows: counted in units from the start of 1970, the calendar in whole numbers.

Years begin in March here, as leap days then come last; days are counted from a March far back, so
that nothing is below 0. All bounds are within the years 1 to 9999.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.tables.columns import DateColumn
from discreet.tables.expressions.numbers import Number, whole
from discreet.tables.expressions.program import Read
from discreet.tables.expressions.registers import (
    Register,
    Truth,
    both,
    chosen,
    compared,
    either,
    fixed,
    floored,
    is_null,
    narrowed,
    opposite,
    plus,
    remainder,
    times,
)
from discreet.tables.expressions.tree import DatePart
from discreet.text import Resolution, count_of, moment_of

_DAY = 86_400
_SHIFT = 719_468
"""Days from 1 March of the year 0 to the start of 1970."""
_ERA = 146_097
"""Days of 400 years."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_FIRST, _LAST = date(1, 3, 1), date(9999, 12, 31)


@dataclass(frozen=True, eq=False)
class Moment:
    """The start of a unit in every row, or NULL: so many units from the start of 1970."""

    count: Register
    resolution: Resolution

    @property
    def nullable(self) -> bool:
        """Whether there may be no value."""
        return self.count.nullable

    @property
    def ends(self) -> tuple[date, date]:
        """The earliest and the latest."""
        return (
            moment_of(self.count.low, self.resolution),
            moment_of(self.count.high, self.resolution),
        )


def of_column(column: DateColumn, nullable: bool) -> Moment:
    """The moment of a declared column."""
    grid = column.grid
    index = Register(Read(column.name), 0, grid.size - 1, nullable)
    count = plus(times(index, fixed(int(grid.step))), fixed(int(grid.start)))
    return checked(Moment(count, column.resolution))


def of_constant(value: date) -> Moment:
    """The same moment in every row; to the second."""
    timed = isinstance(value, datetime)
    resolution = Resolution.SECOND if timed else Resolution.DAY
    return checked(Moment(fixed(int(count_of(value, resolution))), resolution))


def checked(moment: Moment) -> Moment:
    """The moment, if the calendar holds all that it can be."""
    low, high = (count_of(end, moment.resolution) for end in (_FIRST, _LAST))
    if not low <= moment.count.low <= moment.count.high <= high:
        raise QuestionError("this date may leave the calendar, the years 1 to 9999")
    return moment


def days_of(moment: Moment) -> Register:
    """The days from 1970 to a moment, rounded down."""
    count, seconds = moment.count, moment.resolution.seconds
    if moment.resolution is Resolution.WEEK:
        return plus(times(count, fixed(7)), fixed(-3))
    if seconds is not None:
        return floored(count, _DAY // seconds)
    month = times(count, fixed(moment.resolution.months or 1))
    year, place = floored(plus(month, fixed(1970 * 12)), 12), remainder(month, 12)
    days = _first_day(year, place)
    low, high = (int(count_of(end, Resolution.DAY)) for end in moment.ends)
    return narrowed(days, low, high)


def _first_day(year: Register, month: Register) -> Register:
    """The first day of a month, counted from 1970; months from 0."""
    early = compared("<", month, fixed(2))
    since = plus(year, chosen([(early, fixed(-1))], fixed(0)))
    leaps = plus(plus(floored(since, 4), opposite(floored(since, 100))), floored(since, 400))
    turned = remainder(plus(month, fixed(10)), 12)
    before = floored(plus(times(turned, fixed(153)), fixed(2)), 5)
    return plus(plus(plus(times(since, fixed(365)), leaps), before), fixed(-_SHIFT))


@dataclass(frozen=True, eq=False)
class _Civil:
    """A day by year, month (1 to 12) and day of the month."""

    year: Register
    month: Register
    day: Register


def _civil(moment: Moment) -> _Civil:
    low, high = moment.ends
    days = plus(days_of(moment), fixed(_SHIFT))
    era = floored(days, _ERA)
    of_era = remainder(days, _ERA)
    leaps = plus(
        plus(floored(of_era, 1460), opposite(floored(of_era, 36_524))),
        floored(of_era, _ERA - 1),
    )
    of_400 = narrowed(floored(plus(of_era, opposite(leaps)), 365), 0, 399)
    begun = plus(
        times(of_400, fixed(365)), plus(floored(of_400, 4), opposite(floored(of_400, 100)))
    )
    place = narrowed(plus(of_era, opposite(begun)), 0, 365)
    turned = floored(plus(times(place, fixed(5)), fixed(2)), 153)
    day = plus(
        plus(place, opposite(floored(plus(times(turned, fixed(153)), fixed(2)), 5))), fixed(1)
    )
    early = compared("<", turned, fixed(10))
    month = chosen([(early, plus(turned, fixed(3)))], plus(turned, fixed(-9)))
    late = compared("<=", month, fixed(2))
    year = plus(plus(of_400, times(era, fixed(400))), chosen([(late, fixed(1))], fixed(0)))
    one_year = low.year == high.year
    months = (low.month, high.month) if one_year else (1, 12)
    one_month = one_year and low.month == high.month
    return _Civil(
        narrowed(year, low.year, high.year),
        narrowed(month, *months),
        narrowed(day, *((low.day, high.day) if one_month else (1, 31))),
    )


def cut(moment: Moment, resolution: Resolution) -> Moment:
    """The start of the unit in which a moment lies."""
    if moment.resolution == resolution:
        return moment
    seconds, own = resolution.seconds, moment.resolution.seconds
    months = resolution.months
    if seconds is not None and resolution is not Resolution.WEEK:
        if own is None or own > seconds:
            return _finer(moment, resolution)
        if moment.resolution is not Resolution.WEEK:
            return Moment(floored(moment.count, seconds // own), resolution)
    if resolution is Resolution.WEEK:
        return Moment(floored(plus(days_of(moment), fixed(3)), 7), resolution)
    if seconds is not None:
        return Moment(floored(days_of(moment), seconds // _DAY), resolution)
    assert months is not None
    if moment.resolution.months is not None:
        month = times(moment.count, fixed(moment.resolution.months))
    else:
        civil = _civil(moment)
        month = plus(plus(times(civil.year, fixed(12)), civil.month), fixed(-1970 * 12 - 1))
        ends = (int(count_of(end, Resolution.MONTH) // 1) for end in moment.ends)
        month = narrowed(month, *ends)
    return Moment(floored(month, months), resolution)


def _finer(moment: Moment, resolution: Resolution) -> Moment:
    """The same moment in shorter units."""
    assert resolution.seconds is not None
    own = moment.resolution.seconds
    if own is None or moment.resolution is Resolution.WEEK:
        days = days_of(moment)
        return Moment(times(days, fixed(_DAY // resolution.seconds)), resolution)
    return Moment(times(moment.count, fixed(own // resolution.seconds)), resolution)


def alike(moments: Sequence[Moment]) -> list[Moment]:
    """The same moments, in units that they all begin with."""
    if len({moment.resolution for moment in moments}) == 1:
        return list(moments)
    by_month = [moment.resolution.months for moment in moments]
    if all(months is not None for months in by_month):
        return [cut_up(moment) for moment in moments]
    shortest = min((moment.resolution.seconds or _DAY) for moment in moments)
    known = {Resolution.DAY: _DAY, Resolution.HOUR: 3600, Resolution.MINUTE: 60}
    finest = next((one for one, long in known.items() if shortest >= long), Resolution.SECOND)
    return [_finer(moment, finest) if moment.resolution != finest else moment for moment in moments]


def cut_up(moment: Moment) -> Moment:
    """The same moment in months."""
    months = moment.resolution.months
    assert months is not None
    return Moment(times(moment.count, fixed(months)), Resolution.MONTH)


def later(moment: Moment, units: int, resolution: Resolution) -> Moment:
    """The moment so many units later."""
    seconds, months = resolution.seconds, resolution.months
    own = moment.resolution
    if months is not None and own.months is not None:
        counted = cut_up(moment) if months % own.months else moment
        each = months // (counted.resolution.months or 1)
        return checked(Moment(plus(counted.count, fixed(units * each)), counted.resolution))
    if months is not None:
        raise QuestionError(
            "months and years are added to constants and to DATE_TRUNC('month', …); add days to "
            "the dates of a column: INTERVAL 30 DAY"
        )
    assert seconds is not None
    unit = min(seconds, own.seconds or _DAY, _DAY if own is Resolution.WEEK else seconds)
    finest = next(
        one
        for one in (Resolution.DAY, Resolution.HOUR, Resolution.MINUTE, Resolution.SECOND)
        if (one.seconds or 0) <= unit
    )
    moved = moment if own == finest else _finer(moment, finest)
    return checked(
        Moment(plus(moved.count, fixed(units * seconds // (finest.seconds or 1))), finest)
    )


def relation(sign: str, left: Moment, right: Moment) -> Truth:
    """Whether two moments are in a relation."""
    one, other = alike([left, right])
    return compared(sign, one.count, other.count)


def days_between(first: Moment, last: Moment) -> Number:
    """The days from one moment to another, with fractions where there are times."""
    one, other = alike([first, last])
    if one.resolution.seconds is None:
        one, other = (_finer(moment, Resolution.DAY) for moment in (one, other))
    unit = Fraction(one.resolution.seconds or _DAY, _DAY)
    return whole(plus(other.count, opposite(one.count)), unit)


def units_between(resolution: Resolution, first: Moment, last: Moment) -> Number:
    """How many starts of units lie after the first moment, up to the last."""
    one, other = (cut(moment, resolution) for moment in (first, last))
    return whole(plus(other.count, opposite(one.count)))


def age(born: Moment, at: Moment) -> Number:
    """The whole years from one day to another: birthdays passed."""
    one, other = _civil(born), _civil(at)
    before = either(
        compared("<", other.month, one.month),
        both(compared("=", other.month, one.month), compared("<", other.day, one.day)),
    )
    years = plus(other.year, opposite(one.year))
    return whole(plus(years, chosen([(before, fixed(-1))], fixed(0))))


def part_of(part: DatePart, moment: Moment) -> Register:  # noqa: PLR0911
    """A number that a moment has; of words, the place among them."""
    match part:
        case DatePart.YEAR:
            return _civil(moment).year
        case DatePart.QUARTER:
            return plus(floored(plus(_civil(moment).month, fixed(-1)), 3), fixed(1))
        case DatePart.MONTH:
            return _civil(moment).month
        case DatePart.MONTHNAME:
            return plus(_civil(moment).month, fixed(-1))
        case DatePart.DAY:
            return _civil(moment).day
        case DatePart.DAYNAME:
            return _weekday(moment)
        case DatePart.ISODOW:
            return plus(_weekday(moment), fixed(1))
        case DatePart.DAYOFWEEK:
            return remainder(plus(_weekday(moment), fixed(1)), 7)
        case DatePart.DAYOFYEAR:
            return plus(_place_in_year(days_of(moment), moment), fixed(1))
        case DatePart.WEEK:
            return _week(moment)
        case DatePart.HOUR | DatePart.MINUTE | DatePart.SECOND:
            return _clock(part, moment)


def _weekday(moment: Moment) -> Register:
    """0 for Monday."""
    return remainder(plus(days_of(moment), fixed(3)), 7)


def _place_in_year(days: Register, moment: Moment) -> Register:
    """How many days of its year have passed."""
    year = _civil(moment).year
    return narrowed(plus(days, opposite(_first_day(year, fixed(0)))), 0, 365)


def _week(moment: Moment) -> Register:
    """The ISO week: that of the year in which its Thursday lies."""
    days = days_of(moment)
    thursday = plus(plus(days, opposite(_weekday(moment))), fixed(3))
    day = _place_in_year(thursday, Moment(thursday, Resolution.DAY))
    return narrowed(plus(floored(day, 7), fixed(1)), 1, 53)


def _clock(part: DatePart, moment: Moment) -> Register:
    if moment.resolution.of_days:
        raise QuestionError(
            f"{part.value} is for times of day, but these dates are recorded by "
            f"{moment.resolution}; use DAYNAME, DAY, MONTH or YEAR"
        )
    finest = moment.resolution is Resolution.SECOND
    seconds = (moment if finest else _finer(moment, Resolution.SECOND)).count
    long, most = {DatePart.HOUR: (3600, 24), DatePart.MINUTE: (60, 60), DatePart.SECOND: (1, 60)}[
        part
    ]
    return remainder(floored(seconds, long), most)


def null_of(moment: Moment) -> Truth:
    """Whether there is no value."""
    return is_null(moment.count)


def one_of(cases: Sequence[tuple[Truth, Moment]], default: Moment | None) -> Moment:
    """The moment of the first condition that holds, else the default."""
    moments = [moment for _, moment in cases] + ([] if default is None else [default])
    same = alike(moments)
    counts = [moment.count for moment in same]
    last = None if default is None else counts.pop()
    pairs = [(condition, count) for (condition, _), count in zip(cases, counts, strict=True)]
    return Moment(chosen(pairs, last), same[0].resolution)
