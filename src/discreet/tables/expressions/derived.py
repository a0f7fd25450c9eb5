"""A derived column: an expression with the finite grid, or the list of words, that it lies on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
import numpy.typing as npt

from discreet.errors import QuestionError
from discreet.model import Grid, Labels
from discreet.model.spaces import MOST
from discreet.tables.columns import GAP, CategoryColumn, Column, DateColumn, NumberColumn
from discreet.tables.expressions.compiling import Compiler
from discreet.tables.expressions.moments import Moment
from discreet.tables.expressions.numbers import Number, tight
from discreet.tables.expressions.program import Arrays, Cells, Read, Step
from discreet.tables.expressions.registers import (
    Register,
    Truth,
    as_number,
    fixed,
    floored,
    plus,
)
from discreet.tables.expressions.tree import Expression, columns_in
from discreet.tables.expressions.values import Value, WordInRows
from discreet.tables.expressions.writing import text_of
from discreet.text import decimal_text, number_text, show


@dataclass(frozen=True, eq=False)
class Derived:
    """A column that a row's other cells decide: a total function of their indices."""

    column: Column
    expression: Expression
    index: Step = field(repr=False)
    """The place of its value, or NULL for a gap."""

    @property
    def bases(self) -> set[str]:
        """The columns that it is made of."""
        return columns_in(self.expression)

    def cells(self, arrays: Arrays) -> npt.NDArray[np.intp]:
        """Its cells in a table at hand, by the same steps as an engine takes."""
        rows = len(next(iter(arrays.values()))) if arrays else 0
        values, known = _run(self.index, arrays, rows, {})
        return np.where(known, values, GAP).astype(np.intp)


def _run(step: Step, arrays: Arrays, rows: int, done: dict[int, Cells]) -> Cells:
    if id(step) not in done:
        if isinstance(step, Read):
            done[id(step)] = step.cells(arrays)
        else:
            inputs = [_run(one, arrays, rows, done) for one in step.inputs]
            done[id(step)] = step.run(inputs, rows)
    return done[id(step)]


def derive(
    expression: Expression, column: Callable[[str], Column], name: str | None = None
) -> Derived:
    """The column that an expression is; QuestionError where it has no finite grid."""
    value = Compiler(column).value(expression)
    made, index = _column(value, text_of(expression) if name is None else name)
    return Derived(made, expression, index.step)


def is_condition(expression: Expression, column: Callable[[str], Column]) -> bool:
    """Whether an expression is true or false."""
    return isinstance(Compiler(column).value(expression), Truth)


def _column(value: Value, name: str) -> tuple[Column, Register]:
    match value:
        case Truth():
            labels, index = Labels.of(["false", "true"]), as_number(value)
            missing = None if value.nullable else "false"
            complete = not value.nullable
            return CategoryColumn(name, labels, missing, is_boolean=True, complete=complete), index
        case WordInRows(index, words):
            missing = None if index.nullable else words[0]
            labels = Labels.of(words)
            return CategoryColumn(
                name, labels, missing, complete=not index.nullable, closed=True
            ), index
        case Moment(count, resolution):
            place, grid = _placed(count, Fraction(1), name)
            missing_count = None if count.nullable else grid.start
            return DateColumn(
                name,
                grid,
                missing_count,
                whole=True,
                complete=not count.nullable,
                resolution=resolution,
                timed=not resolution.of_days,
            ), place
        case Number():
            return _number(value, name)


def _number(value: Number, name: str) -> tuple[Column, Register]:
    if value.below is not None:
        raise QuestionError(
            f"{show(name)} is a division, so it may be any fraction; choose how finely to round "
            f"it: {rounded(name, value.high - value.low)}, and CLAMP(…, low, high) around it where "
            f"most of {_range(value)} is unlikely; or divide two sums, SUM(a) / SUM(b)"
        )
    number = tight(value)
    place, grid = _placed(number.above, number.unit, name)
    whole = grid.start.denominator == 1 and grid.step.denominator == 1
    missing = None if number.nullable else grid.start
    complete = not number.nullable
    return NumberColumn(name, grid, missing, whole=whole, complete=complete), place


def _range(value: Number) -> str:
    low, high = (number_text(end, 4) for end in (value.low, value.high))
    return f"its range from {low} to {high}"


def _placed(number: Register, unit: Fraction, name: str) -> tuple[Register, Grid]:
    stride = number.stride or 1
    size = (number.high - number.low) // stride + 1
    if size > MOST:
        low, high = unit * number.low, unit * number.high
        raise QuestionError(
            f"{show(name)} has {size:,} possible values, from {decimal_text(low)} to "
            f"{decimal_text(high)}, at most {MOST:,} are supported; write "
            f"{rounded(name, high - low)} or {_clamped(name, low, high)}"
        )
    place = floored(plus(number, fixed(-number.low)), stride)
    step = unit * stride if size > 1 else Fraction(1)
    return place, Grid(unit * number.low, step, size)


_ROUNDED = 500_000
"""How many values an advised step leaves at most: order statistics take as many."""


def rounded(name: str, span: Fraction, most: int = _ROUNDED) -> str:
    """How to round an expression over so wide a range: finely, yet to what can be asked of.

    >>> [rounded("x", Fraction(span)) for span in (1, 3000, 400_000, 2_000_000)]
    ['ROUND(x, 0.001)', 'ROUND(x, 0.1)', 'ROUND(x)', 'ROUND(x, -1)']
    """
    decimals = 3
    while span * Fraction(10) ** decimals > (min(most, 5000) if decimals > 1 else most):
        decimals -= 1
    step = f", {decimal_text(Fraction(1, 10**decimals))}" if decimals > 0 else f", {decimals}"
    return f"ROUND({name}{step if decimals else ''})"


def _clamped(name: str, low: Fraction, high: Fraction) -> str:
    """A narrower range as an example: from 0 to 100 where that is inside."""
    first = 0 if low <= 0 and high >= 100 else ceil(low)
    return f"CLAMP({name}, {first}, {first + 100})"
