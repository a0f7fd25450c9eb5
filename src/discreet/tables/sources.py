"""Reading a source's cells as text: every record becomes one row, whatever it holds.

Text files are read by Python's own reader, not the engine's: the engine leaves out a record that is
too long or not UTF-8, and then one person's record would decide how many rows there are.
"""

import csv
import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from itertools import chain, islice
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
_SEPARATORS = {"csv": ",;\t", "tsv": "\t"}
_DATABASES = {"sqlite": ("SQLite", 0, b"SQLite format 3\0"), "duckdb": ("DuckDB", 8, b"DUCK")}
"""What database files are called, and how they begin."""
_MOST_LISTED = 20


def cannot_read(source: Source) -> DatasetError:
    """What to say when a source is not what the dataset file says."""
    return DatasetError(
        f"cannot read {show(source.path.name)} as {source.kind}; check the path, the kind and "
        "that it has every declared column"
    )


def column_names(source: Source) -> list[str]:
    """The columns of a source, in its own order: a public fact."""
    _check_file(source)
    if source.kind in _SEPARATORS:
        with _open_text(source.path) as lines:
            return _header(source, _records(source, lines))
    if source.kind in _DATABASES:
        _check_table(source)
    try:
        if source.kind == "sqlite":
            return _sqlite_names(source)
        with duckdb.connect(":memory:") as connection:
            origin = _origin(connection, source)
            found = connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()
    except (duckdb.Error, apsw.Error):
        raise cannot_read(source) from None
    return [str(row[0]) for row in found]


def only_table(source: Source) -> str:
    """The table of a database file that holds just one; otherwise a DatasetError lists them."""
    _check_file(source)
    names = _table_names(source)
    if len(names) == 1:
        return names[0]
    told = f"say which with --table: {_listed(names)}" if names else "there is nothing to draft"
    raise DatasetError(f"{show(source.path.name)} holds {len(names) or 'no'} tables; {told}")


def _check_file(source: Source) -> None:
    if not source.path.is_file():
        raise DatasetError(f"there is no file {show(str(source.path))}")
    if source.kind in _DATABASES:
        called, offset, mark = _DATABASES[source.kind]
        with source.path.open("rb") as content:
            start = content.read(offset + len(mark))
        if start and start[offset:] != mark:
            raise DatasetError(f"{show(source.path.name)} is not a {called} file")


def _check_table(source: Source) -> None:
    names = _table_names(source)
    if (source.table or "").lower() not in {name.lower() for name in names}:
        there = f"it has {_listed(names)}" if names else "it has none"
        raise DatasetError(f"{show(source.path.name)} has no table {show(source.table)}; {there}")


def _table_names(source: Source) -> list[str]:
    try:
        if source.kind == "sqlite":
            return _sqlite_tables(source)
        with duckdb.connect(":memory:") as connection:
            _attach(connection, source)
            found = connection.execute(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_catalog = 'held' AND table_schema = 'main' ORDER BY table_name"
            ).fetchall()
    except (duckdb.Error, apsw.Error):
        raise cannot_read(source) from None
    return [str(row[0]) for row in found]


def _listed(names: list[str]) -> str:
    more = ", …" if len(names) > _MOST_LISTED else ""
    return ", ".join(show(name) for name in names[:_MOST_LISTED]) + more


def load(connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str]) -> None:
    """CREATE TABLE raw with the wanted columns as text."""
    _check_columns(source, wanted)
    try:
        if source.kind in _SEPARATORS:
            _insert(connection, wanted, _text_rows(source, wanted))
        elif source.kind == "sqlite":
            _insert(connection, wanted, _sqlite_rows(source, wanted))
        elif source.kind == "parquet":
            connection.execute(f"CREATE TABLE {RAW} AS {_parquet_cells(source, wanted)}")
        else:
            names = ", ".join(f"CAST({_name(name)} AS VARCHAR) AS {_name(name)}" for name in wanted)
            origin = _origin(connection, source)
            connection.execute(f"CREATE TABLE {RAW} AS SELECT {names} FROM {origin}")
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
    if source.kind == "parquet":
        return f"read_parquet({_place(source)})"
    _attach(connection, source)
    return f"held.{_name(source.table or '')}"


