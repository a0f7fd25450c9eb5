"""Imagined tables of one column or two, by their sums: for statistics that need squares.

The second column has the same shape, and goes with the first closely, loosely, not at all, or
against it. Public facts alone enter.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.statistics import Counted, FromSums, Products

_Counts = npt.NDArray[np.int64]
_TOGETHER = (0.0, 0.5, -0.5, 0.9, 0.2, -0.9)
"""How closely the columns go together, table by table."""
_RANKS = 2_000
"""Rows are matched by so many ranks."""


def summed_tables(form: FromSums, lines: _Counts, places: _Counts) -> list[Counted]:
    """Tables of counts by evenly spaced values of the first column, as sums."""
    tables: list[Counted] = []
    for number, line in enumerate(lines):
        rows, counts = int(line.sum()), line.astype(object)
        total, squares = int(counts @ places), int(counts @ (places.astype(object) ** 2))
        if len(form.grids) == 1:
            tables.append(Products(rows, (total, 0), (squares, 0), 0))
        else:
            closely = _TOGETHER[number % len(_TOGETHER)]
            tables.append(_paired(form, line, places, (rows, total, squares), closely))
    return tables


def _paired(
    form: FromSums, line: _Counts, places: _Counts, sums: tuple[int, int, int], closely: float
) -> Products:
    """The same with a second column that is spread as the first, over its own range."""
    rows, total, squares = sums
    ranks = np.searchsorted(np.cumsum(line), (np.arange(_RANKS) + 0.5) / _RANKS * rows)
    first = places[np.minimum(ranks, len(places) - 1)].astype(np.float64)
    scale = form.fars[1] / max(1, form.fars[0])
    second = np.rint(first * scale)
    matched = second if closely >= 0 else second[::-1]
    apart = float(first.mean() * second.mean())
    together = apart + abs(closely) * (float((first * matched).mean()) - apart)
    by_row = (second.mean(), float((second**2).mean()), together)
    other, other_squares, product = (round(rows * one) for one in by_row)
    return Products(rows, (total, other), (squares, other_squares), product)


def alike(form: FromSums, sizes: Sequence[int]) -> list[Counted]:
    """Tables with all rows at one end, of all columns."""
    last = (*form.fars, 0)[:2]
    return [Products.at(rows, *end) for rows in sizes for end in ((0, 0), last)]
