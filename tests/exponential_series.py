"""e^x between two rationals by the power series alone: a witness that owes nothing to Arb."""

import math
from fractions import Fraction

BITS = 320


def exponential(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around e^x, for any rational x, about 2^−250 apart in proportion.

    The series of y = |x|/2^s < 1/2 with its remainder, squared s times and rounded outward.
    """
    halvings = max(0, math.ceil(abs(x)).bit_length() + 1)
    y = abs(x) / 2**halvings
    total, term, n = Fraction(0), Fraction(1), 0
    while term > Fraction(1, 2**BITS):
        total += term
        n += 1
        term = _down(term * y / n) + Fraction(1, 2 ** (BITS + 32))
    low, high = _down(total) - Fraction(n, 2 ** (BITS + 31)), _up(total + 2 * term)
    for _ in range(halvings):
        low, high = _shortened(low * low, up=False), _shortened(high * high, up=True)
    return (low, high) if x >= 0 else (1 / high, 1 / low)


def _down(number: Fraction) -> Fraction:
    return Fraction(math.floor(number * 2 ** (BITS + 32)), 2 ** (BITS + 32))


def _up(number: Fraction) -> Fraction:
    return -_down(-number)


def _shortened(number: Fraction, *, up: bool) -> Fraction:
    """Rounded outward to BITS significant bits."""
    power = BITS - (number.numerator // number.denominator).bit_length()
    scaled = number * Fraction(2) ** power
    whole = math.ceil(scaled) if up else math.floor(scaled)
    return Fraction(whole) / Fraction(2) ** power
