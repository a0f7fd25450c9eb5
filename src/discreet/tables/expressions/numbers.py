"""Exact arithmetic on rows: a number is a unit times a fraction of two whole numbers.

Bounds follow from those of the declared columns by interval arithmetic, so they hold for every row.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from math import ceil, floor, gcd

from discreet.errors import QuestionError
from discreet.tables.columns import NumberColumn
from discreet.tables.expressions.program import Read
from discreet.tables.expressions.registers import (
    Register,
    Truth,
    chosen,
    compared,
    fixed,
    is_null,
    not_zero,
    opposite,
    over,
    plus,
    times,
)
from discreet.tables.expressions.registers import either as either_true


@dataclass(frozen=True, eq=False)
class Number:
    """`unit · above / below` in every row, or NULL; `below` is positive, and 1 where it is None."""

    unit: Fraction
    above: Register
    below: Register | None
    low: Fraction
    _: KW_ONLY
    high: Fraction

    @property
    def nullable(self) -> bool:
        """Whether there may be no value."""
        return self.above.nullable or (self.below is not None and self.below.nullable)


def of_column(column: NumberColumn, nullable: bool) -> Number:
    """The value of a declared column."""
    grid = column.grid
    unit = _common(grid.start, grid.step)
    slope, first = int(grid.step / unit), int(grid.start / unit)
    index = Register(Read(column.name), 0, grid.size - 1, nullable)
    return whole(plus(times(index, fixed(slope)), fixed(first)), unit)


def whole(above: Register, unit: Fraction = Fraction(1)) -> Number:
    """A multiple of a unit."""
    return Number(unit, above, None, unit * above.low, high=unit * above.high)


def tight(number: Number) -> Number:
    """The number, with what is above the line between the bounds of the whole."""
    if number.below is not None:
        return number
    above = number.above
    low, high = max(above.low, ceil(number.low / number.unit)), floor(number.high / number.unit)
    if above.stride > 1:
        low += -(low - above.low) % above.stride
    above = replace(above, low=low, high=max(low, min(above.high, high)))
    return replace(number, above=above)


def of_constant(value: Fraction) -> Number:
    """The same number in every row."""
    if value == 0:
        return whole(fixed(0))
    return whole(fixed(1 if value > 0 else -1), abs(value))


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The widest unit that both are multiples of."""
    if 0 in (one, other):
        return abs(one or other or Fraction(1))
    shared = one.denominator * other.denominator
    return Fraction(gcd(int(one * shared), int(other * shared)), shared)


def _at(number: Number, unit: Fraction) -> Register:
    """What is above the line, in a unit that the number's own is a multiple of."""
    return times(number.above, fixed(int(number.unit / unit)))


def _product(one: Register | None, other: Register | None) -> Register | None:
    return one if other is None else other if one is None else times(one, other)


def _raised(above: Register, below: Register | None) -> Register:
    return above if below is None else times(above, below)


def added(left: Number, right: Number) -> Number:
    """The sum."""
    unit = _common(left.unit, right.unit)
    return Number(
        unit,
        plus(_raised(_at(left, unit), right.below), _raised(_at(right, unit), left.below)),
        _product(left.below, right.below),
        left.low + right.low,
        high=left.high + right.high,
    )


def negated(number: Number) -> Number:
    """The number with the other sign."""
    return replace(number, above=opposite(number.above), low=-number.high, high=-number.low)


def multiplied(left: Number, right: Number) -> Number:
    """The product."""
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return tight(
        Number(
            left.unit * right.unit,
            times(left.above, right.above),
            _product(left.below, right.below),
            max(min(ends), Fraction(0)) if left is right else min(ends),
            high=max(ends),
        )
    )


def divided(left: Number, right: Number) -> Number:
    """The quotient; nothing where the divisor is 0."""
    by = right.above.constant if right.below is None else None
    if by:
        return multiplied(left, of_constant(1 / (right.unit * by)))
    ends = [end / by for by in _divisors(right) for end in (left.low, left.high)]
    if not ends:
        raise QuestionError("this divides by 0 in every row")
    divisor, above = not_zero(right.above), _raised(left.above, right.below)
    least = max(divisor.low, 1) if divisor.high > 0 else -divisor.high
    most = max(abs(divisor.low), abs(divisor.high))
    if right.low < 0:
        negative = compared("<", divisor, fixed(0))
        above = chosen([(negative, opposite(above))], above)
        divisor = chosen([(negative, opposite(divisor))], divisor)
    size = Register(divisor.step, least, most, divisor.nullable)
    below = size if left.below is None else times(left.below, size)
    return Number(left.unit / right.unit, above, below, min(ends), high=max(ends))


def _divisors(number: Number) -> list[Fraction]:
    """The ends of what may be divided by: below 0 and above it."""
    below = 1 if number.below is None else number.below.high
    least = number.unit / below
    ends = []
    if number.high > 0:
        ends += [max(number.low, least), number.high]
    if number.low < 0:
        ends += [number.low, min(number.high, -least)]
    return ends


