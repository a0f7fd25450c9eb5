"""A cell as a reader hands it over, in its own type where that means something and as text; and how
the cells of a column are cleaned: in which kind they come, and what is worked out first."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum, auto

from discreet.tables.cleaning.leaves import DUCKDB, Leaves
from discreet.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn


class Kind(Enum):
    """What a cell is on its way in, whatever the engine: a number, a count of time, or text."""

    TEXT = auto()
    """Text without the blanks around it."""
    WHOLE = auto()
    """A whole number of 64 bits."""
    DOUBLE = auto()
    TRUTH = auto()
    """True or false."""
    DAY = auto()
    """A whole number of days from the start of 1970."""
    MOMENT = auto()
    """A whole number of microseconds from the start of 1970."""


FAR_DAYS = 10_000_000
"""More days than any calendar has: where what is before or after all time goes."""


@dataclass(frozen=True)
class SqlCell:
    """A cell as SQL: total functions of what the source holds, each of which is NULL for nothing.

    >>> SqlCell("CAST(age AS VARCHAR)", Kind.WHOLE, "age").as_kind(Kind.WHOLE)
    'age'
    """

    text: str
    """As text, in the form that its source gives it."""
    kind: Kind = Kind.TEXT
    native: str | None = None
    """In its own kind, unless that is text."""
    _: KW_ONLY
    by_engine: bool = False
    """Whether an engine wrote the text of a number, with a point whatever people write."""
    bare: str | None = None
    """As text before it is made readable: enough to see whether it is a declared word."""

    def called(self, name: str) -> "SqlCell":
        """A cell whose name was left open as `{cell}`."""
        native = None if self.native is None else self.native.replace("{cell}", name)
        return replace(self, text=self.text.replace("{cell}", name), native=native)

    def as_kind(self, kind: Kind) -> str:
        """The cell in its own kind, or as text."""
        return self.text if kind is Kind.TEXT or self.native is None else self.native


MOST_CASES = 64
"""So many whole numbers are compared one by one; more go by their texts."""


@dataclass(frozen=True)
class ColumnForm:
    """A column whose cells come in some kind; in SELECTs the cell is called `c` and its place."""

    column: Column
    kind: Kind = Kind.TEXT
    place: int = 0
    leaves: Leaves = DUCKDB
    _: KW_ONLY
    has_bare: bool = False
    """Whether the bare text is looked up first: most cells are declared words as they are."""

    @classmethod
    def of(cls, column: Column, cell: SqlCell, place: int, leaves: Leaves = DUCKDB) -> "ColumnForm":
        """The form in which a column takes a cell: in its own kind if that means something."""
        if cell.by_engine and isinstance(column, NumberColumn) and column.comma:
            column = replace(column, comma=False)
        kind = cell.kind if takes(column, cell.kind) else Kind.TEXT
        worded = isinstance(column, CategoryColumn) and not column.is_boolean
        bare = worded and kind is Kind.TEXT and cell.bare is not None
        return cls(column, kind, place, leaves, has_bare=bare)

    @property
    def cell(self) -> str:
        """What the cell is called."""
        return f"c{self.place}"

    @property
    def value(self) -> str:
        """What the number is called that a text is."""
        return f"{self.cell}_value"

    @property
    def known(self) -> str:
        """What the place of a word is called that is declared as it stands; no column's name."""
        return self.leaves.name(f"\x1fknown{self.place}")

    @property
    def is_parsed(self) -> bool:
        """Whether a text is read as a number or a date, which is worked out once."""
        return self.kind is Kind.TEXT and not isinstance(self.column, CategoryColumn)

    def selected(self, cell: SqlCell) -> str:
        """The cell as it is selected from its source."""
        told = cell.as_kind(self.kind)
        told = self.leaves.trimmed(told) if self.kind is Kind.TEXT else told
        if not self.has_bare:
            return f"{told} AS {self.cell}"
        # of a word that is declared as it stands no more is looked at
        told = f"CASE WHEN {cell.bare} IS NOT NULL AND {self.known} IS NULL THEN {told} END"
        return f"{told} AS {self.cell}, {self.known}"

    def looked_up(self, cell: SqlCell) -> str:
        """The place of a bare text, to be selected beside its source before the cell is."""
        assert isinstance(self.column, CategoryColumn)
        assert cell.bare is not None
        return f"{self.leaves.places(cell.bare, self.column.labels.names)} AS {self.known}"


def takes(column: Column, kind: Kind) -> bool:
    """Whether cells of a kind say themselves what a column wants to know."""
    if isinstance(column, DateColumn):
        return kind in (Kind.DAY, Kind.MOMENT)
    if isinstance(column, CategoryColumn):
        few = len(column.labels) <= MOST_CASES
        return kind is Kind.TRUTH or (kind is Kind.WHOLE and few)
    return kind in (Kind.WHOLE, Kind.DOUBLE)


@dataclass(frozen=True, kw_only=True)
class Clamped:
    """A number and its place between two ends; what lies outside goes to the nearer end.

    The usual case is asked first, and nothing is worked out of what is out of range.
    """

    count: str
    first: str | int
    last: str | int
    place: str
    """Where a number between the ends goes."""
    beyond: int
    """Where one after the last goes."""

    def index(self, gap: str, gap_index: int) -> str:
        """The index of a cell; `gap` tells whether it holds no number."""
        return (
            f"CASE WHEN {self.count} BETWEEN {self.first} AND {self.last} THEN {self.place} "
            f"WHEN {self.count} < {self.first} THEN 0 WHEN {gap} THEN {gap_index} "
            f"ELSE {self.beyond} END"
        )


def with_columns(origin: str, added: Sequence[str], name: str, fence: str = "") -> str:
    """A FROM of all that there is, with more columns."""
    return f"(SELECT *, {', '.join(added)} FROM {origin}{fence}) AS {name}" if added else origin
