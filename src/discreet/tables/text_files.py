"""Reading csv and tsv files: one record after another, each by itself, whatever it holds.

Bytes are cut into lines here and lines into cells by the engine, in SQL; the engine's own reader of
csv files has opinions on quotes, carriage returns, NUL, long lines and bytes that are no UTF-8, and
one person's record would decide how others are read. Why it cannot here:
docs/proofs/one-record-one-row.md.
"""

import hmac
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, BinaryIO

import duckdb
import numpy as np

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.dialect import (
    DIALECTS,
    QUOTE,
    Dialect,
    LineEnding,
    Quoting,
    Splitting,
    separator,
)
from discreet.tables.facts import Source

LONGEST = 1 << 20
"""A line of more characters is a record whose cells cannot be read."""
UNREADABLE = "\ufffd"
"""What stands for what cannot be read."""
_BLOCK = 8 << 20
_CHARACTER_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How the records of a text file are written: for the custodian, who may see rows."""

    records: int
    blank: int
    uneven: int
    """With more or fewer cells than the header."""
    malformed: int
    """With a quote that neither opens nor closes a cell and is not doubled inside one."""
    returns: int
    """With a carriage return inside."""

    @property
    def is_well_formed(self) -> bool:
        """Whether the file is written as one writes records whose cells may span lines."""
        return not self.uneven and not self.malformed


def dialect_of(source: Source) -> Dialect:
    """How a text file is written: as declared, or as files of its kind are."""
    return source.dialect or DIALECTS[source.kind]


def header(connection: duckdb.DuckDBPyConnection, source: Source) -> list[str]:
    """The columns that the first record names: a public fact."""
    with source.path.open("rb") as file:
        return _opened(connection, source, file).names


def load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    into: str,
    seal: hmac.HMAC | None = None,
) -> None:
    """Insert the wanted columns of every record into a table; `seal` is fed the bytes read."""
    with source.path.open("rb") as file:
        opened = _opened(connection, source, file, seal)
        for name in wanted:
            if name not in opened.names:
                # Which there are is not said: the first line may be somebody's record.
                raise DatasetError(f"{show(source.path.name)} has no column {show(name)}")
        places = [opened.names.index(name) for name in wanted]
        cells = ", ".join(opened.splitting.cell(place) for place in places)
        for batch in opened.batches:
            _run(connection, f"INSERT INTO {into} SELECT {cells}", opened.splitting, batch)


def tally(source: Source, seal: hmac.HMAC | None = None) -> Tally:
    """Count the records of a text file, and those that are written oddly, in one reading."""
    total = np.zeros(5, dtype=np.int64)
    with duckdb.connect(":memory:") as connection, source.path.open("rb") as file:
        opened = _opened(connection, source, file, seal)
        odd = (
            "record = ''",
            f"len(pieces) <> {len(opened.names)}",
            f"NOT ({opened.splitting.is_well_formed})",
            "contains(record, chr(13))",
        )
        counts = ", ".join(["count(*)", *(f"count_if({one})" for one in odd)])
        for batch in opened.batches:
            total += _run(connection, f"SELECT {counts}", opened.splitting, batch)[0]
    records, blank, uneven, malformed, returns = map(int, total)
    return Tally(records=records, blank=blank, uneven=uneven, malformed=malformed, returns=returns)


def detect_dialect(source: Source) -> Dialect:
    """How a file seems to be written: for the custodian, because this looks at every row."""
    with source.path.open("rb") as file:
        seen = {mark for block in _blocks(file, None) for mark in (b"\n", b"\r") if mark in block}
    ending = LineEnding.CR if seen == {b"\r"} else LineEnding.LF
    dialect = replace(DIALECTS[source.kind], line_ending=ending)
    if dialect.quoting is Quoting.LINE and tally(replace(source, dialect=dialect)).malformed:
        spanning = replace(dialect, quoting=Quoting.MULTILINE)
        if tally(replace(source, dialect=spanning)).is_well_formed:
            dialect = spanning
    with duckdb.connect(":memory:") as connection, source.path.open("rb") as file:
        opened = _opened(connection, replace(source, dialect=dialect), file)
    return replace(dialect, delimiter=opened.splitting.delimiter)


@dataclass(frozen=True)
class _Opened:
    """A text file whose header was read, and the records that follow."""

    names: list[str]
    splitting: Splitting
    batches: Iterator[list[str]]


def _opened(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    file: BinaryIO,
    seal: hmac.HMAC | None = None,
) -> _Opened:
    dialect = dialect_of(source)
    batches = _lines(_blocks(file, seal), dialect.line_ending)
    if dialect.quoting is Quoting.MULTILINE:
        batches = _joined(batches)
    batch = next(batches, [""])
    first = batch[0].removeprefix("\ufeff")
    splitting = Splitting(dialect.delimiter or separator(first), dialect.quoting)
    names = _names(connection, splitting, first)
    if problem := _wrong_with(names):
        raise DatasetError(
            f"the first line of {show(source.path.name)} must name its columns, each once: "
            f"{problem}"
        )
    return _Opened(names, splitting, filter(None, chain([batch[1:]], batches)))


def _blocks(file: BinaryIO, seal: hmac.HMAC | None) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        if seal is not None:
            seal.update(block)
        yield block


def _lines(blocks: Iterator[bytes], ending: LineEnding) -> Iterator[list[str]]:
    """The lines of a file, many at a time; what follows the last end is a line if it is not empty.

    Only the beginning of a line that is too long is kept, and its last byte, which may be the
    first half of an end; what stands between keeps the two from making one.
    """
    end, most = ending.characters.encode(), _CHARACTER_BYTES * (LONGEST + 1)
    rest = b""
    for block in blocks:
        whole, found, rest = (rest + block).rpartition(end)
        if found:
            yield _texts(whole, ending)
        if len(rest) > most:
            rest = rest[:most] + b"-" + rest[-1:]
    if rest:
        yield _texts(rest, ending)


def _texts(content: bytes, ending: LineEnding) -> list[str]:
    """Lines as text: bytes that are no UTF-8 become U+FFFD, and never take an end along."""
    text = content.decode("utf-8", "replace")
    if ending is LineEnding.LF:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    lines = text.split(ending.characters)
    if len(text) <= LONGEST:
        return lines
    return [line if len(line) <= LONGEST else UNREADABLE for line in lines]


def _joined(batches: Iterator[list[str]]) -> Iterator[list[str]]:
    """Lines put together until their quotes are even: the records of a well-formed file."""
    begun: list[str] = []
    odd = 0
    for batch in batches:
        records = []
        for line in batch:
            begun.append(line)
            odd ^= line.count(QUOTE) & 1
            if not odd:
                records.append("\n".join(begun))
                begun = []
        if records:
            yield records
    if begun:
        yield ["\n".join(begun)]


def _names(connection: duckdb.DuckDBPyConnection, splitting: Splitting, first: str) -> list[str]:
    """The cells of a header; none when a quote is left open, for then it is no header."""
    if QUOTE not in first or splitting.quoting is Quoting.NONE:
        return first.split(splitting.delimiter)
    select = f"SELECT len(pieces), {splitting.is_closed}"
    ((width, closed),) = _run(connection, select, splitting, [first])
    cells = ", ".join(splitting.cell(place) for place in range(width))
    (names,) = _run(connection, f"SELECT {cells}", splitting, [first])
    return [str(name) for name in names] if closed else []


def _wrong_with(names: list[str]) -> str:
    """What is wrong with a header, or nothing; no name is shown, it may be in somebody's record."""
    if not names:
        return "a quote in it is not closed"
    if names == [""]:
        return "it is empty"
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if "\r" in name:
            return 'it holds a carriage return; where these end the lines, add line_ending = "cr"'
        if not name.strip():
            return f"column {place} of {len(names)} has no name"
        if (other := seen.setdefault(name.lower(), place)) != place:
            return f"columns {other} and {place} have the same name"
    return ""


