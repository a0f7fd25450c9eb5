"""Reading a source's cells as text: every record becomes one row, whatever it holds.

Text files are read by Python's own reader, not the engine's: the engine leaves out a record that is
too long or not UTF-8, and then one person's record would decide how many rows there are.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import duckdb
import numpy as np

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.facts import Source

RAW = "raw"
_CHUNK = 100_000
_DELIMITERS = {"csv": ",", "tsv": "\t"}


def cannot_read(source: Source) -> DatasetError:
    """What to say when a source is not what the dataset file says."""
    return DatasetError(
        f"cannot read {show(source.path.name)} as {source.kind}; check the path, the kind and "
        "that it has every declared column"
    )


def column_names(source: Source) -> list[str]:
    """The columns of a source, in its own order: a public fact."""
    if not source.path.is_file():
        raise DatasetError(f"there is no file {show(str(source.path))}")
    if source.kind in _DELIMITERS:
        with _open_text(source.path) as lines:
            return _header(source, lines)
    try:
        if source.kind == "sqlite":
            return _sqlite_names(source)
        with duckdb.connect(":memory:") as connection:
            origin = _origin(connection, source)
            found = connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()
    except (duckdb.Error, apsw.Error):
        raise cannot_read(source) from None
    return [str(row[0]) for row in found]


def load(connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str]) -> None:
    """CREATE TABLE raw with the wanted columns as text."""
    _check_columns(source, wanted)
    try:
        if source.kind in _DELIMITERS:
            _insert(connection, wanted, _text_rows(source, wanted))
        elif source.kind == "sqlite":
            _insert(connection, wanted, _sqlite_rows(source, wanted))
        else:
            names = ", ".join(f"CAST({_name(name)} AS VARCHAR) AS {_name(name)}" for name in wanted)
            origin = _origin(connection, source)
            connection.execute(f"CREATE TABLE {RAW} AS SELECT {names} FROM {origin}")
            if source.kind == "duckdb":
                connection.execute("DETACH held")
    except (duckdb.Error, apsw.Error):
        raise cannot_read(source) from None


def _check_columns(source: Source, wanted: list[str]) -> None:
    known = column_names(source)
    for name in wanted:
        if name not in known:
            listed = ", ".join(known[:20])
            raise DatasetError(
                f"{show(source.path.name)} has no column {show(name)}; it has {show(listed)}"
            )


def _origin(connection: duckdb.DuckDBPyConnection, source: Source) -> str:
    place = "'" + str(source.path).replace("'", "''") + "'"
    if source.kind == "parquet":
        return f"read_parquet({place})"
    connection.execute(f"ATTACH {place} AS held (READ_ONLY)")
    return f"held.{_name(source.table or '')}"


def _insert(
    connection: duckdb.DuckDBPyConnection, wanted: list[str], rows: Iterator[tuple[Any, ...]]
) -> None:
    declared = ", ".join(f"{_name(name)} VARCHAR" for name in wanted)
    connection.execute(f"CREATE TABLE {RAW} ({declared})")
    while chunk := list(islice(rows, _CHUNK)):
        cells = {
            f"c{place}": np.array(column, dtype=object)
            for place, column in enumerate(zip(*chunk, strict=True))
        }
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in cells)
        connection.execute(f"INSERT INTO {RAW} SELECT {texts} FROM cells")


def _open_text(path: Path) -> Any:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def _header(source: Source, lines: Any) -> list[str]:
    try:
        names = next(csv.reader(lines, delimiter=_DELIMITERS[source.kind]), [])
    except csv.Error:
        names = []
    if not names or len({name.lower() for name in names}) != len(names) or not all(names):
        raise DatasetError(
            f"the first line of {show(source.path.name)} must name its columns, each once"
        )
    return names


def _text_rows(source: Source, wanted: list[str]) -> Iterator[tuple[str | None, ...]]:
    with _open_text(source.path) as lines:
        header = _header(source, lines)
        places = [header.index(name) for name in wanted]
        for row in csv.reader(lines, delimiter=_DELIMITERS[source.kind]):
            if row or len(header) == 1:
                yield tuple(row[place] if place < len(row) else None for place in places)


def _sqlite_names(source: Source) -> list[str]:
    held = apsw.Connection(str(source.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = held.execute("SELECT name FROM pragma_table_info(?)", (source.table,)).fetchall()
    finally:
        held.close()
    if not found:
        raise DatasetError(f"{show(source.path.name)} has no table {show(source.table)}")
    return [str(row[0]) for row in found]


def _sqlite_rows(source: Source, wanted: list[str]) -> Iterator[tuple[str | None, ...]]:
    names = ", ".join(f"CAST({_name(name)} AS BLOB)" for name in wanted)
    held = apsw.Connection(str(source.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        for row in held.execute(f"SELECT {names} FROM {_name(source.table or '')}"):
            yield tuple(
                cell.decode("utf-8", "replace") if isinstance(cell, bytes) else None for cell in row
            )
    finally:
        held.close()


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
