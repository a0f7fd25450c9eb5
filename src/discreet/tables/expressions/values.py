"""What an expression is in every row: a number, a date, a word or a truth value; how values of one
kind are made, read, put beside one another and chosen from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from discreet.errors import InvalidInput
from discreet.exact import rational
from discreet.tables.columns import CategoryColumn, Column, DateColumn, skips_gaps
from discreet.tables.expressions import moments, numbers, registers
from discreet.tables.expressions.moments import Moment
from discreet.tables.expressions.numbers import Number
from discreet.tables.expressions.program import Fixed, Read
from discreet.tables.expressions.registers import Register, Truth, fixed
from discreet.tables.expressions.tree import Constant, Expression
from discreet.text import read_moment


@dataclass(frozen=True, eq=False)
class WordInRows:
    """One of a few words in every row, by its place, or NULL."""

    index: Register
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Nothing:
    """NULL in every row."""


Value: TypeAlias = Number | Moment | WordInRows | Truth
"""What an expression is in every row."""


def of_column(column: Column) -> Value:
    """The value of a column's cells; NULL where it skips gaps."""
    nullable = skips_gaps(column)
    if isinstance(column, CategoryColumn):
        index = Register(Read(column.name), 0, column.size - 1, nullable)
        if column.is_boolean:
            return registers.compared("=", index, fixed(1))
        return WordInRows(index, column.labels.names)
    if isinstance(column, DateColumn):
        return moments.of_column(column, nullable)
    return numbers.of_column(column, nullable)


def of_constant(value: object) -> Value | Nothing:
    """A constant as a value that every row has."""
    if value is None:
        return Nothing()
    if isinstance(value, bool):
        return Truth(Fixed(value), nullable=False)
    if isinstance(value, str):
        return WordInRows(fixed(0), (value,))
    if isinstance(value, date):
        return moments.of_constant(value)
    assert isinstance(value, Fraction)
    return numbers.of_constant(value)


def read_as(like: Value, expression: Expression, value: Value) -> Value:
    """A quoted constant beside dates or numbers is one of them."""
    if not isinstance(expression, Constant) or not isinstance(expression.value, str):
        return value
    if isinstance(like, Moment):
        moment = read_moment(expression.value)
        return value if moment is None else moments.of_constant(moment)
    if isinstance(like, Number):
        try:
            return numbers.of_constant(rational(expression.value))
        except InvalidInput:
            return value
    return value


def among(word: WordInRows, holds: Callable[[str], bool]) -> Truth:
    """Whether a word is one of those that something holds for."""
    table = [int(holds(label)) for label in word.labels]
    return registers.compared("=", registers.mapped(word.index, table), fixed(1))


def null_of(value: Value) -> Truth:
    """Whether a value is NULL; that itself never is."""
    match value:
        case Number():
            return numbers.null_of(value)
        case Moment():
            return moments.null_of(value)
        case WordInRows(index):
            return registers.is_null(index)
        case Truth():
            return registers.is_null(value)


def same_words(words: Sequence[WordInRows]) -> list[WordInRows]:
    """The same words, by places in one list of them."""
    labels = tuple(dict.fromkeys(label for word in words for label in word.labels))
    place = {label: number for number, label in enumerate(labels)}
    return [
        WordInRows(_placed(word, [place[label] for label in word.labels]), labels) for word in words
    ]


def _placed(word: WordInRows, places: Sequence[int]) -> Register:
    if word.index.constant is not None:
        return fixed(places[word.index.constant])
    return registers.mapped(word.index, places)


def filled(value: Value) -> Value:
    """The value where it is known that there is one."""
    match value:
        case Number():
            return numbers.filled(value)
        case Moment():
            return replace(value, count=replace(value.count, nullable=False))
        case WordInRows():
            return replace(value, index=replace(value.index, nullable=False))
    return replace(value, nullable=False)


def first_that_holds(
    cases: Sequence[tuple[Truth, Value | Nothing]], default: Value | Nothing
) -> Value:
    """The value of the first condition that holds, else the default; all are of one kind."""
    some = next(
        one for one in (*(outcome for _, outcome in cases), default) if not isinstance(one, Nothing)
    )
    outcomes = [one for _, one in cases] + [default]
    conditions = [condition for condition, _ in cases]
    if isinstance(some, Truth):
        truths = [
            Truth(Fixed(None, truth=True), nullable=True) if isinstance(one, Nothing) else one
            for one in outcomes
        ]
        pairs = list(zip(conditions, truths, strict=False))
        return registers.truth_chosen(pairs, truths[-1])  # type: ignore[arg-type]
    if isinstance(some, WordInRows):
        words = same_words([one for one in outcomes if isinstance(one, WordInRows)])
        labels, rest = words[0].labels, iter(words)
        places = [
            _no(some.index) if isinstance(one, Nothing) else next(rest).index for one in outcomes
        ]
        index = registers.chosen(list(zip(conditions, places, strict=False)), places[-1])
        return WordInRows(index, labels)
    if isinstance(some, Moment):
        dates = [
            Moment(_no(some.count), some.resolution) if isinstance(one, Nothing) else one
            for one in outcomes
        ]
        return moments.one_of(list(zip(conditions, dates, strict=False)), dates[-1])  # type: ignore[arg-type]
    values = [
        Number(some.unit, _no(some.above), None, some.low, high=some.low)
        if isinstance(one, Nothing)
        else one
        for one in outcomes
    ]
    return numbers.one_of(list(zip(conditions, values, strict=False)), values[-1])  # type: ignore[arg-type]


def _no(like: Register) -> Register:
    """NULL, where others are numbers like this one."""
    return Register(Fixed(None), like.low, like.low, nullable=True, stride=0)


def extreme_moment(sign: str, given: Sequence[Moment]) -> Moment:
    """The first or the last of several dates, in the finest of their resolutions."""
    extreme = numbers.extreme(sign, [numbers.whole(one.count) for one in moments.alike(given)])
    return Moment(extreme.above, moments.alike(given)[0].resolution)
