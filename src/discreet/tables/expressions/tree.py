"""Expressions of declared columns as a small tree: what may be written, before it is typed.

A tree is written out by `writing` and read by `reading`; every one has one text.
"""

from dataclasses import dataclass
from datetime import date
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from discreet.text import Resolution


class Sign(Enum):
    """What stands between two numbers."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    OVER = "/"


class ComparisonSign(Enum):
    """How two values are compared."""

    EQUAL = "="
    UNLIKE = "<>"
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="


class Function(Enum):
    """A function of a few arguments, by its name in SQL."""

    ABS = "ABS"
    ROUND = "ROUND"
    FLOOR = "FLOOR"
    CEIL = "CEIL"
    LEAST = "LEAST"
    GREATEST = "GREATEST"
    CLAMP = "CLAMP"
    COALESCE = "COALESCE"
    AGE_AT = "AGE_AT"


class DatePart(Enum):
    """A number, or a word, that a date has, by its name in SQL."""

    YEAR = "YEAR"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    DAYOFYEAR = "DAYOFYEAR"
    DAYOFWEEK = "DAYOFWEEK"
    ISODOW = "ISODOW"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    DAYNAME = "DAYNAME"
    MONTHNAME = "MONTHNAME"


@dataclass(frozen=True)
class Cell:
    """The value of a declared column."""

    column: str


@dataclass(frozen=True, eq=False)
class Constant:
    """A number, a word, a truth value, a date, or nothing; TRUE is another one than 1."""

    value: Fraction | str | bool | date | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._typed == other._typed

    def __hash__(self) -> int:
        return hash(self._typed)

    @property
    def _typed(self) -> tuple[type, object]:
        return type(self.value), self.value


@dataclass(frozen=True)
class Combined:
    """Two values with a sign between them."""

    sign: Sign
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Moved:
    """A date so many units later."""

    moment: "Expression"
    units: int
    resolution: Resolution


@dataclass(frozen=True)
class Call:
    """A function of some values."""

    function: Function
    arguments: tuple["Expression", ...]


@dataclass(frozen=True)
class Taken:
    """A part of a date."""

    part: DatePart
    moment: "Expression"


@dataclass(frozen=True)
class Cut:
    """The start of the unit in which a moment lies."""

    resolution: Resolution
    moment: "Expression"


@dataclass(frozen=True)
class Between:
    """How many starts of units lie between two moments."""

    resolution: Resolution
    first: "Expression"
    last: "Expression"


@dataclass(frozen=True)
class Case:
    """The value of the first condition that holds; without a default, nothing if none does."""

    cases: tuple[tuple["Expression", "Expression"], ...]
    default: "Expression"


@dataclass(frozen=True)
class Compared:
    """Whether two values are in a relation; unknown where one of them is a gap."""

    relation: ComparisonSign
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Like:
    """Whether a word is of a pattern: % is anything, _ one character."""

    word: "Expression"
    pattern: str
    any_case: bool = False


@dataclass(frozen=True)
class Missing:
    """Whether there is no value."""

    inner: "Expression"


@dataclass(frozen=True)
class Denied:
    """The opposite of what may be true."""

    inner: "Expression"


@dataclass(frozen=True)
class All:
    """Every part is true."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Some:
    """A part is true."""

    parts: tuple["Expression", ...]


Expression: TypeAlias = (
    Cell
    | Constant
    | Combined
    | Moved
    | Call
    | Taken
    | Cut
    | Between
    | Case
    | Compared
    | Like
    | Missing
    | Denied
    | All
    | Some
)
"""A total function of a row."""

NOTHING = Constant(None)


def inside(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that one is made of."""
    match expression:
        case Cell() | Constant():
            return ()
        case Combined(_, left, right) | Compared(_, left, right) | Between(_, left, right):
            return (left, right)
        case Call(_, parts) | All(parts) | Some(parts):
            return parts
        case Case(cases, default):
            return (*(one for case in cases for one in case), default)
        case Moved(inner) | Taken(_, inner) | Cut(_, inner):
            return (inner,)
        case Like(inner) | Missing(inner) | Denied(inner):
            return (inner,)


def columns_in(expression: Expression) -> set[str]:
    """The declared columns that an expression is of."""
    if isinstance(expression, Cell):
        return {expression.column}
    return set[str]().union(*map(columns_in, inside(expression)))
