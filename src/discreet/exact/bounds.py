"""Rigorous rational bounds on exponentials and logarithms.

Interval arithmetic (Arb, through python-flint) encloses the true value; the ends of the enclosure
are dyadic rationals and are taken over exactly. Nothing is rounded afterwards.
"""

import threading
from fractions import Fraction

import flint

BITS = 160
"""Relative precision of the bounds: far below one billionth of ε, whatever ε is."""

# python-flint keeps its working precision in one global context.
_precision_lock = threading.Lock()


def _bound(function: str, end: str, x: Fraction, bits: int) -> Fraction:
    """One end of the enclosure of function(x); ends round outward at the working precision."""
    with _precision_lock:
        before = flint.ctx.prec
        flint.ctx.prec = bits + 64
        try:
            argument = flint.arb(flint.fmpq(x.numerator, x.denominator))
            enclosure = getattr(argument, function)()
            mantissa, exponent = getattr(enclosure, end)().man_exp()
        finally:
            flint.ctx.prec = before
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def exp_lower(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just below e^x.

    >>> from math import exp
    >>> float(exp_lower(Fraction(1, 2))) == exp(0.5), exp_lower(Fraction(0))
    (True, Fraction(1, 1))
    """
    return _bound("exp", "lower", x, bits)


def exp_upper(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just above e^x."""
    return _bound("exp", "upper", x, bits)


def log_lower(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just below log x, for x > 0."""
    return _bound("log", "lower", x, bits)


def log_upper(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just above log x, for x > 0."""
    return _bound("log", "upper", x, bits)
