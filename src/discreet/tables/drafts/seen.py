"""What the columns of a source hold: read off the rows, so for the custodian alone."""

from dataclasses import dataclass
from typing import Any

import duckdb

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables import sources
from discreet.tables.cleaning import GAPS
from discreet.tables.dialect import DIALECTS
from discreet.tables.facts import Source

MOST_WORDS = 300
LONGEST_WORDS = 40
MOST_SPACES = 4
DATE = r"^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[-. ]+[A-Za-z]{3,9}[-. ]+\d{2,4})([ T].*)?$"
_COMMA = r"^[-+]?(\d*,\d+|\d+)$"
_MOSTLY = 0.9
_FENCE = 10
"""How many times the middle half's width a cell lies beyond it, to be far from the others."""
_ALONE = 5
"""How many times as far as all others from the median, to be left out of the bounds."""
_FEW, _FEW_NEGATIVE = 0.002, 0.01
"""Shares of cells that are few."""


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The numbers of a column; a few that lie far from all others do not count for the ends."""

    low: float
    high: float
    far: int
    """How many cells lie far below or above."""
    whole: bool
    decimals: int
    """How many decimals most cells have."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one column holds, read off the rows."""

    name: str
    rows: int
    different: int
    filled: int
    number_count: int
    numbers: Numbers | None
    dates: int
    commas: int
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
        """Whether nearly all that is there is numbers."""
        return self.mostly(self.number_count) and self.numbers is not None

    @property
    def has_gaps(self) -> bool:
        """Whether a cell is empty, or no number among numbers."""
        return (self.number_count if self.is_numeric else self.filled) < self.rows

    @property
    def numbers_rows(self) -> bool:
        """Whether it counts the rows: 1 to n, or 0 to n - 1, each once."""
        held = self.numbers
        if held is None or not held.whole or self.rows < 5 or self.different != self.rows:
            return False
        return self.number_count == self.rows and (held.low, held.high) in {
            (1, self.rows),
            (0, self.rows - 1),
        }

    def mostly(self, cells: int) -> bool:
        """Whether so many cells are nearly all that are filled."""
        return cells >= _MOSTLY * self.filled


def look(source: Source) -> list[Seen]:
    """What every column of a source holds; raises DatasetError when it cannot be read."""
    names = sources.column_names(source)
    if source.kind in DIALECTS and len(names) == 1 and any(mark in names[0] for mark in ",;\t"):
        raise DatasetError(
            f"cannot tell what separates the columns of {show(source.path.name)}: its one column "
            f"is called {show(names[0])}; write its names in one line, without , and ;"
        )
    with duckdb.connect(":memory:") as connection:
        sources.load(connection, source, names)
        return [_seen(connection, name) for name in names]


def _seen(connection: duckdb.DuckDBPyConnection, name: str) -> Seen:
    word = 'trim("' + name.replace('"', '""') + '")'
    gaps = ", ".join(f"'{gap}'" for gap in GAPS)
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE cells AS
        WITH words AS (
            SELECT CASE WHEN lower({word}) IN ({gaps}) THEN NULL ELSE {word} END AS word
            FROM {sources.RAW}
        ), numbers AS (SELECT word, TRY_CAST(word AS DOUBLE) AS number FROM words)
        SELECT word, CASE WHEN isfinite(number) THEN number END AS number FROM numbers
        """
    )
    found = _one(
        connection,
        f"""
        SELECT count(*), count(DISTINCT word), count(word), count(number),
               count(*) FILTER (WHERE regexp_matches(word, '{DATE}')),
               count(*) FILTER (WHERE regexp_matches(word, '{_COMMA}')),
               avg(length(word)), avg(length(word) - length(replace(word, ' ', '')))
        FROM cells
        """,
    )
    rows, different, filled, number_count, dates, commas, length, spaces = found
    common = connection.execute(
        "SELECT word, count(*) FROM cells WHERE word IS NOT NULL "
        f"GROUP BY word ORDER BY count(*) DESC, word LIMIT {MOST_WORDS}"
    ).fetchall()
    return Seen(
        name=name,
        rows=rows,
        different=different,
        filled=filled,
        number_count=number_count,
        numbers=_numbers(connection) if number_count else None,
        dates=dates,
        commas=commas,
        length=length or 0.0,
        spaces=spaces or 0.0,
        words=tuple((str(word), int(times)) for word, times in common),
    )


def _numbers(connection: duckdb.DuckDBPyConnection) -> Numbers:
    """The ends of the numbers, without the few cells that lie far from all others."""
    first, last = _usual(connection)
    low, high, far, whole, decimals = _one(
        connection,
        f"""
        SELECT min(number) FILTER (WHERE usual), max(number) FILTER (WHERE usual),
               count(*) FILTER (WHERE NOT usual),
               bool_and(number = floor(number) AND abs(number) < 1e15),
               quantile_disc(length(rtrim(regexp_extract(word, '\\.([0-9]+)$', 1), '0')), 0.95)
        FROM (SELECT *, number BETWEEN '{first!r}'::DOUBLE AND '{last!r}'::DOUBLE AS usual
              FROM cells WHERE number IS NOT NULL)
        """,
    )
    return Numbers(low=low, high=high, far=far, whole=bool(whole), decimals=decimals or 0)


def _usual(connection: duckdb.DuckDBPyConnection) -> tuple[float, float]:
    """Between which numbers cells count for the bounds.

    A few below nought are as odd as a few that lie far beyond the middle half of all.
    """
    low, quarter, middle, upper, high, cells, negative = _one(
        connection,
        """
        SELECT min(number), quantile_disc(number, 0.25), quantile_disc(number, 0.5),
               quantile_disc(number, 0.75), max(number), count(*),
               count(*) FILTER (WHERE number < 0)
        FROM cells WHERE number IS NOT NULL
        """,
    )
    if negative <= _FEW_NEGATIVE * cells:
        low = max(low, 0.0)
    wide = _FENCE * (upper - quarter)
    first, last, far = _one(
        connection,
        f"""
        SELECT min(number) FILTER (WHERE inside), max(number) FILTER (WHERE inside),
               count(*) FILTER (WHERE NOT inside)
        FROM (SELECT number,
                     number BETWEEN '{quarter - wide!r}'::DOUBLE AND '{upper + wide!r}'::DOUBLE
                     AS inside
              FROM cells WHERE number IS NOT NULL)
        """,
    )
    alone = wide > 0 and far <= max(1, _FEW * cells)
    if alone and max(high - middle, middle - low) > _ALONE * max(last - middle, middle - first):
        return max(low, first), last
    return low, high


def _one(connection: duckdb.DuckDBPyConnection, select: str) -> tuple[Any, ...]:
    found = connection.execute(select).fetchone()
    assert found is not None
    return found
