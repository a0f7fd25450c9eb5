"""A commented draft of a dataset file, for the custodian to confirm line by line.

The draft looks at the rows, so what it proposes is not public yet: whoever confirms a bound says
that it is known without looking. Nothing is answered while `confirmed = false`.
"""

import json
import math
import re
import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import duckdb

from discreet.errors import DatasetError, InvalidInput
from discreet.exact import show
from discreet.tables import sources
from discreet.tables.cleaning import GAPS
from discreet.tables.dataset_file import KINDS, column_of
from discreet.tables.dialect import DIALECTS, Dialect, Quoting
from discreet.tables.facts import ColumnType, Source
from discreet.tables.text_files import check_encoding, detect_dialect
from discreet.text import decimal_text

MOST_WORDS = 30
MOST_VALUES = 2_000
_TRUTH = {"true", "false", "t", "f", "yes", "no", "y", "n", "0", "1", "0.0", "1.0"}
_CELLS = {"true", "false", "yes", "no", *GAPS}
_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
_MOST_NAMED = 5
_CONFIRM = "  # CONFIRM"
_BEFORE = "# CONFIRM: "
_REPEATS = "repeats: perhaps your privacy unit"
_LEFT_OUT = " is left out: "
LONGEST_WORDS = 40
MOST_SPACES = 4
_DATE = r"^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[-. ]+[A-Za-z]{3,9}[-. ]+\d{2,4})([ T].*)?$"
_COMMA = r"^[-+]?(\d*,\d+|\d+)$"
_IDENTIFIER = re.compile(r"(^|[_ .-])(id|pid|uid|uuid|person|patient|user|email|name|phone)$", re.I)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one column holds, read off the rows."""

    name: str
    different: int
    filled: int
    numbers: int
    low: float | None
    high: float | None
    decimals: int
    dates: int
    commas: int
    length: float
    spaces: float
    words: tuple[str, ...]

    @property
    def repeats(self) -> bool:
        """Whether its values come back."""
        return self.different < self.filled

    @property
    def is_free_text(self) -> bool:
        """Whether it holds sentences, on average."""
        return self.length > LONGEST_WORDS or self.spaces >= MOST_SPACES


@dataclass(frozen=True)
class Draft:
    """The text of a draft, and the lines that must be confirmed."""

    text: str
    to_confirm: tuple[tuple[int, str], ...]
    left_out: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    """Why, one for each that is left out."""


def kind_of_source(path: Path) -> str:
    """Which kind of table a file is; raises DatasetError when it is none, or not there."""
    endings = ", ".join(KINDS)
    if not path.is_file():
        raise DatasetError(f"there is no file {show(str(path))}; give a table: {endings}")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise DatasetError(
            f"cannot tell what {show(path.name)} is; its name should end in {endings}"
        )
    return kind


def draft_dataset(source_path: Path, table: str | None = None, name: str = "") -> Draft:
    """A draft for a source; raises DatasetError when it cannot be read."""
    kind = kind_of_source(source_path)
    source = Source(path=source_path, kind=kind, table=table)
    if source.is_database and not table:
        source = replace(source, table=sources.only_table(source))
    if kind in DIALECTS:
        check_encoding(source)
        source = replace(source, dialect=detect_dialect(source))
    rows, seen = _look(source)
    blocks = [_checked(column, _block(column)) for column in seen]
    missing = [
        (column.name, block.split(_LEFT_OUT)[-1].rstrip(".\n"))
        for column, block in zip(seen, blocks, strict=True)
        if block.startswith("#")
    ]
    odd = _headless(seen) if kind in DIALECTS else ""
    text = _opening(source, name or source_path.stem, rows, odd) + "\n".join(blocks)
    lines = enumerate(text.splitlines(), start=1)
    marked = tuple(
        (number, line.removeprefix(_BEFORE).split(_CONFIRM)[0].strip())
        for number, line in lines
        if line.startswith(_BEFORE) or (_CONFIRM in line and not line.startswith("#"))
    )
    return Draft(text, marked, tuple(name for name, _ in missing), tuple(why for _, why in missing))


def _look(source: Source) -> tuple[int, list[Seen]]:
    names = sources.column_names(source)
    if source.kind in DIALECTS and len(names) == 1 and any(mark in names[0] for mark in ",;\t"):
        raise DatasetError(
            f"cannot tell what separates the columns of {show(source.path.name)}: its one column "
            f"is called {show(names[0])}; write its names in one line, without , and ;"
        )
    with duckdb.connect(":memory:") as connection:
        sources.load(connection, source, names)
        counted = connection.execute(f"SELECT count(*) FROM {sources.RAW}").fetchone()
        seen = [_seen(connection, name) for name in names]
    return (int(counted[0]) if counted else 0), seen


def _seen(connection: duckdb.DuckDBPyConnection, name: str) -> Seen:
    word = 'trim("' + name.replace('"', '""') + '")'
    gaps = ", ".join(f"'{gap}'" for gap in GAPS)
    cell = f"CASE WHEN lower({word}) IN ({gaps}) THEN NULL ELSE {word} END"
    found = connection.execute(
        f"""
        WITH cells AS (SELECT {cell} AS word FROM {sources.RAW}),
        numbers AS (SELECT word, TRY_CAST(word AS DOUBLE) AS number FROM cells),
        finite AS (SELECT *, isfinite(number) AS good FROM numbers)
        SELECT count(DISTINCT word), count(word), count(*) FILTER (WHERE good),
               min(number) FILTER (WHERE good), max(number) FILTER (WHERE good),
               max(length(regexp_extract(word, '\\.([0-9]+)$', 1))) FILTER (WHERE good),
               count(*) FILTER (WHERE regexp_matches(word, '{_DATE}')),
               count(*) FILTER (WHERE regexp_matches(word, '{_COMMA}')),
               avg(length(word)), avg(length(word) - length(replace(word, ' ', '')))
        FROM finite
        """
    ).fetchone()
    assert found is not None
    common = connection.execute(
        f"SELECT {cell} AS word FROM {sources.RAW} WHERE {cell} IS NOT NULL "
        f"GROUP BY word ORDER BY count(*) DESC, word LIMIT {MOST_WORDS}"
    ).fetchall()
    words = tuple(str(row[0]) for row in common)
    different, filled, numbers, low, high, decimals, dates, commas, length, spaces = found
    return Seen(
        name=name,
        different=different,
        filled=filled,
        numbers=numbers,
        low=low,
        high=high,
        decimals=decimals or 0,
        dates=dates,
        commas=commas,
        length=length or 0.0,
        spaces=spaces or 0.0,
        words=words,
    )


def _headless(seen: list[Seen]) -> str:
    """A sentence when columns are called as cells are: perhaps the first row became the names."""
    cells = [column.name for column in seen if _looks_like_a_cell(column)]
    if not cells:
        return ""
    listed = ", ".join(show(name) for name in cells[:_MOST_NAMED])
    more = ", ..." if len(cells) > _MOST_NAMED else ""
    return (
        f"the first line of the file should hold column names, and {listed}{more} "
        f"{'looks like a cell' if len(cells) == 1 else 'look like cells'}"
    )


def _looks_like_a_cell(column: Seen) -> bool:
    name = column.name.strip()
    known = name.lower() in _CELLS or name in column.words
    return known or bool(_NUMBER.fullmatch(name) or re.match(_DATE, name))


def _opening(source: Source, name: str, rows: int, odd: str) -> str:
    table = f"table = {_quoted(source.table)}\n" if source.table else _dialect_lines(source.dialect)
    first = f"{_BEFORE}{odd}\n" if odd else ""
    return f"""\
