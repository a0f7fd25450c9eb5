"""How many rows stand between told quantiles and the true ones (docs/proofs/quantiles-together.md).

A row too many below one quantile is a row too few between it and the next: what is counted is not
each quantile by itself, but how the surplus of rows changes from one to the next.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.model import Relation

Integers = npt.NDArray[np.int64]

_LARGEST = 1 << 60
_MANY_ROWS = 1 << 32


@dataclass(frozen=True)
class QuantileScore:
    """The score of several quantiles told together, of shares that rise from 0 to 1 at most.

    Of m rows, the quantile of share q is the one at place r = max(1, ⌈q·m⌉). The targets lie in
    the half row before it, so that a value is the quantile exactly when the rows below it are at
    most the target, and the rows up to it at least.
    """

    shares: tuple[Fraction, ...]
    relation: Relation
    """What may happen to one counted row; the number of rows is public under a change alone."""

    def __post_init__(self) -> None:
        inside = all(0 <= share <= 1 for share in self.shares)
        if not self.shares or not inside or any(b <= a for a, b in pairwise(self.shares)):
            raise InvalidInput("quantiles released together need increasing shares from 0 to 1")

    @cached_property
    def parts(self) -> int:
        """How many parts of a row everything is counted in: all targets are whole then."""
        return 2 if self._rounded else 2 * self._denominator

    @property
    def _rounded(self) -> bool:
        """Whether targets are at whole places: they do not move where the size is public."""
        return self.relation == Relation.CHANGE

    @cached_property
    def _denominator(self) -> int:
        return math.lcm(*(share.denominator for share in self.shares))

    def targets(self, rows: int) -> list[int]:
        """For a table of so many rows, τ of each quantile, in parts of a row.

        Of a public number, r − ½; else q·m less half of the smallest step that q·m can make, and
        at least half a row for a minimum.

        >>> QuantileScore((Fraction(1, 2), Fraction(1)), Relation.CHANGE).targets(5)
        [5, 9]
        >>> QuantileScore((Fraction(1, 2),), Relation.ADD_OR_REMOVE).targets(5)
        [9]
        """
        if self._rounded:
            places = (max(1, math.ceil(share * rows)) for share in self.shares)
            return [2 * place - 1 for place in places]
        least = self._denominator if self.shares[0] == 0 else -1
        return [max(int(share * rows * self.parts) - 1, least) for share in self.shares]

    @cached_property
    def slope(self) -> Fraction:
        """How far one row moves the score at most (docs/proofs/quantiles-together.md, Claim 3).

        >>> shares = tuple(Fraction(k, 4) for k in (1, 2, 3))
        >>> QuantileScore(shares, Relation.ADD_OR_REMOVE).slope
        Fraction(3, 4)
        """
        if self.relation != Relation.ADD_OR_REMOVE:
            return Fraction(1)
        return 1 - min(b - a for a, b in pairwise((Fraction(0), *self.shares, Fraction(1))))

    def points(self, counts: Integers) -> Integers:
        """How many rows lie below each value and, last, in all; in parts of a row."""
        below: Integers = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=below[1:])
        return below * self.parts

    @property
    def spare(self) -> float:
        """How much less than a row too many may cost: half a row where targets are rounded."""
        return 0.5 if self._rounded else 0.0

    def farthest(self, most_rows: int) -> int:
        """What no distance exceeds in tables of so many rows at most, in parts of a row."""
        return 4 * self.parts * (most_rows + 1)

    def suits(self, most_rows: int) -> bool:
        """Whether machine words hold every distance, be there more rows than declared or not."""
        return self.farthest(max(most_rows, _MANY_ROWS)) < _LARGEST

    def of(self, counts: Integers, places: Sequence[int]) -> Fraction:
        """The score of told places, one for each share, none before the one before it.

        The surplus of rows starts at 0, moves for each quantile the least way into what its value
        allows, and ends at 0; half of all its moves is the score. For the true ones nothing moves:
        their score is below 0 by as many rows as they are ahead.
        """
        points, targets = self.points(counts), self.targets(int(counts.sum()))
        surplus, moved = 0, 0
        for target, place in zip(targets, places, strict=True):
            start, end = (int(point) - target for point in points[place : place + 2])
            allowed = min(max(surplus, start), end)
            moved, surplus = moved + abs(allowed - surplus), allowed
        if moved == 0:
            return -Fraction(ahead(points, targets).rows, self.parts)
        return Fraction(moved + abs(surplus), 2 * self.parts)


@dataclass(frozen=True)
class Ahead:
    """The true quantiles, and how many rows may move before one of them is true no more."""

    places: tuple[int, ...]
    rows: int
    """In parts of a row; 0 where there are no rows, and nothing is true."""


def ahead(points: Integers, targets: Sequence[int]) -> Ahead:
    """Of the values that rows are cut by, those that hold a target each."""
    wanted = np.array(targets)
    last = len(points) - 2
    places = np.clip(points.searchsorted(wanted, "right") - 1, 0, last)
    room = np.minimum(wanted - points[places], points[places + 1] - wanted)
    return Ahead(tuple(places.tolist()), max(0, int(room.min())))
