"""What was drawn for a question, and how the ledger keeps it: exact, readable without the plan.

What all results have in common is written once, as there may be thousands of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from discreet.curator.result import Ends, Result, exact_text, number_of
from discreet.errors import LedgerError, Remedy, UnknownReceipt
from discreet.planning import About, Imputed, Interval, Value
from discreet.planning.origin import Origin
from discreet.text import moment_text, read_moment

_OFTEN_ALIKE = ("label", "expected_error", "mechanism", "certificate")
_WHERE_TRUE = ("groups", "supposed", "whole_range")
_WHERE_THERE = ("rows_off", "rows_about", "rows_within", "rows_behind", "drawn", "surer")


def holds_rows(body: dict[str, Any]) -> bool:
    """Whether the body of an answer's entry is a synthetic table: it has rows, not results."""
    return body.get("synthetic") is True


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What was drawn for a question, the confidence of its intervals, the plan's digest, and what
    gaps counted as."""

    results: tuple[Result, ...]
    confidence: Fraction
    plan: str
    imputed: tuple[Imputed, ...] = ()
    uncounted: tuple[str, ...] = ()
    """What was told though there may be no row, in words: nobody counted these."""
    origin: Origin | None = None
    """The release that it is a part of, where it was not drawn by itself."""

    def to_dict(self) -> dict[str, Any]:
        """The body of an answer's entry."""
        alike = _alike(self.results)
        names = [name for name in _OFTEN_ALIKE if name not in alike]
        body: dict[str, Any] = {
            "confidence": str(self.confidence),
            "plan": self.plan,
            "results": [_result_to_dict(result, names) for result in self.results],
        }
        if alike:
            body["alike"] = alike
        if self.imputed:
            body["imputed"] = {one.column: one.value for one in self.imputed}
        if self.uncounted:
            body["uncounted"] = list(self.uncounted)
        if self.origin is not None:
            body["from"] = self.origin.to_dict()
        return body

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> "Drawn":
        """Read the body of an entry."""
        if holds_rows(body):
            raise UnknownReceipt(
                "this is the receipt of a synthetic table, not of an answer; make the table "
                "again with this id: that is free"
            )
        try:
            alike = dict(body.get("alike", {}))
            results = tuple(_result_from_dict({**alike, **result}) for result in body["results"])
            imputed = tuple(Imputed(*one) for one in body.get("imputed", {}).items())
            origin = Origin(**body["from"]) if "from" in body else None
            return cls(
                results=results,
                confidence=Fraction(body["confidence"]),
                plan=str(body["plan"]),
                imputed=imputed,
                uncounted=tuple(map(str, body.get("uncounted", ()))),
                origin=origin,
            )
        except (KeyError, TypeError, ValueError):
            raise LedgerError("a stored answer cannot be read", Remedy.VERIFY) from None


def _alike(results: Sequence[Result]) -> dict[str, Any]:
    """What several results have in common."""
    if len(results) < 2:
        return {}
    held = [one.__dict__ for one in results]
    columns = {name: [one[name] for one in held] for name in _OFTEN_ALIKE}
    return {name: each[0] for name, each in columns.items() if each.count(each[0]) == len(each)}


def _result_to_dict(result: Result, names: Sequence[str]) -> dict[str, Any]:
    """What every result has, of what is often alike these names, and of the rest what there is."""
    held = result.__dict__
    data: dict[str, Any] = {name: held[name] for name in names}
    data["group"] = result.group
    data["value"] = None if result.value is None else _value_to_dict(result.value)
    data["interval"] = _ends_to_list(result.interval)
    for name in _WHERE_TRUE:
        if one := held[name]:
            data[name] = one
    for name in _WHERE_THERE:
        if (one := held[name]) is not None:
            data[name] = one
    if result.percentiles is not None:
        data["percentiles"] = _ends_to_list(result.percentiles)
    if result.run is not None:
        data["run"] = _ends_to_list(result.run)
    if result.mean is not None:
        data["mean"] = list(map(str, result.mean))
    if result.about is not About.TABLE:
        data["about"] = result.about
    if result.clamped_at is not None:
        data["clamped_at"] = exact_text(result.clamped_at)
    return data


def _result_from_dict(data: dict[str, Any]) -> Result:
    value = data["value"]
    return Result(
        label=data["label"],
        group=data["group"],
        groups=tuple((str(column), str(value)) for column, value in data.get("groups", ())),
        value=None if value is None else _value_from_dict(value),
        interval=_ends_from_list(data["interval"]),
        expected_error=data["expected_error"],
        mechanism=data["mechanism"],
        certificate=data["certificate"],
        supposed=bool(data.get("supposed", False)),
        rows_off=data.get("rows_off"),
        rows_about=data.get("rows_about"),
        rows_within=_whole_ends(data.get("rows_within")),
        percentiles=_shares_from_list(data.get("percentiles")),
        rows_behind=data.get("rows_behind"),
        run=_ends_from_list(data.get("run")),
        about=About(data.get("about", About.TABLE)),
        whole_range=bool(data.get("whole_range", False)),
        clamped_at=None if data.get("clamped_at") is None else number_of(data["clamped_at"]),
        drawn=data.get("drawn"),
        surer=_whole_ends(data.get("surer")),
        mean=_mean_from_list(data.get("mean")),
    )


def _mean_from_list(texts: Sequence[str] | None) -> tuple[Fraction, Fraction, Fraction] | None:
    if texts is None:
        return None
    value, low, high = map(Fraction, texts)
    return value, low, high


def _whole_ends(ends: Sequence[int] | None) -> tuple[int, int] | None:
    return None if ends is None else (int(ends[0]), int(ends[1]))


def _ends_to_list(ends: Ends | None) -> list[str] | None:
    if ends is None:
        return None
    low, high = ends
    return [exact_text(low), exact_text(high)]


def _ends_from_list(data: list[str] | None) -> Ends | None:
    return None if data is None else (number_of(data[0]), number_of(data[1]))


def _shares_from_list(data: list[str] | None) -> Interval | None:
    return None if data is None else (Fraction(data[0]), Fraction(data[1]))


def _value_to_dict(value: Value | date) -> dict[str, Any]:
    if isinstance(value, date):
        return {"moment": moment_text(value)}
    if isinstance(value, str):
        return {"word": value}
    if isinstance(value, tuple):
        return {"counts": [[word, many] for word, many in value]}
    return {"whole" if isinstance(value, int) else "number": str(value)}


def _value_from_dict(data: dict[str, Any]) -> Value | date:
    match data:
        case {"word": str(word)}:
            return word
        case {"moment": str(text)} if (moment := read_moment(text)) is not None:
            return moment
        case {"whole": str(text)}:
            return int(text)
        case {"number": str(text)}:
            return Fraction(text)
        case {"counts": list(pairs)}:
            return tuple((str(word), int(many)) for word, many in pairs)
    raise ValueError("no value")
