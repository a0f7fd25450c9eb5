"""Ends by one weighted sum of noises, within a box that all sums lie in at once.

For the true mean and variance (and so on) a weighted sum of all sums is 0, so that what was drawn
of it is noise alone, whose reach is less than that of the box's corners
(docs/proofs/moments-together.md, Claim 9). Of one such box a single statistic may be read: each has
a weighted sum of its own that may be too far off.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from discreet.statistics.half_steps import (
    Ends,
    product_ends,
    quotient_ends,
    root_above,
    root_below,
)
from discreet.statistics.sums import Slot, SumBox

Reach: TypeAlias = Callable[[dict[Slot, Fraction], Fraction], Fraction | None]
"""How far the noises reach with weights of these sizes at most, but for a share of what may fail;
None where nobody knows."""

BOX_SHARE = Fraction(1, 10)
"""So much of what may fail is left to the box."""
_ALONE = 1 - BOX_SHARE
_A_PART = Fraction(1, 10)
"""So much to each variance that a correlation needs, and the rest to its own sum."""
_FINE = 1 << 20
_TURNS = 5
"""How often a weighted sum is looked at again within what it left."""


@dataclass(frozen=True)
class SharpBox(SumBox):
    """A box with what was drawn, and how far weighted sums of its noise reach."""

    drawn: tuple[int, ...]
    reach: Reach

    @property
    def _outer(self) -> SumBox:
        return SumBox(self.ranges, self.fars, self.empty)

    def variance(self, which: int) -> Ends:
        """W/2 − 2μS + (B²/2 + μ² − v)N is 0."""
        return self._variance(which, _ALONE)

    def _variance(self, which: int, share: Fraction) -> Ends:
        outer, mean, most = self._outer.variance(which), self.mean(which), self.fars[which] ** 2
        square = _squares(mean)
        rows = _minus((square[0] + Fraction(most, 2), square[1] + Fraction(most, 2)), outer)
        far = self._far(
            {
                Slot.ROWS: _size(rows),
                Slot(Slot.FIRST + which): 2 * _size(mean),
                Slot(Slot.FIRST_SQUARES + which): Fraction(1, 2),
            },
            share,
        )
        return outer if far is None else _within(outer, _around(self._spread(which), far))

    def covariance(self) -> Ends:
        """P − μ′S − μS′ + (μμ′ − k)N is 0."""
        outer, first, second = self._outer.covariance(), self.mean(0), self.mean(1)
        far = self._far(
            {
                Slot.ROWS: _size(_minus(product_ends(first, second), outer)),
                Slot.FIRST: _size(second),
                Slot.SECOND: _size(first),
                Slot.PRODUCTS: Fraction(1),
            },
            _ALONE,
        )
        return outer if far is None else _within(outer, _around(self._together, far))

    def slope(self) -> Ends | None:
        """The covariance's sum less the slope times that of the variance is 0."""
        outer = self._outer.slope()
        if outer is None:
            return None
        first, second = self.mean(0), self.mean(1)
        turned = product_ends(outer, second)
        far = self._far(
            {
                Slot.ROWS: _size(
                    _minus(
                        product_ends(first, second),
                        product_ends(outer, _plus(_squares(second), self._half(1))),
                    )
                ),
                Slot.FIRST: _size(second),
                Slot.SECOND: _size(_minus(first, (2 * turned[0], 2 * turned[1]))),
                Slot.SECOND_SQUARES: _size(outer) / 2,
                Slot.PRODUCTS: Fraction(1),
            },
            _ALONE,
        )
        if far is None:
            return outer
        ends = quotient_ends(_around(self._together, far), self._spread(1))
        return outer if ends is None else _within(outer, ends)

    def correlation(self, step: Fraction) -> Ends | None:
        """With τ the quotient of the deviations, the covariance's sum less r/2 times (τ times that
        of the first variance and 1/τ times that of the second) is 0."""
        variances = [self._variance(which, _A_PART) for which in (0, 1)]
        squares = quotient_ends(variances[1], variances[0])
        if squares is None or squares[0] <= 0:
            return None
        fine = Fraction(self.fars[1], self.fars[0] * _FINE)
        quotient = root_below(squares[0], fine), root_above(squares[1], fine)
        ends: Ends = Fraction(-1), Fraction(1)
        if quotient[0] <= 0:
            return ends
        for _ in range(_TURNS):
            ends = self._correlation(ends, quotient)
        return ends

    def _correlation(self, outer: Ends, quotient: Ends) -> Ends:
        """What is left of correlations by their weighted sum."""
        first, second = self.mean(0), self.mean(1)
        up, down = product_ends(outer, quotient), product_ends(outer, _turned(quotient))
        both = _plus(
            product_ends(up, _plus(_squares(first), self._half(0))),
            product_ends(down, _plus(_squares(second), self._half(1))),
        )
        far = self._far(
            {
                Slot.ROWS: _size(_minus(product_ends(first, second), (both[0] / 2, both[1] / 2))),
                Slot.FIRST: _size(_minus(second, product_ends(up, first))),
                Slot.SECOND: _size(_minus(first, product_ends(down, second))),
                Slot.FIRST_SQUARES: _size(up) / 4,
                Slot.SECOND_SQUARES: _size(down) / 4,
                Slot.PRODUCTS: Fraction(1),
            },
            _ALONE - 2 * _A_PART,
        )
        if far is None:
            return outer
        one, other = self._spread(0), self._spread(1)
        if min(one[0], other[0]) <= 0:
            return outer
        least = root_below(one[0] * other[0], Fraction(self.fars[0] * self.fars[1], _FINE))
        most = max((tau * one[1] + other[1] / tau) / 2 for tau in quotient)
        ends = quotient_ends(_around(self._together, far), (least, most))
        return outer if ends is None else _within(outer, ends)

    def _half(self, which: int) -> Ends:
        return (Fraction(self.fars[which] ** 2, 2),) * 2

    def _far(self, weights: dict[Slot, Fraction], share: Fraction) -> Fraction | None:
        """How far a weighted sum is off at most, for each of the rows that were drawn."""
        rows, far = self.drawn[Slot.ROWS], self.reach(weights, share)
        return None if rows < 1 or far is None else far / rows

    def _noisy_mean(self, which: int) -> Fraction:
        return Fraction(self.drawn[Slot.FIRST + which], self.drawn[Slot.ROWS])

    def _off(self, which: int) -> Ends:
        """How far the drawn mean may lie from the true one."""
        drawn = self._noisy_mean(which)
        return _minus((drawn, drawn), self.mean(which))

    def _spread(self, which: int) -> Ends:
        """The drawn mean square about the true mean: the drawn variance and what that is off."""
        squares = Fraction(self.drawn[Slot.FIRST_SQUARES + which], self.drawn[Slot.ROWS])
        drawn = (squares + self.fars[which] ** 2) / 2 - self._noisy_mean(which) ** 2
        return _plus((drawn, drawn), _squares(self._off(which)))

    @property
    def _together(self) -> Ends:
        """The same of both columns, for their covariance."""
        products = Fraction(self.drawn[Slot.PRODUCTS], self.drawn[Slot.ROWS])
        drawn = products - self._noisy_mean(0) * self._noisy_mean(1)
        return _plus((drawn, drawn), product_ends(self._off(0), self._off(1)))


def _size(ends: Ends) -> Fraction:
    return max(abs(ends[0]), abs(ends[1]))


def _squares(ends: Ends) -> Ends:
    least = Fraction(0) if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
    return least**2, _size(ends) ** 2


def _plus(one: Ends, other: Ends) -> Ends:
    return one[0] + other[0], one[1] + other[1]


def _minus(one: Ends, other: Ends) -> Ends:
    return one[0] - other[1], one[1] - other[0]


def _turned(ends: Ends) -> Ends:
    return 1 / ends[1], 1 / ends[0]


def _around(ends: Ends, far: Fraction) -> Ends:
    return ends[0] - far, ends[1] + far


def _within(outer: Ends, inner: Ends) -> Ends:
    """Both at once; where they have nothing in common, noise was too large: then the former."""
    low, high = max(outer[0], inner[0]), min(outer[1], inner[1])
    return (low, high) if low <= high else outer
