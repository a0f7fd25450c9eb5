"""Results as the ledger keeps them: exact, and readable without the plan that made them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.curator.answer import Result
from discreet.errors import LedgerError, Remedy
from discreet.planning import Imputed, Value


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
    ends = None if result.interval is None else [str(end) for end in result.interval]
    return {
        "label": result.label,
        "group": result.group,
        "value": None if result.value is None else _value_to_dict(result.value),
        "interval": ends,
        "expected_error": result.expected_error,
        "mechanism": result.mechanism,
        "certificate": result.certificate,
        "supposed": result.supposed,
        "rows_off": result.rows_off,
        "rows_about": result.rows_about,
    }


def _result_from_dict(data: dict[str, Any]) -> Result:
    ends, value = data["interval"], data["value"]
    return Result(
        label=data["label"],
        group=data["group"],
        value=None if value is None else _value_from_dict(value),
        interval=None if ends is None else (Fraction(ends[0]), Fraction(ends[1])),
        expected_error=data["expected_error"],
        mechanism=data["mechanism"],
        certificate=data["certificate"],
        supposed=bool(data.get("supposed", False)),
        rows_off=data.get("rows_off"),
        rows_about=data.get("rows_about"),
    )


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
