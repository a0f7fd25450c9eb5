"""Declared columns: the grid or the words on which cells lie, and what gaps count as."""

from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from discreet.model import Grid, Labels
from discreet.text import (
    Resolution,
    Word,
    count_of,
    decimal_text,
    moment_of,
    moment_text,
    number_text,
)

_TRUE = ("true", "t", "yes", "y", "1", "1.0")
_FALSE = ("false", "f", "no", "n", "0", "0.0")


class ColumnType(Word):
    """What a dataset file and the API call the type of a column."""

    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"


class DateOrder(Word):
    """In which order a date is written that does not begin with its year."""

    DMY = "dmy"
    MDY = "mdy"


GAP = -1
"""The index of a cell that holds nothing: no declared value has it."""
OTHER = "other"
"""Where words that are not declared go, unless the column says `missing`."""


def number_sql(number: Fraction) -> str:
    """A number as SQL, in quotes where it has no end in decimals."""
    text = decimal_text(number)
    return f"'{text}'" if "/" in text else text


@dataclass(frozen=True)
class NumberColumn:
    """Numbers on a declared grid; everything else is brought onto it.

    A value outside the bounds is clamped, one between two steps goes to the nearer (upwards from
    half way), and what is no number at all is a gap, or goes to `missing` where that is declared.
    """

    name: str
    grid: Grid
    missing: Fraction | None
    """What gaps count as; None where they are skipped."""
    whole: bool
    """Whether people know it as whole numbers."""
    _: KW_ONLY
    complete: bool = False
    """Whether it is declared to have no gaps; `missing` is then for the case that it has."""
    unit: str = field(default="", kw_only=True)
    """What its numbers are counted in, as people write it."""
    description: str = field(default="", kw_only=True)
    """What it says, in the custodian's words."""
    comma: bool = field(default=False, kw_only=True)
    """Whether its cells are written with decimal commas."""

    def __post_init__(self) -> None:
        if self.missing is not None:
            self.grid.index(self.missing)

    @property
    def type(self) -> ColumnType:
        """What its type is called."""
        return ColumnType.INTEGER if self.whole else ColumnType.NUMBER

    @property
    def size(self) -> int:
        """How many different values there are."""
        return self.grid.size

    @property
    def gap_index(self) -> int:
        """Where gaps go."""
        return GAP if self.missing is None else self.grid.index(self.missing)

    @property
    def missing_text(self) -> str:
        """What gaps count as, as people write it; nothing where they are skipped."""
        return "" if self.missing is None else self.text(self.missing)

    def text(self, value: Fraction) -> str:
        """One of its values as people write it."""
        return number_text(value)

    def sql(self, value: Fraction) -> str:
        """One of its values as SQL."""
        return number_sql(value)


@dataclass(frozen=True)
class DateColumn(NumberColumn):
    """Days or times, counted in units of their resolution from the start of 1970.

    A moment belongs to the step in which it lies; one outside the bounds is clamped, and what is no
    date at all is a gap, or goes to `missing` where that is declared.
    """

    resolution: Resolution = Resolution.DAY
    timed: bool = False
    """Whether people know it as dates with times."""
    order: DateOrder | None = None
    """How its dates are written where they do not begin with the year."""

    @property
    def type(self) -> ColumnType:
        """What its type is called."""
        return ColumnType.TIMESTAMP if self.timed else ColumnType.DATE

    def text(self, value: Fraction) -> str:
        """One of its values as people write it."""
        return moment_text(moment_of(value, self.resolution))

    def sql(self, value: Fraction) -> str:
        """One of its values as SQL."""
        kind = "DATE" if self.resolution.of_days else "TIMESTAMP"
        return f"{kind} '{self.text(value)}'"

    def count(self, moment: date) -> Fraction:
        """A moment in the units of its values."""
        return count_of(moment, self.resolution)


@dataclass(frozen=True)
class CategoryColumn:
    """One of a few declared words.

    Other words and gaps go to `missing` where that is declared. If not, gaps are skipped, and other
    words go to "other", which is one of the words, unless the words are declared to be all: then
    they are gaps, as they are of truth values.
    """

    name: str
    labels: Labels
    missing: str | None
    """What gaps and other words count as; None where gaps are skipped."""
    is_boolean: bool = False
    """Whether it says true or false, which a question may write as the column alone."""
    _: KW_ONLY
    complete: bool = False
    """Whether it is declared to have no gaps; `missing` is then for the case that it has."""
    closed: bool = False
    """Whether the words are declared to be all there are; others are then gaps."""
    description: str = field(default="", kw_only=True)
    """What it says, in the custodian's words."""
    spellings: tuple[tuple[str, ...], tuple[str, ...]] = field(
        default=(_FALSE, _TRUE), kw_only=True
    )
    """How false and true are written in cells, in small letters."""

    def __post_init__(self) -> None:
        assert self.gap_index < self.size
        assert self.other_index < self.size

    @property
    def type(self) -> ColumnType:
        """What its type is called."""
        return ColumnType.BOOLEAN if self.is_boolean else ColumnType.CATEGORY

    @property
    def size(self) -> int:
        """How many different values there are."""
        return len(self.labels)

    @property
    def gap_index(self) -> int:
        """Where gaps go."""
        return GAP if self.missing is None else self.labels.index(self.missing)

    @property
    def missing_text(self) -> str:
        """What gaps count as; nothing where they are skipped."""
        return self.missing or ""

    @property
    def other_index(self) -> int:
        """Where words go that are not declared."""
        apart = self.missing is None and not self.is_boolean and not self.closed
        return self.labels.index(OTHER) if apart else self.gap_index


Column: TypeAlias = NumberColumn | CategoryColumn
"""A declared column."""


def skips_gaps(column: Column) -> bool:
    """Whether the column may have gaps, which are skipped: how many are filled is then private."""
    return column.missing is None


def imputes(column: Column) -> bool:
    """Whether gaps count as a value that the custodian declared: every answer must say so."""
    return column.missing is not None and not column.complete
