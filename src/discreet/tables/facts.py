"""The public facts of a table, frozen: what may be known without looking at a single row."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from discreet.budget import SecondAnchor
from discreet.errors import DatasetError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels, Relation
from discreet.tables.dialect import Dialect, Quoting
from discreet.text import Word, show

DATABASES = ("sqlite", "duckdb")
"""The kinds of source that hold several tables."""


class ColumnType(Word):
    """What a dataset file and the API call the type of a column."""

    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"


GAP = -1
"""The index of a cell that holds nothing: no declared value has it."""
OTHER = "other"
"""Where words that are not declared go, unless the column says `missing`."""


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
    complete: bool = False
    """Whether it is declared to have no gaps; `missing` is then for the case that it has."""

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


@dataclass(frozen=True)
class CategoryColumn:
    """One of a few declared words.

    Other words and gaps go to `missing` where that is declared. If not, gaps are skipped, and other
    words go to "other", which is one of the words; a truth value has no other words: they are gaps.
    """

    name: str
    labels: Labels
    missing: str | None
    """What gaps and other words count as; None where gaps are skipped."""
    is_boolean: bool = False
    """Whether it says true or false, which a question may write as the column alone."""
    complete: bool = False
    """Whether it is declared to have no gaps; `missing` is then for the case that it has."""

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
    def other_index(self) -> int:
        """Where words go that are not declared."""
        skips = self.missing is None and not self.is_boolean
        return self.labels.index(OTHER) if skips else self.gap_index


Column: TypeAlias = NumberColumn | CategoryColumn
"""A declared column."""


def skips_gaps(column: Column) -> bool:
    """Whether the column may have gaps, which are skipped: how many are filled is then private."""
    return column.missing is None


def imputes(column: Column) -> bool:
    """Whether gaps count as a value that the custodian declared: every answer must say so."""
    return column.missing is not None and not column.complete


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the rows are; `table` names one inside a database file."""

    path: Path
    kind: str
    table: str | None = None
    dialect: Dialect | None = None
    """How a text file is written, where it is said."""
    digest: str | None = None
    """What pins the content of a text file, keyed with the dataset's secret."""

    @property
    def is_database(self) -> bool:
        """Whether it holds several tables, of which one is named."""
        return self.kind in DATABASES

    @property
    def is_pinned(self) -> bool:
        """Whether only the file that was checked is read, as cells that span lines need it."""
        spanning = self.dialect is not None and self.dialect.quoting is Quoting.MULTILINE
        return spanning or self.digest is not None


@dataclass(frozen=True)
class PrivacyUnit:
    """Who is protected: one row, or a person who has at most `most_rows` of them.

    Rows of a person beyond the most are left out, by a rule that looks at that person alone.
    """

    id_column: str | None = None
    most_rows: int = 1


@dataclass(frozen=True)
class Budget:
    """What all questions together may cost, and single analysts' shares of it."""

    total: Epsilon
    analysts: tuple[tuple[str, Epsilon], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What questions and plans are made from: public, and all of it without a row."""

    name: str
    columns: tuple[Column, ...]
    unit: PrivacyUnit
    relation: Relation
    """Neighbours: one unit's rows changed, or one unit added or removed."""
    most_rows: int
    """The number of rows when it is public, else the declared bound on it."""
    size_is_public: bool

    @property
    def table_names(self) -> set[str]:
        """What the table may be called in a question, in small letters."""
        return {"data", self.name.lower()}

    def column(self, name: str) -> Column:
        """A declared column by its name, in any case."""
        known = ", ".join(column.name for column in self.columns)
        if not isinstance(name, str):
            raise DatasetError(
                f"a column is given by its name, got {show(name)}; there are {known}"
            )
        for column in self.columns:
            if column.name.lower() == name.lower():
                return column
        raise DatasetError(f"there is no column {show(name)}; there are {known}")


@dataclass(frozen=True, kw_only=True)
class Dataset(Facts):
    """A dataset file: the public facts, where the rows are, and what may be spent on them."""

    source: Source
    budget: Budget
    confirmed: bool
    """Whether the custodian has confirmed that every bound here is public knowledge."""
    second_anchor: SecondAnchor | None = None
    """Where else the ledger's newest entry is marked."""

    @property
    def table_names(self) -> set[str]:
        """What the table may be called in a question, in small letters."""
        return super().table_names | {self.source.path.stem.lower()}
