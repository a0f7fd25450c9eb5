"""Registers: the numbers and truth values of a program, with bounds that hold for every row."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import gcd

from discreet.errors import QuestionError
from discreet.tables.expressions.program import (
    Choose,
    Fixed,
    IsNull,
    Logic,
    Mapped,
    NotZero,
    Opposite,
    PairOfNumbers,
    Step,
)

MOST = 1 << 62
"""No number of a program is larger: sums of two fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class Register:
    """A whole number in every row, or NULL."""

    step: Step
    low: int
    high: int
    nullable: bool
    _: KW_ONLY
    stride: int = 1
    """It is the lowest number plus a multiple of this."""

    def __post_init__(self) -> None:
        if max(abs(self.low), abs(self.high)) > MOST:
            raise QuestionError(
                "numbers in this expression become too large; round or limit what it is made of: "
                "ROUND(x, 0.1), CLAMP(x, 0, 100)"
            )

    @property
    def constant(self) -> int | None:
        """The number, where it is the same in every row."""
        return self.low if isinstance(self.step, Fixed) and not self.nullable else None


@dataclass(frozen=True, eq=False)
class Truth:
    """A truth value in every row, or NULL."""

    step: Step
    nullable: bool


def fixed(value: int) -> Register:
    """A constant."""
    return Register(Fixed(value), value, value, nullable=False, stride=0)


def plus(left: Register, right: Register) -> Register:
    """The sum."""
    one, other = left.constant, right.constant
    if one is not None and other is not None:
        return fixed(one + other)
    if other == 0:
        return left
    if one == 0:
        return right
    return Register(
        PairOfNumbers("+", (left.step, right.step)),
        left.low + right.low,
        left.high + right.high,
        left.nullable or right.nullable,
        stride=gcd(left.stride, right.stride),
    )


def times(left: Register, right: Register) -> Register:
    """The product."""
    one, other = left.constant, right.constant
    if one is not None and other is not None:
        return fixed(one * other)
    if other == 1:
        return left
    if one == 1:
        return right
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    factor = one if one is not None else other
    strides = left.stride if one is None else right.stride
    return Register(
        PairOfNumbers("*", (left.step, right.step)),
        min(ends),
        max(ends),
        left.nullable or right.nullable,
        stride=1 if factor is None else abs(factor) * strides,
    )


def opposite(number: Register) -> Register:
    """The number with the other sign."""
    return times(fixed(-1), number)


def over(number: Register, by: Register, low: int, high: int) -> Register:
    """A number that is not negative, divided by one that is positive, rounded down.

    Between which whole numbers that lies is known to whoever asks.
    """
    if by.constant == 1:
        return number
    nullable = number.nullable or by.nullable
    return Register(PairOfNumbers("//", (number.step, by.step)), low, high, nullable)


def floored(number: Register, by: int) -> Register:
    """A number divided by a positive constant, rounded down."""
    if by == 1:
        return number
    low, high = number.low // by, number.high // by
    lifted = plus(number, fixed(-low * by)) if low < 0 else number
    share = over(lifted, fixed(by), low - min(low, 0), high - min(low, 0))
    return plus(share, fixed(low)) if low < 0 else share


def remainder(number: Register, by: int) -> Register:
    """What floored division by a positive constant leaves: from 0 on."""
    rest = plus(number, times(fixed(-by), floored(number, by)))
    if number.low // by == number.high // by:
        return narrowed(rest, number.low % by, number.high % by)
    return narrowed(rest, 0, by - 1)


def narrowed(number: Register, low: int, high: int) -> Register:
    """The number, of which is known that it lies between closer bounds."""
    return Register(number.step, low, high, number.nullable)


def compared(sign: str, left: Register, right: Register) -> Truth:
    """Whether two numbers are in a relation."""
    return Truth(PairOfNumbers(sign, (left.step, right.step)), left.nullable or right.nullable)


def both(*parts: Truth) -> Truth:
    """Whether all are true."""
    steps = tuple(part.step for part in parts)
    return Truth(Logic("AND", steps), any(part.nullable for part in parts))


def either(*parts: Truth) -> Truth:
    """Whether one is true."""
    steps = tuple(part.step for part in parts)
    return Truth(Logic("OR", steps), any(part.nullable for part in parts))


def denied(truth: Truth) -> Truth:
    """Whether it is false."""
    return Truth(Opposite((truth.step,)), truth.nullable)


def is_null(value: Register | Truth) -> Truth:
    """Whether there is no value."""
    return Truth(IsNull((value.step,)), nullable=False)


def not_zero(number: Register) -> Register:
    """The number, NULL where it is 0."""
    if number.low > 0 or number.high < 0:
        return number
    return Register(NotZero((number.step,)), number.low, number.high, nullable=True)


def mapped(index: Register, table: Sequence[int]) -> Register:
    """A number from a table."""
    if list(table) == list(range(len(table))):
        return index
    return Register(Mapped(tuple(table), (index.step,)), min(table), max(table), index.nullable)


def chosen(cases: Sequence[tuple[Truth, Register]], default: Register | None) -> Register:
    """The number of the first condition that holds, else the default; without one, NULL."""
    last = Fixed(None) if default is None else default.step
    steps = [step for condition, number in cases for step in (condition.step, number.step)]
    numbers = [number for _, number in cases] + ([] if default is None else [default])
    low = min(number.low for number in numbers)
    stride = gcd(*(gcd(number.stride, number.low - low) for number in numbers))
    return Register(
        Choose((*steps, last)),
        low,
        max(number.high for number in numbers),
        default is None or any(number.nullable for number in numbers),
        stride=stride,
    )


def truth_chosen(cases: Sequence[tuple[Truth, Truth]], default: Truth | None) -> Truth:
    """The same for truth values."""
    last = Fixed(None) if default is None else default.step
    steps = [step for condition, truth in cases for step in (condition.step, truth.step)]
    nullable = default is None or default.nullable or any(truth.nullable for _, truth in cases)
    return Truth(Choose((*steps, last)), nullable)


def as_number(truth: Truth) -> Register:
    """1 where it is true and 0 where it is false."""
    yes = [(truth, fixed(1)), (denied(truth), fixed(0))]
    number = chosen(yes, None)
    return Register(number.step, 0, 1, truth.nullable)
