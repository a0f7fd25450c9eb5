"""Results as the ledger keeps them: exact, and readable without the plan that made them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.curator.answer import Result
from discreet.errors import LedgerError, Remedy
from discreet.planning import About, Imputed, Interval, Value


@dataclass(frozen=True)
class Drawn:
    """What was drawn for a question, the confidence of its intervals, the plan's digest, and what
    gaps counted as."""

    results: tuple[Result, ...]
    confidence: Fraction
    plan: str
    imputed: tuple[Imputed, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The body of an answer's entry."""
        body: dict[str, Any] = {
            "confidence": str(self.confidence),
            "plan": self.plan,
            "results": [_result_to_dict(result) for result in self.results],
        }
        if self.imputed:
            body["imputed"] = {one.column: one.value for one in self.imputed}
        return body

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> "Drawn":
        """Read the body of an entry."""
        try:
            results = tuple(_result_from_dict(result) for result in body["results"])
            imputed = tuple(Imputed(*one) for one in body.get("imputed", {}).items())
            return cls(results, Fraction(body["confidence"]), str(body["plan"]), imputed)
        except (KeyError, TypeError, ValueError):
            raise LedgerError("a stored answer cannot be read", Remedy.VERIFY) from None


def _result_to_dict(result: Result) -> dict[str, Any]:
    return {
        "label": result.label,
        "group": result.group,
        "value": None if result.value is None else _value_to_dict(result.value),
        "interval": _ends_to_list(result.interval),
        "expected_error": result.expected_error,
        "mechanism": result.mechanism,
        "certificate": result.certificate,
        "supposed": result.supposed,
        "rows_off": result.rows_off,
        "rows_about": result.rows_about,
        "percentiles": _ends_to_list(result.percentiles),
        "rows_behind": result.rows_behind,
        "run": _ends_to_list(result.run),
        "about": result.about,
        "whole_range": result.whole_range,
        "clamped_at": None if result.clamped_at is None else str(result.clamped_at),
    }


def _result_from_dict(data: dict[str, Any]) -> Result:
    value = data["value"]
    return Result(
        label=data["label"],
        group=data["group"],
        value=None if value is None else _value_from_dict(value),
        interval=_ends_from_list(data["interval"]),
        expected_error=data["expected_error"],
        mechanism=data["mechanism"],
        certificate=data["certificate"],
        supposed=bool(data.get("supposed", False)),
        rows_off=data.get("rows_off"),
        rows_about=data.get("rows_about"),
        percentiles=_ends_from_list(data.get("percentiles")),
        rows_behind=data.get("rows_behind"),
        run=_ends_from_list(data.get("run")),
        about=About(data.get("about", About.TABLE)),
        whole_range=bool(data.get("whole_range", False)),
        clamped_at=None if data.get("clamped_at") is None else Fraction(data["clamped_at"]),
    )


def _ends_to_list(ends: Interval | None) -> list[str] | None:
    return None if ends is None else [str(end) for end in ends]


def _ends_from_list(data: list[str] | None) -> Interval | None:
    return None if data is None else (Fraction(data[0]), Fraction(data[1]))


def _value_to_dict(value: Value) -> dict[str, Any]:
    if isinstance(value, str):
        return {"word": value}
    if isinstance(value, tuple):
        return {"counts": [[word, many] for word, many in value]}
    return {"whole" if isinstance(value, int) else "number": str(value)}


def _value_from_dict(data: dict[str, Any]) -> Value:
    match data:
        case {"word": str(word)}:
            return word
        case {"whole": str(text)}:
            return int(text)
        case {"number": str(text)}:
            return Fraction(text)
        case {"counts": list(pairs)}:
            return tuple((str(word), int(many)) for word, many in pairs)
    raise ValueError("no value")
