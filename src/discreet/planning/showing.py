"""Plans shown to people: a sentence, and a table for notebooks."""

from fractions import Fraction
from html import escape
from typing import Any

from discreet.text import Amount, brief, percent

_COLUMNS = ("candidate", "expected error", "95 % within", "worst case", "")


def plan_sentence(facts: dict[str, Any]) -> str:
    """What would be done, in one line."""
    parts = [
        f"{part['chosen']['title']}, off by {brief(part['chosen']['expected_error'])} on average"
        for part in facts["parts"]
    ]
    cost = Amount(facts["billionths"])
    return "; ".join([f"ε = {cost}: " + ", and ".join(parts), *facts["notes"]])


def plan_html(facts: dict[str, Any]) -> str:
    """The candidates of every statistic as tables."""
    confidence = Fraction(facts["wishes"]["confidence"])
    names = [name.replace("95", percent(confidence)) for name in _COLUMNS]
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
        brief(candidate["expected_error"]),
        brief(candidate["error_at_confidence"]),
        brief(candidate["worst_case_error"]),
        mark,
    ]
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
