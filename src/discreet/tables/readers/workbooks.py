"""Reading a sheet of an Excel workbook: values as they are stored, formulas by what they came to.

The first filled row names the columns. The records are the rows below it in which a cell is filled;
a cell that holds an error is a gap. The parts of the archive are read here, because libraries give
up a workbook for one odd cell.
"""

import hmac
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import duckdb

from discreet.errors import DatasetError
from discreet.tables.readers.frames import text_of
from discreet.tables.readers.reader import (
    UNREADABLE,
    Reader,
    Take,
    hand_over,
    no_column,
    wrong_with,
)
from discreet.tables.source import Source

_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, ValueError, IndexError,
    ElementTree.ParseError, NotImplementedError, RuntimeError,
)  # fmt: skip
_DATES = {*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)}
"""The numbers of the formats of dates and times that every workbook has."""
_LITERALS = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*.', re.I)
_MOST_COLUMNS = 16_384
_MILLISECONDS = 86_400_000
_MAIN = "xl/workbook.xml"


@contextmanager
def _archive(source: Source) -> Iterator[zipfile.ZipFile]:
    """The parts of a workbook; what goes wrong with one is wrong with the file."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            yield archive
    except DatasetError:
        raise
    except _BROKEN:
        why = no_workbook(source.path)
        raise DatasetError(f"cannot read {source.called} as a workbook: {why}") from None


def no_workbook(path: Path) -> str:
    """What a file is that is called a workbook and is none, by its first bytes; what to do."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError:
        return "there is no such file; check the path"
    if not start:
        return "it is empty; save it again"
    if start == b"\xd0\xcf\x11\xe0":
        return (
            "it has a password, or comes from Excel before 2007; save it as .xlsx without a "
            "password"
        )
    if not start.startswith(b"PK"):
        return "it is not a workbook, despite its name; if it is text, rename it to end in .csv"
    return "it is damaged; save it again"


def _elements(archive: zipfile.ZipFile, part: str) -> Iterator[ElementTree.Element]:
    """The elements of a part as they end, without their namespaces."""
    with archive.open(part) as content:
        for _, element in ElementTree.iterparse(content):
            element.tag = element.tag.rpartition("}")[2]
            yield element


