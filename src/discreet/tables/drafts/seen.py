"""What the columns of a source hold: read off the rows, so for the custodian alone."""

from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

import duckdb

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.model import Grid
from discreet.tables import readers
from discreet.tables.cleaning import GAPS, NONE, ColumnForm, cells_of, clean
from discreet.tables.columns import DateColumn, DateOrder
from discreet.tables.dialect import DIALECTS
from discreet.tables.drafts.numbers import Numbers, one_row, read_numbers
from discreet.tables.source import Source
from discreet.text import Resolution, count_of, moment_of

MOST_WORDS = 5_000
MOST_LOOKED_AT = 200_000
"""Of more rows so many are looked at, by lot: what columns are like shows in them."""
LARGE_PARQUET = 32 << 20
"""Of Parquet files of more bytes only a part is read."""
LONGEST_WORDS = 40
MOST_SPACES = 4
DATE = r"^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[-. ]+[A-Za-z]{3,9}[-. ]+\d{2,4})([ T].*)?$"
_COMMA = r"^[-+]?(\d*,\d+|\d+|\d{1,3}(\.\d{3})+,\d+)$"
_SURELY_COMMA = r"(\.\d+,\d+|^[-+]?(0*|\d{4,}),\d+|,(\d{1,2}|\d{4,}))$"
"""A comma that separates no thousands: `1,234` may be either."""
_DIGITS = r"^\d{3,}$"
"""Codes; two digits may be those of a month or an hour."""
_MOSTLY = 0.9
_FEW_TIMED = 0.1
"""Times of the day in so few cells are slips."""
_CALENDAR = Grid(count_of(date(1600, 1, 1), Resolution.DAY), Fraction(1), 800 * 365 + 200)
"""The days among which those of a column are looked for."""


@dataclass(frozen=True, kw_only=True)
class Dates:
    """The dates of a column."""

    many: int
    """How many cells are dates."""
    first: date
    last: date
    timed: bool
    """Whether cells tell times of the day too."""
    order: DateOrder | None
    """How they are written, where the year is not first."""
    both: bool
    """Whether day and month may be the other way round, for all that the cells tell."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one column holds, read off the rows."""

    name: str
    rows: int
    """How many were looked at."""
    of_rows: int
    """How many there are."""
    empty: bool
    """Whether any cell of all rows holds nothing."""
    different: int
    filled: int
    says_none: int
    """How many cells say "none": a gap, or the answer that there is none of it."""
    number_count: int
    numbers: Numbers | None
    dates: Dates | None
    like_dates: int
    """How many cells look like dates, perhaps in a form that is not read."""
    commas: int
    """How many cells are numbers that may have a decimal comma."""
    comma: bool
    """Whether its numbers are read with decimal commas, of which the cells leave no doubt."""
    coded: bool
    """Whether its digits are filled up with noughts to one length, as those of postal codes."""
    length: float
    spaces: float
    words: tuple[tuple[str, int], ...]
    """The most frequent words, and how often each occurs."""

    @property
    def repeats(self) -> bool:
        """Whether its values come back."""
        return self.different < self.filled

    @property
    def is_free_text(self) -> bool:
        """Whether it holds sentences, on average."""
        return self.length > LONGEST_WORDS or self.spaces >= MOST_SPACES

    @property
    def is_numeric(self) -> bool:
        """Whether nearly all that is there is numbers, and not codes."""
        return self.mostly(self.number_count) and self.numbers is not None and not self.coded

    @property
    def has_gaps(self) -> bool:
        """Whether a cell is empty, or no number among numbers, no date among dates."""
        if self.empty:
            return True
        if self.is_dated and self.dates is not None:
            return self.dates.many < self.rows
        return (self.number_count if self.is_numeric else self.filled) < self.rows

    @property
    def is_dated(self) -> bool:
        """Whether nearly all that is there is dates."""
        return self.dates is not None and self.mostly(self.dates.many) and not self.is_numeric

    @property
    def numbers_rows(self) -> bool:
        """Whether it counts the rows: 1 to n, or 0 to n - 1, each once."""
        held = self.numbers
        if held is None or not held.whole or self.rows < 5 or self.different != self.rows:
            return False
        if self.rows < self.of_rows:
            return held.low >= 0 and _MOSTLY * self.of_rows <= held.high <= self.of_rows
        return self.number_count == self.rows and (held.low, held.high) in {
            (1, self.rows),
            (0, self.rows - 1),
        }

    def mostly(self, cells: int) -> bool:
        """Whether so many cells are nearly all that are filled."""
        return cells >= _MOSTLY * self.filled


