"""What an expression means, in plain Python: fractions, dates and None, row by row.

Shares the tree with the program that it checks, and nothing else: no grid, no bounds, no integers.
"""

import calendar
import operator
import re
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor

from discreet.tables.expressions import tree

RELATIONS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def evaluate(expression, row):
    """The value of an expression for a row, a dictionary of values; None for NULL."""
    one = lambda inner: evaluate(inner, row)  # noqa: E731
    match expression:
        case tree.Cell(column):
            return row[column]
        case tree.Constant(value):
            return value
        case tree.Combined(sign, left, right):
            return _combined(sign.value, one(left), one(right))
        case tree.Moved(moment, units, resolution):
            return _later(one(moment), units, resolution)
        case tree.Call(function, arguments):
            return _call(function.value, [one(inner) for inner in arguments])
        case tree.Taken(part, moment):
            return _part(part.value, one(moment))
        case tree.Cut(resolution, moment):
            return _cut(resolution, one(moment))
        case tree.Between(resolution, first, last):
            ends = [_number_of(resolution, _cut(resolution, one(end))) for end in (first, last)]
            return None if None in ends else Fraction(ends[1] - ends[0])
        case tree.Case(cases, default):
            for condition, told in cases:
                if one(condition) is True:
                    return one(told)
            return one(default)
        case tree.Compared(relation, left, right):
            sides = _alike(one(left), one(right))
            return None if None in sides else RELATIONS[relation.value](*sides)
        case tree.Like(word, pattern, any_case):
            text = one(word)
            form = re.escape(pattern).replace("%", ".*").replace("_", ".")
            flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
            return None if text is None else re.fullmatch(form, text, flags) is not None
        case tree.Missing(inner):
            return one(inner) is None
        case tree.Denied(inner):
            found = one(inner)
            return None if found is None else not found
        case tree.All(parts):
            found = [one(part) for part in parts]
            return False if False in found else None if None in found else True
        case tree.Some(parts):
            found = [one(part) for part in parts]
            return True if True in found else None if None in found else False
    raise AssertionError(expression)


def _alike(left, right):
    if isinstance(left, date) and isinstance(right, date):
        return _timed(left), _timed(right)
    return left, right


def _timed(moment):
    return (
        moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day)
    )


def _combined(sign, left, right):
    if left is None or right is None:
        return None
    if isinstance(left, date):
        return Fraction(int((_timed(left) - _timed(right)).total_seconds()), 86_400)
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return None if right == 0 else left / right


def _later(moment, units, resolution):
    if moment is None:
        return None
    seconds = {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}[resolution]
    moved = _timed(moment) + timedelta(seconds=units * seconds)
    return moved if isinstance(moment, datetime) or seconds < 86_400 else moved.date()


def _call(name, given):
    if name in ("LEAST", "GREATEST"):
        known = [one for one in given if one is not None]
        if not known:
            return None
        if isinstance(known[0], date):
            known = [_timed(one) for one in known]
        return (min if name == "LEAST" else max)(known)
    if name == "COALESCE":
        return next((one for one in given if one is not None), None)
    if given[0] is None or (name == "AGE_AT" and given[1] is None):
        return None
    match name:
        case "ABS":
            return abs(given[0])
        case "FLOOR":
            return Fraction(floor(given[0]))
        case "CEIL":
            return Fraction(ceil(given[0]))
        case "CLAMP":
            return max(given[1], min(given[0], given[2]))
        case "ROUND":
            step = Fraction(1)
            if len(given) > 1:
                step = given[1] if given[1].denominator > 1 else Fraction(1, 10 ** int(given[1]))
            steps = floor(abs(given[0]) / step + Fraction(1, 2))
            return steps * step * (1 if given[0] >= 0 else -1)
    born, at = given
    return Fraction(at.year - born.year - ((at.month, at.day) < (born.month, born.day)))


def _part(name, moment):
    if moment is None:
        return None
    clock = moment if isinstance(moment, datetime) else datetime(2000, 1, 1)
    match name:
        case "DAYNAME":
            return calendar.day_name[moment.weekday()]
        case "MONTHNAME":
            return calendar.month_name[moment.month]
    return Fraction({
        "YEAR": moment.year, "QUARTER": (moment.month + 2) // 3, "MONTH": moment.month,
        "WEEK": moment.isocalendar().week, "DAY": moment.day,
        "DAYOFYEAR": moment.timetuple().tm_yday, "DAYOFWEEK": moment.isoweekday() % 7,
        "ISODOW": moment.isoweekday(), "HOUR": clock.hour, "MINUTE": clock.minute,
        "SECOND": clock.second,
    }[name])  # fmt: skip


def _cut(resolution, moment):
    if moment is None:
        return None
    day = date(moment.year, moment.month, moment.day)
    match resolution:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            return day.replace(day=1)
        case "week":
            return day - timedelta(days=day.weekday())
        case "day":
            return day
    moment = _timed(moment)
    fewer = {"hour": {"minute": 0, "second": 0}, "minute": {"second": 0}, "second": {}}
    return moment.replace(**fewer[resolution])


def _number_of(resolution, moment):
    if moment is None:
        return None
    days = (_timed(moment) - datetime(1969, 12, 29)).total_seconds() / 86_400
    match resolution:
        case "year":
            return moment.year
        case "quarter":
            return moment.year * 4 + (moment.month - 1) // 3
        case "month":
            return moment.year * 12 + moment.month
        case "week":
            return int(days) // 7
        case "day":
            return int(days)
    seconds = int((_timed(moment) - datetime(1970, 1, 1)).total_seconds())
    return seconds // {"hour": 3_600, "minute": 60, "second": 1}[resolution]
