"""How the cells of a column are cleaned: in which kind they come, and what is worked out first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.tables.cells import Cell, Kind
from discreet.tables.cleaning.leaves import DUCKDB, Leaves
from discreet.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn

MOST_CASES = 64
"""So many whole numbers are compared one by one; more go by their texts."""


@dataclass(frozen=True)
class Form:
    """A column whose cells come in some kind; in SELECTs the cell is called `c` and its place."""

    column: Column
    kind: Kind = Kind.TEXT
    place: int = 0
    leaves: Leaves = DUCKDB

    @classmethod
    def of(cls, column: Column, cell: Cell, place: int, leaves: Leaves = DUCKDB) -> "Form":
        """The form in which a column takes a cell: in its own kind if that means something."""
        if cell.by_engine and isinstance(column, NumberColumn) and column.comma:
            column = replace(column, comma=False)
        return cls(column, cell.kind if takes(column, cell.kind) else Kind.TEXT, place, leaves)

    @property
    def cell(self) -> str:
        """What the cell is called."""
        return f"c{self.place}"

    @property
    def value(self) -> str:
        """What the number is called that a text is."""
        return f"{self.cell}_value"

    def selected(self, cell: Cell) -> str:
        """The cell as it is selected from its source."""
        told = cell.as_kind(self.kind)
        told = self.leaves.trimmed(told) if self.kind is Kind.TEXT else told
        return f"{told} AS {self.cell}"


def takes(column: Column, kind: Kind) -> bool:
    """Whether cells of a kind say themselves what a column wants to know."""
    if isinstance(column, DateColumn):
        return kind in (Kind.DAY, Kind.MOMENT)
    if isinstance(column, CategoryColumn):
        few = len(column.labels) <= MOST_CASES
        return kind is Kind.TRUTH or (kind is Kind.WHOLE and few)
    return kind in (Kind.WHOLE, Kind.DOUBLE)


def with_columns(origin: str, added: Sequence[str], name: str) -> str:
    """A FROM of all that there is, with more columns."""
    return f"(SELECT *, {', '.join(added)} FROM {origin}) AS {name}" if added else origin
