"""Reading text: one record after another, each by itself, whatever it holds.

Files are unpacked, decoded and cut into lines here, at line ends and nowhere else; lines of csv and
tsv files into cells by the engine, in SQL. The engine's own reader of csv files has opinions on
quotes, carriage returns, NUL, long lines and bytes that are no UTF-8, and one person's record would
decide how others are read. Why it cannot here: docs/proofs/one-record-one-row.md. A broken archive
is broken for everybody, as whatever a record holds can be packed: it is refused before any charge.
"""

import bz2
import gzip
import hmac
import lzma
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb
import numpy as np

from discreet.errors import DatasetError, MissingExtra
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.dialect import (
    DIALECTS,
    QUOTE,
    Dialect,
    LineEnding,
    Quoting,
    Splitting,
    separator,
)
from discreet.tables.readers.reader import (
    LONGEST,
    UNREADABLE,
    Reader,
    Take,
    held,
    no_column,
    wrong_with,
)
from discreet.tables.source import COMPRESSIONS, TEXTS, Source

_BLOCK = 8 << 20
_CHARACTER_BYTES = 4
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)
_GUESSES = (None, "utf-16", "cp1252")
"""The encodings that are tried, one after another."""


@dataclass(frozen=True, kw_only=True)
class RecordTally:
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


def _header(source: Source) -> list[str]:
    """The columns that the first record names: a public fact."""
    with duckdb.connect(":memory:") as connection:
        return _opened(connection, source).names


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    """Hand over the wanted columns of every record; `seal` is fed the bytes read."""
    opened = _opened(connection, source, seal)
    for name in wanted:
        if name not in opened.names:
            raise no_column(source, name)
    places = [opened.names.index(name) for name in wanted]
    cells = [SqlCell(opened.splitting.cell(place)) for place in places]
    for batch in opened.batches:
        with _pieces(connection, opened.splitting, batch) as origin:
            take(cells, origin)


TEXT_FILES = Reader(_header, _load)


def tally(source: Source, seal: hmac.HMAC | None = None) -> RecordTally:
    """Count the records of text files, and those that are written oddly, in one reading."""
    total = np.zeros(5, dtype=np.int64)
    with duckdb.connect(":memory:") as connection:
        for file in source.files:
            opened = _opened(connection, replace(source, path=file, patterns=()), seal)
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
    return RecordTally(
        records=records, blank=blank, uneven=uneven, malformed=malformed, returns=returns
    )


_START = 1 << 16
_NO_TEXT = bytes(code for code in range(32) if chr(code) not in "\t\n\r\f") + b"\x7f"
"""Control characters, which no table is written with."""
_MOST_ODD = 100
"""One of so many characters may be odd."""


def refuse_bytes(source: Source) -> None:
    """Refuse what is no text: a picture, an archive or a program that is called a table."""
    _refuse_bytes(source, _guessed(source))


def _refuse_bytes(source: Source, encoding: str | None) -> None:
    start = next(decoded(blocks(source), encoding), b"")[:_START]
    _check_text(source, start)


def _check_text(source: Source, start: bytes) -> None:
    """Refuse what begins as no text does."""
    odd = len(start) - len(start.translate(None, _NO_TEXT))
    if odd * _MOST_ODD > len(start):
        raise DatasetError(
            f"{source.called} is no text: it is full of control characters; give a table as CSV, "
            "Excel or Parquet"
        )


def _guessed(source: Source) -> str | None:
    """In which encoding a file seems to be."""
    return next((one for one in _GUESSES if not wrong_encoding(source.path, one)), "iso8859-1")


def detect_dialect(source: Source) -> Dialect:
    """How a file seems to be written: for the custodian, because this looks at every row."""
    encoding = _guessed(source)
    _refuse_bytes(source, encoding)
    content = decoded(blocks(source), encoding)
    seen = {mark for block in content for mark in (b"\n", b"\r") if mark in block}
    ending = LineEnding.CR if seen == {b"\r"} else LineEnding.LF
    dialect = replace(DIALECTS[source.kind], line_ending=ending, encoding=encoding)
    if dialect.quoting is Quoting.LINE and tally(replace(source, dialect=dialect)).malformed:
        spanning = replace(dialect, quoting=Quoting.MULTILINE)
        if tally(replace(source, dialect=spanning)).is_well_formed:
            dialect = spanning
    with duckdb.connect(":memory:") as connection:
        opened = _opened(connection, replace(source, dialect=dialect))
    return replace(dialect, delimiter=opened.splitting.delimiter)


@dataclass(frozen=True)
class _Opened:
    """A text file whose header was read, and the records that follow."""

    names: list[str]
    splitting: Splitting
    batches: Iterator[list[str]]


def _opened(
    connection: duckdb.DuckDBPyConnection, source: Source, seal: hmac.HMAC | None = None
) -> _Opened:
    dialect, batches = dialect_of(source), lines_of(source, seal)
    if dialect.quoting is Quoting.MULTILINE:
        batches = _joined(batches)
    batch = next(batches, [""])
    first = batch[0].removeprefix("\ufeff")
    splitting = Splitting(dialect.delimiter or separator(first), dialect.quoting)
    names = _names(connection, splitting, first)
    if problem := _wrong_with(names):
        _check_text(source, first.encode(errors="replace"))
        raise DatasetError(
            f"the first line of {source.called} must name its columns, each once: {problem}"
        )
    return _Opened(names, splitting, filter(None, chain([batch[1:]], batches)))


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
    if any("\r" in name for name in names):
        return 'it contains a carriage return; if these end the lines, add line_ending = "cr"'
    return wrong_with(names)


