"""Rigorous rational bounds on exponentials and logarithms.

Interval arithmetic (Arb, through python-flint) encloses the true value; the ends of the enclosure
are dyadic rationals and are taken over exactly. Nothing is rounded afterwards.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint

BITS = 160
"""Relative precision of the bounds: far below one billionth of ε, whatever ε is."""

# python-flint keeps its working precision in one global context.
_precision_lock = threading.RLock()

# A child forked while another thread holds the lock would wait for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_precision_lock._at_fork_reinit)  # type: ignore[attr-defined]


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Arb works with this many bits inside the block, which one thread enters at a time."""
    with _precision_lock:
        before = flint.ctx.prec
        flint.ctx.prec = bits
        try:
            yield
        finally:
            flint.ctx.prec = before


def enclosed(x: Fraction) -> Any:
    """A rational as an Arb ball, as narrow as the working precision allows."""
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def integer_ends(ball: Any, bits: int) -> tuple[int, int]:
    """Two integers around ball·2^bits, as near as they may be.

    >>> with working_precision(80):
    ...     integer_ends(enclosed(Fraction(1, 3)), 4), integer_ends(enclosed(Fraction(1, 2)), 4)
    ((5, 6), (8, 8))
    """
    (low, low_power), (high, high_power) = ball.lower().man_exp(), ball.upper().man_exp()
    return _floor(int(low), int(low_power) + bits), -_floor(-int(high), int(high_power) + bits)


def _floor(mantissa: int, power: int) -> int:
    """⌊mantissa·2^power⌋."""
    return mantissa << power if power >= 0 else mantissa >> -power


def _dyadic(end: Any) -> Fraction:
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _bound(function: str, end: str, x: Fraction, bits: int) -> Fraction:
    """One end of the enclosure of function(x); ends round outward at the working precision."""
    with working_precision(bits + 64):
        return _dyadic(getattr(getattr(enclosed(x), function)(), end)())


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
