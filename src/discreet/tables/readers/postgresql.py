"""Copying a table or a view of PostgreSQL: one SELECT, so one snapshot, streamed in columns.

Cells leave the server as whole numbers, doubles, truth values or texts, by total functions of the
cell: no setting of a session and no odd date can make one of them fail. A type of which that cannot
be said is refused for being that type, which is public. What the driver says of a failure may quote
a cell, so messages are our own.
"""

import hmac
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from discreet.connection import POSTGRESQL, driver_of_postgresql
from discreet.errors import DatasetError, MissingExtra
from discreet.exact import show
from discreet.tables.cleaning.forms import FAR_DAYS, Kind, SqlCell
from discreet.tables.readers.reader import (
    LONGEST,
    UNREADABLE,
    Reader,
    Take,
    check_types,
    held,
    name_sql,
    no_column,
)
from discreet.tables.readers.typed_cells import moment_sql
from discreet.tables.source import Source

_PURPOSE = "discreet rows"
_DAY = (
    f"CASE WHEN isfinite({{0}}) THEN CAST({{0}} - DATE '1970-01-01' AS bigint) "
    f"WHEN {{0}} > DATE '1970-01-01' THEN {FAR_DAYS} WHEN {{0}} < DATE '1970-01-01' "
    f"THEN {-FAR_DAYS} END"
)
_MOMENT = (
    f"CASE WHEN {{0}} < '0001-01-01' THEN {-(2**62)} WHEN {{0}} >= '10000-01-01' THEN {2**62} "
    "ELSE CAST(FLOOR(EXTRACT(EPOCH FROM {0}) * 1000000) AS bigint) END"
)
BARE = 'CAST({0} AS text) COLLATE "C"'
"""A cell as text, however long."""
_TEXT = (
    f"CASE WHEN octet_length(CAST({{0}} AS text)) > {LONGEST} THEN '{UNREADABLE}' ELSE {BARE} END"
)
_WHOLE = (Kind.WHOLE, "CAST({0} AS bigint)")
BY_ENGINE = ("numeric", "float4")
"""Types of numbers that go by texts, which the server writes."""
_KINDS: dict[str, tuple[Kind, str]] = {
    **dict.fromkeys(("int2", "int4", "int8"), _WHOLE),
    "float8": (Kind.DOUBLE, "{0}"),
    "bool": (Kind.TRUTH, "{0}"),
    "date": (Kind.DAY, _DAY),
    **dict.fromkeys(("timestamp", "timestamptz"), (Kind.MOMENT, _MOMENT)),
    **dict.fromkeys(
        ("text", "varchar", "bpchar", "name", "uuid", "citext", *BY_ENGINE), (Kind.TEXT, _TEXT)
    ),
}
"""What cells are by the names of their types, and how they leave the server."""
SETTINGS = (
    "SET application_name = 'discreet rows'",
    "SET default_transaction_read_only = on",
    "SET search_path = ''",
    "SET client_encoding = 'UTF8'",
    "SET extra_float_digits = 1",
    "SET timezone = 'UTC'",
    "SET row_security = off",
    "SET standard_conforming_strings = on",
    "SET jit = off",
)
"""What a session is told first; a policy that hides rows from the role is then an error."""
_TOO_LONG = "57014"
_WHYS = {
    _TOO_LONG: "the SELECT took longer than its time limit",
    "42501": "the role may not read it, or a policy hides rows from it; GRANT SELECT on a view",
    "42P01": "it is no longer there",
    "42703": "its columns changed; open the dataset again",
    "42804": "its columns changed; open the dataset again",
    "25006": "the view writes to the database, and a question may only read",
}
"""What is said of failures, by their codes."""


def _names(source: Source) -> list[str]:
    return list(types_of(source))


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    types, cells, columns = types_of(source), [], []
    check_types(source, types)
    for place, name in enumerate(wanted):
        if name not in types:
            raise no_column(source, name, list(types))
        kind, how = kind_of(source, name, types[name])
        columns.append(f"{how.format(name_sql(name))} AS c{place}")
        cells.append(_handed_over(kind, f"c{place}", by_engine=types[name] in BY_ENGINE))
    lot = f" WHERE random() < {source.share}" if source.share < 1 else ""
    select = f"SELECT {', '.join(columns)} FROM {table_sql(source)}{lot}"
    with _stream(source, select) as rows, held(connection, rows) as origin:
        take(cells, origin)


def kind_of(source: Source, name: str, shown: str) -> tuple[Kind, str]:
    """What cells of a type are, and how they leave the server."""
    known = _KINDS.get(shown.removeprefix("enum "))
    if shown.startswith("enum "):
        return _KINDS["text"]
    if known is None:
        raise DatasetError(
            f"column {show(name)} of {source.called} is of type {shown}, which is not supported; "
            "select it in a view as text, as a number, or as a timestamp"
        )
    return known


