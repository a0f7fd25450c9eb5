"""A declared column from its keys in a dataset file; what is wrong is told with its name."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.errors import DatasetError, InvalidInput
from discreet.exact import rational, show
from discreet.model import Grid, Labels
from discreet.model.spaces import MOST
from discreet.tables.cleaning.grammar import BLANKS
from discreet.tables.columns import (
    OTHER,
    CategoryColumn,
    Column,
    ColumnType,
    DateColumn,
    DateOrder,
    NumberColumn,
)
from discreet.text import Resolution, count_of, moment_text, read_moment

WHY = "why"
"""Where the custodian says how something is known without the rows."""
_GAPS = ("gaps", "missing", "description", WHY)
COLUMN_KEYS = {
    ColumnType.INTEGER: ("type", "low", "high", "step", "unit", "decimal", *_GAPS),
    ColumnType.NUMBER: ("type", "low", "high", "step", "unit", "decimal", *_GAPS),
    ColumnType.CATEGORY: ("type", "values", "values_from", "closed", *_GAPS),
    ColumnType.BOOLEAN: ("type", "true", "false", *_GAPS),
    ColumnType.DATE: ("type", "low", "high", "step", "order", *_GAPS),
    ColumnType.TIMESTAMP: ("type", "low", "high", "resolution", "step", "order", *_GAPS),
}
"""What may be said of a column of each type."""
_TIMES = (Resolution.DAY, Resolution.HOUR, Resolution.MINUTE, Resolution.SECOND)
_LONGEST = 200
LONGEST_WHY = 500


def column_of(name: str, facts: dict[str, Any]) -> Column:
    """A declared column from its keys, the type being a known one; errors name the column."""
    kind = ColumnType.read(facts["type"])
    assert kind is not None
    try:
        check_why(facts)
        return _MAKERS[kind](name, kind, facts)
    except InvalidInput as problem:
        raise DatasetError(f"{name}: {problem}") from None


def _number_column(name: str, kind: ColumnType, facts: dict[str, Any]) -> Column:
    _check_bounds(facts)
    if kind == ColumnType.NUMBER and "step" not in facts:
        raise DatasetError("step is required, for example step = 0.5: values lie on that grid")
    for key in ("low", "high", "step"):
        rational(facts.get(key, 1), key, DatasetError)
    grid = Grid.between(facts["low"], facts["high"], facts.get("step", 1))
    whole = grid.start.denominator == 1 and grid.step.denominator == 1
    if kind == ColumnType.INTEGER and not whole:
        raise DatasetError(
            "the bounds of an integer column must be whole numbers; or use type = "
            f'"{ColumnType.NUMBER}"'
        )
    place = None
    if "missing" in facts:
        place = rational(facts["missing"], "missing", DatasetError)
        if not grid.start <= place <= grid.last or (place - grid.start) % grid.step:
            apart = f" in steps of {show(facts['step'])}" if grid.step != 1 else ""
            raise DatasetError(
                f"missing must be one of the numbers from {show(facts['low'])} to "
                f"{show(facts['high'])}{apart}, got {show(facts['missing'])}"
            )
    decimal = facts.get("decimal", ".")
    if decimal not in (".", ","):
        raise DatasetError(f'decimal must be "." or ",", got {show(decimal)}')
    return NumberColumn(
        name,
        grid,
        place,
        whole=whole,
        complete=_is_complete(facts, show(facts["low"])),
        unit=_words_of(facts, "unit"),
        description=_words_of(facts, "description"),
        comma=decimal == ",",
    )


def check_why(facts: Mapping[str, Any]) -> None:
    """Refuse a note that is none: it is for the custodian, and nothing depends on it."""
    note = facts.get(WHY, "")
    if not isinstance(note, str) or len(note) > LONGEST_WHY:
        raise DatasetError(
            f"{WHY} must be a text of at most {LONGEST_WHY} characters that says how this is "
            f"known without the rows, got {show(note)}"
        )


def _words_of(facts: dict[str, Any], key: str) -> str:
    """A few words for people, in one line."""
    text = facts.get(key, "")
    if not isinstance(text, str) or len(text.splitlines()) > 1 or len(text) > _LONGEST:
        raise DatasetError(
            f"{key} must be one line of at most {_LONGEST} characters, got {show(text)}"
        )
    return text.strip()


def _spellings(facts: dict[str, Any]) -> dict[str, Any]:
    """How a boolean's cells say false and true, where that is declared."""
    if "true" not in facts and "false" not in facts:
        return {}
    said = []
    for key in ("false", "true"):
        words = facts.get(key)
        listed = isinstance(words, list) and all(isinstance(one, str) for one in words)
        if not listed or not words:
            raise DatasetError(f'list how cells say {key}: {key} = ["…"], beside the other')
        said.append(tuple(dict.fromkeys(word.strip().lower() for word in words)))
    if set(said[0]) & set(said[1]):
        raise DatasetError("the same word cannot mean both true and false")
    return {"spellings": tuple(said)}


def _check_bounds(facts: dict[str, Any]) -> None:
    for key in ("low", "high"):
        if key not in facts:
            raise DatasetError(f"{key} is required: a bound that is public knowledge")


