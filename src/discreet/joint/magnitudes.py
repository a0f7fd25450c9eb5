"""Positive numbers of any size, many at once, enclosed in integers.

The same sums of products are worked out in machine words, which say how much they may lack, and in
balls of any precision where that leaves a draw undecided (docs/proofs/quantiles-together.md).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.exact import enclosed, exp_lower_scaled, exp_upper
from discreet.exact.randomness import Words
from discreet.sampling.weights import SCALE, word_product

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Objects = npt.NDArray[np.object_]
Numbers = TypeVar("Numbers")

UNITS = 58
"""What machine words lack is counted in 2^−58 of the number."""

_ONE = np.uint64(1)
_LEAST = np.uint64(1 << (SCALE - 1))
_HALF_OF_IT = np.uint64(1 << (SCALE - 2))
_END = np.uint64(1 << SCALE)
_NOTHING = -(1 << 60)
"""The power of a 0: below all others."""
_LONGEST_SHIFT = 63
_MOST_DIGIT_BITS = 13
_BLOCK = 1 << 14
_GUARD = 160
_OUT_OF_SIGHT = Fraction(256)
"""What e to the minus this, or less, lacks to 1 is 1 in any word."""


class Arithmetic(ABC, Generic[Numbers]):
    """Sums of positive numbers, some of them multiplied by powers of one ratio below 1."""

    @abstractmethod
    def powers(self, steps: Integers) -> Numbers:
        """The ratio to each of these powers, none of them below 0."""

    @abstractmethod
    def rest(self, steps: int) -> Numbers:
        """What the ratio to this power lacks to 1, alone in its line."""

    @abstractmethod
    def times(self, one: Numbers, other: Numbers) -> Numbers:
        """The products, one by one."""

    def decayed(self, numbers: Numbers, steps: Integers) -> Numbers:
        """Numbers times the ratio to these powers."""
        return self.times(numbers, self.powers(steps))

    @abstractmethod
    def added(self, one: Numbers, other: Numbers) -> Numbers:
        """The sums, one by one."""

    @abstractmethod
    def picked(self, numbers: Numbers, places: Integers, kept: Booleans | None = None) -> Numbers:
        """Those at some places, and 0 where they are not kept."""

    @abstractmethod
    def chosen(self, first: Booleans, one: Numbers, other: Numbers) -> Numbers:
        """The first number of each two, or the second."""

    @abstractmethod
    def joined(self, parts: Sequence[Numbers]) -> Numbers:
        """One line after the other."""


@dataclass(frozen=True)
class PythonNumbers(Arithmetic[Objects]):
    """Numbers as Python knows them: balls at the working precision, or fractions."""

    power: Callable[[int], Any]
    """The ratio to a whole power."""

    @classmethod
    def balls(cls, rate: Fraction) -> "PythonNumbers":
        """Powers of e^(−rate) as Arb balls."""
        return cls(lambda step: enclosed(-rate * step).exp())

    def powers(self, steps: Integers) -> Objects:
        """Each by itself."""
        powers = np.empty(len(steps), dtype=object)
        powers[:] = [self.power(step) for step in steps.tolist()]
        return powers

    def rest(self, steps: int) -> Objects:
        """Subtracted: nothing is lost but bits."""
        return np.array([1 - self.power(steps)], dtype=object)

    def times(self, one: Objects, other: Objects) -> Objects:
        """Multiplied."""
        return np.asarray(one * other)

    def added(self, one: Objects, other: Objects) -> Objects:
        """Added."""
        return np.asarray(one + other)

    def picked(self, numbers: Objects, places: Integers, kept: Booleans | None = None) -> Objects:
        """A 0 is a whole number whatever the others are."""
        picked = numbers.take(places)
        return picked if kept is None else np.where(kept, picked, 0)

    def chosen(self, first: Booleans, one: Objects, other: Objects) -> Objects:
        """Chosen."""
        return np.where(first, one, other)

    def joined(self, parts: Sequence[Objects]) -> Objects:
        """Put together."""
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Scaled:
    """mantissa·2^power, at or below the number, which is at most lacks·2^−58 of it larger.

    A mantissa is 0, or from 2^61 to below 2^62.
    """

    mantissas: Words
    exponents: Integers
    lacks: int


class InWords(Arithmetic[Scaled]):
    """Powers of e^(−rate) in machine words, for up to so many steps."""

    def __init__(self, rate: Fraction, most_steps: int) -> None:
        self._rate = rate
        bits = max(1, most_steps.bit_length())
        self._digits = max(2, -(-bits // _MOST_DIGIT_BITS))
        self._bits = -(-bits // self._digits)
        self._tables = [
            power_table(rate * (1 << (place * self._bits)), 1 << self._bits)
            for place in range(self._digits)
        ]

    def powers(self, steps: Integers) -> Scaled:
        """A product over the digits of each number of steps."""
        return _in_blocks(len(steps), lambda part: self._powers(steps[part]))

    def _powers(self, steps: Integers) -> Scaled:
        mask, left = (1 << self._bits) - 1, steps
        powers = _looked_up(self._tables[0], left & mask)
        for table in self._tables[1:]:
            left = left >> self._bits
            powers = _product(powers, _looked_up(table, left & mask))
        return powers

    def decayed(self, numbers: Scaled, steps: Integers) -> Scaled:
        """Both at once, so that the powers are written down nowhere."""
        return _in_blocks(
            len(steps), lambda part: _product(_part(numbers, part), self._powers(steps[part]))
        )

    def rest(self, steps: int) -> Scaled:
        """From a power that is known to more bits than are lost."""
        far = min(self._rate * steps, _OUT_OF_SIGHT)
        lacking = 1 - exp_upper(-far, 2 * _GUARD) if steps else Fraction(0)
        if lacking <= 0:
            return Scaled(np.zeros(1, dtype=np.uint64), np.full(1, _NOTHING), 1)
        mantissa, power = _mantissa(lacking)
        spare = mantissa.bit_length() - SCALE
        words = np.array([mantissa >> spare], dtype=np.uint64)
        return Scaled(words, np.array([power + spare], dtype=np.int64), 1)

    def times(self, one: Scaled, other: Scaled) -> Scaled:
        """Products, shifted up until they are from 2^61 on."""
        return _in_blocks(
            len(one.mantissas), lambda part: _product(_part(one, part), _part(other, part))
        )

    def added(self, one: Scaled, other: Scaled) -> Scaled:
        """The smaller is shifted to the larger; what falls off is lacking."""
        return _in_blocks(
            len(one.mantissas), lambda part: _sum(_part(one, part), _part(other, part))
        )

    def picked(self, numbers: Scaled, places: Integers, kept: Booleans | None = None) -> Scaled:
        """Taken, word by word."""
        mantissas, exponents = numbers.mantissas.take(places), numbers.exponents.take(places)
        if kept is not None:
            mantissas, exponents = mantissas * kept, np.where(kept, exponents, _NOTHING)
        return Scaled(mantissas, exponents, numbers.lacks)

    def chosen(self, first: Booleans, one: Scaled, other: Scaled) -> Scaled:
        """Chosen; what one of them lacks, all may lack."""
        return Scaled(
            np.where(first, one.mantissas, other.mantissas),
            np.where(first, one.exponents, other.exponents),
            max(one.lacks, other.lacks),
        )

    def joined(self, parts: Sequence[Scaled]) -> Scaled:
        """Put together; what one part lacks, all may lack."""
        return Scaled(
            np.concatenate([one.mantissas for one in parts]),
            np.concatenate([one.exponents for one in parts]),
            max(one.lacks for one in parts),
        )


def _product(one: Scaled, other: Scaled) -> Scaled:
    words = word_product(one.mantissas, other.mantissas)
    up = (words < _LEAST).astype(np.int64) + (words < _HALF_OF_IT)
    exponents = np.maximum(one.exponents + other.exponents + SCALE - up, _NOTHING)
    return Scaled(words << up.astype(np.uint64), exponents, one.lacks + other.lacks + 3)


def _sum(one: Scaled, other: Scaled) -> Scaled:
    exponents = np.maximum(one.exponents, other.exponents)
    sums = _shifted(one, exponents) + _shifted(other, exponents)
    over = sums >= _END
    return Scaled(sums >> over.astype(np.uint64), exponents + over, 1 + max(one.lacks, other.lacks))


def _part(numbers: Scaled, part: slice) -> Scaled:
    return Scaled(numbers.mantissas[part], numbers.exponents[part], numbers.lacks)


def _in_blocks(size: int, work: Callable[[slice], Scaled]) -> Scaled:
    """A long line is worked out block by block: what lies between stays near at hand."""
    if size <= _BLOCK:
        return work(slice(None))
    mantissas, exponents = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int64)
    lacks = 0
    for start in range(0, size, _BLOCK):
        part = slice(start, start + _BLOCK)
        scaled = work(part)
        mantissas[part], exponents[part], lacks = scaled.mantissas, scaled.exponents, scaled.lacks
    return Scaled(mantissas, exponents, lacks)


def common_words(numbers: Scaled) -> tuple[Words, int]:
    """All numbers over one power of 2, the largest at 2^61 or above, and the most they lack."""
    words = _shifted(numbers, np.full_like(numbers.exponents, numbers.exponents.max()))
    return words, 1 + (numbers.lacks << (SCALE - UNITS))


def _shifted(numbers: Scaled, exponents: Integers) -> Words:
    """Mantissas for these powers, none of which is below the own one."""
    far = np.minimum(exponents - numbers.exponents, _LONGEST_SHIFT)
    return np.asarray(numbers.mantissas >> far.astype(np.uint64))


def _looked_up(table: Scaled, digits: Integers) -> Scaled:
    return Scaled(table.mantissas.take(digits), table.exponents.take(digits), table.lacks)


@lru_cache(maxsize=256)
def power_table(rate: Fraction, size: int) -> Scaled:
    """e^(−rate·k) for k = 0, 1, …, below so many: each lacks less than two units of 2^−61."""
    factor, power = exp_lower_scaled(-rate, _GUARD)
    now, at = 1 << _GUARD, -_GUARD
    mantissas, exponents = [], []
    for _ in range(size):
        spare = now.bit_length() - SCALE
        mantissas.append(now >> spare)
        exponents.append(at + spare)
        now, at = now * factor, at + power
        spare = now.bit_length() - _GUARD
        now, at = now >> spare, at + spare
    return Scaled(np.array(mantissas, dtype=np.uint64), np.array(exponents, dtype=np.int64), 1)


def _mantissa(number: Fraction) -> tuple[int, int]:
    """A whole number of about 160 bits and a power of 2, at or below the number together."""
    power = math.ceil(number.numerator.bit_length() - number.denominator.bit_length()) - _GUARD
    if power >= 0:
        return number.numerator // (number.denominator << power), power
    return (number.numerator << -power) // number.denominator, power
