"""Dates and times in cells, as SQL: one small grammar, whole numbers, no cast that fails.

A date is year-month-day, or in the declared order day.month.year or month/day/year, with `-`, `/`
or `.` between the numbers; a time hours:minutes, perhaps with seconds and fractions of them, after
a blank or a T; an offset from UTC is taken away. What does not match, or is no day of the calendar,
is no date. The forms that engines give to dates of their own far outside (years of more digits, BC,
infinity) are known, so that these are clamped too.
"""

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from discreet.tables.columns import DateColumn, DateOrder
from discreet.text import Resolution, Word

_SEPARATOR = "[-/.]"
_TIME = (
    "(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.][0-9]{1,9})?)?)?"
    "(?: ?(?:Z|UTC|([+-][0-9]{2}):?([0-9]{2})?))?(?: [(]BC[)])?"
)
_YEAR_FIRST = f"([0-9]{{4,7}}){_SEPARATOR}([0-9]{{1,2}}){_SEPARATOR}([0-9]{{1,2}})"
_YEAR_LAST = f"([0-9]{{1,2}}){_SEPARATOR}([0-9]{{1,2}}){_SEPARATOR}([0-9]{{4}})"
_PER_DAY = {
    Resolution.DAY: 1,
    Resolution.HOUR: 24,
    Resolution.MINUTE: 1_440,
    Resolution.SECOND: 86_400,
}
_FAR = 10**12
"""More steps than any calendar has: where what is before or after all time goes."""


class _Piece(Word):
    """The parts of a written moment, in the order in which they are written, the year first."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    AHEAD = "hours ahead of UTC"
    BESIDE = "minutes ahead of UTC"


def with_pieces(cells: exp.Expr, columns: Sequence[DateColumn]) -> exp.Expr:
    """The table with the numbers that dates consist of, each under its name; 0 where one is not.

    They are worked out once, so that `steps_of` can use each as often as it needs.
    """
    matches = [one for column in columns for one in _matches(column)]
    matched = exp.select(exp.Star(), *matches).from_(cells).subquery("matched")
    pieces = [_number(piece, column) for column in columns for piece in _Piece]
    return exp.select(exp.Star(), *pieces).from_(matched).subquery("cells")


def _forms(column: DateColumn) -> list[tuple[str, tuple[_Piece, ...]]]:
    """The ways in which a date may be written, and what comes in which order."""
    year, month, day, *rest = _Piece
    orders = {DateOrder.DMY: (day, month, year), DateOrder.MDY: (month, day, year)}
    known: list[tuple[str, tuple[_Piece, ...]]] = [(_YEAR_FIRST, tuple(_Piece))]
    if column.order is not None:
        known.append((_YEAR_LAST, (*orders[column.order], *rest)))
    return [(f"^{form}{_TIME}$", pieces) for form, pieces in known]


def _matches(column: DateColumn) -> list[exp.Expr]:
    """What matches each form, piece by piece; nothing where a cell is not of that form."""
    found: list[exp.Expr] = []
    for number, (form, pieces) in enumerate(_forms(column)):
        names = ", ".join(f"'{piece}'" for piece in pieces)
        match = f"REGEXP_EXTRACT({_cell(column)}, '{form}', [{names}])"
        read = sqlglot.parse_one(match, read="duckdb")
        found.append(exp.alias_(read, _name(column, number), quoted=True))
    return found


def _number(piece: _Piece, column: DateColumn) -> exp.Expr:
    """A number of at most seven digits; the minutes ahead have the sign of the hours."""
    number = f"CAST({_digits(piece, column)} AS BIGINT)"
    if piece is _Piece.BESIDE:
        west = f"{_digits(_Piece.AHEAD, column)} LIKE '-%'"
        number = f"CASE WHEN {west} THEN -{number} ELSE {number} END"
    read = sqlglot.parse_one(number, read="duckdb")
    return exp.alias_(read, _name(column, piece), quoted=True)


def _digits(piece: _Piece, column: DateColumn) -> str:
    matches = (_quoted(_name(column, number)) for number, _ in enumerate(_forms(column)))
    known = ", ".join(f"NULLIF({match}['{piece}'], '')" for match in matches)
    return f"COALESCE({known}, '0')"


def _cell(column: DateColumn) -> str:
    return f"TRIM({_quoted(column.name)})"


def _name(column: DateColumn, part: object) -> str:
    return f"{part} of {column.name}\x1f"


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")


def steps_of(column: DateColumn) -> exp.Expr:
    """How many steps a cell lies after the first value, NULL where it is no date; not clamped."""
    cell = _cell(column)
    year, month, day, hour, minute, second, ahead, beside = (
        _quoted(_name(column, piece)) for piece in _Piece
    )
    is_one = (
        f"{month} BETWEEN 1 AND 12 AND {day} BETWEEN 1 AND {_days_in_month(year, month)} "
        f"AND {hour} < 24 AND {minute} < 60 AND {second} < 60 "
        f"AND {ahead} BETWEEN -23 AND 23 AND {beside} BETWEEN -59 AND 59"
    )
    time = f"{hour} * 3600 + ({minute} - {beside}) * 60 + {second} - {ahead} * 3600"
    steps = _steps(_days(year, month, day), time, column)
    told = (
        f"CASE WHEN LOWER({cell}) = 'infinity' THEN {_FAR} "
        f"WHEN LOWER({cell}) = '-infinity' THEN {-_FAR} "
        f"WHEN {is_one} THEN CASE WHEN {cell} LIKE '%(BC)' THEN {-_FAR} ELSE {steps} END END"
    )
    return sqlglot.parse_one(told, read="duckdb")


def _days_in_month(year: str, month: str) -> str:
    leap = f"({year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0))"
    return (
        f"(CASE WHEN {month} = 2 THEN CASE WHEN {leap} THEN 29 ELSE 28 END "
        f"WHEN {month} IN (4, 6, 9, 11) THEN 30 ELSE 31 END)"
    )


def _days(year: str, month: str, day: str) -> str:
    """Days from a March far back, so that no number here is below 0: years begin in March."""
    since = f"({year} + 400 - CASE WHEN {month} <= 2 THEN 1 ELSE 0 END)"
    leaps = f"({since} // 4 - {since} // 100 + {since} // 400)"
    months = f"((153 * (({month} + 9) % 12) + 2) // 5)"
    return f"({since} * 365 + {leaps} + {months} + {day} - 1)"


_EPOCH = (1970 + 400 - 1) * 365 + (2369 // 4 - 2369 // 100 + 2369 // 400) + (153 * 10 + 2) // 5
"""The start of 1970 in such days."""


def _steps(days: str, seconds: str, column: DateColumn) -> str:
    """Whole steps after the first value, rounded down: an added multiple keeps all above 0."""
    grid, units = column.grid, _PER_DAY[column.resolution]
    start, step = int(grid.start) + _EPOCH * units, int(grid.step)
    lift = start // step + 1 + 2 * units
    counted = f"(({days} * 86400 + {seconds} + 172800) // {86_400 // units} - {2 * units})"
    return f"(({counted} - {start} + {lift * step}) // {step} - {lift})"
