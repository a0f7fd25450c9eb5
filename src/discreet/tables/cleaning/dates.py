"""Dates and times in cells, as SQL: one small grammar, whole numbers, no cast that fails.

A date is year-month-day, or in the declared order day.month.year or month/day/year, with `-`, `/`
or `.` between the numbers; a time hours:minutes, perhaps with seconds and fractions of them, after
a blank or a T; an offset from UTC is taken away. What does not match, or is no day of the calendar,
is no date. The forms that engines give to dates of their own far outside (years of more digits, BC,
infinity) are known, so that these are clamped too. Days and moments that are counted already are
clamped and divided.
"""

from discreet.tables.cleaning.forms import Clamped, ColumnForm, Kind
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


def matches_of(form: ColumnForm, column: DateColumn) -> list[str]:
    """What matches each way to write a date, piece by piece; selected first."""
    return [
        f"{form.leaves.groups(form.cell, pattern, len(pieces))} AS {_match(form, number)}"
        for number, (pattern, pieces) in enumerate(_ways(column))
    ]


def pieces_of(form: ColumnForm, column: DateColumn) -> list[str]:
    """The numbers that a date consists of, 0 where one is not; selected next.

    They are worked out once, so that `_written_steps` can use each as often as it needs.
    """
    return [_number(form, column, piece) for piece in _Piece]


def _ways(column: DateColumn) -> list[tuple[str, tuple[_Piece, ...]]]:
    """The ways in which a date may be written, and what comes in which order."""
    year, month, day, *rest = _Piece
    orders = {DateOrder.DMY: (day, month, year), DateOrder.MDY: (month, day, year)}
    known: list[tuple[str, tuple[_Piece, ...]]] = [(_YEAR_FIRST, tuple(_Piece))]
    if column.order is not None:
        known.append((_YEAR_LAST, (*orders[column.order], *rest)))
    return [(f"{written}{_TIME}", pieces) for written, pieces in known]


def _match(form: ColumnForm, number: int) -> str:
    return f"{form.cell}_match{number}"


def _piece(form: ColumnForm, piece: _Piece) -> str:
    return f"{form.cell}_{piece.name.lower()}"


def _number(form: ColumnForm, column: DateColumn, piece: _Piece) -> str:
    """A number of at most seven digits; the minutes ahead have the sign of the hours."""
    number = form.leaves.whole(_digits(form, column, piece))
    if piece is _Piece.BESIDE:
        west = f"{_digits(form, column, _Piece.AHEAD)} LIKE '-%'"
        number = f"CASE WHEN {west} THEN -{number} ELSE {number} END"
    return f"{number} AS {_piece(form, piece)}"


def _digits(form: ColumnForm, column: DateColumn, piece: _Piece) -> str:
    matched = (
        form.leaves.group(_match(form, number), pieces.index(piece) + 1)
        for number, (_, pieces) in enumerate(_ways(column))
    )
    known = ", ".join(f"NULLIF({one}, '')" for one in matched)
    return f"COALESCE({known}, '0')"


