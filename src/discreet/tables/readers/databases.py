"""Reading a table of an SQLite or a DuckDB file."""

import hmac
from collections.abc import Iterator
from contextlib import closing

import apsw
import duckdb

from discreet.errors import DatasetError
from discreet.tables.readers.reader import (
    LONGEST,
    Reader,
    Take,
    check_types,
    described,
    hand_over,
    name_sql,
    no_column,
    rows_of,
    text_sql,
)
from discreet.tables.readers.typed_cells import cell_of, is_readable, unreadable
from discreet.tables.source import Source

_MAGIC = {"sqlite": ("SQLite", 0, b"SQLite format 3\0"), "duckdb": ("DuckDB", 8, b"DUCK")}
"""What database files are called, and how they begin."""
_ENCODINGS = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
"""What SQLite calls the encodings of its text."""


def check_magic(source: Source) -> None:
    """Refuse a file that does not begin as such a database does."""
    called, offset, mark = _MAGIC[source.kind]
    with source.path.open("rb") as content:
        start = content.read(offset + len(mark))
    if start and start[offset:] != mark:
        raise DatasetError(f"{source.called} is not a {called} file")


def _sqlite_names(source: Source) -> list[str]:
    with closing(_sqlite(source)) as held:
        rows = held.execute("SELECT name FROM pragma_table_info(?)", (source.table,)).fetchall()
    return [str(row[0]) for row in rows]


def _sqlite_tables(source: Source) -> list[str]:
    check_magic(source)
    with closing(_sqlite(source)) as held:
        rows = held.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
        ).fetchall()
    return [str(row[0]) for row in rows]


def _sqlite_load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    known = _sqlite_names(source)
    for name in wanted:
        if name not in known:
            raise no_column(source, name, known)
    hand_over(connection, _sqlite_rows(source, wanted), take)


def _sqlite_rows(source: Source, wanted: list[str]) -> Iterator[tuple[str, ...]]:
    """Cells as the text that SQLite makes of them, in the encoding of the file.

    A cell that is empty, NULL or longer than a line may be is the empty text: a column of gaps
    must not look like one of numbers to the engine.
    """
    cells = ", ".join(
        f"iif(octet_length({name}) > {LONGEST}, NULL, CAST(CAST({name} AS TEXT) AS BLOB))"
        for name in map(name_sql, wanted)
    )
    with closing(_sqlite(source)) as held:
        encoding = _ENCODINGS[str(held.pragma("encoding"))]
        for row in held.execute(f"SELECT {cells} FROM {name_sql(source.table or '')}"):
            yield tuple(
                cell.decode(encoding, "replace") if isinstance(cell, bytes) else "" for cell in row
            )


def _sqlite(source: Source) -> apsw.Connection:
    return apsw.Connection(str(source.path.absolute()), flags=apsw.SQLITE_OPEN_READONLY)


def _duckdb_names(source: Source) -> list[str]:
    return list(_duckdb_types(source))


def _duckdb_types(source: Source) -> dict[str, str]:
    with duckdb.connect(":memory:") as connection:
        _attach(connection, source)
        return dict(described(connection, _held(source)))


def _duckdb_tables(source: Source) -> list[str]:
    check_magic(source)
    with duckdb.connect(":memory:") as connection:
        _attach(connection, source)
        rows = rows_of(
            connection,
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_catalog = 'held' AND table_schema = 'main' ORDER BY table_name",
        )
    return [str(row[0]) for row in rows]


def _duckdb_load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    _attach(connection, source)
    types = dict(described(connection, _held(source)))
    check_types(source, types)
    for name in wanted:
        if name not in types:
            raise no_column(source, name, list(types))
        if not is_readable(types[name]):
            raise unreadable(source, name, types[name])
    take([cell_of(name_sql(name), types[name]) for name in wanted], _held(source))
    connection.execute("DETACH held")


def _held(source: Source) -> str:
    return f"held.{name_sql(source.table or '')}"


def _attach(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    connection.execute(f"ATTACH {text_sql(str(source.path.absolute()))} AS held (READ_ONLY)")


SQLITE = Reader(_sqlite_names, _sqlite_load, _sqlite_tables)
DUCKDB = Reader(_duckdb_names, _duckdb_load, _duckdb_tables, _duckdb_types)
