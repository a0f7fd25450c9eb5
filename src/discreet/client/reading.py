"""Facts and answers from what a server says."""

from datetime import date
from fractions import Fraction
from typing import Any

from discreet.curator import Answer, Result
from discreet.curator.result import Ends, number_of
from discreet.errors import ServiceError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels, Relation
from discreet.planning import About, Imputed, Interval, Value
from discreet.planning.origin import Origin
from discreet.requests import read_epsilon
from discreet.tables import (
    CategoryColumn,
    Column,
    ColumnType,
    DateColumn,
    Facts,
    NumberColumn,
    PrivacyUnit,
)
from discreet.text import Resolution, count_of, read_moment


def facts_from(data: dict[str, Any]) -> Facts:
    """The declared facts of a dataset."""
    try:
        unit, columns = data["unit"], tuple(_column(column) for column in data["columns"])
        person = PrivacyUnit(
            _person(columns) if unit["person"] else None,
            unit["most_rows"],
            unit.get("one_row_per"),
        )
        return Facts(
            name=data["title"],
            columns=columns,
            unit=person,
            relation=Relation.of(data["neighbours"]),
            most_rows=data["rows"],
            size_is_public=data["size_is_public"],
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def _person(columns: tuple[Column, ...]) -> str:
    """What stands for the column of ids, whose name is not told: no other column's name."""
    name = "person"
    while name in {column.name.lower() for column in columns}:
        name = f"({name})"
    return name


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
            uncounted=tuple(map(str, data["uncounted"])),
            origin=Origin(**data["from"]) if data.get("from") else None,
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def given_from(data: dict[str, Any]) -> tuple[Epsilon | None, Fraction | None]:
    """What a question of a batch is to be asked with: ε, or an accuracy."""
    try:
        epsilon, within = data["epsilon"], data["within"]
        return (
            None if epsilon is None else read_epsilon(epsilon),
            None if within is None else Fraction(within),
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def _column(data: dict[str, Any]) -> Column:
    kind, complete = ColumnType(data["kind"]), not data["gaps"]
    if kind in (ColumnType.CATEGORY, ColumnType.BOOLEAN):
        labels, is_boolean = Labels.of(data["values"]), kind == ColumnType.BOOLEAN
        return CategoryColumn(
            data["name"],
            labels,
            data["missing"],
            is_boolean,
            complete=complete,
            closed=data["closed"],
            description=data["description"],
        )
    if data["resolution"] is not None:
        return _dates(data, timed=kind == ColumnType.TIMESTAMP)
    grid = Grid.between(data["low"], data["high"], data["step"])
    missing = None if data["missing"] is None else Fraction(data["missing"])
    return NumberColumn(
        data["name"],
        grid,
        missing,
        kind == ColumnType.INTEGER,
        complete=complete,
        unit=data["unit"],
        description=data["description"],
    )


def _dates(data: dict[str, Any], *, timed: bool) -> Column:
    resolution, step = Resolution(data["resolution"]), Fraction(data["step"])
    low, high, missing = (_count(data[key], resolution) for key in ("low", "high", "missing"))
    assert low is not None
    assert high is not None
    return DateColumn(
        data["name"],
        Grid.between(low, high, step),
        missing,
        whole=True,
        complete=not data["gaps"],
        resolution=resolution,
        timed=timed,
        description=data["description"],
    )


def _count(text: str | None, resolution: Resolution) -> Fraction | None:
    moment = None if text is None else read_moment(text)
    return None if moment is None else count_of(moment, resolution)


def _result(data: dict[str, Any]) -> Result:
    supposed = data["exact_interval_if_prior_holds"]
    return Result(
        label=data["statistic"],
        group=data["group"],
        groups=tuple(data["groups"].items()),
        value=None if data["value"] is None else _value(data["value"], data["exact"]),
        interval=_ends(data["exact_interval"] if supposed is None else supposed),
        expected_error=data["expected_error"],
        mechanism=data["mechanism"],
        certificate=data["certificate"],
        supposed=bool(data["supposed"]),
        rows_off=data["rows_off"],
        rows_about=data["rows_about"],
        rows_within=None if data["rows_within"] is None else tuple(data["rows_within"]),
        percentiles=_shares(data["percentiles"]),
        rows_behind=data["rows_behind"],
        run=_ends(data["run"]),
        about=About(data["about"]),
        whole_range=data["whole_range"],
        clamped_at=None if data["clamped_at"] is None else number_of(data["clamped_at"]),
    )


def _ends(given: list[Any] | None) -> Ends | None:
    return None if given is None else (number_of(str(given[0])), number_of(str(given[1])))


def _shares(given: list[float] | None) -> Interval | None:
    return None if given is None else (Fraction(str(given[0])) / 100, Fraction(str(given[1])) / 100)


def _value(value: Any, exact: str | None) -> Value | date:
    if isinstance(value, dict):
        return tuple((str(word), int(many)) for word, many in value.items())
    if exact is None:
        return str(value)
    return int(exact) if "/" not in exact and isinstance(value, int) else number_of(exact)


def _unreadable() -> ServiceError:
    return ServiceError("the server's reply cannot be read; it may be another version of discreet")
