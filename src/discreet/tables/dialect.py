"""How a text file writes its records: what ends one, what separates its cells, what quotes do.

A record is a physical line and is read by itself, whatever it holds: see
docs/proofs/one-record-one-row.md. Only where the custodian declares it do quoted cells span lines,
and then the file is pinned. Cells are taken out of records by the engine: here is how, in SQL.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from discreet.errors import DatasetError, InvalidInput
from discreet.exact import show
from discreet.tables.key import is_digest

QUOTE = '"'
_Choice = TypeVar("_Choice", bound=StrEnum)


class Quoting(StrEnum):
    """What quotes do."""

    LINE = "line"
    """They hold a cell together within its line; one that is not closed ends with the line."""
    NONE = "none"
    """They are characters like any other."""
    MULTILINE = "multiline"
    """They hold a cell together over lines, in a file that was checked and pinned."""


class LineEnding(StrEnum):
    """What ends a line; nothing else does."""

    LF = "lf"
    """A line feed; one carriage return before it belongs to the end."""
    CRLF = "crlf"
    """A carriage return and a line feed; either alone is a character like any other."""
    CR = "cr"
    """A carriage return."""

    @property
    def characters(self) -> str:
        """What stands between two lines."""
        return {LineEnding.LF: "\n", LineEnding.CRLF: "\r\n", LineEnding.CR: "\r"}[self]


@dataclass(frozen=True)
class Dialect:
    """How a csv or tsv file is written; a public fact."""

    delimiter: str | None = None
    """What separates cells; None: whichever of , ; and tab splits the first line most."""
    quoting: Quoting = Quoting.LINE
    line_ending: LineEnding = LineEnding.LF
    encoding: str | None = None
    """How characters are written as bytes, by Python's name of it; None: UTF-8."""


DIALECTS = {"csv": Dialect(), "tsv": Dialect("\t", Quoting.NONE)}
"""The kinds of source that are text, and how they are written unless the dataset file says it."""


def _delimiter(given: Any) -> str:
    fits = isinstance(given, str) and len(given) == 1 and (given == "\t" or " " <= given <= "~")
    if not fits or given == QUOTE or given.isalnum():
        raise DatasetError(f'write one character such as "," or ";" or "\\t", got {show(given)}')
    return str(given)


def _choice(known: type[_Choice], given: Any) -> _Choice:
    for choice in known:
        if given == choice.value:
            return choice
    raise DatasetError(f"write one of {', '.join(known)}, got {show(given)}")


ENCODINGS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    "latin-1": "iso8859-1",
    "cp1252": "cp1252",
    "iso-8859-15": "iso8859-15",
    "cp1250": "cp1250",
    "iso-8859-2": "iso8859-2",
    "cp1251": "cp1251",
    "mac-roman": "mac-roman",
}
"""What encodings are called, here and by Python.

Each reads a line end, or a delimiter, as that and nothing else, whatever stands before it.
"""


def _encoding(given: Any) -> str | None:
    try:
        codec = codecs.lookup(given).name if isinstance(given, str) else ""
    except (LookupError, ValueError):
        codec = ""
    if codec not in ENCODINGS.values():
        raise DatasetError(f"write one of {', '.join(ENCODINGS)}, got {show(given)}")
    return None if codec == "utf-8" else codec


READERS: dict[str, Callable[[Any], Any]] = {
    "delimiter": _delimiter,
    "quoting": partial(_choice, Quoting),
    "line_ending": partial(_choice, LineEnding),
    "encoding": _encoding,
}
"""The keys of a dataset file that say a dialect, and what each makes of its value."""


def separator(header: str) -> str:
    """What splits a header into most columns; what stands in quotes does not count.

    The header is public and decides alone: no row has a say in how the others are read.

    >>> separator('ward;"age, in years";weight')
    ';'
    """
    candidates = ",;\t"
    bare = re.sub('"[^"]*"?', "", header)
    if not any(mark in bare for mark in candidates):
        bare = header
    return max(candidates, key=bare.count)