def _attach(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    connection.execute(f"ATTACH {_place(source)} AS held (READ_ONLY)")


def _parquet_cells(source: Source, wanted: list[str]) -> str:
    """SELECT the cells as text; one that is not UTF-8 becomes U+FFFD, as elsewhere.

    The engine can mark bytes that it cannot read or leave them out: where there are none, both
    readings agree.
    """
    marked, bare = (
        f"read_parquet({_place(source)}, utf8_validation='{how}')" for how in ("replace", "ignore")
    )
    cells = ", ".join(
        f"CASE WHEN marked.{name}::VARCHAR IS NOT DISTINCT FROM bare.{name}::VARCHAR "
        f"THEN marked.{name}::VARCHAR ELSE '\ufffd' END AS {name}"
        for name in map(_name, wanted)
    )
    return f"SELECT {cells} FROM {marked} AS marked POSITIONAL JOIN {bare} AS bare"


def _place(source: Source) -> str:
    return "'" + str(source.path).replace("'", "''") + "'"


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


def check_encoding(source: Source) -> None:
    """Refuse a text file that is not UTF-8: for the custodian, because this looks at every row."""
    if source.kind not in _SEPARATORS or not source.path.is_file():
        return
    with source.path.open("rb") as content:
        wide = content.read(2) in {BOM_UTF16_BE, BOM_UTF16_LE}
    try:
        with source.path.open(encoding="utf-8", newline="") as text:
            first = text.read(_CHUNK)
            while text.read(_CHUNK):
                pass
    except UnicodeDecodeError:
        found = "is UTF-16" if wide else "is not UTF-8"
    else:
        if "\0" not in first.partition("\n")[0]:
            return
        found = "is not plain text"
    raise DatasetError(f"{show(source.path.name)} {found}; save it as UTF-8")


def separator(header: str, candidates: str = ",;\t") -> str:
    """What splits a header line into most columns; what stands in quotes does not count.

    The header is public and decides alone: no row has a say in how the others are read.

    >>> separator('ward;"age, in years";weight')
    ';'
    """
    bare = re.sub('"[^"]*"?', "", header)
    if not any(mark in bare for mark in candidates):
        bare = header
    return max(candidates, key=bare.count)


def _records(source: Source, lines: Any) -> Iterator[list[str]]:
    first = lines.readline()
    return csv.reader(chain([first], lines), delimiter=separator(first, _SEPARATORS[source.kind]))


def _header(source: Source, records: Iterator[list[str]]) -> list[str]:
    try:
        names = next(records, [])
    except csv.Error:
        names = []
    problem = "" if names else "it is empty"
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name.strip():
            problem = problem or f"column {place} of {len(names)} has no name"
        elif name.lower() in seen:
            problem = problem or f"{show(name)} is there twice"
        seen.add(name.lower())
    if problem:
        raise DatasetError(
            f"the first line of {show(source.path.name)} must name its columns, each once: "
            f"{problem}"
        )
    return names


def _text_rows(source: Source, wanted: list[str]) -> Iterator[tuple[str | None, ...]]:
    with _open_text(source.path) as lines:
        records = _records(source, lines)
        header = _header(source, records)
        places = [header.index(name) for name in wanted]
        for row in records:
            if row or len(header) == 1:
                yield tuple(row[place] if place < len(row) else None for place in places)


def _sqlite_names(source: Source) -> list[str]:
    held = apsw.Connection(str(source.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = held.execute("SELECT name FROM pragma_table_info(?)", (source.table,)).fetchall()
    finally:
        held.close()
    return [str(row[0]) for row in found]


def _sqlite_tables(source: Source) -> list[str]:
    held = apsw.Connection(str(source.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = held.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
        ).fetchall()
    finally:
        held.close()
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
