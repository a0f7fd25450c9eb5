"""Reading numbers exactly as people write them."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from discreet.errors import InvalidInput
from discreet.text import show

RationalLike = str | int | float | Fraction | Decimal
"""What people may write a number as; a float means the decimal it prints as."""

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_FRACTION = re.compile(r"([+-]?\d+)\s*/\s*(\d+)", re.ASCII)
_LONGEST = 400
_MOST_BITS = 13_000
"""Longer denominators are not written out in decimal, in files or messages."""


def rational(
    value: object, what: str = "a number", error: type[InvalidInput] = InvalidInput
) -> Fraction:
    """Read a decimal, a fraction or a number exactly.

    >>> rational("0.1"), rational(0.1), rational("1/3")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    exact = _read(value, what, error)
    if exact.denominator.bit_length() > _MOST_BITS:
        raise error(f"{what} must have fewer than 3,900 decimals, got {show(value)}; round it")
    return exact


def _read(value: object, what: str, error: type[InvalidInput]) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (str, Real, Decimal)):
        raise error(f"{what} must be a number like 0.5 or 1/3, got {show(value)}")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real) and not math.isfinite(value):
        raise error(f"{what} must be finite, got {show(value)}")
    text = (value if isinstance(value, str) else _decimal_text(value)).strip()
    if len(text) <= _LONGEST:
        if _DECIMAL.fullmatch(text):
            return Fraction(text)
        fraction = _FRACTION.fullmatch(text)
        if fraction and int(fraction[2]) != 0:
            return Fraction(int(fraction[1]), int(fraction[2]))
    raise error(f"{what} must be a number like 0.5 or 1/3, got {show(value)}")


def _decimal_text(value: Real | Decimal) -> str:
    return str(value) if isinstance(value, Decimal) else repr(float(value))
