"""Reading a source's cells as text: every record becomes one row, whatever it holds.

What a record is in each kind of source, and why one moves one row, is proved in
docs/proofs/one-record-one-row.md.
"""

import hmac
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import duckdb
import numpy as np

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables import text_files
from discreet.tables.dialect import DIALECTS
from discreet.tables.facts import Source

RAW = "raw"
_CHUNK = 100_000
_MAGIC = {"sqlite": ("SQLite", 0, b"SQLite format 3\0"), "duckdb": ("DuckDB", 8, b"DUCK")}
"""What database files are called, and how they begin."""
_ENCODINGS = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
"""What SQLite calls the encodings of its text."""
_MOST_LISTED = 20
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_READABLE = {
    "BOOLEAN", *_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "VARCHAR", "BLOB",
    "UUID", "DATE", "DECIMAL", "ENUM", "HUGEINT", "UHUGEINT",
}  # fmt: skip
"""Types of which every cell can be read as text; a time out of range, or broken JSON, cannot."""
_WIDEST_DECIMAL = 18
"""Wider ones are kept in sixteen bytes, not all of which are numbers of so many digits."""


def cannot_read(source: Source) -> DatasetError:
    """What to say when a source is not what the dataset file says."""
    return DatasetError(
        f"cannot read {show(source.path.name)} as {source.kind}; check the path, the kind and "
        "that it has every declared column"
    )


def column_names(source: Source) -> list[str]:
    """The columns of a source, in its own order: a public fact."""
    _check_file(source)
    if source.is_database:
        _check_table(source)
    try:
        if source.kind == "sqlite":
            return _sqlite_names(source)
        with duckdb.connect(":memory:") as connection:
            if source.kind in DIALECTS:
                return text_files.header(connection, source)
            if source.kind == "parquet":
                with _plainly_named(source) as path:
                    return [name for name, _ in _described(connection, _parquet(path))]
            _attach(connection, source)
            return [name for name, _ in _described(connection, _held(source))]
    except (duckdb.Error, apsw.Error, OSError):
        raise cannot_read(source) from None


def _described(connection: duckdb.DuckDBPyConnection, origin: str) -> list[tuple[str, str]]:
    """The columns and their types."""
    found = connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()
    return [(str(row[0]), str(row[1])) for row in found]


def _parquet(path: str, how: str = "replace") -> str:
    return f"read_parquet({path}, hive_partitioning=false, utf8_validation='{how}')"


def only_table(source: Source) -> str:
    """The table of a database file that holds just one; otherwise a DatasetError lists them."""
    _check_file(source)
    names = _table_names(source)
    if len(names) == 1:
        return names[0]
    told = f"say which table: {_listed(names)}" if names else "there is nothing to draft"
    raise DatasetError(f"{show(source.path.name)} holds {len(names) or 'no'} tables; {told}")


def _check_file(source: Source) -> None:
    if not source.path.is_file():
        raise DatasetError(f"there is no file {show(str(source.path))}")
    if source.is_database:
        called, offset, mark = _MAGIC[source.kind]
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


def load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None = None,
) -> None:
    """CREATE TABLE raw with the wanted columns as text; `seal` is fed the bytes of a text file."""
    if source.kind in DIALECTS:
        _check_file(source)
    else:
        _check_columns(source, wanted)
    declared = ", ".join(f"{_name(name)} VARCHAR" for name in wanted)
    connection.execute(f"CREATE TABLE {RAW} ({declared})")
    try:
        if source.kind in DIALECTS:
            text_files.load(connection, source, wanted, RAW, seal)
        elif source.kind == "sqlite":
            _insert(connection, _sqlite_rows(source, wanted))
        elif source.kind == "parquet":
            with _plainly_named(source) as path:
                _check_types(connection, source, path, wanted)
                connection.execute(f"INSERT INTO {RAW} {_parquet_cells(path, wanted)}")
        else:
            names = ", ".join(f"CAST({_name(name)} AS VARCHAR)" for name in wanted)
            _attach(connection, source)
            _check_held_types(connection, source, wanted)
            connection.execute(f"INSERT INTO {RAW} SELECT {names} FROM {_held(source)}")
            connection.execute("DETACH held")
    except (duckdb.Error, apsw.Error, OSError):
        raise cannot_read(source) from None


def _check_columns(source: Source, wanted: list[str]) -> None:
    known = column_names(source)
    for name in wanted:
        if name not in known:
            there = f"it has {_listed(known)}"
            raise DatasetError(f"{show(source.path.name)} has no column {show(name)}; {there}")


