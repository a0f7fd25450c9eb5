"""Plans shown to people: a sentence, and a table for notebooks."""

from fractions import Fraction
from html import escape
from typing import Any

from discreet.text import Amount, brief, percent, span_text, unbroken

_COLUMNS = ("candidate", "typical error", "worst shape", "95 % within", "worst case", "")
_UNDER_PRIOR = ("candidate", "expected error", "95 % within", "worst case", "")


def plan_sentence(facts: dict[str, Any]) -> str:
    """What would be done, in one line; where a stored release tells it, how exact that is."""
    if facts.get("from"):
        return f"ε = 0: {'; '.join([facts['remarks'][-1], *facts['notes']])}"
    parts = [f"{part['chosen']['title']}, {_off(part['chosen'])}" for part in facts["parts"]]
    cost = Amount(facts["billionths"])
    line = f"ε = {cost}: " + ", and ".join(parts)
    return "; ".join([line, *facts["notes"], *facts.get("remarks", ())])


def _off(candidate: dict[str, Any]) -> str:
    """How far off a candidate is: on average, or on most tables of the public shapes."""
    if candidate["typical_error"] is None:
        return f"off by {brief(candidate['expected_error'])} on average"
    return f"typically off by {span_text(candidate['typical_error'])}"


def plan_html(facts: dict[str, Any]) -> str:
    """The candidates of every statistic as tables."""
    confidence = Fraction(facts["wishes"]["confidence"])
    safe = any(part["chosen"]["typical_error"] is not None for part in facts["parts"])
    columns = _COLUMNS if safe else _UNDER_PRIOR
    names = [name.replace("95", percent(confidence)) for name in columns]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    tables = "".join(
        f"<table><caption>{escape(str(part['label'] or part['statistic']['kind']))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{_rows(part, safe)}</tbody></table>"
        f"<p>★ {escape(str(part['best'] or 'known from public facts'))}</p>"
        for part in facts["parts"]
    )
    return unbroken(f"{tables}<p>{escape(plan_sentence(facts))}</p>")


def _rows(part: dict[str, Any], safe: bool) -> str:
    chosen = part["chosen"]
    lines = [
        _row(candidate, "★ chosen" if candidate == chosen else "", safe)
        for candidate in part["candidates"]
    ]
    return "".join(lines) + _row(part["constant"], "the constant", safe)


def _row(candidate: dict[str, Any], mark: str, safe: bool) -> str:
    shapes = [span_text(candidate["typical_error"]), brief(candidate["worst_shape_error"])]
    cells = [
        str(candidate["title"]),
        *(shapes if safe else [brief(candidate["expected_error"])]),
        f"{brief(candidate['error_at_confidence'])} {candidate.get('rests_on') or ''}".rstrip(),
        brief(candidate["worst_case_error"]),
        mark,
    ]
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
