"""Public lists and tables beside a dataset file: words of a category, and what they stand for."""

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import DatasetError, InvalidInput
from discreet.exact import rational, show
from discreet.tables.columns import CategoryColumn, Column
from discreet.tables.expressions.tree import (
    NOTHING,
    Case,
    Cell,
    Compared,
    ComparisonSign,
    Constant,
    Expression,
    Some,
)
from discreet.tables.facts import Derivation, checked_derivation

_MOST_LINES = 100_000


def listed_words(folder: Path, given: object) -> list[str]:
    """The words of a list: the lines of a text file, or the first column of a CSV with a header."""
    rows = _rows(folder, given)
    words = [row[0].strip() for row in rows if row and row[0].strip()]
    return list(dict.fromkeys(words))


def lookup_of(
    name: str,
    facts: dict[str, Any],
    columns: tuple[Column, ...],
    before: tuple[Derivation, ...],
    folder: Path,
) -> Derivation:
    """A column that a public table tells for each word of another: numbers where all are."""
    source = next((one for one in columns if one.name == facts.get("from")), None)
    if not isinstance(source, CategoryColumn):
        raise DatasetError(f"from must name a declared category, got {show(facts.get('from'))}")
    rows = _rows(folder, facts.get("file"))
    if any(len(row) < 2 for row in rows):
        raise DatasetError("each line of the file must have a word, and what it stands for")
    known = {row[0].strip(): row[1].strip() for row in rows}
    meanings = {word: known[word] for word in source.labels.names if known.get(word)}
    if not meanings:
        raise DatasetError(f"the file has no line for any value of {source.name}")
    numbers = _numbers(list(meanings.values()))
    return checked_derivation(name, _by_value(source.name, meanings, numbers), columns, before)


def _by_value(
    column: str, meanings: dict[str, str], numbers: dict[str, Fraction] | None
) -> Expression:
    """CASE with a line for each thing that words stand for; other words stand for nothing."""
    cases = []
    for value in dict.fromkeys(meanings.values()):
        words = [word for word, one in meanings.items() if one == value]
        tests = tuple(
            Compared(ComparisonSign.EQUAL, Cell(column), Constant(word)) for word in words
        )
        meant = Constant(value if numbers is None else numbers[value])
        cases.append((tests[0] if len(tests) == 1 else Some(tests), meant))
    return Case(tuple(cases), NOTHING)


def _numbers(values: list[str]) -> dict[str, Fraction] | None:
    """The values as numbers, if they all are."""
    try:
        return {value: rational(value) for value in values}
    except InvalidInput:
        return None


def _rows(folder: Path, given: object) -> list[list[str]]:
    if not isinstance(given, str) or not given:
        raise DatasetError('name a file beside this one, such as "icd10.csv"')
    path = folder / given
    try:
        with path.open(encoding="utf-8-sig", newline="") as content:
            lines = csv.reader(content) if path.suffix == ".csv" else ([one] for one in content)
            rows = list(lines)
    except FileNotFoundError:
        raise DatasetError(
            f"there is no file {show(given)} beside this one; put the list there, or name another"
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error):
        raise DatasetError(f"cannot read {show(given)} as a list in UTF-8") from None
    rows = [row for row in (rows[1:] if path.suffix == ".csv" else rows) if any(row)]
    if not rows or len(rows) > _MOST_LINES:
        raise DatasetError(f"{show(given)} must have 1 to {_MOST_LINES:,} lines, got {len(rows):,}")
    return rows
