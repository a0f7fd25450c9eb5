"""A part of a large text or of a server's table, for a draft: by lot, the others only counted."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from discreet.connection import SPARK
from discreet.tables.dialect import LineEnding
from discreet.tables.drafts.spark import rows_of_spark
from discreet.tables.readers.postgresql import row_count, types_of
from discreet.tables.readers.text_files import blocks
from discreet.tables.source import FRAME, TEXTS, Source

LARGE = 64 << 20
"""Texts of fewer bytes, unpacked, are read as a whole."""
_END = LineEnding.LF.characters.encode()
_QUOTE = b'"'


@dataclass(frozen=True)
class Sample:
    """What is looked at in place of a source."""

    source: Source
    rows: int | None
    """How many rows the whole has; None where all of it is looked at."""
    types: Mapping[str, str] = field(default_factory=dict)
    """What a server calls the types of its columns."""


@contextmanager
def sample_of(source: Source, most: int) -> Iterator[Sample]:
    """Some lines of a large text, or rows of a server, at least so many; others as they are.

    Texts whose cells span lines, or whose lines end otherwise, are looked at as a whole.
    """
    if source.kind == SPARK:
        frame, rows, types = rows_of_spark(source, 2 * most)
        part = Source(path=source.path, kind=FRAME, frame=frame)
        yield Sample(part, rows if rows > 2 * most else None, types)
        return
    if source.connection is not None:
        rows = row_count(source)
        share = min(1.0, 2 * most / max(rows, 1))
        part = replace(source, share=share)
        yield Sample(part, rows if share < 1 else None, types_of(source))
        return
    if source.kind not in TEXTS or not _is_large(source):
        yield Sample(source, None)
        return
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        target = Path(folder) / f"rows.{source.kind}"
        kept, rows = _by_lot(source, most)
        target.write_bytes(_END.join([*kept, b""]))
        yield Sample(replace(source, path=target), rows)


def _is_large(source: Source) -> bool:
    """Whether a text is more than is read as a whole, and its lines are its records so far."""
    read, begun = 0, b""
    for block in blocks(source):
        whole, mark, begun = (begun + block).rpartition(_END)
        if not mark or b"\0" in whole[:4] or _spans_lines(source, whole):
            return False
        read += len(block)
        if read >= LARGE:
            return True
    return False


def _spans_lines(source: Source, text: bytes) -> bool:
    """Whether a cell seems to go on in the next line: a quote is left open."""
    quoted = source.kind != "jsonl" and _QUOTE in text
    return quoted and any(line.count(_QUOTE) % 2 for line in text.split(_END))


def _by_lot(source: Source, most: int) -> tuple[list[bytes], int]:
    """The first line and some of the others; how many others there are in all."""
    lot, share, lines, rest = Random(1), 1.0, 0, b""
    head: list[bytes] = []
    kept: list[bytes] = []
    for block in blocks(source):
        whole, mark, rest = (rest + block).rpartition(_END)
        if not mark:
            continue
        cut = whole.split(_END)
        lines += len(cut)
        if not head and source.kind != "jsonl":
            head = [cut.pop(0)]
        kept += cut if share == 1 else [line for line in cut if lot.random() < share]
        while len(kept) > 2 * most:
            kept, share = [line for line in kept if lot.random() < 0.5], share / 2
    return [*head, *kept], lines + bool(rest) - len(head)
