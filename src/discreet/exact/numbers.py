"""Numbers read exactly as people write them; and ε, the privacy parameter, kept exactly, with
rigorous rational bounds on exponentials."""

import math
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from numbers import Rational, Real
from typing import Any, TypeAlias

import flint

from discreet.errors import EpsilonError, InvalidInput, named
from discreet.text import BILLION, Amount, show

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


def exp_lower_scaled(x: Fraction, bits: int = BITS) -> tuple[int, int]:
    """The same as a whole number of at most so many bits and a power of 2, however small e^x is.

    >>> exp_lower_scaled(Fraction(-(10**13)), 8)  # as a fraction it would have 10^13 digits
    (164, -14426950408897)
    """
    with working_precision(bits + 64):
        mantissa, power = enclosed(x).exp().lower().man_exp()
    spare = max(0, int(mantissa).bit_length() - bits)
    return int(mantissa) >> spare, int(power) + spare


def exp_upper(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just above e^x."""
    return _bound("exp", "upper", x, bits)


def log_lower(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just below log x, for x > 0."""
    return _bound("log", "lower", x, bits)


def log_upper(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational just above log x, for x > 0."""
    return _bound("log", "upper", x, bits)


LARGEST = 100
"""Beyond this, e^ε has 44 digits and the promise protects nobody."""

EpsilonLike: TypeAlias = "Epsilon | str | int | float | Fraction | Decimal"
"""What people may write ε as."""

_NAME = named("epsilon")
_LOGARITHM = re.compile(r"(?:log|ln)\s*(?:\(([^()]+)\)|([^()]+))", re.ASCII)


@dataclass(frozen=True)
class Epsilon:
    """ε as whole billionths, or as the logarithm of a fraction.

    A decimal or a fraction is rounded *down* to a billionth, toward privacy. `log 3` stays exactly
    log 3 (randomized response with coins, 001 Example 1), and costs its billionths rounded *up*.

    >>> Epsilon.of("0.5"), Epsilon.of("1/3").billionths, Epsilon.of("log 3").billionths
    (Epsilon('0.5'), 333333333, 1098612289)
    """

    billionths: int
    log_of: Fraction | None = None

    def __post_init__(self) -> None:
        if type(self.billionths) is not int:
            raise EpsilonError(
                f"epsilon must be whole billionths, got {show(self.billionths)}; use Epsilon.of"
            )
        if not 1 <= self.billionths <= LARGEST * BILLION:
            raise EpsilonError(
                f"epsilon must lie between 0.000000001 and {LARGEST}, "
                f"got {show(self.billionths)} billionths"
            )
        if self.log_of is not None and not self._costs_its_logarithm():
            raise EpsilonError(
                f"log {show(self.log_of)} is not {self.billionths} billionths; use Epsilon.of"
            )

    def _costs_its_logarithm(self) -> bool:
        return (
            type(self.log_of) is Fraction
            and self.log_of > 1
            and log_upper(self.log_of) * BILLION >= 1
            and self.billionths == _billionths_of_log(self.log_of)
        )

    @classmethod
    def of(cls, value: EpsilonLike) -> "Epsilon":
        """Read ε from a decimal string, a fraction, a number or `log 3`.

        Args:
            value: ε as people write it; floats are read by their shortest decimal.

        Returns:
            ε in whole billionths rounded down, or exactly the logarithm.

        Raises:
            EpsilonError: It is not positive, not finite, or no number.
        """
        # Another class could say another e^ε than its own billionths.
        if type(value) is Epsilon:
            return value
        if isinstance(value, str):
            return cls._read(value)
        return cls._rounded(value)

    @classmethod
    @lru_cache(maxsize=1024)
    def _read(cls, value: str) -> "Epsilon":
        if match := _LOGARITHM.fullmatch(value.strip().lower()):
            inside = rational(match[1] or match[2], "the number inside log", EpsilonError)
            return cls._logarithm(inside, value)
        return cls._rounded(value)

    @classmethod
    def _rounded(cls, value: EpsilonLike) -> "Epsilon":
        exact = rational(value, _NAME, EpsilonError)
        if exact <= 0:
            raise EpsilonError(f"{_NAME} must be positive, got {show(value)}")
        _check_size(exact, value)
        return cls(math.floor(exact * BILLION))

    @classmethod
    def _logarithm(cls, ratio: Fraction, given: str) -> "Epsilon":
        if ratio <= 1:
            raise EpsilonError(f"{_NAME} must be positive: log of more than 1, got {show(given)}")
        _check_size(log_upper(ratio), given)
        return cls(_billionths_of_log(ratio), ratio)

    @property
    def value(self) -> Fraction:
        """ε in whole billionths, as a fraction: what the budget is charged."""
        return Fraction(self.billionths, BILLION)

    @cached_property
    def ratio_below(self) -> Fraction:
        """A rational p/q ≤ e^ε, equal to it when ε is the logarithm of a fraction."""
        return self.log_of if self.log_of is not None else exp_lower(self.value)

    @cached_property
    def ratio_above(self) -> Fraction:
        """A rational p/q ≥ e^ε, equal to it when ε is the logarithm of a fraction."""
        return self.log_of if self.log_of is not None else exp_upper(self.value)

    def __float__(self) -> float:
        return float(self.value if self.log_of is None else log_lower(self.log_of))

    def __str__(self) -> str:
        if self.log_of is not None:
            return f"log {self.log_of}"
        return str(Amount(self.billionths))

    def __repr__(self) -> str:
        return f"Epsilon({str(self)!r})"


def _billionths_of_log(ratio: Fraction) -> int:
    """What log(ratio) costs: rounded up, so that the budget never pays too little."""
    return math.ceil(log_upper(ratio) * BILLION)


def _check_size(exact: Fraction, given: object) -> None:
    if exact < Fraction(1, BILLION):
        raise EpsilonError(f"{_NAME} must be at least 0.000000001, got {show(given)}")
    if exact > LARGEST:
        raise EpsilonError(
            f"{_NAME} must be at most {LARGEST} (usual values lie between 0.1 and 3), "
            f"got {show(given)}"
        )


_FINE = 10**18


def spendable(epsilon: Epsilon) -> Fraction:
    """A rational at most ε, for exact samplers: ε itself, or its first 18 digits when it is a log.

    >>> spendable(Epsilon.of("0.5")), float(spendable(Epsilon.of("log 3")))
    (Fraction(1, 2), 1.0986122886681098)
    """
    if epsilon.log_of is None:
        return epsilon.value
    return Fraction(int(log_lower(epsilon.log_of) * _FINE), _FINE)


def private_number(value: object) -> Fraction:
    """A number of somebody's table, exactly; an error that cannot show it, for it is private."""
    try:
        return rational(value)
    except InvalidInput:
        raise InvalidInput("every value must be a finite number like 3, 0.5 or 1/3") from None


def nearest_step(value: RationalLike, granularity: Fraction) -> int:
    """The multiple of the granularity nearest to a value, halves upward.

    >>> nearest_step("2.6", Fraction(1, 2)), nearest_step("0.5", Fraction(1))
    (5, 1)
    """
    return math.floor(private_number(value) / granularity + Fraction(1, 2))


def check_positive(what: str, value: Fraction) -> None:
    """An error unless the value is above 0."""
    if value <= 0:
        raise InvalidInput(f"the {what} must be positive, got {show(value)}")


def check_said(what: str, value: bool) -> None:
    """An error unless the value is true or false: any other word would count as true."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be True or False, got {show(value)}")


def failure_of(confidence: RationalLike, among: int = 1) -> Fraction:
    """How often each of `among` may fail, so that together they keep the confidence.

    >>> failure_of("0.95", 10)
    Fraction(1, 200)
    """
    sure = rational(confidence, "the confidence")
    if not 0 < sure < 1:
        raise InvalidInput(f"the confidence must lie between 0 and 1, got {show(confidence)}")
    if isinstance(among, bool) or not isinstance(among, int) or among < 1:
        raise InvalidInput(f"there must be at least 1 value or output, got {show(among)}")
    return (1 - sure) / among
