"""Reading frames that are handed over in Python: pandas, and whatever speaks Arrow.

The types of columns are public; a cell is text by a total function of its value alone. What comes
in one type or another as it happens is the same text in each: 3 among whole numbers and 3.0 where
a gap made them floats, true among truth values and among objects.
"""

import hmac
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np

from discreet.errors import DatasetError, MissingExtra
from discreet.exact import show
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.readers.reader import (
    LONGEST,
    UNREADABLE,
    Reader,
    Take,
    held,
    no_column,
    wrong_with,
)
from discreet.tables.readers.typed_cells import (
    DIGITS,
    day_sql,
    micros_sql,
    moment_sql,
    unreadable,
    whole_sql,
)
from discreet.tables.source import Source

_CHUNK = 250_000
_FOUR = 4
_EXACT = 2**53
"""Up to here whole numbers and floats are the same."""
_MOST_BITS = 1024
"""A whole number of more is beyond all floats."""
FRAMES_WANTED = "a pandas or polars frame, an Arrow table, or anything with __arrow_c_stream__"
"""What rows are read off."""

_SHOWN = "CAST({cell} AS VARCHAR)"
_FLOAT = (
    f"CASE WHEN isfinite({{cell}}) AND abs({{cell}}) <= {_EXACT} AND {{cell}} = trunc({{cell}}) "
    "THEN CAST(CAST({cell} AS BIGINT) AS VARCHAR) ELSE CAST({cell} AS VARCHAR) END"
)
_TEXT = (
    f"CASE WHEN {{cell}} IS NOT NULL THEN CASE WHEN strlen({{cell}}) > {LONGEST} "
    f"THEN '{UNREADABLE}' ELSE coalesce(TRY(decode(encode({{cell}}))), '{UNREADABLE}') END END"
)
"""Bytes that are called text and are no UTF-8 would stop the engine."""
_BYTES = (
    f"CASE WHEN {{cell}} IS NOT NULL THEN CASE WHEN octet_length({{cell}}) > {LONGEST} "
    f"THEN '{UNREADABLE}' ELSE coalesce(TRY(decode({{cell}})), '{UNREADABLE}') END END"
)
_COUNT = "nullif({cell}, -9223372036854775807 - 1)"
"""A moment as a count; the least of all is how pandas writes that there is none."""
_TIMES = {
    unit: SqlCell(moment_sql(_COUNT, unit), Kind.MOMENT, micros_sql(_COUNT, unit))
    for unit in ("s", "ms", "us", "ns")
}
_AS_TEXT = SqlCell(_SHOWN)
_WHOLE = SqlCell(_SHOWN, Kind.WHOLE, whole_sql("{cell}"))
_TRUTH = SqlCell(_SHOWN, Kind.TRUTH, "{cell}")
_DAY = SqlCell(_SHOWN, Kind.DAY, day_sql("{cell}"))
_DOUBLE = SqlCell(_FLOAT, Kind.DOUBLE, "{cell}")
_NARROW = SqlCell(_FLOAT, by_engine=True)
_DECIMAL = SqlCell(_SHOWN, by_engine=True)
"""Cells of frames as they are told, with `{cell}` for their names. Floats of four bytes are known
to people by a few digits, so they go by their texts."""


def handed_over(given: object) -> object | None:
    """Rows as they are read here: a pandas frame or an Arrow table; None when they are no rows."""
    table: object
    if _is_pandas(given):
        return given
    if not hasattr(given, "__arrow_c_stream__"):
        return None
    try:
        import pyarrow  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("what reads Arrow tables", "frames") from None
    try:
        table = pyarrow.table(given)
    except (pyarrow.ArrowException, TypeError, ValueError):
        raise DatasetError(
            f"cannot read rows from {type(given).__name__}; give {FRAMES_WANTED}"
        ) from None
    return table