def index(form: ColumnForm, column: DateColumn) -> str:
    """The index of the declared step in which a cell lies, or where gaps go."""
    if form.kind is Kind.TEXT:
        steps = _written_steps(form, column)
        place = form.leaves.whole(f"LEAST(GREATEST({steps}, 0), {column.size - 1})")
        indexed = f"CASE WHEN ({steps}) IS NULL THEN {column.gap_index} ELSE {place} END"
    else:
        count, first, last = _counted(form, column)
        place = form.leaves.halves(f"{count} - ({first})", (last + 1 - first) // column.size)
        placed = Clamped(count=count, first=first, last=last, place=place, beyond=column.size - 1)
        indexed = placed.index(is_gap(form, column), column.gap_index)
    return form.leaves.index(indexed, column.size)


def is_gap(form: ColumnForm, column: DateColumn) -> str:
    """Whether a cell holds no date."""
    cell = f"({_written_steps(form, column)})" if form.kind is Kind.TEXT else form.cell
    return f"{cell} IS NULL"


def is_outside(form: ColumnForm, column: DateColumn) -> str:
    """Whether a cell is a date beyond the bounds, so that it is clamped."""
    count, first, last = _written_steps(form, column), 0, column.size - 1
    if form.kind is not Kind.TEXT:
        count, first, last = _counted(form, column)
    return f"COALESCE(NOT (({count}) BETWEEN {first} AND {last}), FALSE)"


def _counted(form: ColumnForm, column: DateColumn) -> tuple[str, int, int]:
    """A cell as a count, the first count that lies within the bounds, and the last."""
    each = 1 if form.kind is Kind.DAY else 86_400_000_000 // _PER_DAY[column.resolution]
    count = form.leaves.whole(form.cell)
    if form.kind is Kind.DAY and column.resolution is not Resolution.DAY:
        count = f"({count} * {_PER_DAY[column.resolution]})"
    first, steps = int(column.grid.start) * each, column.size * int(column.grid.step)
    return count, first, first + steps * each - 1


def _written_steps(form: ColumnForm, column: DateColumn) -> str:
    """How many steps a text lies after the first value, NULL where it is no date; not clamped."""
    year, month, day, hour, minute, second, ahead, beside = (
        _piece(form, piece) for piece in _Piece
    )
    is_one = (
        f"{month} BETWEEN 1 AND 12 AND {day} BETWEEN 1 AND {_days_in_month(year, month)} "
        f"AND {hour} < 24 AND {minute} < 60 AND {second} < 60 "
        f"AND {ahead} BETWEEN -23 AND 23 AND {beside} BETWEEN -59 AND 59"
    )
    time = f"{hour} * 3600 + ({minute} - {beside}) * 60 + {second} - {ahead} * 3600"
    steps = _steps(form, _days(form, year, month, day), time, column)
    folded = form.leaves.folded(form.cell)
    return (
        f"CASE WHEN {folded} = 'infinity' THEN {_FAR} WHEN {folded} = '-infinity' THEN {-_FAR} "
        f"WHEN {is_one} THEN CASE WHEN {form.cell} LIKE '%(BC)' THEN {-_FAR} ELSE {steps} END END"
    )


def _days_in_month(year: str, month: str) -> str:
    leap = f"({year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0))"
    return (
        f"(CASE WHEN {month} = 2 THEN CASE WHEN {leap} THEN 29 ELSE 28 END "
        f"WHEN {month} IN (4, 6, 9, 11) THEN 30 ELSE 31 END)"
    )


def _days(form: ColumnForm, year: str, month: str, day: str) -> str:
    """Days from a March far back, so that no number here is below 0: years begin in March."""
    halves = form.leaves.halves
    since = f"({year} + 400 - CASE WHEN {month} <= 2 THEN 1 ELSE 0 END)"
    leaps = f"({halves(since, 4)} - {halves(since, 100)} + {halves(since, 400)})"
    months = halves(f"153 * (({month} + 9) % 12) + 2", 5)
    return f"({since} * 365 + {leaps} + {months} + {day} - 1)"


_EPOCH = (1970 + 400 - 1) * 365 + (2369 // 4 - 2369 // 100 + 2369 // 400) + (153 * 10 + 2) // 5
"""The start of 1970 in such days."""


def _steps(form: ColumnForm, days: str, seconds: str, column: DateColumn) -> str:
    """Whole steps after the first value, rounded down: an added multiple keeps all above 0."""
    grid, units, halves = column.grid, _PER_DAY[column.resolution], form.leaves.halves
    start, step = int(grid.start) + _EPOCH * units, int(grid.step)
    lift = start // step + 1 + 2 * units
    whole = halves(f"{days} * 86400 + {seconds} + 172800", 86_400 // units)
    return f"({halves(f'{whole} - {2 * units} - {start} + {lift * step}', step)} - {lift})"
