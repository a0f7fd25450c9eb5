"""What is told beside a value: a bound that holds for any data, or that says what it rests on."""

from typing import TYPE_CHECKING

from discreet.planning import About
from discreet.text import (
    IF_PRIOR,
    IF_SAMPLE,
    behind_text,
    clamped_text,
    number_text,
    off_text,
    percentiles_text,
)

if TYPE_CHECKING:
    from discreet.curator.answer import Result

NOTHING = "–"
_POPULATION = "the population"


def bound_cell(result: "Result") -> str:
    """The bound in a cell of a table; a dash where nothing is known."""
    return _bound(result, " … ".join(map(number_text, result.interval or ()))) or NOTHING


def bound_clause(result: "Result") -> str:
    """The bound in a sentence; empty where nothing is known."""
    interval = ""
    if result.interval is not None:
        low, high = map(number_text, result.interval)
        interval = "exact" if low == high else f"between {low} and {high}"
    return _bound(result, interval)


def _bound(result: "Result", interval: str) -> str:
    """An interval of values, or else what holds of order statistics and modes in rows."""
    if result.value is None:
        return ""
    if result.interval is None:
        return _in_rows(result)
    if result.supposed:
        return f"{interval} {IF_PRIOR}"
    if result.whole_range:
        return f"{interval}, the whole declared range"
    if result.clamped_at is not None:
        return f"{interval}; {clamped_text(result.clamped_at)}"
    of_population = result.about == About.POPULATION
    return f"{interval} for {_POPULATION}, {IF_SAMPLE}" if of_population else interval


def _in_rows(result: "Result") -> str:
    """A value that stands for a run is told with it: the claim is of some value of the run."""
    told = _known_rows(result)
    if not told or result.run is None:
        return told
    first, last = map(number_text, result.run)
    return f"some value from {first} to {last} is {told}"


def _known_rows(result: "Result") -> str:
    if result.percentiles is not None and result.about == About.POPULATION:
        return f"{percentiles_text(*result.percentiles, _POPULATION)}, {IF_SAMPLE}"
    if result.percentiles is not None:
        return percentiles_text(*result.percentiles)
    if result.rows_behind is not None:
        return behind_text(result.rows_behind)
    return "" if result.rows_off is None else off_text(result.rows_off)
