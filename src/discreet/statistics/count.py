"""How many rows there are, or how many meet a condition."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.statistics.answers import Added, Linear, Rows, Tables
from discreet.statistics.statistic import Adding, Takes, Words


@dataclass(frozen=True)
class Count(Adding):
    """How many rows meet a condition.

    >>> from discreet.model import Relation
    >>> from discreet.statistics.answers import HOLDS
    >>> Count().form(Rows(values=HOLDS, most=9, relation=Relation.CHANGE)).size
    10
    """

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="count",
            functions=("COUNT", "COUNT_IF", "COUNTIF"),
            takes=Takes.ROWS,
            title="the number of rows",
            phrase="the number of rows",
            make=lambda _: Count(),
        ),
    )

    def form(self, rows: Rows) -> Added:
        """0 to the most rows; where everybody knows it, that one answer."""
        known = rows.fixed and rows.every
        return Added(
            start=Fraction(rows.most if known else 0),
            unit=Fraction(1),
            size=1 if known else rows.most + 1,
            steps=0 if known else 1,
            linear=Linear(),
        )

    def is_whole(self, whole_values: bool) -> bool:
        """Counts are whole."""
        return True


@dataclass(frozen=True)
class CountFrom:
    """How many rows have the value of index `first` or a later one, `most` if more do."""

    first: int
    most: int

    def rows_to_change(self, tables: Tables) -> Tables:
        """How many rows must change for the count to be 0, …, most; as many must come or go.

        >>> CountFrom(1, 4).rows_to_change(np.array([9, 2])).tolist()
        [2, 1, 0, 1, 2]
        >>> CountFrom(1, 4).rows_to_change(np.array([0, 7])).tolist()
        [7, 6, 5, 4, 0]
        """
        counted = tables[..., self.first :].sum(axis=-1, keepdims=True)
        away = np.abs(np.arange(self.most + 1, dtype=np.int64) - counted)
        away[..., self.most :] = np.maximum(0, self.most - counted)
        return np.asarray(away)

    rows_to_add_or_remove = rows_to_change
