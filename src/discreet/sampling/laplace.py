"""Discrete Laplace and geometric noise, exact for every rate (docs/proofs/exact-draws.md).

A table would be too long for a small rate. Then a number is written in base 1024: under a geometric
law its digits are independent, so there is a table for each digit, and one for the sign together
with all that is left above the digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, enclosed, rational, show
from discreet.sampling.tables import LazyTable, checked_count

BASE = 1024
SMALLEST_RATE = Fraction(1, 2**50)
"""Below this, noise would leave 64-bit integers too often for comfort; use a coarser grid."""

_LONGEST_REACH = 2048
_NATS = 44
"""e^−44 < 2^−63: what a table does not reach is rarer than one word."""
_LARGEST = 2**62
_SIGN = 2**16
"""Shifted by so much a number is 0, or −1 below 0: however far beyond a table it lies."""


@overload
def discrete_laplace(rate: RationalLike, count: None = None) -> int: ...
@overload
def discrete_laplace(rate: RationalLike, count: int) -> npt.NDArray[np.int64]: ...
def discrete_laplace(rate: RationalLike, count: int | None = None) -> int | npt.NDArray[np.int64]:
    """Integer noise with P(k) ∝ e^(−rate·|k|): one integer, or a vector of `count`.

    It is the two-sided geometric law, and on a grid of that spacing the Laplace mechanism of
    001 Prop. 5 with the guarantee of a real-valued one (docs/proofs/laplace.md).

    >>> isinstance(discrete_laplace("0.5"), int), discrete_laplace("1e-9", 3).shape
    (True, (3,))
    """
    tables = noise_tables(rate)
    return tables.draw() if count is None else tables.draw_many(checked_count(count))


@overload
def geometric(rate: RationalLike, count: None = None) -> int: ...
@overload
def geometric(rate: RationalLike, count: int) -> npt.NDArray[np.int64]: ...
def geometric(rate: RationalLike, count: int | None = None) -> int | npt.NDArray[np.int64]:
    """One-sided noise 0, 1, 2, … with P(k) ∝ e^(−rate·k): one integer, or a vector of `count`.

    >>> geometric(100) >= 0
    True
    """
    tables = noise_tables(rate)
    if count is None:
        return tables.draw_size()
    return sizes(tables.draw_many(checked_count(count)))


def noise_tables(rate: RationalLike) -> "NoiseTables":
    """The tables of a rate: built once, kept for the rates used last."""
    exact = rate if type(rate) is Fraction else rational(rate, "the rate of noise")
    return _noise_tables(exact.numerator, exact.denominator)


@lru_cache(maxsize=256)
def _noise_tables(numerator: int, denominator: int) -> "NoiseTables":
    rate = Fraction(numerator, denominator)
    if not can_be_drawn(rate):
        raise InvalidInput(
            f"the rate of noise must be at least 2^-50, got {show(rate)}; use a coarser grid"
        )
    return NoiseTables.of(rate)


def can_be_drawn(rate: Fraction) -> bool:
    """Whether noise of this rate fits 64 bits: the only reason not to draw it."""
    return rate >= SMALLEST_RATE


def size_of(signed: int) -> int:
    """k for k ≥ 0, −1 − k below: geometric, and independent of the sign."""
    return signed if signed >= 0 else ~signed


def sizes(signed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The same of each."""
    return signed ^ (signed >> 63)


