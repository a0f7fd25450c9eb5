"""Reading a source's cells: every record becomes one row, whatever it holds.

What a record is in each kind of source, and why one moves one row, is proved in
docs/proofs/one-record-one-row.md. A reader for each kind; files are read one after another.
"""

import hmac
import importlib
from collections.abc import Sequence
from dataclasses import replace

import apsw
import duckdb

from discreet.connection import POSTGRESQL
from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.readers.reader import (
    RAW,
    Reader,
    Take,
    cannot_read,
    listed,
    name_sql,
    text_sql,
)
from discreet.tables.source import EXCEL, FRAME, INSIDE, Source

__all__ = [
    "RAW",
    "cannot_read",
    "column_names",
    "column_types",
    "load",
    "load_part",
    "load_texts",
    "only_table",
    "table_names",
]

_READERS = {
    "csv": "text_files.TEXT_FILES",
    "tsv": "text_files.TEXT_FILES",
    "jsonl": "json_lines.JSON_LINES",
    "parquet": "parquet.PARQUET",
    EXCEL: "workbooks.WORKBOOKS",
    "sqlite": "databases.SQLITE",
    "duckdb": "databases.DUCKDB",
    FRAME: "frames.FRAMES",
    POSTGRESQL: "postgresql.POSTGRES",
}
"""By kind, each in a file of its own, which is imported when a source asks for it."""
_FAILURES = (duckdb.Error, apsw.Error, OSError)


def _reader(source: Source) -> Reader:
    file, _, name = _READERS[source.kind].partition(".")
    reader: Reader = getattr(importlib.import_module(f"{__name__}.{file}"), name)
    return reader


def column_names(source: Source) -> list[str]:
    """The columns of a source, in its own order; public, but for JSON lines."""
    first = _ready(source)[0]
    try:
        return [*_reader(source).names(first), *source.partitions]
    except _FAILURES:
        raise cannot_read(source) from None


def column_types(source: Source) -> dict[str, tuple[str, ...]]:
    """What a source calls the types of its columns, of many files all that there are; of columns
    that have none, or on whose types rows decide, nothing."""
    types_of, every = _reader(source).types, dict[str, tuple[str, ...]]()
    if types_of is None:
        return every
    for file in _ready(source):
        try:
            types = types_of(file)
        except _FAILURES:
            raise cannot_read(file) from None
        for name, shown in types.items():
            every[name] = tuple(dict.fromkeys([*every.get(name, ()), shown]))
    return every


def load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    take: Take,
    seal: hmac.HMAC | None = None,
) -> None:
    """Hand over the wanted columns, part by part; `seal` is fed the bytes of a text file."""
    files, reader = _ready(source), _reader(source)
    inside = [name for name in wanted if name not in source.partitions]
    for file in files:
        by_folders = source.told_by_folders(file.path)

        def with_folders(
            cells: Sequence[SqlCell], origin: str, by_folders: dict[str, str] = by_folders
        ) -> None:
            known = dict(zip(inside, cells, strict=True))
            known |= {name: SqlCell(text_sql(word)) for name, word in by_folders.items()}
            take([known[name] for name in wanted], origin)

        try:
            reader.load(connection, file, inside, seal, with_folders)
        except _FAILURES:
            raise cannot_read(file) from None


def load_part(
    connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str], most: int
) -> int:
    """CREATE TABLE raw with a part of a Parquet file; how many rows the whole has."""
    from discreet.tables.readers.parquet import part_of_parquet  # noqa: PLC0415

    _declare(connection, wanted)
    try:
        return part_of_parquet(connection, _ready(source)[0], wanted, most)
    except _FAILURES:
        raise cannot_read(source) from None


def _declare(connection: duckdb.DuckDBPyConnection, wanted: list[str]) -> None:
    declared = ", ".join(f"{name_sql(name)} VARCHAR" for name in wanted)
    connection.execute(f"CREATE TABLE {RAW} ({declared})")


def load_texts(connection: duckdb.DuckDBPyConnection, source: Source, wanted: list[str]) -> None:
    """CREATE TABLE raw with the wanted columns as text: for the custodian, who may see cells."""
    _declare(connection, wanted)

    def take(cells: Sequence[SqlCell], origin: str) -> None:
        texts = ", ".join(cell.text for cell in cells)
        connection.execute(f"INSERT INTO {RAW} SELECT {texts} FROM {origin}")

    load(connection, source, wanted, take)


def only_table(source: Source) -> str:
    """The table of a file that holds just one; otherwise a DatasetError lists them."""
    _check_file(source, source.named_by)
    names, inside = table_names(source), INSIDE[source.kind]
    if len(names) == 1:
        return names[0]
    advice = f"name the {inside}: {listed(names)}" if names else "there is nothing to draft"
    raise DatasetError(f"{source.called} holds {len(names) or 'no'} {inside}s; {advice}")


def _ready(source: Source) -> list[Source]:
    """A source as one or more files that are there, with the table that is named."""
    if source.is_frame:
        if source.frame is None:
            raise DatasetError(
                "the rows of this dataset are handed over in Python: "
                f"open_dataset(frame, {show(source.path.name)})"
            )
        return [source]
    if source.is_served:
        if source.kind not in _READERS:
            raise DatasetError(f"{source.called} is queried where it is; its rows are not copied")
        return [source]
    files = [replace(source, path=file, patterns=()) for file in source.files]
    for file in files:
        _check_file(file, source.named_by)
        if source.kind in INSIDE:
            _check_table(file)
    return files


def _check_file(source: Source, named_by: str) -> None:
    if not source.path.is_file():
        raise DatasetError(f"there is no file {show(str(source.path))}{named_by}")


def _check_table(source: Source) -> None:
    names, inside = table_names(source), INSIDE[source.kind]
    if (source.table or "").lower() not in {name.lower() for name in names}:
        raise DatasetError(
            f"{source.called} has no {inside} {show(source.table)}; it has {listed(names)}"
        )


def table_names(source: Source) -> list[str]:
    """What a file holds that is read as a table: its sheets, or its tables."""
    tables = _reader(source).tables
    assert tables is not None
    try:
        return tables(source)
    except _FAILURES:
        raise cannot_read(source) from None
