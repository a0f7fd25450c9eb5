"""The mean of a number column."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.model import Grid, Numbers
from discreet.statistics.answers import Form, Rows, Tables, averaged
from discreet.statistics.statistic import Adding, OfDates, Takes, Words
from discreet.statistics.sum import Sum


@dataclass(frozen=True)
class Mean(Adding):
    """The sum of the values divided by the number of rows (003 §4.3)."""

    of_dates: ClassVar[OfDates] = OfDates.DATE
    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="mean",
            functions=("AVG", "MEAN"),
            takes=Takes.NUMBERS,
            title="the average",
            phrase="the average of {column}",
            make=lambda _: Mean(),
        ),
    )

    def form(self, rows: Rows) -> Form:
        """From the smallest value to the largest."""
        assert isinstance(rows.values, Grid)
        return averaged(rows.values, rows)

    def is_whole(self, whole_values: bool) -> bool:
        """Means are fractions."""
        return False

    def numbers(self, tables: Tables, values: Numbers) -> list[Fraction]:
        """The mean of every table, exactly; each has a row.

        >>> import numpy as np
        >>> Mean().numbers(np.array([[2, 1], [0, 3]]), Grid.between(0, 1))
        [Fraction(1, 3), Fraction(1, 1)]
        """
        sizes = tables.sum(axis=1).tolist()
        return [
            total / size for total, size in zip(Sum().numbers(tables, values), sizes, strict=True)
        ]
