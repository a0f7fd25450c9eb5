"""An answer: what was drawn, how far off it may be, what it cost, and where it is written down."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from discreet.curator import tidy
from discreet.curator.crossed import Plainly, crossed_table
from discreet.curator.result import Ends, Number, Result
from discreet.planning import Imputed, Value
from discreet.planning.grouping import ALL
from discreet.planning.origin import Origin
from discreet.planning.percentiles import ANYWHERE
from discreet.text import (
    blanked,
    csv_text,
    empty_groups_text,
    imputed_text,
    number_text,
    percent,
    rows_off_text,
    unbroken,
    value_text,
)

_Told = TypeVar("_Told")

SHOWN = ("statistic", "value", "bound", "mechanism")
"""What a table for people tells of each result, after its group."""
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
    "rows_low",
    "rows_high",
)
"""The columns of CSV, before one for each column that rows are grouped by; `word` is empty but for
the words of a TOP."""


NO_GROUP = "There is no group to show."
"""What is said where HAVING or OFFSET leave nothing."""


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
    uncounted: tuple[str, ...] = ()
    """What was told though there may be no row, and what would count these: in words."""
    own_spent: str | None = None
    """What this analyst has spent so far, where it is known; not part of what is written down."""
    origin: Origin | None = None
    """The stored release that it is a part of, which was paid for before."""
    counted_groups: int = 0
    """Of how many groups rows were counted, where a view shows fewer; not written down."""

    @property
    def value(self) -> "Value | date | dict[str, Value | date | None] | None":
        """The value; a dictionary by group, or by label for several statistics.

        None where there are too few rows for a value.
        """
        return self._each(lambda result: result.value)

    @property
    def interval(self) -> "Ends | dict[str, Ends | None] | None":
        """Where the true answer lies, at the confidence; for several results, like `value`.

        None where that holds only under the stated prior: such an interval is in `bound`.
        """
        return self._each(lambda result: None if result.supposed else result.interval)

    @property
    def bound(self) -> "str | dict[str, str]":
        """What is known about the true answer, in words; for several results, like `value`."""
        return self._each(lambda result: result.bound)

    @property
    def expected_error(self) -> "float | dict[str, float | None] | None":
        """The expected error, where it is known; for several results, like `value`."""
        return self._each(lambda result: result.expected_error)

    @property
    def grouped_by(self) -> tuple[str, ...]:
        """The columns that rows are grouped by; `group` alone where only groups' names are known.

        Empty for all rows together.
        """
        first = self.results[0] if self.results else None
        named = () if first is None or first.group is None else ("group",)
        return tuple(column for column, _ in first.groups) if first and first.groups else named

    @property
    def surely(self) -> list[str]:
        """What also holds for every table, in rows: a line for each statistic, or one for all."""
        by_label = {
            one.label: one.rows_off
            for one in self.results
            if one.rows_off is not None and one.run is None
            if one.supposed or one.percentiles not in (None, ANYWHERE)
        }
        labels = {one.label for one in self.results}
        named = len(labels) > 1
        if named and set(by_label) == labels and len(set(by_label.values())) == 1:
            return [f"each answer, {rows_off_text(next(iter(by_label.values())))}"]
        return [
            f"{label}: {rows_off_text(rows)}" if named else rows_off_text(rows)
            for label, rows in by_label.items()
        ]

    @property
    def rests_on(self) -> list[str]:
        """How gaps were filled, and what is released even where there are no rows."""
        sentences = [imputed_text(one.column, one.value) for one in self.imputed]
        sentences += self.uncounted
        groups = max(self.counted_groups, counted_groups(self.results))
        return [*sentences, empty_groups_text(groups)] if groups > 1 else sentences

    def _each(self, field: Callable[[Result], _Told]) -> "_Told | dict[str, _Told]":
        if len(self.results) == 1 and self.results[0].group is None:
            return field(self.results[0])
        several = len({result.label for result in self.results}) > 1
        return {_name(result, several): field(result) for result in self.results}

    def __str__(self) -> str:
        cost = cost_text(self, "free, it was stored")
        sentences = [result.sentence(self.confidence) for result in self.results] or [NO_GROUP[:-1]]
        lines = sentences + self.rests_on
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
            "uncounted": list(self.uncounted),
            "from": None if self.origin is None else self.origin.to_dict(),
            "sentence": str(self),
        }

    def to_csv(self) -> str:
        """CSV with a header and one line for each result; for TOP, one for each word.

        Where there are too few rows for a value its cell is empty.
        """
        groups = self.results[0].groups if self.results else ()
        names = tidy.named_apart([column for column, _ in groups], COLUMNS)
        lines = (line for result in self.results for line in self._lines(result))
        return csv_text([(*COLUMNS, *names), *lines])

    def _lines(self, result: Result) -> Iterator[list[str]]:
        """A result in the order of COLUMNS."""
        cells = [
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
            "" if result.clamped_at is None else value_text(result.clamped_at, 12),
            *_ends(result.rows_within),
            *(value for _, value in result.groups),
        ]
        if isinstance(result.value, tuple):
            for word, many in result.value:
                yield [*_cells(replace(result, value=many)), *cells, word, *rows]
        else:
            yield [*_cells(result), *cells, "", *rows]

    def to_pandas(self) -> Any:
        """A pandas data frame: a row for each result, plain numbers."""
        return tidy.to_pandas(self)

    def to_polars(self) -> Any:
        """A polars data frame: a row for each result, plain numbers."""
        return tidy.to_polars(self)

    def to_arrow(self) -> Any:
        """An Arrow table: a row for each result, plain numbers."""
        return tidy.to_arrow(self)

    def to_excel(self, path: "str | Path") -> Path:
        """Write the results to a new Excel file.

        Args:
            path: The file to write; one that is there is replaced.

        Returns:
            The path.
        """
        return tidy.to_excel(self, path)

    def to_markdown(self) -> str:
        """The results as a table of Markdown."""
        return tidy.to_markdown(self)

    def to_latex(self) -> str:
        """The results as a tabular of LaTeX, for booktabs."""
        return tidy.to_latex(self)

    def to_html(self) -> str:
        """The results as a table of HTML, as notebooks show it."""
        return self._repr_html_()

    def _repr_html_(self) -> str:
        """A table of what differs between the results; what they share stands below it."""
        sure = f"{percent(self.confidence)} % confidence"
        totals = any(ALL in result.group_cells for result in self.results)
        crossed = crossed_table(self, self.grouped_by, Plainly(), totals=totals)
        mechanisms = list(dict.fromkeys(result.mechanism for result in self.results))
        apart = not self.grouped_by or len({result.label for result in self.results}) > 1
        left_out = {"mechanism"} if len(mechanisms) == 1 else set()
        left_out |= set() if apart else {"statistic"}
        kept = [name not in left_out for name in SHOWN]
        names = [
            name.replace("bound", sure) for name, keep in zip(SHOWN, kept, strict=True) if keep
        ]
        head = "".join(f"<th>{escape(blanked(name))}</th>" for name in (*self.grouped_by, *names))
        rows = "".join(_line(result, kept) for result in self.results)
        cost = cost_text(self, "stored earlier, free")
        shared = mechanisms if len(mechanisms) == 1 else []
        remarks = [*self.surely, *self.rests_on, *shared, f"{cost}, {self.left} left"]
        caption = f"<code>{escape(self.asked)}</code>"
        table = (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )
        if crossed is not None:
            table = crossed.to_html(caption)
            remarks = [f"below each answer: what is known of the true one, {sure}", *remarks]
        below = f"{escape('; '.join(remarks))}; receipt {escape(self.receipt)}"
        return unbroken(f"{table}<p>{below}</p>")


def counted_groups(results: "tuple[Result, ...]") -> int:
    """Of how many groups the rows were counted, to decide whether their values are told."""
    return len({one.group for one in results if one.rows_about is not None})


def _line(result: Result, kept: "list[bool]") -> str:
    """A row of the table of a notebook: its group, and what is kept of SHOWN."""
    cells = _shown(result)
    groups, shown = cells[: -len(SHOWN)], cells[-len(SHOWN) :]
    shown = [cell for cell, keep in zip(shown, kept, strict=True) if keep]
    return f"<tr>{''.join(f'<td>{escape(blanked(cell))}</td>' for cell in (*groups, *shown))}</tr>"


def cost_text(answer: Answer, stored: str) -> str:
    """What was spent, in words; those that are given where it was stored under its id."""
    if answer.origin is not None:
        return str(answer.origin)
    return stored if answer.free else f"ε = {answer.epsilon} spent"


def _shown(result: Result) -> list[str]:
    """A result in the order of SHOWN, after its group."""
    value = result.text if result.value is None else value_text(result.value, 12)
    return [*result.group_cells, result.label, value, result.bound, result.mechanism]


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


def _ends(interval: "tuple[Number, ...] | None") -> list[str]:
    return ["", ""] if interval is None else [value_text(end, 12) for end in interval]


def _name(result: Result, several: bool) -> str:
    parts = [part for part in (result.group, result.label if several else None) if part]
    return " ".join(parts) or result.label