@dataclass(frozen=True)
class NoiseTables:
    """What discrete Laplace noise of one rate is drawn from."""

    leading: LazyTable
    """Sign and leading part, from −reach (or less) to reach (or more)."""
    reach: int
    digits: tuple[LazyTable, ...]
    """Tables of the digits in base 1024, most significant first."""

    @classmethod
    def of(
        cls, rate: Fraction, reach: int | None = None, digits: int | None = None
    ) -> "NoiseTables":
        """Tables as short as they can be without leaving a tail that anyone will see."""
        if digits is None:
            digits = 0
            while _LONGEST_REACH * rate * BASE**digits < _NATS:
                digits += 1
        reach = reach or ceil(_NATS / (rate * BASE**digits))
        return cls(
            _leading_table(rate, rate * BASE**digits, reach),
            reach,
            tuple(_digit_table(rate * BASE**place) for place in reversed(range(digits))),
        )

    @property
    def width(self) -> int:
        """How many random words one integer takes."""
        return 1 + len(self.digits)

    def draw(self) -> int:
        """One integer, however large."""
        leading = self._leading()
        if not self.digits:
            return leading
        size = size_of(leading)
        for digit in self.digits:
            size = size * BASE + digit.draw()
        return size if leading >= 0 else ~size

    def draw_size(self) -> int:
        """One integer from 0 on: the one-sided noise of this rate."""
        return size_of(self.draw())

    def draw_many(self, count: int) -> npt.NDArray[np.int64]:
        """`count` independent integers."""
        leading = self.leading.draw_many(count) - self.reach
        beyond = np.abs(leading) == self.reach
        if np.count_nonzero(beyond):
            for place in np.flatnonzero(beyond):
                leading[place] = self._fitting(self._beyond(int(leading[place])))
        if not self.digits:
            return leading
        signs = leading >> 63
        size = leading ^ signs
        for digit in self.digits:
            size *= BASE
            size += digit.draw_many(count)
        return size ^ signs

    def draw_few(self, count: int) -> list[int]:
        """The same, however large, and quicker as long as they are few.

        Below 0, where −1 − k stands for k, digits are counted down: no sign is asked for.
        """
        places, last = self._places, 2 * self.reach
        drawn = [
            places[one] if 0 < one < last else self._beyond(places[one])
            for one in self.leading.draw_few(count)
        ]
        for digit in self.digits:
            drawn = [
                one * BASE + (part ^ (one >> _SIGN & BASE - 1))
                for one, part in zip(drawn, digit.draw_few(count), strict=True)
            ]
        return drawn

    def _leading(self) -> int:
        place = self._places[self.leading.draw()]
        return place if -self.reach < place < self.reach else self._beyond(place)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        """What the outcomes of the leading table stand for.

        Made before anything is drawn: an integer that is made anew takes longer, and small ones
        are not, so a subtraction would tell signs and sizes apart by time.
        """
        return tuple(range(-self.reach, self.reach + 1))

    def _beyond(self, end: int) -> int:
        """What lies beyond the table is geometric again, whatever the sign."""
        further = size_of(self._leading())
        return end + further if end > 0 else end - further

    def _fitting(self, leading: int) -> int:
        if abs(leading) * BASE ** len(self.digits) > _LARGEST:
            raise OverflowError("noise does not fit 64 bits; draw one value at a time")
        return leading


def _leading_table(rate: Fraction, block_rate: Fraction, reach: int) -> LazyTable:
    """P(Q ≤ −k) = α·β^(k−1)/(1 + α) and P(Q ≥ k) = β^k/(1 + α), where β = e^(−block rate).

    α = e^(−rate) is the odds of −1 − k against k.
    """

    def ends() -> Sequence[Any]:
        alpha, beta = enclosed(-rate).exp(), enclosed(-block_rate).exp()
        below = [alpha / (1 + alpha)]
        above = [1 / (1 + alpha)]
        for _ in range(reach):
            below.append(below[-1] * beta)
            above.append(above[-1] * beta)
        return [*below[reach - 1 :: -1], *(1 - rarer for rarer in above[1:]), 0 * alpha + 1]

    return LazyTable.of_reals(ends)


def _digit_table(rate: Fraction) -> LazyTable:
    """P(digit < k) = (1 − e^(−rate·k)) / (1 − e^(−rate·1024))."""

    def ends() -> Sequence[Any]:
        whole = enclosed(-rate * BASE).expm1()
        return [enclosed(-rate * k).expm1() / whole for k in range(1, BASE)] + [0 * whole + 1]

    return LazyTable.of_reals(ends)
