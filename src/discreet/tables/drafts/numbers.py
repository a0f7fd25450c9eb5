"""The numbers of a column: their ends, and the few cells that lie apart from all others."""

from dataclasses import dataclass
from typing import Any

import duckdb

_FENCE = 10
"""How many times the middle half's width a cell lies beyond it, to be far from the others."""
_ALONE = 5
"""How many times as far as all others from the median, to be left out of the bounds."""
_FEW, _FEW_NEGATIVE = 0.002, 0.01
"""Shares of cells that are few."""
_THINNING = 4
"""How many times the few cells below nought as many may lie as near to it on the other side."""


@dataclass(frozen=True)
class Apart:
    """Cells that do not count for the bounds, and the ends of them."""

    many: int
    least: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The numbers of a column; a few that lie apart from all others do not count for the ends."""

    low: float
    high: float
    far: Apart | None = None
    """Those far below or above."""
    negative: Apart | None = None
    """Those below nought, where only a few are, and do not go on from the rest."""
    just_below: bool = False
    """Whether only a few cells are below nought, and go on from the rest."""
    whole: bool
    decimals: int
    """How many decimals most cells have."""

    @property
    def apart(self) -> list[Apart]:
        """All that does not count for the bounds."""
        return [one for one in (self.far, self.negative) if one is not None]

    @property
    def least(self) -> float:
        """The least number of all."""
        return min([self.low, *(one.least for one in self.apart)])

    @property
    def most(self) -> float:
        """The greatest number of all."""
        return max([self.high, *(one.most for one in self.apart)])


def read_numbers(connection: duckdb.DuckDBPyConnection) -> Numbers:
    """The ends of the numbers, without the few cells that lie apart from all others."""
    few, tail = _few_negative(connection)
    odd = few and not tail
    first, last = _usual(connection, odd=odd)
    kinds = f"""
        number BETWEEN '{first!r}'::DOUBLE AND '{last!r}'::DOUBLE AS usual,
        {odd} AND number < 0 AS negative, NOT usual AND NOT negative AS far
    """
    ends = "min(number) FILTER (WHERE {0}), max(number) FILTER (WHERE {0})"
    low, high, *apart, whole, decimals = one_row(
        connection,
        f"""
        SELECT {ends.format("usual")},
               count(*) FILTER (WHERE far), {ends.format("far")},
               count(*) FILTER (WHERE negative), {ends.format("negative")},
               bool_and(number = floor(number) AND abs(number) < 1e15),
               quantile_disc(length(rtrim(regexp_extract(written, '\\.([0-9]+)$', 1), '0')), 0.95)
        FROM (SELECT *, {kinds} FROM cells WHERE number IS NOT NULL)
        """,
    )
    return Numbers(
        low=low,
        high=high,
        far=Apart(*apart[:3]) if apart[0] else None,
        negative=Apart(*apart[3:]) if apart[3] else None,
        just_below=few and tail and low < 0,
        whole=bool(whole),
        decimals=decimals or 0,
    )


def _usual(connection: duckdb.DuckDBPyConnection, *, odd: bool) -> tuple[float, float]:
    """Between which numbers cells count for the bounds.

    Not for them counts what is below nought and odd, nor a few far beyond the middle half of all.
    """
    low, quarter, middle, upper, high, cells = one_row(
        connection,
        """
        SELECT min(number), quantile_disc(number, 0.25), quantile_disc(number, 0.5),
               quantile_disc(number, 0.75), max(number), count(*)
        FROM cells WHERE number IS NOT NULL
        """,
    )
    low = max(low, 0.0) if odd else low
    wide = _FENCE * (upper - quarter)
    first, last, far = one_row(
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


def _few_negative(connection: duckdb.DuckDBPyConnection) -> tuple[bool, bool]:
    """Whether few cells are below nought; whether they go on from the rest, as cold days do.

    Most of these differ, and as near to nought on the other side are some cells, but not many
    more. Codes such as -9 come back, or nothing, or nearly everything, lies as near.
    """
    few, tail = one_row(
        connection,
        f"""
        WITH nearest AS (SELECT quantile_disc(-number, 0.5) AS near FROM cells WHERE number < 0),
        counted AS (
            SELECT count(*) FILTER (WHERE number < 0) AS below, count(number) AS cells,
                   count(DISTINCT number) FILTER (WHERE number < 0) AS different,
                   count(*) FILTER (WHERE number BETWEEN 0 AND near) AS beside
            FROM cells, nearest
        )
        SELECT below BETWEEN 1 AND {_FEW_NEGATIVE} * cells,
               2 * different >= below AND beside BETWEEN 1 AND {_THINNING} * below
        FROM counted
        """,
    )
    return bool(few), bool(tail)


def one_row(connection: duckdb.DuckDBPyConnection, select: str) -> tuple[Any, ...]:
    """The only row of an answer."""
    row = connection.execute(select).fetchone()
    assert row is not None
    return row
