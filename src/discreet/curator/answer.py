"""An answer: what was drawn, how far off it may be, what it cost, and where it is written down."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import Any, TypeVar

from discreet.curator.telling import bound_cell, bound_clause
from discreet.planning import About, Imputed, Interval, Value
from discreet.text import (
    blanked,
    csv_text,
    imputed_text,
    number_text,
    percent,
    rows_about_text,
    rows_off_text,
    too_few_text,
    value_text,
)

_Told = TypeVar("_Told")

SHOWN = ("group", "statistic", "value", "bound", "mechanism")
"""What a table for people tells of each result."""
COLUMNS = (
    "group",
    "statistic",
    "value",
    "low",
    "high",
    "expected_error",
    "mechanism",
    "confidence",
    "supposed",
    "rows_off",
    "epsilon",
    "left",
    "certificate",
    "receipt",
    "word",
    "rows_about",
    "too_few_rows",
    "imputed",
    "low_if_prior_holds",
    "high_if_prior_holds",
    "percentile_low",
    "percentile_high",
    "rows_behind",
    "about",
    "bound",
    "clamped_at",
)
"""The columns of CSV; `word` is empty but for the words of a TOP."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """One statistic of one group."""

    label: str
    group: str | None
    value: Value | None
    """None where there are too few rows to tell one."""
    interval: Interval | None
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
    percentiles: Interval | None = None
    """Of an order statistic, between which shares of the rows the value lies, whatever they are."""
    rows_behind: int | None = None
    """Of a mode, how many rows it is behind the most frequent value at most."""
    run: Interval | None = None
    """The first and the last of the values that the value stands for, where they are several."""
    about: About = About.TABLE
    """What interval and percentiles are about."""
    whole_range: bool = False
    """Whether the interval is all that was declared: then nothing is known."""
    clamped_at: Fraction | None = None
    """The value that rows above it count as, where the mean was clamped."""

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

    def sentence(self, confidence: Fraction) -> str:
        """The result in plain words."""
        where = "" if self.group is None else f" [{self.group}]"
        if self.value is None:
            return f"{self.label}{where}: {self.text}"
        told = f"{self.label}{where} ≈ {self.text}"
        if self.rows_about is not None:
            told += f" of {rows_about_text(self.rows_about)}"
        bound = bound_clause(self)
        if bound == "exact" and self.expected_error == 0:
            return f"{told} (exact)"
        return f"{told} ({bound}, at {percent(confidence)} % confidence)" if bound else told

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values; `exact` holds what a float may not."""
        return {
            "statistic": self.label,
            "group": self.group,
            "value": _plain(self.value),
            "exact": str(self.value) if isinstance(self.value, int | Fraction) else None,
            **_intervals(self),
            "expected_error": self.expected_error,
            "mechanism": self.mechanism,
            "certificate": self.certificate,
            "supposed": self.supposed,
            "rows_off": self.rows_off,
            "too_few_rows": self.too_few_rows,
            "rows_about": self.rows_about,
            "percentiles": None if self.percentiles is None else _in_percent(self.percentiles),
            "rows_behind": self.rows_behind,
            "run": None if self.run is None else [_plain(end) for end in self.run],
            "about": self.about,
            "whole_range": self.whole_range,
            "bound": self.bound,
            "clamped_at": None if self.clamped_at is None else str(self.clamped_at),
        }


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Everything that is released for one question."""

    receipt: str
    asked: str
    results: tuple[Result, ...]
    confidence: Fraction
    epsilon: str
    """What this question cost, once."""
    spent: str
    """What all questions have cost so far."""
    left: str
    """What may still be spent: by this analyst, or in total when that is less."""
    free: bool
    """Whether it was stored already, so that nothing was charged this time."""
    plan: str
    """The digest of the plan."""
    imputed: tuple[Imputed, ...] = ()
    """What gaps count as, in the columns where the custodian put a value in their place."""
    own_spent: str | None = None
    """What this analyst has spent so far, where it is known; not part of what is written down."""

    @property
    def value(self) -> "Value | dict[str, Value | None] | None":
        """The value; by group, a dictionary; of several statistics, one by label.

        None stands where there are too few rows to tell a value.
        """
        return self._each(lambda result: result.value)

    @property
    def interval(self) -> "Interval | dict[str, Interval | None] | None":
        """Where the truth lies, at the confidence; of several results a dictionary, as `value`.

        None where that holds only under the stated prior: such an interval is told in `bound`.
        """
        return self._each(lambda result: None if result.supposed else result.interval)

    @property
    def bound(self) -> "str | dict[str, str]":
        """What is known of the truth, in words; of several results a dictionary, as `value`."""
        return self._each(lambda result: result.bound)

    @property
    def expected_error(self) -> "float | dict[str, float | None] | None":
        """The expected error, where it is known; of several results a dictionary, as `value`."""
        return self._each(lambda result: result.expected_error)

    @property
    def surely(self) -> list[str]:
        """What also holds whatever the rows are, in rows: a line for each statistic."""
        found = {
            one.label: one.rows_off
            for one in self.results
            if one.rows_off is not None and one.run is None
            if one.supposed or one.percentiles is not None
            if one.run is None
        }
        named = len({one.label for one in self.results}) > 1
        return [
            f"{label}: {rows_off_text(rows)}" if named else rows_off_text(rows)
            for label, rows in found.items()
        ]

    @property
    def rests_on(self) -> list[str]:
        """What was put in the place of gaps: a line for each column."""
        return [imputed_text(one.column, one.value) for one in self.imputed]

    def _each(self, told: Callable[[Result], _Told]) -> "_Told | dict[str, _Told]":
        if len(self.results) == 1 and self.results[0].group is None:
            return told(self.results[0])
        several = len({result.label for result in self.results}) > 1
        return {_name(result, several): told(result) for result in self.results}

    def __str__(self) -> str:
        cost = "free, it was stored" if self.free else f"ε = {self.epsilon} spent"
        lines = [result.sentence(self.confidence) for result in self.results] + self.rests_on
        return "; ".join(lines) + f". {cost}, {self.left} left; receipt {self.receipt}"

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain JSON values."""
        return {
            "receipt": self.receipt,
            "asked": self.asked,
            "results": [result.to_dict() for result in self.results],
            "confidence": float(self.confidence),
            "epsilon": self.epsilon,
            "spent": self.spent,
            "left": self.left,
            "free": self.free,
            "plan": self.plan,
            "imputed": {one.column: one.value for one in self.imputed},
            "sentence": str(self),
        }

    def to_csv(self) -> str:
        """One line for each result, under a line of names; of a TOP, one for each word.

        Where there are too few rows for a value its cell is empty.
        """
        lines = (line for result in self.results for line in self._lines(result))
        return csv_text([COLUMNS, *lines])

    def _lines(self, result: Result) -> Iterator[list[str]]:
        """A result in the order of COLUMNS."""
        told = [
            number_text(self.confidence, 12),
            "true" if result.supposed else "false",
            "" if result.rows_off is None else str(result.rows_off),
            self.epsilon,
            self.left,
            result.certificate or "",
            self.receipt,
        ]
        rows = [
            "" if result.rows_about is None else str(result.rows_about),
            "true" if result.too_few_rows else "false",
            "; ".join(f"{one.column} = {one.value}" for one in self.imputed),
            *_ends(result.interval if result.supposed else None),
            *_ends(result.percentiles and tuple(100 * end for end in result.percentiles)),
            "" if result.rows_behind is None else str(result.rows_behind),
            result.about,
            result.bound,
            "" if result.clamped_at is None else number_text(result.clamped_at, 12),
        ]
        if isinstance(result.value, tuple):
            for word, many in result.value:
                yield [*_cells(replace(result, value=many)), *told, word, *rows]
        else:
            yield [*_cells(result), *told, "", *rows]

    def _repr_html_(self) -> str:
        names = [
            name.replace("bound", f"{percent(self.confidence)} % confidence") for name in SHOWN
        ]
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(blanked(cell))}</td>' for cell in _shown(result))}</tr>"
            for result in self.results
        )
        cost = "stored earlier, free" if self.free else f"ε = {self.epsilon} spent"
        foot = escape("; ".join([*self.surely, *self.rests_on, f"{cost}, {self.left} left"]))
        return (
            f"<table><caption><code>{escape(self.asked)}</code></caption><thead><tr>{head}</tr>"
            f"</thead><tbody>{rows}</tbody></table><p>{foot}; receipt {escape(self.receipt)}</p>"
        )


