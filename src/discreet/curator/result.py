"""A result: one statistic of one group, and what is told beside its value.

A bound holds for any data, or says what it rests on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.planning import About, Interval, Value
from discreet.text import (
    IF_PRIOR,
    IF_SAMPLE,
    about_text,
    behind_text,
    clamped_text,
    common_places,
    left_out_text,
    moment_text,
    off_text,
    percent,
    percentiles_text,
    placed_text,
    read_moment,
    rows_about_text,
    too_few_text,
    value_text,
)

Number: TypeAlias = int | Fraction | date
"""A number, or a date in its place."""
Ends: TypeAlias = tuple[Number, Number]
"""Two numbers, or dates, and what lies between."""

NOTHING = "–"
_POPULATION = "the population"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One statistic of one group."""

    label: str
    group: str | None
    """The group by name: its values with commas between them."""
    value: Value | date | None
    """None where there are too few rows to tell one."""
    interval: Ends | None
    """Where the truth lies, at the answer's confidence; None for words."""
    expected_error: float | None
    """None where it depends on the rows and no prior was stated."""
    mechanism: str
    certificate: str | None
    """The digest of the matrix's certificate; None for exact samplers, which have a proof."""
    supposed: bool = False
    """Whether interval and error rest on how the prior supposes rows to be spread; if not, the
    interval holds for every table."""
    rows_off: int | None = None
    """What holds for every table where the interval does not: at the confidence, at most so many
    rows would have to change for the value to be exact."""
    rows_about: int | None = None
    """A noisy count of the rows that the value is of, where one was drawn."""
    rows_within: tuple[int, int] | None = None
    """Between which numbers theirs lies, at the answer's confidence."""
    percentiles: Interval | None = None
    """Of an order statistic, between which shares of the rows the value lies, whatever they are."""
    rows_behind: int | None = None
    """Of a mode, how many rows it is behind the most frequent value at most."""
    run: Ends | None = None
    """The first and the last of the values that the value stands for, where they are several."""
    about: About = About.TABLE
    """What interval and percentiles are about."""
    whole_range: bool = False
    """Whether the interval is all that was declared: then nothing is known."""
    groups: tuple[tuple[str, str], ...] = ()
    """Each column that rows are grouped by, with what the rows of this group have in it; of older
    stored answers only the name is known."""
    clamped_at: Number | None = None
    """The value that rows above it count as, where the mean was clamped."""
    drawn: int | None = None
    """The noisy count before it was brought into its range, where sums of such have a law: kept for
    later questions."""
    surer: tuple[int, int] | None = None
    """Of a running total of rows whose number is not public, the interval that fails half as often:
    kept for quantiles that are read from it."""
    mean: tuple[Fraction, Fraction, Fraction] | None = None
    """Of a variance, the mean that its noisy sums tell, with its interval: kept likewise."""

    @classmethod
    def holding(cls, fields: dict[str, Any]) -> "Result":
        """A result of all its fields: there may be thousands, and most fields are alike."""
        made = object.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        return made

    @property
    def group_cells(self) -> tuple[str, ...]:
        """The group in the cells of a table, in the order of the answer's `grouped_by`."""
        named = () if self.group is None else (self.group,)
        return tuple(value for _, value in self.groups) or named

    @property
    def bound(self) -> str:
        """What is known of the truth, for a table, with what it rests on."""
        return bound_cell(self)

    @property
    def too_few_rows(self) -> bool:
        """Whether no value is told, because there may well be no rows at all."""
        return self.value is None

    @property
    def text(self) -> str:
        """The value as people write it, or that there are too few rows for one."""
        return too_few_text(self.rows_about) if self.value is None else value_text(self.value)

    @property
    def rows_text(self) -> str:
        """How many rows there are, for a table: as far as a noisy count tells."""
        return NOTHING if self.rows_about is None else about_text(self.rows_about, self.rows_within)

    def sentence(self, confidence: Fraction) -> str:
        """The result in plain words."""
        where = "" if self.group is None else f" [{self.group}]"
        if self.value is None:
            return f"{self.label}{where}: {self.text}"
        sentence = f"{self.label}{where} ≈ {self.text}"
        if self.rows_about is not None:
            sentence += f" of {rows_about_text(self.rows_about, self.rows_within)}"
        bound = bound_clause(self)
        if bound == "exact" and self.expected_error == 0:
            return f"{sentence} (exact)"
        return f"{sentence} ({bound}, at {percent(confidence)} % confidence)" if bound else sentence

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values; `exact` holds what a float may not."""
        return {
            "statistic": self.label,
            "group": self.group,
            "groups": dict(self.groups),
            "value": _plain(self.value),
            "exact": exact_text(self.value) if isinstance(self.value, Number) else None,
            **_intervals(self),
            "expected_error": self.expected_error,
            "mechanism": self.mechanism,
            "certificate": self.certificate,
            "supposed": self.supposed,
            "rows_off": self.rows_off,
            "too_few_rows": self.too_few_rows,
            "rows_about": self.rows_about,
            "rows_within": None if self.rows_within is None else list(self.rows_within),
            "percentiles": None if self.percentiles is None else _in_percent(self.percentiles),
            "rows_behind": self.rows_behind,
            "run": None if self.run is None else [_plain(end) for end in self.run],
            "about": self.about,
            "whole_range": self.whole_range,
            "bound": self.bound,
            "clamped_at": None if self.clamped_at is None else exact_text(self.clamped_at),
        }


def exact_text(number: Number) -> str:
    """A number as text that loses nothing; a date as people write it."""
    return moment_text(number) if isinstance(number, date) else str(number)


def number_of(text: str) -> Fraction | date:
    """Read back an exact number, or a date."""
    moment = read_moment(text)
    return Fraction(text) if moment is None else moment


def _intervals(result: Result) -> dict[str, Any]:
    """The interval as plain JSON values, under a name that says when it holds."""
    ends = result.interval
    interval = None if ends is None else [_plain(end) for end in ends]
    exact = None if ends is None else [exact_text(end) for end in ends]
    supposed = result.supposed
    return {
        "interval": None if supposed else interval,
        "exact_interval": None if supposed else exact,
        "interval_if_prior_holds": interval if supposed else None,
        "exact_interval_if_prior_holds": exact if supposed else None,
    }


def _in_percent(shares: Interval) -> list[float]:
    return [float(100 * share) for share in shares]


def _plain(value: Value | date | None) -> Any:
    if isinstance(value, date):
        return moment_text(value)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, tuple):
        return dict(value)
    return value


def places_of(results: Sequence[Result]) -> int | None:
    """How many decimals the values and bounds of results have that stand below one another; None
    where each is written by itself: whole numbers, dates, words."""
    numbers: list[Fraction | int] = []
    widths: list[Fraction | int] = []
    for one in results:
        values = [one.value] if one.interval is None else [one.value, *one.interval]
        known = [each for each in values if isinstance(each, int | Fraction)]
        numbers += known
        if one.interval is not None and len(known) == len(values):
            widths.append(known[-1] - known[-2])
    return common_places(numbers, widths)


def value_cell(result: Result, places: int | None) -> str:
    """The value with so many decimals, where it is a number."""
    if places is None or not isinstance(result.value, int | Fraction):
        return result.text
    return placed_text(Fraction(result.value), places)


def bound_cell(result: Result, places: int | None = None) -> str:
    """The bound in a cell of a table; a dash where nothing is known."""
    return _bound(result, _interval(result, "{} … {}", places)) or NOTHING


def bound_clause(result: Result, places: int | None = None) -> str:
    """The bound in a sentence; empty where nothing is known."""
    return _bound(result, _interval(result, "between {} and {}", places))


def _interval(result: Result, words: str, places: int | None) -> str:
    """The ends of the interval in these words, or that they are one; with fewer decimals it is the
    wider one."""
    if result.interval is None:
        return ""
    low, high = result.interval
    if low == high:
        return "exact"
    if places is None or isinstance(low, date) or isinstance(high, date):
        return words.format(value_text(low), value_text(high))
    outward = placed_text(Fraction(low), places, -1), placed_text(Fraction(high), places, 1)
    return words.format(*outward)


def _bound(result: Result, interval: str) -> str:
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


def _in_rows(result: Result) -> str:
    """A value that stands for a run is told with it: the claim is of some value of the run."""
    known = _known_rows(result)
    if not known or result.run is None:
        return known
    first, last = map(value_text, result.run)
    return f"some value from {first} to {last} is {known}"


def _known_rows(result: Result) -> str:
    if result.percentiles is not None and result.about == About.POPULATION:
        return f"{percentiles_text(*result.percentiles, _POPULATION)}, {IF_SAMPLE}"
    if result.percentiles is not None:
        return percentiles_text(*result.percentiles)
    if result.rows_behind is not None:
        said = left_out_text if isinstance(result.value, tuple) else behind_text
        return said(result.rows_behind)
    return "" if result.rows_off is None else off_text(result.rows_off)
