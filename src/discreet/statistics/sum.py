"""The sum of a number column."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.model import Grid, Numbers
from discreet.statistics.answers import Form, Rows, Tables, summed
from discreet.statistics.statistic import Adding, OfDates, Takes, Words


@dataclass(frozen=True)
class Sum(Adding):
    """The sum of the values."""

    of_dates: ClassVar[OfDates] = OfDates.NOTHING
    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="sum",
            functions=("SUM",),
            takes=Takes.NUMBERS,
            title="the sum",
            phrase="the sum of {column}",
            make=lambda _: Sum(),
        ),
    )

    def form(self, rows: Rows) -> Form:
        """All sums of the rows."""
        assert isinstance(rows.values, Grid)
        return summed(rows.values, rows)

    def numbers(self, tables: Tables, values: Numbers) -> list[Fraction]:
        """The sum of every table, exactly.

        >>> Sum().numbers(np.array([[2, 1], [0, 3]]), Grid.between(0, "1/2", "1/2"))
        [Fraction(1, 2), Fraction(3, 2)]
        """
        every = values.values()
        scale = int(np.lcm.reduce([value.denominator for value in every], dtype=object))
        whole = np.array([int(value * scale) for value in every], dtype=object)
        return [Fraction(total, scale) for total in tables.astype(object) @ whole]
