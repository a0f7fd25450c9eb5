"""Reading Parquet files: the cells of columns whose types no cell can spoil."""

import hmac
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import duckdb

from discreet.errors import DatasetError
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.readers.reader import (
    RAW,
    UNREADABLE,
    Reader,
    Take,
    check_types,
    described,
    name_sql,
    no_column,
    rows_of,
    text_sql,
)
from discreet.tables.readers.typed_cells import cell_of, digits, is_readable, unreadable
from discreet.tables.source import Source


def _names(source: Source) -> list[str]:
    return list(_types(source))


def _types(source: Source) -> dict[str, str]:
    with duckdb.connect(":memory:") as connection, _plainly_named(source) as path:
        return dict(described(connection, _parquet(path)))


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    """As they are, for nearly all files are; with marks where a cell is no UTF-8 all the same."""
    with _plainly_named(source) as path:
        types = _checked_types(connection, source, path, wanted)
        plain = [cell_of(name_sql(name), types[name]) for name in wanted]
        try:
            take(plain, _parquet(path, "strict"))
        except duckdb.InvalidInputException:
            take(*_marked(path, wanted, types))


PARQUET = Reader(_names, _load, types=_types)


def part_of_parquet(
    connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str], most: int
) -> int:
    """Insert about so many rows, in runs from places taken by lot; how many there are in all.

    What lies between is not read: for the custodian's drafts.
    """
    with _plainly_named(source) as path:
        types = _checked_types(connection, source, path, wanted)
        many = rows_of(connection, f"SELECT sum(num_rows) FROM parquet_file_metadata({path})")
        rows, lot = int(many[0][0] or 0), Random(1)
        starts = sorted(lot.randrange(max(1, rows - _RUN)) for _ in range(max(1, most // _RUN)))
        runs = " OR ".join(f"file_row_number BETWEEN {at} AND {at + _RUN - 1}" for at in starts)
        cells, origin = _marked(path, wanted, types, runs)
        texts = ", ".join(cell.text for cell in cells)
        connection.execute(f"INSERT INTO {RAW} SELECT {texts} FROM {origin}")
    return rows


_MAGIC = (b"PAR1", b"PARE")
"""The first and the last bytes, of a plain and of an encrypted one."""
_RUN = 5_000
"""How many rows that follow one another are read of a part."""
_ROOMY = (
    "type = 'FIXED_LEN_BYTE_ARRAY' AND CAST(type_length AS BIGINT) > "
    "CASE WHEN precision <= 4 THEN 2 WHEN precision <= 9 THEN 4 ELSE 8 END"
)
"""Decimals in more bytes than the engine keeps of their digits: it stops at one that needs them."""


def _parquet(path: str, how: str = "replace", runs: str = "") -> str:
    options = f"hive_partitioning=false, utf8_validation='{how}'"
    if not runs:
        return f"read_parquet({path}, {options})"
    return f"(FROM read_parquet({path}, {options}, file_row_number=true) WHERE {runs})"


def _checked_types(
    connection: duckdb.DuckDBPyConnection, source: Source, path: str, wanted: list[str]
) -> dict[str, str]:
    """The types of the columns, none being one of which a cell could make all unreadable.

    Types are public. Decimals in more bytes than their digits need may be longer than what they are
    declared to be, and milliseconds too many to be told in microseconds.
    """
    types = dict(described(connection, _parquet(path)))
    check_types(source, types)
    unbounded = _stored_as(connection, path, f"type = 'BYTE_ARRAY' OR {_ROOMY}")
    coarse = _stored_as(connection, path, "converted_type = 'TIMESTAMP_MILLIS'")
    coarse |= _stored_as(connection, path, "type = 'INT96'")
    for name in wanted:
        if name not in types:
            raise no_column(source, name, list(types))
        shown = types[name]
        if not is_readable(shown) or (digits(shown) and name in unbounded):
            raise unreadable(source, name, shown)
        if name in coarse:
            raise unreadable(source, name, f"{shown} not in microseconds")
    return types


def _stored_as(connection: duckdb.DuckDBPyConnection, path: str, how: str) -> set[str]:
    rows = rows_of(connection, f"SELECT name FROM parquet_schema({path}) WHERE {how}")
    return {str(row[0]) for row in rows}


@contextmanager
def _plainly_named(source: Source) -> Iterator[str]:
    """A path to the file, as SQL, in which the engine finds no pattern, partition or address.

    Raises:
        DatasetError: It is no Parquet file: no engine is asked why.
    """
    if source.path.is_file() and not _is_parquet(source.path):
        raise DatasetError(
            f"{source.called} is not a Parquet file, or only a part of one; save it again, or give "
            "it the ending of what it is"
        )
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        link = Path(folder) / "rows.parquet"
        link.symlink_to(source.path.absolute())
        yield text_sql(str(link))


def _is_parquet(path: Path) -> bool:
    """Whether a file begins and ends as such files do."""
    with path.open("rb") as file:
        start, size = file.read(4), file.seek(0, 2)
        file.seek(max(0, size - 4))
        return start in _MAGIC and start == file.read(4)


def _marked(
    path: str, wanted: list[str], types: dict[str, str], runs: str = ""
) -> tuple[list[SqlCell], str]:
    """The cells and their FROM; a text that is not UTF-8 becomes U+FFFD, as elsewhere.

    The engine can mark bytes that it cannot read or leave them out: where there are none, both
    readings agree.
    """
    marked, bare = _parquet(path, "replace", runs), _parquet(path, "ignore", runs)
    cells = []
    for name in wanted:
        one, other = (cell_of(f"{how}.{name_sql(name)}", types[name]) for how in ("marked", "bare"))
        same = f"{one.text} IS NOT DISTINCT FROM {other.text}"
        text = f"CASE WHEN {same} THEN {one.text} ELSE '{UNREADABLE}' END"
        cells.append(replace(one, text=text) if one.kind is Kind.TEXT else one)
    return cells, f"{marked} AS marked POSITIONAL JOIN {bare} AS bare"