def _shown(result: Result) -> list[str]:
    """A result in the order of SHOWN."""
    value = result.text if result.value is None else value_text(result.value, 12)
    return [result.group or "", result.label, value, result.bound, result.mechanism]


def _cells(result: Result) -> list[str]:
    """A result in the order of COLUMNS, as far as the mechanism."""
    return [
        result.group or "",
        result.label,
        "" if result.value is None else value_text(result.value, 12),
        *_ends(None if result.supposed else result.interval),
        "" if None in (result.value, result.expected_error) else f"{result.expected_error:.6g}",
        result.mechanism,
    ]


def _ends(interval: "tuple[Fraction, ...] | None") -> list[str]:
    return ["", ""] if interval is None else [number_text(end, 12) for end in interval]


def _intervals(result: Result) -> dict[str, Any]:
    """The interval as plain JSON values, under a name that says when it holds."""
    ends = result.interval
    told = None if ends is None else [_plain(end) for end in ends]
    exact = None if ends is None else [str(end) for end in ends]
    supposed = result.supposed
    return {
        "interval": None if supposed else told,
        "exact_interval": None if supposed else exact,
        "interval_if_prior_holds": told if supposed else None,
        "exact_interval_if_prior_holds": exact if supposed else None,
    }


def _in_percent(shares: Interval) -> list[float]:
    return [float(100 * share) for share in shares]


def _name(result: Result, several: bool) -> str:
    parts = [part for part in (result.group, result.label if several else None) if part]
    return " ".join(parts) or result.label


def _plain(value: Value | None) -> Any:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, tuple):
        return dict(value)
    return value
