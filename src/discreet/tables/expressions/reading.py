"""From text and the parser's tree to an expression: what is known is read, all else refused in
words."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from discreet.errors import QuestionError
from discreet.exact import rational
from discreet.tables.expressions.hints import POSSIBLE, nearest
from discreet.tables.expressions.parsing import DEEPEST, check_nesting, depth, like_pattern, shown
from discreet.tables.expressions.tree import (
    NOTHING,
    All,
    Between,
    Call,
    Case,
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
    inside,
)
from discreet.text import Resolution, later, no_moment_text, read_moment, show

_LONGEST = 5_000
_KEYWORDS = frozenset({"IN", "AND", "OR", "NOT", "BETWEEN"})
_SIGNS: dict[type[exp.Expr], Sign] = {
    exp.Add: Sign.PLUS,
    exp.Sub: Sign.MINUS,
    exp.Mul: Sign.TIMES,
    exp.Div: Sign.OVER,
}
_RELATIONS: dict[type[exp.Expr], ComparisonSign] = {
    exp.EQ: ComparisonSign.EQUAL,
    exp.NEQ: ComparisonSign.UNLIKE,
    exp.LT: ComparisonSign.BELOW,
    exp.LTE: ComparisonSign.AT_MOST,
    exp.GT: ComparisonSign.ABOVE,
    exp.GTE: ComparisonSign.AT_LEAST,
}
_PARTS: dict[str, DatePart] = {
    **{part.value: part for part in DatePart},
    "WEEKDAY": DatePart.DAYOFWEEK,
    "DAY_OF_WEEK": DatePart.DAYOFWEEK,
    "DAY_OF_YEAR": DatePart.DAYOFYEAR,
    "DAY_OF_MONTH": DatePart.DAY,
    "DAYOFMONTH": DatePart.DAY,
    "DOW": DatePart.DAYOFWEEK,
    "DOY": DatePart.DAYOFYEAR,
    "WEEKOFYEAR": DatePart.WEEK,
    "WEEK_OF_YEAR": DatePart.WEEK,
    "DAYOFWEEK_ISO": DatePart.ISODOW,
    "DAY_OF_WEEK_ISO": DatePart.ISODOW,
}
"""What parts of dates are called, by people and by the parser."""
_COUNTS = {
    Function.ABS: (1, 1),
    Function.ROUND: (1, 2),
    Function.FLOOR: (1, 1),
    Function.CEIL: (1, 1),
    Function.LEAST: (2, 20),
    Function.GREATEST: (2, 20),
    Function.CLAMP: (3, 3),
    Function.COALESCE: (2, 20),
    Function.AGE_AT: (2, 2),
}
"""How many arguments each function takes, at least and at most."""
CALLED = frozenset(
    {
        *(function.value for function in Function),
        *_PARTS,
        *("CEILING", "IFNULL", "NULLIF", "IF", "EXTRACT", "DATE_PART", "DATEPART"),
        *("DATE_TRUNC", "DATETRUNC", "DATE_DIFF", "DATEDIFF"),
        *("CASE", "WHEN", "THEN", "ELSE", "END", "LIKE", "ILIKE", "IS", "INTERVAL"),
    }
)
"""What may stand before a parenthesis in an expression."""
_DATE_TYPES = ("DATE", "TIMESTAMP", "DATETIME", "TIMESTAMPTZ", "TIMESTAMPNTZ")
_MOST_UNITS = 10**9
MOST_PARTS = 5_000
"""Of how many parts an expression may be."""
_OF_NOW = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime)


class ExpressionReader:
    """Reads expressions; what a name means is up to whoever knows the table."""

    def __init__(self, column: Callable[[exp.Column], Expression]) -> None:
        self._column = column
        self._sizes: dict[int, tuple[Expression, int]] = {}

    def read(self, node: object) -> Expression:
        """The expression that stands there; one that is too long to be written out is refused."""
        expression = self._read(node)
        if self._size(expression) > MOST_PARTS:
            raise QuestionError(
                f"an expression has at most {MOST_PARTS:,} parts; ask for something simpler"
            )
        return expression

    def _size(self, expression: Expression) -> int:
        """Of how many parts it is, those that it has twice counted twice."""
        known = self._sizes.get(id(expression))
        if known is None:
            size = 1 + sum(map(self._size, inside(expression)))
            known = self._sizes[id(expression)] = (expression, size)
        return known[1]

    def _read(self, node: object) -> Expression:  # noqa: PLR0911, PLR0912
        match node:
            case exp.Paren():
                return self.read(node.this)
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                return Constant(str(node.this) if node.is_string else _number(node.this))
            case exp.Boolean():
                return Constant(bool(node.this))
            case exp.Null():
                return NOTHING
            case exp.Neg():
                return _negative(self.read(node.this))
            case exp.Cast() if _is_date(node):
                return _moment(node)
            case exp.Add() | exp.Sub() if isinstance(node.expression, exp.Interval):
                sign = 1 if isinstance(node, exp.Add) else -1
                return _moved(self.read(node.this), node.expression, sign)
            case exp.Add() if isinstance(node.this, exp.Interval):
                return _moved(self.read(node.expression), node.this, 1)
            case exp.And():
                return All(tuple(self.read(part) for part in node.flatten()))
            case exp.Or():
                return Some(tuple(self.read(part) for part in node.flatten()))
            case exp.Not():
                return Denied(self.read(node.this))
            case exp.Is(expression=exp.Null()):
                return Missing(self.read(node.this))
            case exp.Between() if not _extras(node, "low", "high"):
                inner, low, high = (
                    self.read(one) for one in (node.this, node.args["low"], node.args["high"])
                )
                ends = ((ComparisonSign.AT_LEAST, low), (ComparisonSign.AT_MOST, high))
                return All(tuple(Compared(sign, inner, end) for sign, end in ends))
            case exp.In() if node.expressions and not _extras(node, "expressions"):
                inner = self.read(node.this)
                one_of = tuple(
                    Compared(ComparisonSign.EQUAL, inner, self.read(one))
                    for one in node.expressions
                )
                return one_of[0] if len(one_of) == 1 else Some(one_of)
            case exp.Like() | exp.ILike() if not _extras(node, "expression", "negate"):
                return self._like(node)
            case exp.Case():
                return self._case(node)
            case exp.If():
                default = node.args.get("false")
                case = (self.read(node.this), self.read(node.args["true"]))
                return Case((case,), NOTHING if default is None else self.read(default))
            case exp.Nullif():
                inner = self.read(node.this)
                same = Compared(ComparisonSign.EQUAL, inner, self.read(node.expression))
                return Case(((same, NOTHING),), inner)
        if type(node) in _SIGNS:
            assert isinstance(node, exp.Expr)
            left, right = self.read(node.this), self.read(node.expression)
            return _combined(_SIGNS[type(node)], left, right)
        if type(node) in _RELATIONS:
            assert isinstance(node, exp.Expr)
            left, right = self.read(node.this), self.read(node.expression)
            return Compared(_RELATIONS[type(node)], left, right)
        return self._call(node)

    def _like(self, node: exp.Expr) -> Expression:
        pattern = like_pattern(node.expression)
        like = Like(self.read(node.this), pattern, isinstance(node, exp.ILike))
        return Denied(like) if node.args.get("negate") else like

    def _case(self, node: exp.Case) -> Expression:
        whole = None if node.this is None else self.read(node.this)
        cases = []
        for one in node.args["ifs"]:
            met = self.read(one.this)
            holds = met if whole is None else Compared(ComparisonSign.EQUAL, whole, met)
            cases.append((holds, self.read(one.args["true"])))
        default = node.args.get("default")
        return Case(tuple(cases), NOTHING if default is None else self.read(default))

    def _call(self, node: object) -> Expression:
        """A function by its name, whatever the parser made of it."""
        if isinstance(node, _OF_NOW):
            raise QuestionError(
                f"{shown(node)} changes from day to day, and a question must not; write the "
                "date: DATE '2024-01-31'"
            )
        if isinstance(node, exp.Subquery | exp.Select):
            raise QuestionError(
                "a question inside another cannot be asked; ask it on its own first, and write its "
                "answer as a constant"
            )
        name, arguments = _named(node)
        if name in ("EXTRACT", "DATE_PART", "DATEPART") and len(arguments) == 2:
            name, arguments = _word(arguments[0]).upper(), arguments[1:]
        if name in _PARTS and len(arguments) == 1:
            return Taken(_PARTS[name], self.read(arguments[0]))
        if name in ("DATE_TRUNC", "DATETRUNC", "TIMESTAMP_TRUNC") and len(arguments) == 2:
            return Cut(_resolution(arguments[0]), self.read(arguments[1]))
        if name in ("DATE_DIFF", "DATEDIFF") and len(arguments) == 3:
            first, last = (self.read(one) for one in arguments[1:])
            return Between(_resolution(arguments[0]), first, last)
        function = next((one for one in Function if one.value == name), None)
        if function is None:
            raise QuestionError(f"{shown(node)} is not supported here; {nearest(node)}")
        least, most = _COUNTS[function]
        if not least <= len(arguments) <= most:
            raise QuestionError(f"{shown(node)}: {name} takes {_many(least, most)}")
        return Call(function, tuple(self.read(one) for one in arguments))


def _is_date(node: exp.Cast) -> bool:
    return node.to.this.name in _DATE_TYPES and not isinstance(node, exp.TryCast)


def _named(node: object) -> tuple[str, list[Any]]:  # noqa: PLR0911
    """What a call is called in SQL, with its arguments in their order."""
    match node:
        case exp.Anonymous():
            return node.name.upper(), node.expressions
        case exp.TimestampTrunc() | exp.DateTrunc() if not _extras(node, "unit", "expressions"):
            return "DATE_TRUNC", [node.args.get("unit"), node.this]
        case exp.DateDiff():
            return "DATE_DIFF", [node.args.get("unit"), node.expression, node.this]
        case exp.Extract():
            return "EXTRACT", [node.this, node.expression]
        case exp.Round() if not _extras(node, "decimals"):
            return "ROUND", [one for one in (node.this, node.args.get("decimals")) if one]
        case exp.Least() | exp.Greatest() | exp.Coalesce():
            return node.sql_name(), [node.this, *node.expressions]
        case exp.Func() if not _extras(node):
            return node.sql_name(), [node.this]
    return "", []


def _extras(node: exp.Expr, *known: str) -> bool:
    """Whether the parser has read more than is looked at here."""
    return bool({key for key, value in node.args.items() if value} - {"this", *known})


def _many(least: int, most: int) -> str:
    if least == most:
        return f"{least} argument" if least == 1 else f"{least} arguments"
    return f"{least} to {most} arguments"


def _number(text: str) -> Fraction:
    return rational(text, "a number", QuestionError)


def _negative(inner: Expression) -> Expression:
    if isinstance(inner, Constant) and isinstance(inner.value, Fraction):
        return Constant(-inner.value)
    return Combined(Sign.MINUS, Constant(Fraction(0)), inner)


def _combined(sign: Sign, left: Expression, right: Expression) -> Expression:
    """Two constants are one: it is written as a constant, so it is read as one."""
    one, other = (side.value if isinstance(side, Constant) else None for side in (left, right))
    if not isinstance(one, Fraction) or not isinstance(other, Fraction):
        return Combined(sign, left, right)
    match sign:
        case Sign.PLUS:
            return Constant(one + other)
        case Sign.MINUS:
            return Constant(one - other)
        case Sign.TIMES:
            return Constant(one * other)
        case Sign.OVER:
            return Constant(one / other) if other else NOTHING


def _moment(node: exp.Cast) -> Expression:
    """A date that is written with its type: DATE '2023-05-01'."""
    literal = node.this
    moment = read_moment(literal.this) if isinstance(literal, exp.Literal) else None
    if moment is None:
        if isinstance(literal, exp.Literal) and (none := no_moment_text(literal.this)):
            raise QuestionError(none)
        given = shown(literal if isinstance(literal, exp.Literal) else node)
        raise QuestionError(
            "a date is written DATE '2023-05-01', with a time TIMESTAMP '2023-05-01 18:30', got "
            f"{given}"
        )
    return Constant(moment)


def _moved(moment: Expression, interval: exp.Interval, sign: int) -> Expression:
    unit = Resolution.read(_word(interval.args.get("unit")).rstrip("sS"))
    many = interval.this.name if isinstance(interval.this, exp.Literal) else ""
    digits = many.removeprefix("-")
    if unit is None or not digits.isdecimal() or int(digits[:12]) > _MOST_UNITS:
        raise QuestionError(
            f"an interval is written INTERVAL 3 MONTH, in {Resolution.listed()}, got "
            f"{shown(interval)}"
        )
    units = sign * int(many)
    if not isinstance(moment, Constant):
        return Moved(moment, units, unit)
    day = read_moment(moment.value)
    if day is None:
        raise QuestionError(f"an interval is added to a date, got {shown(interval)}")
    moved = later(day, units, unit)
    if moved is None:
        raise QuestionError(f"{shown(interval)} leads out of the calendar, the years 1 to 9999")
    return Constant(moved)


def _resolution(node: object) -> Resolution:
    resolution = Resolution.read(_word(node))
    if resolution is None:
        raise QuestionError(f"a unit is one of {Resolution.listed()}, got {shown(node)}")
    return resolution


def _word(node: object) -> str:
    return node.name if isinstance(node, exp.Expr) else ""


def parsed_expression(text: str, column: Callable[[exp.Column], Expression]) -> Expression:
    """Read an expression alone, such as `weight / (height * height)`."""
    refusal = f"{show(text)} cannot be read; {POSSIBLE}"
    if len(text) > _LONGEST or depth(text) > DEEPEST:
        raise QuestionError(refusal)
    try:
        check_nesting(text, CALLED | _KEYWORDS, refusal)
        statements = sqlglot.parse(f"SELECT {text}", read="duckdb")
        select = statements[0] if len(statements) == 1 else None
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise QuestionError(refusal)
        if {key for key, value in select.args.items() if value} - {"expressions"}:
            raise QuestionError(refusal)
        return ExpressionReader(column).read(select.expressions[0])
    except QuestionError:
        raise
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError):
        raise QuestionError(refusal) from None
