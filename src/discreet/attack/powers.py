"""Bounds on e^x in whole numbers, by its series: the attack's own, so as to believe no other."""

from fractions import Fraction

_BITS = 256
_ONE = 1 << _BITS
_HALVINGS = 16


def power_of_e(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """A fraction at or below e^exponent and one at or above.

    >>> low, high = power_of_e(Fraction(1))
    >>> low < high < low + Fraction(1, 10**50), f"{float(low):.15f}"
    (True, '2.718281828459045')
    """
    if exponent < 0:
        least, most = power_of_e(-exponent)
        return 1 / most, 1 / least
    halvings = _HALVINGS + int(exponent).bit_length()
    small = exponent / (1 << halvings)
    term, low, places = _ONE, _ONE, 0
    while term:
        places += 1
        term = term * small.numerator // (small.denominator * places)
        low += term
    high = low + 2 * places + 2  # each of the terms lacks less than 1, and so does all that follows
    for _ in range(halvings):
        low, high = low * low >> _BITS, (high * high >> _BITS) + 1
    return Fraction(low, _ONE), Fraction(high, _ONE)