def _run(
    connection: duckdb.DuckDBPyConnection, select: str, splitting: Splitting, batch: list[str]
) -> list[tuple[Any, ...]]:
    """What a SELECT says of records and their pieces."""
    with _pieces(connection, splitting, batch) as origin:
        return connection.execute(f"{select} FROM {origin}").fetchall()


@contextmanager
def _pieces(
    connection: duckdb.DuckDBPyConnection, splitting: Splitting, batch: list[str]
) -> Iterator[str]:
    """Where records and their pieces are selected from."""
    with held(connection, {"record": np.array(batch, dtype=object)}) as origin:
        records = f"(SELECT CAST(record AS VARCHAR) AS record FROM {origin})"
        yield f"(SELECT record, {splitting.pieces} AS pieces FROM {records})"


def dialect_of(source: Source) -> Dialect:
    """How a text file is written: as declared, or as files of its kind are."""
    return source.dialect or DIALECTS.get(source.kind, Dialect())


def lines_of(source: Source, seal: hmac.HMAC | None = None) -> Iterator[list[str]]:
    """The lines of a file, many at a time; `seal` is fed the bytes as they were unpacked."""
    dialect = dialect_of(source)
    return cut(decoded(blocks(source, seal), dialect.encoding), dialect.line_ending)


def blocks(source: Source, seal: hmac.HMAC | None = None) -> Iterator[bytes]:
    """The bytes of a file, unpacked."""
    packed = source.path.suffix.lower() in COMPRESSIONS
    try:
        with closing(_unpacked(source.path)) as file:
            while block := file.read(_BLOCK):
                if seal is not None:
                    seal.update(block)
                yield block
    except _BROKEN as problem:
        if not packed:
            raise
        known = problem.strerror if isinstance(problem, OSError) else None
        why = known or "the archive is broken or cut off; make it again"
        raise DatasetError(f"cannot unpack {source.called}: {why}") from None


def _unpacked(path: Path) -> BinaryIO:
    openers: dict[str, Callable[[Path], object]] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
        ".zst": _unpacked_by_zstandard,
    }
    opener = openers.get(path.suffix.lower())
    return path.open("rb") if opener is None else cast(BinaryIO, opener(path))


def _unpacked_by_zstandard(path: Path) -> object:
    try:
        import pyarrow  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("what unpacks .zst files", "frames") from None
    return pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd")


def decoded(content: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    """The same text in UTF-8; what cannot be read becomes U+FFFD, character by character."""
    if encoding is None:
        yield from content
        return
    decoder = None
    for block in content:
        if decoder is None:
            decoder = getincrementaldecoder(_with_order(encoding, block))("replace")
        yield decoder.decode(block).encode()
    if decoder is not None:
        yield decoder.decode(b"", final=True).encode()


def _with_order(encoding: str, start: bytes) -> str:
    """UTF-16 with its order of bytes, which the first two tell, or the usual one."""
    if encoding != "utf-16":
        return encoding
    return "utf-16-be" if start.startswith(BOM_UTF16_BE) else "utf-16-le"


def cut(content: Iterator[bytes], ending: LineEnding) -> Iterator[list[str]]:
    """The lines of a text, many at a time; what follows the last end is a line if it is not empty.

    Only the beginning of a line that is too long is kept, and its last byte, which may be the
    first half of an end; what stands between keeps the two from making one.
    """
    end, most = ending.characters.encode(), _CHARACTER_BYTES * (LONGEST + 1)
    rest = b""
    for block in content:
        whole, mark, rest = (rest + block).rpartition(end)
        if mark:
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


def check_encoding(source: Source) -> None:
    """Refuse a text file that is not in its encoding: for the custodian, as it reads every row."""
    if source.kind not in TEXTS or source.is_frame:
        return
    declared = dialect_of(source).encoding
    for file in source.files:
        if file.is_file() and (problem := wrong_encoding(file, declared)):
            advice = "save it as UTF-8, or declare its encoding in [source]"
            raise DatasetError(f"{problem}; {advice}")


def wrong_encoding(file: Path, encoding: str | None) -> str:
    """How a file is not text in an encoding, in words; nothing when it is."""
    content = blocks(Source(path=file, kind="csv"))
    first = next(content, b"")
    called = f"{Source(path=file, kind='csv').called} "
    wide = first[:2] in {BOM_UTF16_BE, BOM_UTF16_LE}
    if encoding == "utf-16" and not wide and b"\0" not in first[:4]:
        return called + "is not UTF-16"
    decoder = getincrementaldecoder(_with_order(encoding or "utf-8", first))("strict")
    try:
        text = decoder.decode(first)
        for block in content:
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return called + ("is UTF-16" if wide else f"is not {(encoding or 'utf-8').upper()}")
    return called + "is not plain text" if "\0" in text.partition("\n")[0] else ""
