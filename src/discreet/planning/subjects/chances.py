"""How likely a condition holds for a row drawn uniformly from the declared values."""

from fractions import Fraction
from functools import lru_cache
from math import prod

import numpy as np

from discreet.questions import AllOf, AnyOf, Condition, Not, OneOf, Within
from discreet.questions.conditions import holds, rows_where
from discreet.tables import Facts

MOST_ROWS = 200_000
"""How many different rows are tried."""


@lru_cache(maxsize=1024)
def chance_of(condition: Condition, dataset: Facts) -> Fraction | None:
    """The share of all possible rows that meet the condition; None when they are too many to try.

    A condition on one column is counted without trying rows.
    """
    names = sorted(_columns(condition))
    sizes = [dataset.column(name).size for name in names]
    if isinstance(condition, Within):
        return Fraction(condition.last - condition.first + 1, sizes[0])
    if not names:
        return Fraction(holds(condition, {}))
    if prod(sizes) > MOST_ROWS:
        return None
    rows = np.indices(sizes, dtype=np.intp).reshape(len(names), -1)
    met = rows_where(condition, dict(zip(names, rows, strict=True)))
    return Fraction(int(met.sum()), prod(sizes))


def _columns(condition: Condition) -> set[str]:
    match condition:
        case Within(column) | OneOf(column):
            return {column}
        case Not(inner):
            return _columns(inner)
        case AllOf(parts) | AnyOf(parts):
            return set().union(*map(_columns, parts))
