"""Which share of the possible rows meets a condition."""

from fractions import Fraction
from functools import lru_cache
from math import prod

import numpy as np

from discreet.questions import Condition, Within
from discreet.questions.conditions import columns_of, rows_where
from discreet.tables import GAP, Facts, skips_gaps

MOST_ROWS = 200_000
"""How many different rows are tried."""


@lru_cache(maxsize=1024)
def chance_of(condition: Condition, dataset: Facts) -> Fraction | None:
    """How likely a row meets the condition that is drawn uniformly from the declared values.

    None when the rows are too many to try; a condition on one column is counted without trying.
    """
    return _share(condition, dataset, gaps=False)


@lru_cache(maxsize=1024)
def share_of_rows(condition: Condition, dataset: Facts) -> Fraction | None:
    """The share of all possible rows that meet the condition, those with gaps among them.

    It is 0 where no row ever does and 1 where every row must; None when they are too many to try.
    """
    return _share(condition, dataset, gaps=True)


def _share(condition: Condition, dataset: Facts, *, gaps: bool) -> Fraction | None:
    columns = [dataset.column(name) for name in sorted(columns_of(condition))]
    values = [column.size + (gaps and skips_gaps(column)) for column in columns]
    if isinstance(condition, Within):
        return Fraction(condition.last - condition.first + 1, values[0])
    if prod(values) > MOST_ROWS:
        return None
    rows = np.indices(values or (1,), dtype=np.intp).reshape(max(1, len(values)), -1)
    cells = {
        column.name: cells + GAP if many > column.size else cells
        for column, many, cells in zip(columns, values, rows, strict=False)
    }
    met = rows_where(condition, cells or {"": rows[0]})
    return Fraction(int(met.sum()), rows.shape[1])
