"""An expression as SQL: one text for each, which `reading` reads as the same expression."""

from datetime import date, datetime
from fractions import Fraction

from discreet.tables.columns import number_sql
from discreet.tables.expressions.parsing import name_text
from discreet.tables.expressions.tree import (
    All,
    Between,
    Call,
    Case,
    Cell,
    Combined,
    Compared,
    Constant,
    Cut,
    Denied,
    Expression,
    Like,
    Missing,
    Moved,
    Sign,
    Some,
    Taken,
)
from discreet.text import moment_text

_OR, _AND, _NOT, _COMPARES, _ADDS, _TIMES, _WHOLE = range(7)
"""How tightly things are bound: what is looser inside what is tighter needs parentheses."""


def text_of(expression: Expression) -> str:
    """The expression as SQL."""
    return _written(expression)[0]


def _inside(expression: Expression, tight: int) -> str:
    text, bound = _written(expression)
    return text if bound >= tight else f"({text})"


def _written(expression: Expression) -> tuple[str, int]:  # noqa: PLR0911, PLR0912
    match expression:
        case Cell(column):
            return name_text(column), _WHOLE
        case Constant(value):
            return constant_text(value)
        case Combined(sign, left, right):
            tight = _ADDS if sign in (Sign.PLUS, Sign.MINUS) else _TIMES
            return f"{_inside(left, tight)} {sign.value} {_inside(right, tight + 1)}", tight
        case Moved(moment, units, resolution):
            sign_text = "-" if units < 0 else "+"
            interval = f"INTERVAL {abs(units)} {resolution.upper()}"
            return f"{_inside(moment, _ADDS)} {sign_text} {interval}", _ADDS
        case Call(function, arguments):
            return f"{function.value}({', '.join(map(text_of, arguments))})", _WHOLE
        case Taken(part, moment):
            return f"{part.value}({text_of(moment)})", _WHOLE
        case Cut(resolution, moment):
            return f"DATE_TRUNC('{resolution}', {text_of(moment)})", _WHOLE
        case Between(resolution, first, last):
            return f"DATE_DIFF('{resolution}', {text_of(first)}, {text_of(last)})", _WHOLE
        case Case(cases, default):
            whens = " ".join(
                f"WHEN {text_of(one)} THEN {text_of(outcome)}" for one, outcome in cases
            )
            return f"CASE {whens} ELSE {text_of(default)} END", _WHOLE
        case Compared(relation, left, right):
            sides = f"{_inside(left, _ADDS)} {relation.value} {_inside(right, _ADDS)}"
            return sides, _COMPARES
        case Like(word, pattern, any_case):
            how = "ILIKE" if any_case else "LIKE"
            return f"{_inside(word, _ADDS)} {how} {_quoted(pattern)}", _COMPARES
        case Missing(inner):
            return f"{_inside(inner, _ADDS)} IS NULL", _COMPARES
        case Denied(Missing(inner)):
            return f"{_inside(inner, _ADDS)} IS NOT NULL", _COMPARES
        case Denied(inner):
            return f"NOT {_inside(inner, _WHOLE)}", _NOT
        case All(parts):
            return " AND ".join(_inside(part, _AND + 1) for part in parts), _AND
        case Some(parts):
            return " OR ".join(_inside(part, _OR + 1) for part in parts), _OR


def constant_text(value: Fraction | str | bool | date | None) -> tuple[str, int]:
    """A constant as SQL, and how tightly it is bound."""
    if value is None:
        return "NULL", _WHOLE
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE", _WHOLE
    if isinstance(value, str):
        return _quoted(value), _WHOLE
    if isinstance(value, date):
        kind = "TIMESTAMP" if isinstance(value, datetime) else "DATE"
        return f"{kind} '{moment_text(value)}'", _WHOLE
    text = number_sql(value)
    if text.startswith("'"):
        return f"{value.numerator} / {value.denominator}", _TIMES
    return text, _WHOLE if value >= 0 else _TIMES


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
