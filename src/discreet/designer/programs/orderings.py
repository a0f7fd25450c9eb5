"""Requirements as comparisons of cells (003 formulas 10–15): which may not exceed which.

Cells are numbered row by row: output i under answer j is i·columns + j. What is built here asks
for the same as `discreet.measures.property_checks` checks.
"""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import Indices
from discreet.model import (
    AllPairs,
    Graph,
    Labels,
    Neighbours,
    Space,
    category_of,
    edges,
    numbers_of,
)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """For each k, cell smaller[k] must not exceed cell larger[k]."""

    smaller: Indices
    larger: Indices

    def __len__(self) -> int:
        return len(self.smaller)


def neighbour_columns(neighbours: Neighbours, size: int) -> Comparisons:
    """Every ordered pair of neighbouring answers (columns, not cells).

    >>> from discreet.model import Within
    >>> pairs = neighbour_columns(Within(1), 3)
    >>> pairs.smaller.tolist(), pairs.larger.tolist()
    ([0, 1, 1, 2], [1, 2, 0, 1])
    """
    if isinstance(neighbours, Graph):
        pairs = np.array(list(neighbours.pairs(size)), dtype=np.int64).reshape(-1, 2)
        one, other = pairs[:, 0], pairs[:, 1]
    else:
        steps = size - 1 if isinstance(neighbours, AllPairs) else min(neighbours.steps, size - 1)
        apart = [np.arange(size - step) for step in range(1, steps + 1)]
        one = np.concatenate([np.zeros(0, dtype=np.int64), *apart])
        other = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(first + k + 1 for k, first in enumerate(apart))]
        )
    return Comparisons(np.concatenate([one, other]), np.concatenate([other, one]))


def column_order(outputs: Space, answers: Space) -> Comparisons:
    """(10), (11): down each column, weights fall away from the category that holds the answer.

    Labels have no order: no output may be likelier than the answer's own.
    """
    rows, columns = len(outputs), len(answers)
    home = np.array(category_of(outputs, answers))
    cells = np.arange(rows * columns).reshape(rows, columns)
    if _unordered(outputs, answers):
        own = np.broadcast_to(cells[home, np.arange(columns)], cells.shape)
        other = cells != own
        return Comparisons(cells[other], own[other])
    upper, lower = cells[:-1], cells[1:]
    rising = np.arange(rows - 1)[:, None] < home
    return Comparisons(
        np.where(rising, upper, lower).ravel(), np.where(rising, lower, upper).ravel()
    )


def row_order(outputs: Space, answers: Space) -> Comparisons:
    """(12), (13): along each row, weights fall away from the answers the output's category holds.

    Two answers within one category are compared both ways: they must weigh the same.
    """
    rows, columns = len(outputs), len(answers)
    cells = np.arange(rows * columns).reshape(rows, columns)
    if isinstance(outputs, Labels) or isinstance(answers, Labels):
        home = np.array(category_of(outputs, answers))
        own = cells[home, np.arange(columns)]
        others = cells[home]
        beside = others != own[:, None]
        return Comparisons(others[beside], np.broadcast_to(own[:, None], others.shape)[beside])
    first_inside, first_beyond = held_answers(outputs, answers)
    places = np.arange(columns)[None, :]
    rising = places[:, 1:] < first_beyond[:, None]
    falling = places[:, :-1] >= first_inside[:, None]
    left, right = cells[:, :-1], cells[:, 1:]
    return Comparisons(
        np.concatenate([left[rising], right[falling]]),
        np.concatenate([right[rising], left[falling]]),
    )


def held_answers(outputs: Space, answers: Space) -> tuple[Indices, Indices]:
    """For each output, the first answer its category holds, and the first one beyond it.

    >>> from discreet.model import Grid
    >>> held_answers(Grid.between(0, 4, step=2), Grid.between(0, 4))
    (array([0, 1, 3]), array([2, 4, 5]))
    """
    bounds = np.array(edges(numbers_of(outputs, "a category")))
    values = np.array(numbers_of(answers, "a category").values())
    return (
        np.searchsorted(values, bounds[:-1], side="left"),
        np.searchsorted(values, bounds[1:], side="right"),
    )


def turned_cells(rows: int, columns: int) -> Comparisons:
    """(14): each cell of the first half, and the one in its place when the matrix is turned."""
    cells = np.arange(rows * columns)
    first = cells[: rows * columns // 2]
    return Comparisons(first, cells[::-1][: len(first)])


def own_cells(outputs: Space, answers: Space) -> Indices:
    """For each answer, the cell of the output whose category holds it (i_j, j): (15)."""
    columns = len(answers)
    return np.array(category_of(outputs, answers)) * columns + np.arange(columns)


def _unordered(outputs: Space, answers: Space) -> bool:
    return isinstance(outputs, Labels) or isinstance(answers, Labels)