def _date_column(name: str, kind: ColumnType, facts: dict[str, Any]) -> Column:
    _check_bounds(facts)
    timed = kind == ColumnType.TIMESTAMP
    resolution = _resolution(facts["resolution"]) if "resolution" in facts else Resolution.DAY
    if timed and "resolution" not in facts:
        raise DatasetError(
            f'resolution is required, for example resolution = "{Resolution.HOUR}": one of '
            f"{', '.join(_TIMES)}"
        )
    step = rational(facts.get("step", 1), "step", DatasetError)
    if step.denominator != 1 or step < 1:
        raise DatasetError(
            f"step must be a whole number of {resolution}s, got {show(facts['step'])}"
        )
    low, high = (_moment(facts, key, resolution) for key in ("low", "high"))
    if high < low:
        raise DatasetError(f"high is before low: {show(str(facts['high']))}")
    size = int((high - low) // step) + 1
    if size > MOST:
        raise DatasetError(
            f"{size:,} values are too many; at most {MOST:,} are possible; use a coarser "
            "resolution or a larger step"
        )
    grid, place = Grid(low, step, size), None
    if "missing" in facts:
        place = _moment(facts, "missing", resolution)
        if not low <= place <= grid.last or (place - low) % step:
            raise DatasetError(
                f"missing must be one of the values from {show(str(facts['low']))} to "
                f"{show(str(facts['high']))}, got {show(str(facts['missing']))}"
            )
    order = DateOrder.read(facts.get("order"))
    if "order" in facts and order is None:
        raise DatasetError(f"order must be {DateOrder.listed()}, got {show(facts['order'])}")
    return DateColumn(
        name,
        grid,
        place,
        whole=True,
        complete=_is_complete(facts, str(facts["low"])),
        resolution=resolution,
        timed=timed,
        order=order,
        description=_words_of(facts, "description"),
    )


def _resolution(given: object) -> Resolution:
    known = Resolution.read(given)
    if known not in _TIMES:
        raise DatasetError(f"resolution must be {', '.join(_TIMES)}, got {show(given)}")
    assert known is not None
    return known


def _moment(facts: dict[str, Any], key: str, resolution: Resolution) -> Fraction:
    """A declared moment in units of the resolution: the one in which it lies."""
    moment = read_moment(facts[key])
    if moment is None:
        raise DatasetError(
            f"{key} must be a date such as 2023-05-01, or with a time 2023-05-01T18:30:00, got "
            f"{show(str(facts[key]))}"
        )
    if key == "high" and not isinstance(moment, datetime):
        # A day that is the last one counts until it ends.
        return count_of(moment, resolution) + count_of(date(1970, 1, 2), resolution) - 1
    count = count_of(moment, resolution)
    if count.denominator != 1:
        raise DatasetError(
            f"{key} = {moment_text(moment)} is not the start of its {resolution}; write when the "
            f"{resolution} begins"
        )
    return count


def _category_column(name: str, kind: ColumnType, facts: dict[str, Any]) -> Column:
    boolean = kind == ColumnType.BOOLEAN
    values, missing = (["false", "true"] if boolean else facts.get("values")), None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DatasetError('list its values as words: values = ["A", "B"]')
    if "missing" in facts:
        missing = str(facts["missing"]).lower() if boolean else facts["missing"]
        if not isinstance(missing, str) or not missing:
            raise DatasetError(f"missing must be a word, got {show(missing)}")
    closed = facts.get("closed", False)
    if not isinstance(closed, bool):
        raise DatasetError(f"closed must be true or false, got {show(closed)}")
    last = missing if missing is not None or boolean or closed else OTHER
    if last is not None and last not in values:
        values = [*values, last]
    for value in values:
        _check_blanks(value)
    try:
        labels = Labels.of(values)
    except InvalidInput as problem:
        raise DatasetError(f"values: {problem}") from None
    complete = _is_complete(facts, "false" if boolean else "a word")
    return CategoryColumn(
        name,
        labels,
        missing,
        is_boolean=boolean,
        complete=complete,
        closed=closed,
        description=_words_of(facts, "description"),
        **(_spellings(facts) if boolean else {}),
    )


def _is_complete(facts: dict[str, Any], example: str) -> bool:
    """Whether a column is declared without gaps; it says what one would count as all the same."""
    gaps = facts.get("gaps", True)
    if not isinstance(gaps, bool):
        raise DatasetError(f"gaps must be true or false, got {show(gaps)}")
    if not gaps and "missing" not in facts:
        raise DatasetError(
            "gaps = false needs missing, which says what an empty cell counts as if there is "
            f"one, for example {example}"
        )
    return not gaps


def _check_blanks(value: str) -> None:
    """Refuse a word that no cell can be: cells are read without the blanks around them."""
    bare = value.strip(BLANKS)
    if not bare:
        raise DatasetError(
            f"values: an empty cell is a gap and needs no word; leave out {show(value)}"
        )
    if bare != value:
        raise DatasetError(
            f"values: blanks around a cell are removed, so no cell is {show(value)}; write "
            f"{show(bare)}"
        )


_MAKERS: dict[ColumnType, Callable[[str, ColumnType, dict[str, Any]], Column]] = {
    ColumnType.INTEGER: _number_column,
    ColumnType.NUMBER: _number_column,
    ColumnType.CATEGORY: _category_column,
    ColumnType.BOOLEAN: _category_column,
    ColumnType.DATE: _date_column,
    ColumnType.TIMESTAMP: _date_column,
}
