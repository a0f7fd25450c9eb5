"""What every reader of a kind of source offers, and what readers share.

Every record is handed over as one row, each cell as text or in the type of its column, or NULL,
whatever it holds: see docs/proofs/one-record-one-row.md.
"""

import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import duckdb
import numpy as np

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.source import Source
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