def _is_pandas(given: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def _names(source: Source) -> list[str]:
    frame: Any = source.frame
    names = list(frame.columns) if _is_pandas(frame) else list(frame.schema.names)
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str | int | np.integer):
            raise DatasetError(
                f"the name of column {place} of the frame is {show(name)}, which is not a "
                "string; rename it"
            )
    texts = [str(name) for name in names]
    if problem := wrong_with(texts):
        raise DatasetError(f"the columns of a frame must have different names: {problem}")
    return texts


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    frame: Any = source.frame
    known = _names(source)
    for name in wanted:
        if name not in known:
            raise no_column(source, name, known)
    places = [known.index(name) for name in wanted]
    read = _pandas if _is_pandas(frame) else _arrow
    how, batches = read(source, frame, wanted, places)
    cells = [one.called(f"c{place}") for place, one in enumerate(how)]
    for batch in batches:
        with held(connection, batch) as origin:
            take(cells, origin)


FRAMES = Reader(_names, _load)


def _arrow(
    source: Source, table: Any, wanted: list[str], places: list[int]
) -> tuple[list[SqlCell], Iterator[Any]]:
    """How the cells of an Arrow table are told, and the table in parts."""
    import pyarrow  # noqa: PLC0415

    picked = table.select(places).rename_columns([f"c{place}" for place in range(len(places))])
    how = []
    for name, kind in zip(wanted, picked.schema.types, strict=True):
        cell = _arrow_cell(kind)
        if cell is None:
            raise unreadable(source, name, str(kind))
        how.append(cell)

    def parts() -> Iterator[Any]:
        for batch in picked.to_batches(max_chunksize=_CHUNK):
            columns = list(map(_plainly_typed, batch.columns))
            yield pyarrow.table(columns, names=picked.schema.names)

    return how, parts()


def _plainly_typed(column: Any) -> Any:
    """An array of Arrow as the engine can read it, whatever the cells: moments as counts, decimals
    as texts, for they may have more digits than were declared."""
    from pyarrow import int64, string, types  # noqa: PLC0415

    if types.is_decimal(column.type):
        return column.cast(string())
    return column.view(int64()) if types.is_timestamp(column.type) else column


def _arrow_cell(kind: Any) -> SqlCell | None:
    """How a cell of an Arrow type is told; None where one could make all unreadable."""
    from pyarrow import types  # noqa: PLC0415

    if types.is_dictionary(kind):
        odd = types.is_temporal(kind.value_type) or types.is_decimal(kind.value_type)
        cell = None if odd else _arrow_cell(kind.value_type)
        return None if cell is None else SqlCell(cell.text, by_engine=cell.by_engine)
    if types.is_timestamp(kind):
        return _TIMES[kind.unit]
    narrow = types.is_decimal128(kind) and kind.precision <= DIGITS
    if narrow:
        return _DECIMAL
    return next((cell for fits, cell in _ARROW if getattr(types, fits)(kind)), None)


_ARROW = (
    ("is_boolean", _TRUTH),
    ("is_integer", _WHOLE),
    ("is_date32", _DAY),
    ("is_date64", _AS_TEXT),
    ("is_null", _AS_TEXT),
    ("is_float32", _NARROW),
    ("is_float64", _DOUBLE),
    ("is_string", SqlCell(_TEXT)),
    ("is_large_string", SqlCell(_TEXT)),
    ("is_string_view", SqlCell(_TEXT)),
    ("is_binary", SqlCell(_BYTES)),
    ("is_large_binary", SqlCell(_BYTES)),
    ("is_fixed_size_binary", SqlCell(_BYTES)),
)
"""How cells are told, by what Arrow asks of their type."""


