"""How far the upper quartile lies above the lower one (docs/proofs/ranks.md, Claim 10)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.model import Grid
from discreet.statistics.answers import Chances, Placed, Rows, Tables
from discreet.statistics.rank import Rank
from discreet.statistics.statistic import Placing, Takes, Words
from discreet.statistics.widths import least_by_width

LOWER, UPPER = Rank(Fraction(1, 4)), Rank(Fraction(3, 4))


@dataclass(frozen=True)
class QuartileRange(Placing):
    """The interquartile range: the 0.75-quantile minus the 0.25-quantile, in steps of the values.

    >>> QuartileRange().places(np.array([[1, 1, 1, 1], [0, 4, 0, 0]])).tolist()
    [2, 0]
    """

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="iqr",
            functions=("IQR",),
            takes=Takes.NUMBERS,
            title="the interquartile range",
            phrase="the interquartile range of {column}",
            make=lambda _: QuartileRange(),
        ),
    )

    def form(self, rows: Rows) -> Placed:
        """0 to the width of the values: one row can lead anywhere."""
        assert isinstance(rows.values, Grid)
        return Placed(Grid(Fraction(0), rows.values.step, rows.values.size))

    def places(self, tables: Tables) -> Tables:
        """The steps between the quartiles of every table; each has a row."""
        return np.asarray(UPPER.places(tables) - LOWER.places(tables))

    def rows_to_change(self, tables: Tables) -> Tables:
        """Rows to change for the quartiles to lie 0, 1, …, T − 1 steps apart, wherever they lie.

        For each place of both, rows are moved past the four cuts around them the least way. O(T)
        for each width.

        >>> QuartileRange().rows_to_change(np.array([1, 1, 1, 1])).tolist()
        [2, 1, 0, 1]
        """
        rows = tables.sum(axis=-1, keepdims=True)
        return _least_moved(tables, rows, ends=0) // 2

    def rows_away(self, tables: Tables) -> Tables:
        """The same, but the true width is ahead by as many rows as may change and leave it true.

        >>> QuartileRange().rows_away(np.array([1, 9, 1])).tolist()
        [-1, 2, 4]
        """
        away = self.rows_to_change(tables)
        ahead = [
            np.take_along_axis(rank.rows_away(tables), rank.places(tables)[..., None], axis=-1)
            for rank in (LOWER, UPPER)
        ]
        return np.where(away == 0, np.maximum(*ahead), away)

    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """The same for every number of rows there may be afterwards.

        >>> QuartileRange().rows_to_add_or_remove(np.array([1, 1, 1, 1])).tolist()
        [3, 1, 0, 1]
        """
        rows = tables.sum(axis=-1, keepdims=True)
        least = 2 * self.rows_to_change(tables)
        far = int(least.max())
        for more in range(-far, far + 1):
            moved = _least_moved(tables, rows + more, ends=more)
            alone = np.arange(tables.shape[-1]) == 0
            possible = rows + more >= np.where(alone, 1, 2)
            least = np.where(possible, np.minimum(least, moved), least)
        return np.asarray(least)

    def likely_rows(self, place: int, size: int, rows: int) -> Chances:
        """A quarter below a window of that width in the middle, half within, a quarter above."""
        first = (size - 1 - place) // 2
        last = first + place
        chances = np.zeros(size)
        for share, low, high in ((0.25, 0, first), (0.5, first, last), (0.25, last, size - 1)):
            chances[low : high + 1] += share / (high + 1 - low)
        return chances


def _least_moved(tables: Tables, rows: Tables, *, ends: int) -> Tables:
    """How many rows pass cuts between values, added up, until the quartiles of `rows` rows lie so
    many steps apart: twice the rows that change, or all that come and go (then the last cut is
    passed by `ends`).

    With p₁ and p₂ the path past the cuts at the lower quartile, which stays as long as it can, and
    Q the least that the last cut wants, the path that goes on past an upper quartile with
    p₃ ≤ u is 2·max(Q − p₁, max(Q − u, 0) + p₂ − p₁) − ends long (docs/proofs/ranks.md, Claim 10).
    """
    lower, upper = (
        np.array([rank.of(max(0, many)) for many in rows.ravel().tolist()]).reshape(rows.shape)
        for rank in (LOWER, UPPER)
    )
    at_most = np.cumsum(tables, axis=-1)
    below = at_most - tables
    first = np.minimum(0, lower - 1 - below)
    raised = np.maximum(first, lower - at_most) - first
    last = np.maximum(upper - at_most, ends)
    lowered = np.maximum(last - (upper - 1 - below), 0)
    least = least_by_width(last, first, lowered, raised)
    least[..., 0] = np.maximum(last - first, 0).min(axis=-1)
    return np.asarray(2 * least - ends)