def look(source: Source, rows_in_all: int | None = None) -> list[Seen]:
    """What every column of a source holds; raises DatasetError when it cannot be read.

    Of a sample it is given how many rows there are in all; whether any cell of those holds nothing
    is not known then, and no column is said to be without gaps.
    """
    names = readers.column_names(source)
    if source.kind in DIALECTS and len(names) == 1 and any(mark in names[0] for mark in ",;\t"):
        raise DatasetError(
            f"cannot tell what separates the columns of {source.called}: its only column is "
            f"called {show(names[0])}; write the names in the first line, separated by commas, "
            "semicolons or tabs"
        )
    with duckdb.connect(":memory:") as connection:
        if source.kind == "parquet" and source.path.stat().st_size >= LARGE_PARQUET:
            rows_in_all = readers.load_part(connection, source, names, MOST_LOOKED_AT)
        else:
            readers.load_texts(connection, source, names)
        filled = ", ".join(f"count(*) FILTER (WHERE {_filled(name)})" for name in names)
        rows, *full = one_row(connection, f"SELECT count(*), {filled} FROM {readers.RAW}")
        if rows > MOST_LOOKED_AT:
            connection.execute(
                f"CREATE OR REPLACE TABLE {readers.RAW} AS FROM {readers.RAW} "
                f"USING SAMPLE reservoir({MOST_LOOKED_AT} ROWS) REPEATABLE (1)"
            )
        partly = rows_in_all is not None and rows < rows_in_all
        of_rows = rows_in_all if partly and rows_in_all is not None else rows
        return [
            _seen(connection, name, of_rows, partly or many < rows)
            for name, many in zip(names, full, strict=True)
        ]


def _word(name: str) -> str:
    return 'trim("' + name.replace('"', '""') + '")'


def _filled(name: str) -> str:
    """Whether a cell holds something, as SQL."""
    gaps = ", ".join(f"'{gap}'" for gap in GAPS)
    return f"coalesce(lower({_word(name)}), '') NOT IN ({gaps})"


def _seen(connection: duckdb.DuckDBPyConnection, name: str, of_rows: int, empty: bool) -> Seen:
    word = _word(name)
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE words AS
        SELECT CASE WHEN {_filled(name)} THEN {word} END AS word FROM {readers.RAW}
        """
    )
    row = one_row(
        connection,
        f"""
        SELECT count(*), count(DISTINCT word), count(word),
               count(*) FILTER (WHERE regexp_matches(word, '{DATE}')),
               count(*) FILTER (WHERE regexp_matches(word, '{_COMMA}')),
               coalesce(bool_or(regexp_matches(word, '{_SURELY_COMMA}')
                                AND regexp_matches(word, '{_COMMA}')), false),
               coalesce(bool_or(word LIKE '0%') AND bool_and(regexp_matches(word, '{_DIGITS}'))
                        AND min(length(word)) = max(length(word)), false),
               avg(length(word)), avg(length(word) - length(replace(word, ' ', '')))
        FROM words
        """,
    )
    rows, different, filled, dated, commas, surely, coded, length, spaces = row
    (says_none,) = one_row(
        connection, f"SELECT count(*) FROM {readers.RAW} WHERE lower({word}) = '{NONE}'"
    )
    comma = surely and commas >= _MOSTLY * filled
    number_count = _count_numbers(
        connection, "replace(replace(word, '.', ''), ',', '.')" if comma else "word"
    )
    common = connection.execute(
        "SELECT word, count(*) FROM cells WHERE word IS NOT NULL "
        f"GROUP BY word ORDER BY count(*) DESC, word LIMIT {MOST_WORDS}"
    ).fetchall()
    return Seen(
        name=name,
        rows=rows,
        of_rows=of_rows,
        empty=empty,
        different=different,
        filled=filled,
        says_none=says_none,
        number_count=number_count,
        numbers=read_numbers(connection) if number_count else None,
        dates=_dates(connection) if dated else None,
        like_dates=dated,
        commas=commas,
        comma=comma,
        coded=coded,
        length=length or 0.0,
        spaces=spaces or 0.0,
        words=tuple((str(word), int(times)) for word, times in common),
    )


def _count_numbers(connection: duckdb.DuckDBPyConnection, written: str) -> int:
    """How many words are numbers, as they are written with a decimal point: the table of cells."""
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE cells AS
        WITH numbers AS (
            SELECT word, {written} AS written, TRY_CAST(written AS DOUBLE) AS number FROM words
        )
        SELECT word, written, CASE WHEN isfinite(number) THEN number END AS number FROM numbers
        """
    )
    (many,) = one_row(connection, "SELECT count(number) FROM cells")
    return int(many)


def _dates(connection: duckdb.DuckDBPyConnection) -> Dates | None:
    """The dates of the cells, in the order in which most of them are dates."""
    read = [_read_as(connection, order) for order in (None, *DateOrder)]
    best = max(read, key=lambda one: one.many)
    if best.many == 0:
        return None
    both = best.order is not None and sum(one.many == best.many for one in read) > 1
    return replace(best, both=both)


def _read_as(connection: duckdb.DuckDBPyConnection, order: DateOrder | None) -> Dates:
    column = DateColumn("word", _CALENDAR, None, whole=True, order=order)
    form = ColumnForm(column)
    origin = cells_of(f"(SELECT word AS {form.cell}, word FROM cells)", [form])
    many, first, last, timed = one_row(
        connection,
        f"""
        SELECT count(*), min(place), max(place),
               count(*) FILTER (WHERE regexp_matches(word, '[T ][0-9:]*[1-9]'))
        FROM (SELECT {clean(form)} AS place, word FROM {origin}) WHERE place >= 0
        """,
    )
    ends = [moment_of(_CALENDAR.value(place or 0), Resolution.DAY) for place in (first, last)]
    return Dates(
        many=many,
        first=ends[0],
        last=ends[1],
        timed=timed > _FEW_TIMED * many,
        order=order,
        both=False,
    )