def _pandas(
    source: Source, frame: Any, wanted: list[str], places: list[int]
) -> tuple[list[SqlCell], Iterator[Any]]:
    """How the cells of a pandas frame are told, and the frame in parts."""
    columns = [frame.iloc[:, place] for place in places]
    how = []
    for name, column in zip(wanted, columns, strict=True):
        cell = _pandas_cell(column.dtype)
        if cell is None:
            raise unreadable(source, name, str(column.dtype))
        how.append(cell)

    by_arrow = any(isinstance(column.dtype, sys.modules["pandas"].ArrowDtype) for column in columns)

    def parts() -> Iterator[Any]:
        for start in range(0, len(frame), _CHUNK):
            part = slice(start, start + _CHUNK)
            values = {
                f"c{place}": _values(column.iloc[part]) for place, column in enumerate(columns)
            }
            yield sys.modules["pyarrow"].table(values) if by_arrow else values

    return how, parts()


def _pandas_cell(dtype: Any) -> SqlCell | None:
    """The same for a type of pandas; cells that are objects are told one by one, in Python."""
    pandas = sys.modules["pandas"]
    if isinstance(dtype, np.dtype):
        if dtype.kind == "M":
            return _TIMES[np.datetime_data(dtype)[0]]
        if dtype.kind == "f":
            return _NARROW if dtype.itemsize == _FOUR else _DOUBLE
        return {"b": _TRUTH, "i": _WHOLE, "u": _WHOLE, "O": _AS_TEXT}.get(dtype.kind)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return _TIMES[dtype.unit]
    if isinstance(dtype, pandas.ArrowDtype):
        return _arrow_cell(dtype.pyarrow_dtype)
    odd = (pandas.PeriodDtype, pandas.IntervalDtype)
    return _AS_TEXT if dtype.kind in "biufO" and not isinstance(dtype, odd) else None


def _values(column: Any) -> Any:
    """A part of a column as an array: numbers and truth values, times as counts, or texts."""
    dtype, kind = column.dtype, column.dtype.kind
    if isinstance(dtype, sys.modules["pandas"].ArrowDtype):
        array = sys.modules["pyarrow"].array(column.array)
        return _plainly_typed(getattr(array, "combine_chunks", lambda: array)())
    if kind == "M":
        return np.array(column.array.asi8)
    if isinstance(dtype, np.dtype) and kind != "O":
        odd = kind == "f" and dtype.itemsize not in (4, 8)
        with np.errstate(all="ignore"):
            return np.array(column.to_numpy(), dtype=np.float64 if odd else dtype.newbyteorder("="))
    return np.array([text_of(cell) for cell in column.tolist()], dtype=object)


def text_of(cell: object) -> str:
    """A cell as text, whatever it is; what is nothing is the empty text.

    >>> text_of(3.0), text_of(True), text_of(None), text_of([1])
    ('3', 'true', '', '\\ufffd')
    """
    try:
        return _text(cell)
    except Exception:  # such as a moment that has no text, or a class that somebody made
        return UNREADABLE


def _text(cell: object) -> str:
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or type(cell).__name__ == "NAType":
        return ""
    if isinstance(cell, str):
        short = len(cell) <= LONGEST
        return cell.encode("utf-8", "replace").decode() if short else UNREADABLE
    if isinstance(cell, int):
        return _whole(cell)
    if isinstance(cell, bytes):
        return cell.decode() if len(cell) <= LONGEST else UNREADABLE
    if isinstance(cell, float | Decimal | date):
        return _measured(cell) if cell == cell else ""  # noqa: PLR0124 (NaN and NaT are not)
    return UNREADABLE


def _whole(cell: int) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    beyond = "inf" if cell > 0 else "-inf"
    return str(cell) if cell.bit_length() <= _MOST_BITS else beyond


def _measured(cell: float | Decimal | date) -> str:
    if isinstance(cell, datetime):
        return str(cell.astimezone(UTC).replace(tzinfo=None) if cell.tzinfo else cell)
    if isinstance(cell, float | Decimal) and -_EXACT <= cell <= _EXACT and cell == int(cell):
        return str(int(cell))
    return str(cell).replace("e+", "e").lower()