def _sheets(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where the sheets of a workbook are, by their names."""
    places = {
        element.get("Id"): element.get("Target", "")
        for element in _elements(archive, "xl/_rels/workbook.xml.rels")
        if element.get("Type", "").endswith("/worksheet")
    }
    by_name = {}
    for element in _elements(archive, _MAIN):
        if element.tag == "sheet":
            links = (link for key, link in element.attrib.items() if key.endswith("}id"))
            target = places.get(next(links, None))
            if target is not None:
                by_name[element.get("name", "")] = posixpath.join("xl", target).lstrip("/")
    return {name: posixpath.normpath(place) for name, place in by_name.items()}


def _tables(source: Source) -> list[str]:
    with _archive(source) as archive:
        return list(_sheets(archive))


@dataclass(frozen=True)
class _Book:
    """What cells refer to: texts by number, and which styles are dates."""

    texts: list[str]
    dated: set[int]
    first_day: datetime

    def cell(self, element: ElementTree.Element) -> str:
        """A cell as text; one that is written oddly cannot be read."""
        try:
            return self._cell(element)
        except (ValueError, IndexError, OverflowError):
            return UNREADABLE

    def _cell(self, element: ElementTree.Element) -> str:
        kind = element.get("t", "n")
        if kind == "inlineStr":
            return _text(element)
        text = next((one.text for one in element if one.tag == "v"), None) or ""
        if kind == "e" or not text:
            return ""
        if kind == "s":
            place = int(text)
            return self.texts[place] if place >= 0 else UNREADABLE
        if kind == "b":
            return text_of(bool(int(text)))
        if kind != "n":
            return text
        number = float(text)
        return self._moment(number) if int(element.get("s", "0")) in self.dated else text_of(number)

    def _moment(self, serial: float) -> str:
        """A day and what is over of it; before the first day it is a time of no day."""
        length = timedelta(milliseconds=round(serial * _MILLISECONDS))
        if 0 <= serial < 1:
            return str((datetime.min + length).time())
        early = self.first_day.year < 1900 and serial < 60  # Excel has a 29 February 1900
        return str(self.first_day + length + timedelta(days=early))


def _book(archive: zipfile.ZipFile) -> _Book:
    parts = archive.namelist()
    strings, styles = "xl/sharedStrings.xml", "xl/styles.xml"
    elements = _elements(archive, strings) if strings in parts else ()
    texts = [_text(element) for element in elements if element.tag == "si"]
    late = any(
        element.tag == "workbookPr" and element.get("date1904") in {"1", "true"}
        for element in _elements(archive, _MAIN)
    )
    dated = _dated(list(_elements(archive, styles))) if styles in parts else set()
    return _Book(texts, dated, datetime(1904, 1, 1) if late else datetime(1899, 12, 30))


def _text(element: ElementTree.Element) -> str:
    """The runs of a text, without how it is pronounced."""
    spoken = {run for part in element.iter("rPh") for run in part.iter("t")}
    return "".join(run.text or "" for run in element.iter("t") if run not in spoken)


def _dated(elements: list[ElementTree.Element]) -> set[int]:
    """The styles whose numbers are days and times."""
    own = {
        int(one.get("numFmtId", "0")): bool(
            re.search("[dmyhs]", _LITERALS.sub("", one.get("formatCode", "")), re.I)
        )
        for one in elements
        if one.tag == "numFmt"
    }
    styles = next((list(one) for one in elements if one.tag == "cellXfs"), [])
    formats = [int(style.get("numFmtId", "0")) for style in styles]
    return {place for place, form in enumerate(formats) if own.get(form, form in _DATES)}


def _rows(archive: zipfile.ZipFile, source: Source) -> Iterator[list[str]]:
    """The rows of the sheet in which a cell is filled, as texts, each as wide as it is.

    Were others told up to the last of these, whoever is there would bring all of them along.
    """
    name = str(source.table).lower()
    place = next(place for called, place in _sheets(archive).items() if called.lower() == name)
    book = _book(archive)
    for element in _elements(archive, place):
        if element.tag != "row":
            continue
        row = _texts(element, book)
        element.clear()
        if any(row):
            yield row


def _texts(element: ElementTree.Element, book: _Book) -> list[str]:
    cells: dict[int, str] = {}
    column = 0
    for cell in element:
        column = _column(cell.get("r", "")) or column + 1
        if column <= _MOST_COLUMNS:
            cells[column] = book.cell(cell)
    return [cells.get(place, "") for place in range(1, max(cells, default=0) + 1)]


def _column(reference: str) -> int:
    """The place of a column by its letters, from 1; 0 where there are none.

    >>> _column("AB12")
    28
    """
    place = 0
    for letter in reference.rstrip("0123456789"):
        place = 26 * place + ord(letter) - ord("A") + 1
    return place


def _header(source: Source, first: list[str]) -> list[str]:
    names = [name.strip() for name in first]
    while names and not names[-1]:
        names.pop()
    problem = wrong_with(names) if names else "it is empty"
    if problem:
        raise DatasetError(
            f"the first row of {source.called} must name its columns, each once: {problem}"
        )
    return names


def _names(source: Source) -> list[str]:
    with _archive(source) as archive:
        return _header(source, next(_rows(archive, source), []))


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    with _archive(source) as archive:
        rows = _rows(archive, source)
        known = _header(source, next(rows, []))
        for name in wanted:
            if name not in known:
                raise no_column(source, name)
        places = [known.index(name) for name in wanted]
        cells = ([row[at] if at < len(row) else "" for at in places] for row in rows)
        hand_over(connection, cells, take)


WORKBOOKS = Reader(_names, _load, _tables)