def _handed_over(kind: Kind, name: str, *, by_engine: bool) -> SqlCell:
    """A cell as it arrives: its own kind, and a text for columns that want one."""
    text = f"CAST({name} AS VARCHAR)"
    if kind is Kind.DAY:
        return SqlCell(f"CAST(DATE '1970-01-01' + CAST({name} AS INTEGER) AS VARCHAR)", kind, name)
    if kind is Kind.MOMENT:
        return SqlCell(moment_sql(name, "us"), kind, name)
    return SqlCell(text, by_engine=by_engine) if kind is Kind.TEXT else SqlCell(text, kind, name)


def table_sql(source: Source) -> str:
    """The name of a table, with its schema."""
    schema, _, table = (source.table or "").rpartition(".")
    return f"{name_sql(schema or 'public')}.{name_sql(table)}"


def types_of(source: Source) -> dict[str, str]:
    """The columns of a table and the names of their types."""
    assert source.connection is not None
    with source.connection.open(_PURPOSE) as opened:
        return types_in(source, opened)


def row_count(source: Source) -> int:
    """How many rows a table has: for the custodian, who may know."""
    assert source.connection is not None
    driver = driver_of_postgresql()
    try:
        with source.connection.open(_PURPOSE) as opened:
            for setting in (*SETTINGS, limit_sql(source)):
                opened.execute(setting)
            types_in(source, opened)
            return int(opened.execute(f"SELECT count(*) FROM {table_sql(source)}").fetchone()[0])
    except driver.Error as problem:
        raise failed(source, problem.sqlstate) from None


POSTGRES = Reader(_names, _load, types=types_of)


def types_in(source: Source, opened: Any) -> dict[str, str]:
    """The same over a connection that is open; what a domain is made of, for one."""
    encoding = opened.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatasetError(
            f"the database of {source.called} keeps its texts in {encoding}, which cannot always "
            "be read; use a database in UTF8"
        )
    columns = _looked_up(
        opened,
        source,
        "SELECT a.attname, CASE WHEN base.typtype = 'e' THEN 'enum ' ELSE '' END "
        "|| base.typname FROM pg_catalog.pg_attribute a "
        "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
        "JOIN pg_catalog.pg_type base "
        "ON base.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END "
        "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped "
        "ORDER BY a.attnum",
    )
    if not columns:
        raise DatasetError(
            f"PostgreSQL at {source.connection} has no table or view {show(source.table)} that "
            'this role can see; write it with its schema, such as table = "research.stays"'
        )
    return {str(name): str(shown) for name, shown in columns}


def _looked_up(opened: Any, source: Source, select: str) -> list[tuple[Any, ...]]:
    """What the catalogue says of a table; a schema that is closed to the role is an error there."""
    try:
        rows: list[tuple[Any, ...]] = opened.execute(select, (table_sql(source),)).fetchall()
    except driver_of_postgresql().Error:
        schema = table_sql(source).rpartition(".")[0]
        raise DatasetError(
            f"{source.called} cannot be read: the role needs GRANT USAGE ON SCHEMA {schema}, and "
            "GRANT SELECT on the table or view"
        ) from None
    return rows


@contextmanager
def _stream(source: Source, select: str) -> Iterator[Any]:
    """The rows of a SELECT as a stream of Arrow, which can be read once."""
    try:
        from adbc_driver_manager import AdbcConnection, AdbcDatabase, AdbcStatement  # noqa: PLC0415
        from adbc_driver_manager import Error as DriverError  # noqa: PLC0415
        from adbc_driver_postgresql import _driver_path  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("what copies rows from PostgreSQL", POSTGRESQL) from None
    assert source.connection is not None
    opened: list[Any] = []
    started = time.monotonic()
    try:
        address = source.connection.address()
        opened.append(AdbcDatabase(driver=_driver_path(), uri=address))
        opened.append(AdbcConnection(opened[-1]))
        for setting in (*SETTINGS, limit_sql(source)):
            _run(AdbcStatement(opened[1]), setting)
        statement = AdbcStatement(opened[1])
        opened.append(statement)
        statement.set_sql_query(select)
        rows, _ = statement.execute_query()
        yield rows
    except DriverError as problem:
        raise failed(source, getattr(problem, "sqlstate", None)) from None
    except duckdb.Error:  # the rest of the stream did not come: no code is told
        late = time.monotonic() - started >= source.time_limit
        raise failed(source, _TOO_LONG if late else None) from None
    finally:
        for one in reversed(opened):
            one.close()


def limit_sql(source: Source) -> str:
    """What ends a SELECT that takes too long."""
    return f"SET statement_timeout = '{source.time_limit}s'"


def _run(statement: Any, text: str) -> None:
    try:
        statement.set_sql_query(text)
        statement.execute_update()
    finally:
        statement.close()


def failed(source: Source, code: str | None) -> DatasetError:
    """What to say of a SELECT that failed, by its code: what the server says may quote a cell."""
    why = _WHYS.get(code or "", "the connection or the SELECT failed; see the server's own log")
    if code == _TOO_LONG:
        why = f"{why} of {source.time_limit} s; time_limit in [source] sets it"
    done = "ask" if source.asked else "copy"
    said = f"{source.called} {'of' if source.asked else 'from'} PostgreSQL at {source.connection}"
    return DatasetError(f"cannot {done} {said}: {why}")
