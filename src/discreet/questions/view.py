"""What is made of answers after they are told: arithmetic, HAVING, ORDER BY, LIMIT. All of it free.

A view reads what a release told and nothing else, so that it costs nothing
(docs/proofs/arithmetic.md). Where a value is not told, what is computed of it is not told either.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor
from typing import TypeAlias

Ends: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class AnswerAt:
    """The answer of a statistic of the release, by its place."""

    place: int
    overall: bool = False
    """Whether it is that of all groups together, instead of the group at hand."""


@dataclass(frozen=True)
class FormulaNumber:
    """A number that was written in the question."""

    value: Fraction


@dataclass(frozen=True)
class Computed:
    """Arithmetic of other formulas: an operator of two, or a function of one."""

    operator: str
    """+, -, *, /; or ABS, ROUND, NULLIF0 (nothing where it is 0)."""
    parts: "tuple[Formula, ...]"
    digits: int = 0
    """Of ROUND: how many decimals are kept."""


Formula: TypeAlias = AnswerAt | FormulaNumber | Computed


@dataclass(frozen=True)
class Estimate:
    """A number, and where the truth lies as surely as in all that it is computed of."""

    value: Fraction | None
    """None where it is not told."""
    ends: Ends | None
    """None where nothing is known."""


_UNTOLD = Estimate(None, None)


def work_out(formula: Formula, estimate: Callable[[AnswerAt], Estimate]) -> Estimate:
    """A formula of what was told; ends hold wherever those of all its parts hold at once."""
    match formula:
        case AnswerAt():
            return estimate(formula)
        case FormulaNumber(value):
            return Estimate(value, (value, value))
        case Computed(operator, parts, digits):
            known = [work_out(part, estimate) for part in parts]
            if any(one.value is None for one in known):
                return _UNTOLD
            return _computed(operator, known, digits)


def _computed(operator: str, known: list[Estimate], digits: int) -> Estimate:
    values = [one.value for one in known if one.value is not None]
    value = _of_numbers(operator, values, digits)
    if value is None:
        return _UNTOLD
    ends = [one.ends for one in known if one.ends is not None]
    if len(ends) < len(known):
        return Estimate(value, None)
    if operator == "/" and ends[1][0] <= 0 <= ends[1][1]:
        return Estimate(value, None)
    corners = [_of_numbers(operator, list(corner), digits) for corner in product(*ends)]
    possible = [corner for corner in corners if corner is not None]
    if operator == "ABS" and ends[0][0] < 0 < ends[0][1]:
        possible.append(Fraction(0))
    if operator == "NULLIF0":
        possible = list(ends[0])
    return Estimate(value, (min(possible), max(possible)))


def _of_numbers(operator: str, numbers: list[Fraction], digits: int) -> Fraction | None:  # noqa: PLR0911
    """What SQL makes of numbers: exactly, and None where that is NULL."""
    first, last = numbers[0], numbers[-1]
    match operator:
        case "+":
            return first + last
        case "-":
            return first - last
        case "*":
            return first * last
        case "/":
            return None if last == 0 else first / last
        case "ABS":
            return abs(first)
        case "NULLIF0":
            return first or None
    scale = 10**digits
    return Fraction(floor(abs(first) * scale + Fraction(1, 2)), scale) * (-1 if first < 0 else 1)


@dataclass(frozen=True)
class Comparing:
    """Two formulas compared: =, !=, <, <=, > or >=."""

    operator: str
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Untold:
    """IS NULL: there is no value, for want of rows."""

    formula: Formula


@dataclass(frozen=True)
class AndOr:
    """AND, or OR."""

    every: bool
    parts: "tuple[Test, ...]"


@dataclass(frozen=True)
class FormulaNot:
    """NOT."""

    inner: "Test"


Test: TypeAlias = Comparing | Untold | AndOr | FormulaNot


def passes(test: Test, value: Callable[[Formula], Fraction | None]) -> bool | None:
    """Whether what was told passes; None where that is unknown, as SQL has it."""
    match test:
        case Comparing(operator, left, right):
            first, second = value(left), value(right)
            if first is None or second is None:
                return None
            return _compared(operator, first, second)
        case Untold(formula):
            return value(formula) is None
        case FormulaNot(inner):
            inside = passes(inner, value)
            return None if inside is None else not inside
        case AndOr(every, parts):
            each = [passes(part, value) for part in parts]
            if (not every) in each:
                return not every
            return None if None in each else every


def _compared(operator: str, first: Fraction, second: Fraction) -> bool:
    order = (first > second) - (first < second)
    return order in {"=": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,)}.get(
        operator, (0, 1)
    )


@dataclass(frozen=True)
class GroupPlace:
    """A column that rows are grouped by, by its place."""

    place: int
    words: bool
    """Whether its values are words, which are sorted by the alphabet; others have an order."""


@dataclass(frozen=True)
class SortKey:
    """What groups are sorted by."""

    by: Formula | GroupPlace
    descending: bool = False
    untold_first: bool = False
    """Whether groups without a value, of gaps and of totals come first; else they come last."""


@dataclass(frozen=True)
class Output:
    """What is shown: a formula and what it is called."""

    formula: Formula
    label: str


@dataclass(frozen=True, kw_only=True)
class View:
    """What is shown of a release, and in which order."""

    outputs: tuple[Output, ...]
    having: Test | None = None
    order_by: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    hides_totals: bool = False
    """Whether totals are a part of the release only for the sake of shares of them."""
    heads: tuple[tuple[int, str], ...] = ()
    """What columns that rows are grouped by are called, by their places, where AS says so."""

    @property
    def at_once(self) -> int:
        """Of how many bounds one that is shown is made: so many must hold at once."""
        return max((len(set(answers_in(one.formula))) for one in self.outputs), default=1) or 1


def answers_in(formula: Formula) -> Iterator[AnswerAt]:
    """The answers that a formula is made of."""
    if isinstance(formula, AnswerAt):
        yield formula
    elif isinstance(formula, Computed):
        for part in formula.parts:
            yield from answers_in(part)
