"""Whether a report says what the ledger says."""

from typing import Any

from discreet.errors import InvalidInput
from discreet.reports.release import FORMAT, ReleaseReport
from discreet.text import show

_MOST_TOLD = 20


def receipts_of(data: Any) -> list[str]:
    """The receipts of a report's data file; InvalidInput where it is none."""
    report = data if isinstance(data, dict) and data.get("format") == FORMAT else {}
    releases = [one for name in ("answers", "others") for one in _listed(report.get(name))]
    if not releases:
        raise InvalidInput(
            "this is not the data file of a report; give the .json file that was written with "
            "the report"
        )
    receipts = [one.get("receipt") if isinstance(one, dict) else None for one in releases]
    if not all(isinstance(one, str) for one in receipts):
        raise InvalidInput("an answer of this report has no receipt; the file was changed by hand")
    return [str(one) for one in receipts]


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def differences(data: dict[str, Any], report: ReleaseReport) -> list[str]:
    """Where a data file and the ledger disagree, a line each.

    Args:
        data: What the file says.
        report: The same answers, read from the ledger now.

    Returns:
        One line for each difference; none where every answer is as it was released.
    """
    now = report.to_dict()
    lines = [
        line
        for name in ("answers", "others", "epsilon")
        for line in _differing(data.get(name), now[name], name)
    ]
    return lines[:_MOST_TOLD]


def _differing(given: Any, stored: Any, place: str) -> list[str]:
    if isinstance(given, dict) and isinstance(stored, dict):
        names = dict.fromkeys([*given, *stored])
        return [
            line
            for name in names
            for line in _differing(given.get(name), stored.get(name), f"{place}.{name}".strip("."))
        ]
    if isinstance(given, list) and isinstance(stored, list) and len(given) == len(stored):
        pairs = enumerate(zip(given, stored, strict=True), start=1)
        return [line for number, pair in pairs for line in _differing(*pair, f"{place}[{number}]")]
    if given == stored:
        return []
    return [f"{place} is {show(given)}, but {show(stored)} in the ledger"]
