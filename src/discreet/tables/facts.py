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


@dataclass(frozen=True)
class NumberColumn:
    """Numbers on a declared grid; everything else is brought onto it.

    A value outside the bounds is clamped, one between two steps goes to the nearer (upwards from
    half way), and what is no number at all goes to `missing`.
    """

    name: str
    grid: Grid
    missing: Fraction
    whole: bool
    """Whether people know it as whole numbers."""

    def __post_init__(self) -> None:
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
    def missing_index(self) -> int:
        """Where missing values go."""
        return self.grid.index(self.missing)


@dataclass(frozen=True)
class CategoryColumn:
    """One of a few declared words; unknown words and gaps go to `missing`."""

    name: str
    labels: Labels
    missing: str
    is_boolean: bool = False
    """Whether it says true or false, which a question may write as the column alone."""

    def __post_init__(self) -> None:
        self.labels.index(self.missing)

    @property
    def type(self) -> ColumnType:
        """What its type is called."""
        return ColumnType.BOOLEAN if self.is_boolean else ColumnType.CATEGORY

    @property
    def size(self) -> int:
        """How many different values there are."""
        return len(self.labels)

    @property
    def missing_index(self) -> int:
        """Where unknown words and gaps go."""
        return self.labels.index(self.missing)


Column: TypeAlias = NumberColumn | CategoryColumn
"""A declared column."""


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