def absolute(number: Number) -> Number:
    """The number without its sign."""
    if number.low >= 0:
        return number
    size = max(-number.low, number.high)
    least = Fraction(0) if number.high >= 0 else -number.high
    negative = compared("<", number.above, fixed(0))
    above = chosen([(negative, opposite(number.above))], number.above)
    lowest = 0 if number.above.high >= 0 else -number.above.high
    highest = max(abs(number.above.low), abs(number.above.high))
    above = Register(above.step, lowest, highest, above.nullable)
    return replace(number, above=above, low=least, high=size)


def rounded_down(number: Number, step: Fraction) -> Number:
    """The largest multiple of a step that is not above the number."""
    if number.below is None and (number.unit / step).denominator == 1:
        return number
    share = number.unit / step
    p, q = share.numerator, share.denominator
    low, high = floor(number.low / step), floor(number.high / step)
    divisor = fixed(q) if number.below is None else times(fixed(q), number.below)
    lift = max(0, -low)
    lifted = plus(times(fixed(p), number.above), times(fixed(lift), divisor))
    quotient = plus(over(lifted, divisor, low + lift, high + lift), fixed(-lift))
    return whole(quotient, step)


def rounded_up(number: Number, step: Fraction) -> Number:
    """The smallest multiple of a step that is not below the number."""
    return negated(rounded_down(negated(number), step))


def rounded(number: Number, step: Fraction) -> Number:
    """The nearest multiple of a step, away from 0 from half way."""
    if number.below is None and (number.unit / step).denominator == 1:
        return number
    size = rounded_down(added(absolute(number), of_constant(step / 2)), step)
    if number.low >= 0:
        return size
    negative = compared("<", number.above, fixed(0))
    signed = chosen([(negative, opposite(size.above))], size.above)
    low, high = (_nearest(end / step) for end in (number.low, number.high))
    return whole(Register(signed.step, low, high, signed.nullable), step)


def _nearest(share: Fraction) -> int:
    return floor(share + Fraction(1, 2)) if share >= 0 else ceil(share - Fraction(1, 2))


def relation(sign: str, left: Number, right: Number) -> Truth:
    """Whether two numbers are in a relation."""
    unit = _common(left.unit, right.unit)
    return compared(
        sign, _raised(_at(left, unit), right.below), _raised(_at(right, unit), left.below)
    )


def one_of(cases: Sequence[tuple[Truth, Number]], default: Number | None) -> Number:
    """The number of the first condition that holds, else the default."""
    numbers = [number for _, number in cases] + ([] if default is None else [default])
    unit = numbers[0].unit
    for number in numbers[1:]:
        unit = _common(unit, number.unit)
    above = chosen(
        [(condition, _at(number, unit)) for condition, number in cases],
        None if default is None else _at(default, unit),
    )
    below = None
    if any(number.below is not None for number in numbers):
        below = chosen(
            [(condition, number.below or fixed(1)) for condition, number in cases],
            fixed(1) if default is None else default.below or fixed(1),
        )
    low, high = min(number.low for number in numbers), max(number.high for number in numbers)
    return Number(unit, above, below, low, high=high)


def extreme(sign: str, numbers: Sequence[Number]) -> Number:
    """The least (`<=`) or greatest (`>=`) of those that have a value."""
    ends: Callable[..., Fraction] = min if sign == "<=" else max
    so_far = numbers[0]
    for number in numbers[1:]:
        first = relation(sign, so_far, number)
        if number.nullable:
            first = either_true(null_of(number), first)
        least = [ends(so_far.low, number.low), ends(so_far.high, number.high)]
        if so_far.nullable or number.nullable:
            least = [min(so_far.low, number.low), max(so_far.high, number.high)]
        one = tight(replace(one_of([(first, so_far)], number), low=least[0], high=least[1]))
        so_far = one if so_far.nullable and number.nullable else filled(one)
    return so_far


def filled(number: Number) -> Number:
    """The number where it is known to have a value."""
    below = None if number.below is None else replace(number.below, nullable=False)
    return replace(number, above=replace(number.above, nullable=False), below=below)


def _whole(number: Number) -> Register:
    """Something that is NULL where the number is."""
    assert number.below is not None
    return plus(number.above, number.below)


def null_of(number: Number) -> Truth:
    """Whether there is no value."""
    return is_null(number.above if number.below is None else _whole(number))


def limited(number: Number, low: Fraction, high: Fraction) -> Number:
    """The number, brought between two bounds; nothing stays nothing."""
    cases = []
    if number.low < low:
        cases.append((relation("<", number, of_constant(low)), of_constant(low)))
    if number.high > high:
        cases.append((relation(">", number, of_constant(high)), of_constant(high)))
    if not cases:
        return number
    limited_number = one_of(cases, number)
    ends = (min(max(end, low), high) for end in (number.low, number.high))
    first, last = ends
    return tight(replace(limited_number, low=first, high=last))
