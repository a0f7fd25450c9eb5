"""What the samplers are told, read exactly: values on a grid, positive widths, a confidence."""

import math
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, rational, show


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
        raise InvalidInput(f"there must be 1 value or output or more, got {show(among)}")
    return (1 - sure) / among
