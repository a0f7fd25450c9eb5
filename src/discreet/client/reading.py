"""Facts and answers from what a server says."""

from fractions import Fraction
from typing import Any

from discreet.curator import Answer, Result
from discreet.errors import ServiceError
from discreet.model import Grid, Labels, Relation
from discreet.planning import About, Imputed, Interval, Value
from discreet.tables import CategoryColumn, Column, ColumnType, Facts, NumberColumn, PrivacyUnit


def facts_from(data: dict[str, Any]) -> Facts:
    """The declared facts of a dataset."""
    try:
        unit = data["unit"]
        return Facts(
            name=data["title"],
            columns=tuple(_column(column) for column in data["columns"]),
            unit=PrivacyUnit("person" if unit["person"] else None, unit["most_rows"]),
            relation=Relation.of(data["neighbours"]),
            most_rows=data["rows"],
            size_is_public=data["size_is_public"],
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def answer_from(data: dict[str, Any]) -> Answer:
    """An answer with its exact values."""
    try:
        return Answer(
            receipt=data["receipt"],
            asked=data["asked"],
            results=tuple(_result(result) for result in data["results"]),
            confidence=Fraction(str(data["confidence"])),
            epsilon=data["epsilon"],
            spent=data["spent"],
            left=data["left"],
            free=data["free"],
            plan=data["plan"],
            imputed=tuple(Imputed(*one) for one in data["imputed"].items()),
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def _column(data: dict[str, Any]) -> Column:
    kind, complete = ColumnType(data["kind"]), not data["gaps"]
    if kind in (ColumnType.CATEGORY, ColumnType.BOOLEAN):
        labels, is_boolean = Labels.of(data["values"]), kind == ColumnType.BOOLEAN
        return CategoryColumn(data["name"], labels, data["missing"], is_boolean, complete)
    grid = Grid.between(data["low"], data["high"], data["step"])
    missing = None if data["missing"] is None else Fraction(data["missing"])
    return NumberColumn(data["name"], grid, missing, kind == ColumnType.INTEGER, complete)


def _result(data: dict[str, Any]) -> Result:
    supposed = data["exact_interval_if_prior_holds"]
    return Result(
        label=data["statistic"],
        group=data["group"],
        value=None if data["value"] is None else _value(data["value"], data["exact"]),
        interval=_ends(data["exact_interval"] if supposed is None else supposed),
        expected_error=data["expected_error"],
        mechanism=data["mechanism"],
        certificate=data["certificate"],
        supposed=bool(data["supposed"]),
        rows_off=data["rows_off"],
        rows_about=data["rows_about"],
        percentiles=_shares(data["percentiles"]),
        rows_behind=data["rows_behind"],
        run=_ends(data["run"]),
        about=About(data["about"]),
        whole_range=data["whole_range"],
        clamped_at=None if data["clamped_at"] is None else Fraction(data["clamped_at"]),
    )


def _ends(given: list[Any] | None) -> Interval | None:
    return None if given is None else (Fraction(str(given[0])), Fraction(str(given[1])))


def _shares(given: list[float] | None) -> Interval | None:
    ends = _ends(given)
    return None if ends is None else (ends[0] / 100, ends[1] / 100)


def _value(value: Any, exact: str | None) -> Value:
    if isinstance(value, dict):
        return tuple((str(word), int(many)) for word, many in value.items())
    if exact is None:
        return str(value)
    return int(exact) if "/" not in exact and isinstance(value, int) else Fraction(exact)


def _unreadable() -> ServiceError:
    return ServiceError("the server's reply cannot be read; is it another version of discreet?")