def _check_types(
    connection: duckdb.DuckDBPyConnection, source: Source, path: str, wanted: list[str]
) -> None:
    """Refuse columns of which one cell could make all unreadable: types are public."""
    # Decimals of any length may be longer than what they are declared to be.
    unbounded = _of_any_length(connection, path)
    for name, shown in _described(connection, _parquet(path)):
        if name in wanted and (not _is_readable(shown) or (_digits(shown) and name in unbounded)):
            raise _unreadable(source, name, shown)


def _check_held_types(
    connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str]
) -> None:
    """The same for a table of a DuckDB file."""
    for name, shown in _described(connection, _held(source)):
        if name in wanted and not _is_readable(shown):
            raise _unreadable(source, name, shown)


def _is_readable(shown: str) -> bool:
    return shown.partition("(")[0] in _READABLE and _digits(shown) <= _WIDEST_DECIMAL


def _digits(shown: str) -> int:
    """How many digits a decimal has; 0 for other types."""
    found = re.match(r"DECIMAL\((\d+)", shown)
    return int(found[1]) if found else 0


def _unreadable(source: Source, name: str, shown: str) -> DatasetError:
    return DatasetError(
        f"column {show(name)} of {show(source.path.name)} is of type {shown}, and such a cell may "
        "be unreadable; store it as text or as a number"
    )


def _of_any_length(connection: duckdb.DuckDBPyConnection, path: str) -> set[str]:
    found = connection.execute(f"SELECT name FROM parquet_schema({path}) WHERE type = 'BYTE_ARRAY'")
    return {str(row[0]) for row in found.fetchall()}


def _held(source: Source) -> str:
    return f"held.{_name(source.table or '')}"


def _attach(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    connection.execute(f"ATTACH {_text(str(source.path.absolute()))} AS held (READ_ONLY)")


@contextmanager
def _plainly_named(source: Source) -> Iterator[str]:
    """A path to the file, as SQL, in which the engine finds no pattern, partition or address."""
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        link = Path(folder) / "rows.parquet"
        link.symlink_to(source.path.absolute())
        yield _text(str(link))


def _parquet_cells(path: str, wanted: list[str]) -> str:
    """SELECT the cells as text; one that is not UTF-8 becomes U+FFFD, as elsewhere.

    The engine can mark bytes that it cannot read or leave them out: where there are none, both
    readings agree.
    """
    marked, bare = _parquet(path, "replace"), _parquet(path, "ignore")
    cells = ", ".join(
        f"CASE WHEN marked.{name}::VARCHAR IS NOT DISTINCT FROM bare.{name}::VARCHAR "
        f"THEN marked.{name}::VARCHAR ELSE '{text_files.UNREADABLE}' END"
        for name in map(_name, wanted)
    )
    return f"SELECT {cells} FROM {marked} AS marked POSITIONAL JOIN {bare} AS bare"


def _insert(connection: duckdb.DuckDBPyConnection, rows: Iterator[tuple[Any, ...]]) -> None:
    while chunk := list(islice(rows, _CHUNK)):
        cells = {
            f"c{place}": np.array(column, dtype=object)
            for place, column in enumerate(zip(*chunk, strict=True))
        }
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in cells)
        connection.execute(f"INSERT INTO {RAW} SELECT {texts} FROM cells")


def _sqlite_names(source: Source) -> list[str]:
    held = apsw.Connection(str(source.path.absolute()), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = held.execute("SELECT name FROM pragma_table_info(?)", (source.table,)).fetchall()
    finally:
        held.close()
    return [str(row[0]) for row in found]


def _sqlite_tables(source: Source) -> list[str]:
    held = apsw.Connection(str(source.path.absolute()), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = held.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
        ).fetchall()
    finally:
        held.close()
    return [str(row[0]) for row in found]


def _sqlite_rows(source: Source, wanted: list[str]) -> Iterator[tuple[str, ...]]:
    """Cells as the text that SQLite makes of them, in the encoding of the file.

    A cell that is empty, NULL or longer than a line may be is the empty text: a column of gaps
    must not look like one of numbers to the engine.
    """
    most = text_files.LONGEST
    cells = ", ".join(
        f"iif(octet_length({name}) > {most}, NULL, CAST(CAST({name} AS TEXT) AS BLOB))"
        for name in map(_name, wanted)
    )
    held = apsw.Connection(str(source.path.absolute()), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        encoding = _ENCODINGS[str(held.pragma("encoding"))]
        for row in held.execute(f"SELECT {cells} FROM {_name(source.table or '')}"):
            yield tuple(
                cell.decode(encoding, "replace") if isinstance(cell, bytes) else "" for cell in row
            )
    finally:
        held.close()


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