@dataclass(frozen=True)
class Splitting:
    """How a record, in the column `record`, falls into cells: expressions of DuckDB."""

    delimiter: str
    quoting: Quoting

    @property
    def pieces(self) -> str:
        """The record's list of cells; with quotes in it, each as written and after a delimiter."""
        plain = f"string_split(record, {_text(self.delimiter)})"
        if self.quoting is Quoting.NONE:
            return plain
        matches = f"regexp_extract_all({self._led}, {_text(self._piece)})"
        return f"CASE WHEN {_HAS_QUOTES} THEN {matches} ELSE {plain} END"

    def cell(self, place: int) -> str:
        """The cell at a place, from 0, out of the column `pieces`; NULL beyond the last."""
        piece = f"pieces[{place + 1}]"
        if self.quoting is Quoting.NONE:
            return piece
        return f"CASE WHEN {_HAS_QUOTES} THEN {self._unquoted(piece)} ELSE {piece} END"

    @property
    def is_well_formed(self) -> str:
        """Whether every quote of the record opens a cell, closes it, or is doubled inside."""
        return self._consists_of(f'"(?:[^"]|"")*"|[^"{self._mark}]*')

    @property
    def is_closed(self) -> str:
        """Whether every quote that opens a cell of the record is followed by one that closes it."""
        return self._consists_of(
            f'"(?:[^"]|"")*"[^{self._mark}]*|(?:[^"{self._mark}][^{self._mark}]*)?'
        )

    def _consists_of(self, cells: str) -> str:
        if self.quoting is Quoting.NONE:
            return "true"
        pattern = _text(f"(?:{self._mark}(?:{cells}))*")
        return f"NOT {_HAS_QUOTES} OR regexp_full_match({self._led}, {pattern})"

    def _unquoted(self, piece: str) -> str:
        """What a piece after its delimiter says: "a""b" is a"b, and "a"b is ab.

        Most cells in quotes have none inside, and are cut out; the others are looked into.
        """
        middle = f"substr({piece}, 3, length({piece}) - 3)"
        inside = f'regexp_extract({piece}, \'^{self._mark}"((?:[^"]|"")*)\', 1)'
        after = f"substr({piece}, length({inside}) + 4)"
        closed = f"ends_with({piece}, '\"') AND length({piece}) > 2"
        return (
            f"CASE WHEN NOT starts_with({piece}, {_text(self.delimiter + QUOTE)}) "
            f"THEN substr({piece}, 2) "
            f"WHEN {closed} AND NOT contains({middle}, '\"') THEN {middle} "
            f"ELSE replace({inside}, '\"\"', '\"') || {after} END"
        )

    @property
    def _led(self) -> str:
        """The record after a delimiter: then every cell has one before it, the last as well."""
        return f"{_text(self.delimiter)} || record"

    @property
    def _mark(self) -> str:
        return f"\\x{ord(self.delimiter):02x}"

    @property
    def _piece(self) -> str:
        return f'{self._mark}(?:"(?:[^"]|"")*"?)?[^{self._mark}]*'


_HAS_QUOTES = "contains(record, '\"')"


def _text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def declared_dialect(
    kind: str, section: Mapping[str, Any], note: Callable[[str, str], None]
) -> Dialect | None:
    """What the section [source] of a dataset file says of its texts; problems are noted by key."""
    said = [key for key in (*READERS, "digest") if key in section]
    if kind not in DIALECTS:
        for key in said:
            note(key, f"{key} is only for csv and tsv files; leave it out")
        return None
    if "digest" in said and not is_digest(section["digest"]):
        note("digest", "digest: copy the line that a check of this file prints")
    read: dict[str, Any] = {}
    for key in said:
        if key in READERS:
            try:
                read[key] = READERS[key](section[key])
            except InvalidInput as problem:
                note(key, f"{key}: {problem}")
    return replace(DIALECTS[kind], **read)
