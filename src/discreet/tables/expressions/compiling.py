"""From an expression to a program: types are found, with bounds that hold for every row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from discreet.errors import QuestionError
from discreet.tables.columns import Column
from discreet.tables.expressions import moments, numbers, registers
from discreet.tables.expressions.moments import MONTHS, WEEKDAYS, Moment
from discreet.tables.expressions.numbers import Number
from discreet.tables.expressions.patterns import matches
from discreet.tables.expressions.program import Fixed
from discreet.tables.expressions.registers import Truth
from discreet.tables.expressions.tree import (
    All,
    Between,
    Call,
    Case,
    Cell,
    Combined,
    Compared,
    ComparisonSign,
    Constant,
    Cut,
    DatePart,
    Denied,
    Expression,
    Function,
    Like,
    Missing,
    Moved,
    Sign,
    Some,
    Taken,
)
from discreet.tables.expressions.values import (
    Nothing,
    Value,
    WordInRows,
    among,
    extreme_moment,
    filled,
    first_that_holds,
    null_of,
    of_column,
    of_constant,
    read_as,
    same_words,
)
from discreet.tables.expressions.writing import text_of
from discreet.text import decimal_text, first_of, perhaps, read_moment, show

_Kind = TypeVar("_Kind", Number, Moment, WordInRows, Truth)
_KINDS: dict[type, str] = {
    Number: "numbers",
    Moment: "dates",
    WordInRows: "words",
    Truth: "truth values",
}


@dataclass
class Compiler:
    """Compiles the expressions of one table; what is the same is compiled once."""

    column: Callable[[str], Column]
    known: dict[Expression, Value | Nothing] = field(default_factory=dict)

    def value(self, expression: Expression) -> Value:
        """The typed value of an expression; one that is always NULL has no type."""
        value = self._any(expression)
        if isinstance(value, Nothing):
            raise QuestionError(f"{_shown(expression)} is always NULL here; write a value")
        return value

    def _any(self, expression: Expression) -> Value | Nothing:
        if expression not in self.known:
            self.known[expression] = self._compiled(expression)
        return self.known[expression]

    def _compiled(self, expression: Expression) -> Value | Nothing:  # noqa: PLR0911, PLR0912
        match expression:
            case Cell(column):
                return of_column(self.column(column))
            case Constant(value):
                return of_constant(value)
            case Combined():
                return self._combined(expression)
            case Moved(moment, units, resolution):
                return moments.later(self._moment(moment), units, resolution)
            case Call(function, arguments):
                return self._call(function, arguments, expression)
            case Taken(part, moment):
                part_number = moments.part_of(part, self._moment(moment))
                named = {DatePart.DAYNAME: WEEKDAYS, DatePart.MONTHNAME: MONTHS}
                return (
                    WordInRows(part_number, named[part])
                    if part in named
                    else numbers.whole(part_number)
                )
            case Cut(resolution, moment):
                return moments.cut(self._moment(moment), resolution)
            case Between(resolution, first, last):
                ends = (self._moment(first), self._moment(last))
                return moments.units_between(resolution, *ends)
            case Case(cases, default):
                holds = [self._truth(condition) for condition, _ in cases]
                outcomes = self._alike([*(one for _, one in cases), default], expression)
                return first_that_holds(list(zip(holds, outcomes[:-1], strict=True)), outcomes[-1])
            case Compared(relation, left, right):
                return self._compared(relation, left, right)
            case Like(word, pattern, any_case):
                return among(self._word(word), lambda one: matches(one, pattern, any_case))
            case Missing(inner):
                return null_of(self.value(inner))
            case Denied(inner):
                return registers.denied(self._truth(inner))
            case All(parts):
                return registers.both(*map(self._truth, parts))
            case Some(parts):
                words = self._one_of_words(parts)
                return registers.either(*map(self._truth, parts)) if words is None else words

    def _combined(self, expression: Combined) -> Value:
        sign, one, other = expression.sign, expression.left, expression.right
        left, right = self.value(one), self.value(other)
        if sign is Sign.MINUS and isinstance(left, Moment) and isinstance(right, Moment):
            return moments.days_between(right, left)
        first, last = self._number(one), self._number(other)
        match sign:
            case Sign.PLUS:
                return numbers.added(first, last)
            case Sign.MINUS:
                return numbers.added(first, numbers.negated(last))
            case Sign.TIMES:
                return numbers.multiplied(first, last)
            case Sign.OVER:
                return numbers.divided(first, last)

    def _call(  # noqa: PLR0911
        self, function: Function, arguments: tuple[Expression, ...], whole: Expression
    ) -> Value:
        match function:
            case Function.ABS:
                return numbers.absolute(self._number(arguments[0]))
            case Function.ROUND | Function.FLOOR | Function.CEIL:
                step = Fraction(1) if len(arguments) == 1 else _step(arguments[1])
                return _ROUNDING[function](self._number(arguments[0]), step)
            case Function.CLAMP:
                low, high = (_constant(one) for one in arguments[1:])
                if high < low:
                    raise QuestionError(f"{_shown(whole)} has its bounds the wrong way round")
                return numbers.limited(self._number(arguments[0]), low, high)
            case Function.AGE_AT:
                born, at = map(self._moment, arguments)
                return moments.age(born, at)
            case Function.LEAST | Function.GREATEST:
                sign = "<=" if function is Function.LEAST else ">="
                alike = self._alike(arguments, whole)
                values = [one for one in alike if not isinstance(one, Nothing)]
                if all(isinstance(one, Moment) for one in values):
                    return extreme_moment(sign, [one for one in values if isinstance(one, Moment)])
                return numbers.extreme(sign, [_a(Number, one, whole) for one in values])
            case Function.COALESCE:
                alike = self._alike(arguments, whole)
                values = [one for one in alike if not isinstance(one, Nothing)]
                cases = [(registers.denied(null_of(one)), filled(one)) for one in values[:-1]]
                return first_that_holds(cases, values[-1]) if cases else values[-1]

    def _compared(self, relation: ComparisonSign, left: Expression, right: Expression) -> Truth:
        one, other = self._pair(left, right)
        sign = relation.value
        if isinstance(one, Number) and isinstance(other, Number):
            return numbers.relation(sign, one, other)
        if isinstance(one, Moment) and isinstance(other, Moment):
            return moments.relation(sign, one, other)
        if relation not in (ComparisonSign.EQUAL, ComparisonSign.UNLIKE):
            raise QuestionError(
                f"{_shown(Compared(relation, left, right))}: words have no order; compare them "
                "with =, != or IN"
            )
        if isinstance(one, Truth) and isinstance(other, Truth):
            sides = [registers.as_number(side) for side in (one, other)]
            return registers.compared(sign, *sides)
        assert isinstance(one, WordInRows)
        assert isinstance(other, WordInRows)
        first, last = same_words([one, other])
        return registers.compared(sign, first.index, last.index)

    def _pair(self, left: Expression, right: Expression) -> tuple[Value, Value]:
        """Both sides as one kind: quoted dates and numbers are what the other side is."""
        one, other = self.value(left), self.value(right)
        if type(one) is not type(other):
            one, other = read_as(other, left, one), read_as(one, right, other)
        if type(one) is not type(other):
            kinds = f"{_KINDS[type(one)]} and {_KINDS[type(other)]}"
            raise QuestionError(f"{_shown(left)} and {_shown(right)} cannot be compared: {kinds}")
        for constant, side in ((left, other), (right, one)):
            if isinstance(constant, Constant) and isinstance(side, WordInRows):
                _check_word(constant, side, right if constant is left else left)
        return one, other

    def _alike(self, expressions: Sequence[Expression], whole: Expression) -> list[Value | Nothing]:
        """The values of expressions that must be of one kind."""
        values = [self._any(one) for one in expressions]
        firsts = [one for one in values if not isinstance(one, Nothing)]
        if not firsts:
            raise QuestionError(f"{_shown(whole)} is always NULL; write a value")
        like = next((one for one in firsts if not isinstance(one, WordInRows)), firsts[0])
        read = [
            value if isinstance(value, Nothing) else read_as(like, expression, value)
            for expression, value in zip(expressions, values, strict=True)
        ]
        kinds = {type(one) for one in read if not isinstance(one, Nothing)}
        if len(kinds) > 1:
            named = " and ".join(sorted(_KINDS[kind] for kind in kinds))
            raise QuestionError(
                f"{_shown(whole)} mixes {named}; all its values must be of one kind"
            )
        return read

    def _one_of_words(self, parts: tuple[Expression, ...]) -> Truth | None:
        """A word that is one of several, in one step; None for what is not that."""
        words, lefts = set[str](), set[Expression]()
        for part in parts:
            match part:
                case Compared(ComparisonSign.EQUAL, left, Constant(str(one))):
                    words.add(one)
                    lefts.add(left)
                case _:
                    return None
        word = self.value(lefts.pop()) if len(lefts) == 1 else None
        if not isinstance(word, WordInRows) or not words <= set(word.labels):
            return None
        return among(word, words.__contains__)

    def _number(self, expression: Expression) -> Number:
        return _a(Number, self.value(expression), expression)

    def _moment(self, expression: Expression) -> Moment:
        value = self.value(expression)
        if isinstance(expression, Constant) and isinstance(value, WordInRows):
            moment = read_moment(expression.value)
            value = value if moment is None else moments.of_constant(moment)
        return _a(Moment, value, expression)

    def _word(self, expression: Expression) -> WordInRows:
        return _a(WordInRows, self.value(expression), expression)

    def _truth(self, expression: Expression) -> Truth:
        value = self._any(expression)
        if isinstance(value, Nothing):
            return Truth(Fixed(None, truth=True), nullable=True)
        return _a(Truth, value, expression)


_ROUNDING: dict[Function, Callable[[Number, Fraction], Number]] = {
    Function.ROUND: numbers.rounded,
    Function.FLOOR: numbers.rounded_down,
    Function.CEIL: numbers.rounded_up,
}


def _a(kind: type[_Kind], value: Value, expression: Expression) -> _Kind:
    if not isinstance(value, kind):
        raise QuestionError(
            f"{_shown(expression)}: {_KINDS[kind]} are expected here, got {_KINDS[type(value)]}"
        )
    return value


def _shown(expression: Expression) -> str:
    return show(text_of(expression))


def _check_word(constant: Constant, side: WordInRows, named: Expression) -> None:
    """A word that is never there is a slip of the pen."""
    if constant.value not in side.labels:
        raise QuestionError(
            f"{show(constant.value)} is not a value of {_shown(named)}"
            f"{perhaps(constant.value, side.labels)}; values: {first_of(side.labels)}"
        )


def _constant(expression: Expression) -> Fraction:
    if isinstance(expression, Constant) and isinstance(expression.value, Fraction):
        return expression.value
    raise QuestionError(f"a number is expected here, got {_shown(expression)}")


def _step(expression: Expression) -> Fraction:
    """What ROUND rounds to: SQL's number of decimals, or a step below 1 as it is."""
    number = _constant(expression)
    if number.denominator != 1 and number > 0:
        return number
    if number.denominator != 1 or abs(number) > 18:
        raise QuestionError(
            f"ROUND takes a number of decimals, such as 2, or a step below 1, such as 0.5, got "
            f"{decimal_text(number)}"
        )
    return Fraction(10) ** -int(number)
