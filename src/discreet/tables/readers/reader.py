"""A source, read by the reader of its kind: what every reader offers, and what readers share.

Every record is handed over as one row, each cell as text or in the type of its column, or NULL,
whatever it holds: see docs/proofs/one-record-one-row.md. Files are read one after another.
"""

import hmac
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import apsw
import duckdb
import numpy as np

from discreet.connection import POSTGRESQL
from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.source import EXCEL, FRAME, INSIDE, Source
from discreet.tables.type_names import same_type

Take: TypeAlias = Callable[[Sequence[SqlCell], str], None]
"""What is done with rows: their cells as SQL, in the order that was wanted, and their FROM."""
RAW = "raw"
LONGEST = 1 << 20
"""A line, or a cell, of more characters cannot be read."""
UNREADABLE = "\ufffd"
"""What stands for what cannot be read."""
_CHUNK = 100_000
_HELD = "told"
_MOST_LISTED = 20


@dataclass(frozen=True)
class Reader:
    """How one kind of source is read, file by file."""

    names: Callable[[Source], list[str]]
    """The columns, in the order of the source."""
    load: Callable[[duckdb.DuckDBPyConnection, Source, list[str], hmac.HMAC | None, Take], None]
    """Hand over the wanted columns of every record; the bytes of a text feed the seal."""
    tables: Callable[[Source], list[str]] | None = None
    """What can be read inside a file, where it holds several tables."""
    types: Callable[[Source], dict[str, str]] | None = None
    """What the source calls the types of its columns, where they have any and no row has a say in
    them."""


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
    reader: Reader = getattr(importlib.import_module(f"discreet.tables.readers.{file}"), name)
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


def cannot_read(source: Source) -> DatasetError:
    """What to say when a source is not what the dataset file says."""
    return DatasetError(
        f"cannot read {source.called} as {source.kind}; check the path, the kind and "
        "that it has every declared column"
    )


def no_column(source: Source, name: str, known: Sequence[str] | None = None) -> DatasetError:
    """What to say of a column that is not there; which there are, if that is nobody's record."""
    there = "" if known is None else f"; it has {listed(known)}"
    return DatasetError(f"{source.called} has no column {show(name)}{there}")


def check_types(
    source: Source, types: Mapping[str, str], before: Mapping[str, str] | None = None
) -> None:
    """Refuse a table whose columns have other types than the dataset file pins, or than before.

    A cell of another type may mean something else, so nobody asks until the custodian has looked.
    """
    for name, was in (dict(source.types) if before is None else before).items():
        shown = types.get(name)
        if shown is None or not same_type(source.kind, shown, was):
            now = f"is {shown}" if shown else "is gone"
            then = f"is {was} by types in [source]" if before is None else f"was {was} when opened"
            raise DatasetError(
                f"column {show(name)} of {source.called} {then}, and now {now}; if that is "
                "intended, the custodian updates the dataset file and opens it again"
            )


def listed(names: Sequence[str]) -> str:
    """Names in a message."""
    if not names:
        return "none"
    more = ", …" if len(names) > _MOST_LISTED else ""
    return ", ".join(show(name) for name in names[:_MOST_LISTED]) + more


def wrong_with(names: Sequence[str]) -> str:
    """What is wrong with the names of columns, or nothing; none is shown, for where the first
    record was taken for the names, they are somebody's cells."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name.strip():
            return f"column {place} of {len(names)} has no name"
        if (other := seen.setdefault(name.lower(), place)) != place:
            return f"columns {other} and {place} have the same name"
    return ""


def hand_over(
    connection: duckdb.DuckDBPyConnection, rows: Iterator[Sequence[str]], take: Take
) -> None:
    """Hand over rows of texts, many at a time; the empty text is a cell that holds nothing."""
    while chunk := list(islice(rows, _CHUNK)):
        arrays = {
            f"t{place}": np.array(column, dtype=object)
            for place, column in enumerate(zip(*chunk, strict=True))
        }
        with held(connection, arrays) as origin:
            take([SqlCell(f"CAST({name} AS VARCHAR)") for name in arrays], origin)


@contextmanager
def held(connection: duckdb.DuckDBPyConnection, rows: object) -> Iterator[str]:
    """Rows in memory, as the engine finds them while they are taken."""
    connection.register(_HELD, rows)
    try:
        yield _HELD
    finally:
        connection.unregister(_HELD)


def described(connection: duckdb.DuckDBPyConnection, origin: str) -> list[tuple[str, str]]:
    """The columns of what is read and their types."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()
    return [(str(row[0]), str(row[1])) for row in rows]


def rows_of(connection: duckdb.DuckDBPyConnection, select: str) -> list[tuple[Any, ...]]:
    """All rows of a SELECT."""
    return connection.execute(select).fetchall()


def name_sql(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def text_sql(word: str) -> str:
    """A text as SQL."""
    return "'" + word.replace("'", "''") + "'"
