"""Plans and values shown to people: sentences, numbers, and a table for notebooks."""

from fractions import Fraction
from html import escape
from typing import Any

from discreet.planning.releases.release import Value
from discreet.questions import decimal_text

AS_DRAWN = "errors are those of the counts as drawn, before they are made consistent"
_COLUMNS = ("candidate", "expected error", "95 % within", "worst case", "")


def plan_sentence(facts: dict[str, Any]) -> str:
    """What would be done, in one line."""
    parts = [
        f"{part['chosen']['title']}, off by {_number(part['chosen']['expected_error'])} on average"
        for part in facts["parts"]
    ]
    cost = _number(float(Fraction(facts["billionths"], 10**9)))
    return "; ".join([f"ε = {cost}: " + ", and ".join(parts), *facts["notes"]])


def rows_off_text(rows: int) -> str:
    """How far a value may be from exact, whatever the table is.

    >>> rows_off_text(18)
    'whatever the rows are, at most 18 would have to change for it to be exact'
    """
    changed = f"at most {rows:,} would have to change for it to be exact" if rows else "it is exact"
    return f"whatever the rows are, {changed}"


def plan_html(facts: dict[str, Any]) -> str:
    """The candidates of every statistic as tables."""
    confidence = Fraction(facts["wishes"]["confidence"])
    names = [name.replace("95", f"{float(100 * confidence):g}") for name in _COLUMNS]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    tables = "".join(
        f"<table><caption>{escape(str(part['label'] or part['statistic']['kind']))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{_rows(part)}</tbody></table>"
        for part in facts["parts"]
    )
    return f"{tables}<p>{escape(plan_sentence(facts))}</p>"


def _rows(part: dict[str, Any]) -> str:
    chosen = part["chosen"]
    lines = [
        _row(candidate, "★ chosen" if candidate == chosen else "")
        for candidate in part["candidates"]
    ]
    return "".join(lines) + _row(part["constant"], "the constant")


def _row(candidate: dict[str, Any], mark: str) -> str:
    cells = [
        str(candidate["title"]),
        _number(candidate["expected_error"]),
        _number(candidate["error_at_confidence"]),
        _number(candidate["worst_case_error"]),
        mark,
    ]
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def value_text(value: Value, digits: int = 6) -> str:
    """A value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(f"{word}: {many}" for word, many in value)
    return value if isinstance(value, str) else number_text(Fraction(value), digits)


def number_text(number: Fraction, digits: int = 6) -> str:
    """A number as people write it: exact when short, else to so many digits.

    >>> number_text(Fraction(7, 2)), number_text(Fraction(13, 24)), number_text(Fraction(123456789))
    ('3.5', '0.541667', '123456789')
    """
    text = decimal_text(number)
    short = number.denominator == 1 or (len(text) <= digits + 2 and "/" not in text)
    return text if short else f"{float(number):.{digits}g}"