def _run(
    connection: duckdb.DuckDBPyConnection, select: str, splitting: Splitting, batch: list[str]
) -> list[tuple[Any, ...]]:
    """What a SELECT says of records and their pieces; the engine finds `told` by its name."""
    told = {"record": np.array(batch, dtype=object)}  # noqa: F841
    return connection.execute(
        f"{select} FROM (SELECT record, {splitting.pieces} AS pieces "
        "FROM (SELECT CAST(record AS VARCHAR) AS record FROM told))"
    ).fetchall()


def check_encoding(source: Source) -> None:
    """Refuse a text file that is not UTF-8: for the custodian, because this looks at every row."""
    if source.kind not in DIALECTS or not source.path.is_file():
        return
    with source.path.open("rb") as content:
        wide = content.read(2) in {BOM_UTF16_BE, BOM_UTF16_LE}
    try:
        with source.path.open(encoding="utf-8", newline="") as text:
            first = text.read(LONGEST)
            while text.read(LONGEST):
                pass
    except UnicodeDecodeError:
        found = "is UTF-16" if wide else "is not UTF-8"
    else:
        if "\0" not in first.partition("\n")[0]:
            return
        found = "is not plain text"
    raise DatasetError(f"{show(source.path.name)} {found}; save it as UTF-8")
