"""Order statistics: minimum, median, maximum and any quantile (docs/proofs/path-length.md).

Of m rows in order, the quantile of share p is the one at place max(1, ⌈p·m⌉): share 0 is the
minimum, ½ the (lower) median, 1 the maximum, r/n the r-th smallest of n.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput, QuestionError
from discreet.exact import rational, show
from discreet.statistics.answers import Chances, Form, Tables, Values
from discreet.statistics.counted import Counted, ThinTally
from discreet.statistics.statistic import OfDates, Parameter, Placing, Takes, Words
from discreet.text import number_text

MOST_RANKED = 500_001
"""Up to so many values are scored one by one; more than 5,001 for ranks without leanings alone.

Planned in about half a second and drawn in a tenth of one."""
FINEST = 10**6
"""The finest parts of a share: with 10¹² rows, products stay within 64 bits."""
_SHARE = Parameter(
    key="rank",
    letter="p",
    of="a quantile",
    title="which quantile, from 0 to 1",
    range="from 0 to 1",
    example="0.9",
)


def _words(name: str, title: str, phrase: str, share: Fraction) -> Words:
    return Words(
        name=name,
        functions=(name.upper(),),
        takes=Takes.NUMBERS,
        title=title,
        phrase=phrase,
        make=lambda _: Rank(share, name),
    )


@dataclass(frozen=True)
class Rank(Placing):
    """The value that a share of the rows does not exceed: the row ⌈share·m⌉ of m in order.

    >>> Rank(Fraction(1, 2)).places(np.array([[0, 1, 1], [2, 0, 0]])).tolist()
    [1, 0]
    """

    share: Fraction
    called: str = "quantile"
    """Which of its names it is asked by."""

    of_dates: ClassVar[OfDates] = OfDates.DATE
    names: ClassVar[tuple[Words, ...]] = (
        _words("min", "the smallest value", "the smallest {column}", Fraction(0)),
        _words("max", "the largest value", "the largest {column}", Fraction(1)),
        _words("median", "the median", "the median of {column}", Fraction(1, 2)),
        Words(
            name="quantile",
            functions=(
                "QUANTILE",
                "QUANTILE_DISC",
                "APPROX_QUANTILE",
                "PERCENTILE_DISC",
            ),
            takes=Takes.NUMBERS,
            title="the quantile",
            phrase="the {parameter} % quantile of {column}",
            make=lambda share: Rank(Fraction(share or 0)),
            parameter=_SHARE,
        ),
    )

    @property
    def words(self) -> Words:
        """The one of its names that it is asked by."""
        return next(words for words in self.names if words.name == self.called)

    @property
    def parameter(self) -> Fraction | None:
        """The share, where the name does not say it."""
        return None if self.words.parameter is None else self.share

    def of(self, rows: int) -> int:
        """Which of so many sorted rows is meant, from 1.

        >>> [Rank(Fraction(p)).of(10) for p in ("0", "1/2", "0.91", "1")]
        [1, 5, 10, 10]
        """
        return max(1, -(-self.share.numerator * rows // self.share.denominator))

    def place(self, counted: Counted, form: Form) -> int:
        """The place of the true answer; where few values have rows, it is one of these."""
        if isinstance(counted, ThinTally) and counted.rows:
            return int(counted.places[self.places(counted.held)])
        return super().place(counted, form)

    def places(self, tables: Tables) -> Tables:
        """The first value of every table at or below which there are enough rows."""
        at_most = np.cumsum(tables, axis=-1)
        return np.asarray((at_most >= self._ranks(at_most)).argmax(axis=-1))

    def rows_to_change(self, tables: Tables) -> Tables:
        """Those on the wrong side of the rank r: max(0, #(< y) − (r − 1), r − #(≤ y)).

        Of a table without rows, every value is one row away (docs/proofs/ranks.md).

        >>> Rank(Fraction(1, 2)).rows_to_change(np.array([1, 0, 2, 0])).tolist()
        [1, 1, 0, 2]
        """
        return np.maximum(self.rows_away(tables), 0)

    def rows_away(self, tables: Tables) -> Tables:
        """The same without the 0: the answer is ahead by as many rows as may change around it.

        >>> Rank(Fraction(1, 2)).rows_away(np.array([1, 5, 2])).tolist()
        [3, -2, 3]
        """
        at_most = np.cumsum(tables, axis=-1)
        ranks, below = self._ranks(at_most), at_most - tables
        return np.asarray(np.maximum(below - (ranks - 1), ranks - at_most))

    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """Adding y and removing from one side is all that ever helps.

        >>> Rank(Fraction(1, 2)).rows_to_add_or_remove(np.array([1, 0, 2, 0])).tolist()
        [1, 1, 0, 4]
        """
        return np.apply_along_axis(_steps_to_quantile, -1, tables, self.share)

    def likely_rows(self, place: int, size: int, rows: int) -> Chances:
        """Even on either side of the place, as many below as the rank asks for."""
        below = (self.of(max(1, rows)) - 0.5) / max(1, rows)
        chances = np.zeros(size)
        chances[: place + 1] += below / (place + 1)
        chances[place:] += (1 - below) / (size - place)
        return chances

    def _ranks(self, at_most: Tables) -> Tables:
        rows = at_most[..., -1:]
        return np.array([self.of(many) for many in rows.ravel().tolist()]).reshape(rows.shape)

    def check(self, column: str, values: Values) -> None:
        """QuestionError unless the share is one, and no finer than products with rows allow."""
        if not 0 <= self.share <= 1:
            raise QuestionError(
                f"{self.words.function}({column}, p) needs p from 0 to 1, got {show(self.share)}"
            )
        if self.share.denominator > FINEST:
            raise QuestionError(
                "the p of a quantile can have at most 6 decimals (or be a fraction such as "
                f"1/3), got {show(str(self.share))}"
            )

    def phrase(self, *columns: str) -> str:
        """It as people would say it of a column: shares are told in per cent."""
        share = number_text(100 * self.share)
        return self.words.phrase.format(column=" ".join(columns), parameter=share)

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        rank = None if self.parameter is None else str(self.parameter)
        return {**super().to_dict(), "rank": rank}


MINIMUM, MAXIMUM, MEDIAN = (
    Rank(Fraction(0), "min"),
    Rank(Fraction(1), "max"),
    Rank(Fraction(1, 2), "median"),
)


def share_of(share: object, error: type[InvalidInput]) -> Fraction:
    """The share of a quantile, read and checked.

    >>> share_of("0.9", QuestionError)
    Fraction(9, 10)
    """
    exact = rational(share, "the share of a quantile", error)
    if not 0 <= exact <= 1:
        raise error(f"the share of a quantile must lie between 0 and 1, got {show(share)}")
    return exact


def _steps_to_quantile(counts: Tables, share: Fraction) -> Tables:
    """Rows to add or remove: adding y and removing from one side is all that ever helps.

    >>> _steps_to_quantile(np.array([1, 0, 2, 0]), Fraction(1, 2)).tolist()
    [1, 1, 0, 4]
    """
    up_to = np.cumsum(counts)
    below, above = up_to - counts, up_to[-1] - up_to
    if share == 0:
        return np.asarray(below + (counts == 0))
    enough = _Enough(below, counts, above, share)
    low = np.full(len(counts), -1, dtype=np.int64)
    high = np.full(len(counts), int(up_to[-1]) + 1, dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        suffices = enough(middle)
        high = np.where(suffices, middle, high)
        low = np.where(suffices, low, middle)
    return high


class _Enough:
    """Whether so many steps suffice, for every y at once.

    With L rows below y, E at it and G above, y is the quantile of share p = u/(u + v) when
    v·L < u·(E + G) and u·G ≤ v·(L + E). Of k steps, t remove from the side that share p makes
    heavy (below for p ≤ ½) and k − t add y: the t that keep both lines form an interval.
    """

    def __init__(self, below: Tables, at: Tables, above: Tables, share: Fraction) -> None:
        self.u, self.v = share.numerator, share.denominator - share.numerator
        largest = 4 * share.denominator * (int(below[-1] + at[-1]) + 2)
        kind = np.dtype(np.int64 if largest < 2**62 else object)
        self.below: Tables = below.astype(kind)
        self.at: Tables = at.astype(kind)
        self.above: Tables = above.astype(kind)

    def __call__(self, steps: Tables) -> npt.NDArray[np.bool_]:
        least, most = self._from_below(steps) if self.u <= self.v else self._from_above(steps)
        return np.asarray(np.maximum(least, 0) <= np.minimum(most, steps), dtype=bool)

    def _from_below(self, steps: Tables) -> tuple[Tables, Tables]:
        u, v = self.u, self.v
        lacking = v * self.below - u * (self.at + self.above + steps)
        least = lacking // (v - u) + 1 if v > u else np.where(lacking < 0, 0, steps + 1)
        room = (v * (self.below + self.at + steps) - u * self.above) // (2 * v)
        return least, np.minimum(self.below, room)

    def _from_above(self, steps: Tables) -> tuple[Tables, Tables]:
        u, v = self.u, self.v
        lacking = u * self.above - v * (self.below + self.at + steps)
        least = -(-lacking // (u - v))
        room = (u * (self.at + self.above + steps) - v * self.below - 1) // (2 * u)
        return least, np.minimum(self.above, room)
