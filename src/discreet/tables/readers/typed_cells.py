"""Cells of columns that have types: each by total functions, or refused for the type.

Types are public. One of which a single cell could make a whole table unreadable is not read.
"""

import re

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.source import Source


def _whole_micros(nanos: str) -> str:
    """The microsecond in which a nanosecond lies: downwards before 1970, too, where // is not."""
    return f"({nanos} // 1000 - CAST({nanos} % 1000 < 0 AS BIGINT))"


_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_READABLE = {
    "BOOLEAN", *_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "VARCHAR", "BLOB",
    "UUID", "DATE", "DECIMAL", "ENUM", "HUGEINT", "UHUGEINT",
}  # fmt: skip
"""Types of which every cell can be read as text; broken JSON cannot."""
_NOTHING = '"NULL"'
"""The type of a column without a filled cell, written by a program that chooses types by cells."""
_BY_ENGINE = {"FLOAT", "DECIMAL", "HUGEINT", "UHUGEINT"}
"""Types of numbers that go by texts, which the engine writes."""
_TIMES = {
    "TIMESTAMP": "epoch_us({name})",
    "TIMESTAMP WITH TIME ZONE": "epoch_us({name})",
    "TIMESTAMP_NS": _whole_micros("epoch_ns({name})"),
}
"""Types of times that are counted in 64 bits, and how to read their microseconds from 1970."""
_CALENDAR = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The years 1 to 9999 in such microseconds: beyond, a time may not be shown as text."""
DIGITS = 18
"""Decimals of more are kept in sixteen bytes, not all of which are numbers of so many digits."""
_SURE_DIGITS = 15
"""Decimals of as many are doubles and powers of ten without rounding, and rounded once."""
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def cell_of(name: str, shown: str) -> SqlCell:
    """A cell as text and in its own kind; a time beyond the calendar is before or after all others.

    A number keeps its kind if its text is the same number: decimals of many digits and floats of
    four bytes, which people know by a few digits, are told by their texts.
    """
    if shown in _TIMES:
        count = _TIMES[shown].format(name=name)
        return SqlCell(moment_sql(count, "us"), Kind.MOMENT, count)
    text = f"CAST({name} AS VARCHAR)"
    if shown in _WHOLE or shown.removeprefix("U") in _WHOLE:
        wide = shown == "UBIGINT"
        return SqlCell(text, Kind.WHOLE, whole_sql(name) if wide else f"CAST({name} AS BIGINT)")
    if shown == "DOUBLE" or 0 < digits(shown) <= _SURE_DIGITS:
        return SqlCell(text, Kind.DOUBLE, f"CAST({name} AS DOUBLE)")
    if shown == "BOOLEAN":
        return SqlCell(text, Kind.TRUTH, name)
    if shown == "DATE":
        return SqlCell(text, Kind.DAY, day_sql(name))
    return SqlCell(text, by_engine=shown.partition("(")[0] in _BY_ENGINE)


def whole_sql(name: str) -> str:
    """A whole number in 64 bits with a sign; one that needs more is as large as can be."""
    most = 2**63 - 1
    return f"CASE WHEN {name} > {most} THEN {most} ELSE TRY_CAST({name} AS BIGINT) END"


def day_sql(name: str) -> str:
    """A date as a count of days from 1970; the engine's infinite ones are its first and last."""
    return f"({name} - DATE '1970-01-01')"


def moment_sql(count: str, unit: str) -> str:
    """A count of s, ms, us or ns from 1970 as text, of every whole number of 64 bits."""
    each = _PER_SECOND[unit]
    first, last = (end * each // 10**6 for end in _CALENDAR)
    if each > 10**6:  # the calendar has more nanoseconds than fit into 64 bits
        first, last = max(first, -(2**63) + 1), min(last, 2**63 - 1)
    scaled = f"{count} * {10**6 // each}" if each <= 10**6 else _whole_micros(count)
    return (
        f"CASE WHEN {count} BETWEEN {first} AND {last} "
        f"THEN CAST(make_timestamp({scaled}) AS VARCHAR) "
        f"WHEN {count} < 0 THEN '-infinity' WHEN {count} > 0 THEN 'infinity' END"
    )


def micros_sql(count: str, unit: str) -> str:
    """A count of s, ms, us or ns from 1970 in microseconds; what is beyond the calendar is far."""
    each = _PER_SECOND[unit]
    if each > 10**6:
        return _whole_micros(count)
    first, last = (end * each // 10**6 for end in _CALENDAR)
    return (
        f"CASE WHEN {count} BETWEEN {first} AND {last} THEN {count} * {10**6 // each} "
        f"WHEN {count} < 0 THEN {-(2**62)} WHEN {count} > 0 THEN {2**62} END"
    )


def is_readable(shown: str) -> bool:
    """Whether every cell of a type can be read."""
    known = shown in _TIMES or shown == _NOTHING or shown.partition("(")[0] in _READABLE
    return known and not shown.endswith("]") and digits(shown) <= DIGITS


def digits(shown: str) -> int:
    """How many digits a decimal has; 0 for other types."""
    match = re.match(r"DECIMAL\((\d+)", shown)
    return int(match[1]) if match else 0


def means(shown: str) -> str:
    """What cells of a type are about: a column of the same may change its type as its rows do, as
    where one gap makes a program write whole numbers as doubles; empty if nothing is filled.

    >>> means("BIGINT") == means("DECIMAL(9,2)"), means("BIGINT") == means("VARCHAR")
    (True, False)
    """
    if shown == _NOTHING:
        return ""
    cell = cell_of("cell", shown)
    if cell.by_engine or cell.kind in (Kind.WHOLE, Kind.DOUBLE):
        return "numbers"
    return {Kind.TRUTH: "truth values", Kind.TEXT: "text"}.get(cell.kind, "times")


def unreadable(source: Source, name: str, shown: str) -> DatasetError:
    """What to say of a column whose type is not read."""
    return DatasetError(
        f"column {show(name)} of {source.called} is of type {shown}, and cells of that type may "
        "be unreadable; store it as text, as a number, or as a time in microseconds"
    )