# A draft. What a row says must not be read off this file, so every line marked CONFIRM needs
# somebody who knows the answer WITHOUT looking at the rows: a bound from the questionnaire, from
# the instrument, from the law. Change what is wrong, then set confirmed = true. Until then
# nothing is answered. `discreet check` explains this file.

name = {_quoted(name)}
confirmed = false

[source]
{first}path = {_quoted(source.path.name)}
{table}
[privacy]
# Who is protected: "row", or the column that says whose row it is.
unit = "row"{_CONFIRM}: one row is all that one person has here
# With a column: how many rows of one person count at most.
# most_rows_per_unit = 1
# "change": one person's record may be any other; "add-or-remove": whether somebody is in the
# table at all is secret, and the number of rows with it.
neighbours = "change"
# The number of rows if it is public (size = {rows}), or else a bound on it.
size_at_most = {_round_up(max(rows, 1))}{_CONFIRM}: known without counting the rows

[budget]
# What all questions together may cost, for ever; and shares of single analysts.
total = "1"{_CONFIRM}: yours to decide
# [budget.analysts]
# ana = "0.5"

"""


def _dialect_lines(dialect: Dialect | None) -> str:
    if dialect is None:
        return ""
    told = {
        Quoting.LINE: "  # cells may stand in quotes, within a line",
        Quoting.NONE: "  # quotes are characters like any other",
        Quoting.MULTILINE: f"{_CONFIRM}: whoever writes this file doubles quotes inside cells\n"
        "# digest = what discreet check tells, when it has found the file well-formed",
    }
    return (
        f"delimiter = {_quoted(dialect.delimiter)}\n"
        f'quoting = "{dialect.quoting}"{told[dialect.quoting]}\n'
        f'line_ending = "{dialect.line_ending}"\n'
    )


def _block(column: Seen) -> str:
    title = f"[columns.{_key(column.name)}]\n"
    words = {word.lower() for word in column.words}
    wordless = column.different <= 2 and words and words <= _TRUTH
    if wordless and not words <= {"1", "1.0"}:
        return title + f'type = "boolean"{_CONFIRM}: true or false, nothing else\n'
    if why := _unusable(column):
        return _left_out(column, why)
    if column.numbers >= 0.9 * column.filled:
        return title + _number_lines(column)
    listed = ", ".join(_quoted(word) for word in sorted(column.words))
    return title + (
        f'type = "category"\nvalues = [{listed}]{_CONFIRM}: all the words that may occur, '
        "from the questionnaire\n"
        '# missing = "other"  # where gaps and unknown words go\n'
    )


def _unusable(column: Seen) -> str:
    """Why a column, not of truth values, should not be declared; empty when it may be."""
    why = ""
    if column.different == 0:
        return "it holds nothing"
    if column.dates >= 0.9 * column.filled:
        return "dates are not supported: add a month or a year column"
    if _IDENTIFIER.search(column.name) and column.different > 2:
        why = "it looks like a name or an id"
    elif column.numbers >= 0.9 * column.filled:
        return ""
    elif column.commas >= 0.9 * column.filled:
        return "its numbers have decimal commas: write them with points"
    elif column.is_free_text:
        return "it holds free text"
    elif column.different > MOST_WORDS:
        why = f"it has more than {MOST_WORDS} different words"
    return f"{why} and {_REPEATS}" if why and column.repeats else why


def _checked(column: Seen, block: str) -> str:
    """The block, unless what was read off the rows makes no column."""
    if block.startswith("#"):
        return block
    facts = tomllib.loads(block)["columns"][column.name]
    try:
        column_of(column.name, facts)
    except InvalidInput:
        return _left_out(column, "its values make no range and no list of words")
    return block


def _number_lines(column: Seen) -> str:
    assert column.low is not None
    assert column.high is not None
    whole = column.decimals == 0 and column.low.is_integer() and column.high.is_integer()
    step = Fraction(1) if whole else Fraction(1, 10 ** min(column.decimals or 1, 3))
    low, high = Fraction(column.low), Fraction(column.high)
    while (high - low) / step > MOST_VALUES:
        step *= 10
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    if low == high:
        high += step
    kind = ColumnType.INTEGER if whole else ColumnType.NUMBER
    stepped = "" if whole and step == 1 else f"step = {decimal_text(step)}{_CONFIRM}: the grid\n"
    return (
        f'type = "{kind}"\n'
        f"low = {decimal_text(low)}{_CONFIRM}: the least value possible, not the least seen\n"
        f"high = {decimal_text(high)}{_CONFIRM}: the greatest value possible, "
        "not the greatest seen\n"
        f"{stepped}# missing = {decimal_text(low)}  # where gaps go; the middle unless said\n"
    )


def _left_out(column: Seen, why: str) -> str:
    return f"# Column {json.dumps(column.name)}{_LEFT_OUT}{why}.\n"


def _round_up(rows: int) -> int:
    unit: int = 10 ** max(0, len(str(rows)) - 1)
    return -(-rows * 12 // 10 // unit) * unit


def _quoted(text: str | None) -> str:
    """A TOML basic string; JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text or "", ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
