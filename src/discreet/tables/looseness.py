"""How well declared numbers fit the cells: read off the rows, so for the custodian alone."""

from contextlib import closing
from dataclasses import dataclass

import duckdb

from discreet.tables import readers
from discreet.tables.columns import DateColumn, NumberColumn
from discreet.tables.facts import Dataset

MOST_CELLS = 0.98
"""The share of cells whose place in the range is looked at: as many are left out at either end."""
_MANY = 0.05
_FEW_CELLS = 20
"""Of fewer it is not said that they leave most of the range empty."""
_ROUGH = 0.02
"""A step of so much of the range that is used shows, even where cells are measured."""


@dataclass(frozen=True)
class Looseness:
    """Of one number column: how much of its range is used, and how roughly cells are rounded."""

    column: NumberColumn
    used: float
    """How much of the range holds nearly all cells (98 %)."""
    rounded_away: float
    """The share of cells that are rounded by more than half of their value."""
    rounded: float
    """The share of cells that lie between the steps, where that shows."""

    @property
    def is_wide(self) -> bool:
        """Whether the range is far wider than what is in it."""
        return self.used < 0.1 and self.column.size > 10

    @property
    def is_coarse(self) -> bool:
        """Whether rounding changes many cells beyond recognition."""
        return self.rounded_away >= _MANY

    @property
    def is_rough(self) -> bool:
        """Whether many cells count as another value, though not beyond recognition."""
        return self.rounded >= _MANY and not self.is_coarse


def loose_columns(dataset: Dataset) -> list[Looseness]:
    """The number columns whose range is far too wide, or whose step is far too coarse."""
    numbers = [
        column
        for column in dataset.columns
        if isinstance(column, NumberColumn)
        if not isinstance(column, DateColumn) and not column.comma
    ]
    if not numbers:
        return []
    try:
        with closing(duckdb.connect(":memory:")) as connection:
            readers.load_texts(connection, dataset.source, [column.name for column in numbers])
            columns = [_looseness(connection, column) for column in numbers]
    except duckdb.Error:
        raise readers.cannot_read(dataset.source) from None
    return [one for one in columns if one.is_wide or one.is_coarse or one.is_rough]


def _looseness(connection: duckdb.DuckDBPyConnection, column: NumberColumn) -> Looseness:
    low, high = float(column.grid.start), float(column.grid.last)
    step, name = float(column.grid.step), column.name.replace('"', '""')
    tail = (1 - MOST_CELLS) / 2
    row = connection.execute(
        f"""
        WITH cells AS (SELECT TRY_CAST(trim("{name}") AS DOUBLE) AS cell FROM {readers.RAW}),
        inside AS (SELECT cell, least(greatest(cell, $low), $high) AS kept
                   FROM cells WHERE isfinite(cell)),
        rounded AS (SELECT *, $low + $step * floor((kept - $low) / $step + 0.5) AS told
                    FROM inside)
        SELECT quantile_disc(kept, {tail}), quantile_disc(kept, {1 - tail}), count(*),
               count(*) FILTER (WHERE cell = kept AND abs(told - cell) > abs(cell) / 2),
               count(*) FILTER (WHERE cell = kept AND abs(told - cell) > $step * 1e-6),
               coalesce(bool_and(cell = floor(cell)), true)
        FROM rounded
        """,
        {"low": low, "high": high, "step": step},
    ).fetchone()
    assert row is not None
    first, last, cells, away, between, whole = row
    if not cells:
        return Looseness(column=column, used=1.0, rounded_away=0.0, rounded=0.0)
    shows = whole or step >= _ROUGH * (last - first)
    return Looseness(
        column=column,
        used=(last - first) / max(high - low, step) if cells >= _FEW_CELLS else 1.0,
        rounded_away=away / cells,
        rounded=between / cells if shows else 0.0,
    )
