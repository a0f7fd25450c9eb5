"""What a table or figure of a paper comes to: numbers, pictures-to-be, and checks of its claims."""

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | float | None
"""What a cell of a table holds; None where there is nothing to say."""

Step: TypeAlias = Callable[[float, str], None]
"""Told the fraction done and a word for it, so that somebody can watch."""


_FORMULA = re.compile(r"[0-9½₀-₉²³=<>≤≥∞√Σ‖·γαεδℓ]")
"""A digit or a sign of mathematics: what is printed as a number or a formula, not said in words."""


@dataclass(frozen=True)
class PrintedTable:
    """Rows of numbers and words under named columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Series:
    """One line of a panel; its style is "paper", "ours", "bound" or nothing."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: str = ""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes: "lines", "bars" (x is the group) or "heat" (a series for each row)."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    kind: str = "lines"


@dataclass(frozen=True)
class Figure:
    """Panels that belong together; the message is the one line a reader should take away."""

    name: str
    message: str
    panels: tuple[Panel, ...]


class ClaimSource(Enum):
    """Whose a claim is, for people."""

    PRINTED = "what the papers print"
    WORDS = "what the papers say in words"
    OURS = "ours"


@dataclass(frozen=True, kw_only=True)
class Check:
    """What a paper says, what we find, and whether it holds."""

    claim: str
    printed: str | None
    ours: str
    difference: str | None
    holds: bool
    note: str = ""

    @property
    def source(self) -> ClaimSource:
        """Whose claim it is: what quotes nothing of a paper is ours.

        >>> [Check(claim="", printed=p, ours="", difference=None, holds=True).source.name
        ...  for p in ("0.771", "½‖x − y‖₁", "nearly optimal", None)]
        ['PRINTED', 'PRINTED', 'WORDS', 'OURS']
        """
        if self.printed is None:
            return ClaimSource.OURS
        return ClaimSource.PRINTED if _FORMULA.search(self.printed) else ClaimSource.WORDS


@dataclass(frozen=True)
class Outcome:
    """The outcome of an item."""

    tables: tuple[PrintedTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON values.

        >>> Outcome.from_dict(Outcome(notes=("so be it",)).to_dict())
        Outcome(tables=(), figures=(), checks=(), notes=('so be it',))
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Outcome":
        """What `to_dict` wrote, also after a journey through JSON."""
        return cls(
            tables=tuple(_table(one) for one in data["tables"]),
            figures=tuple(_figure(one) for one in data["figures"]),
            checks=tuple(Check(**one) for one in data["checks"]),
            notes=tuple(data["notes"]),
        )


@dataclass(frozen=True, kw_only=True)
class PaperItem:
    """A table, figure or example of a paper: its id ("003/table-2"), its claim, how to run it.

    Raise `version` when the same item may come out otherwise than before; `seconds` is roughly how
    long a first run takes.
    """

    id: str
    title: str
    paper: str
    claim: str
    run: Callable[[Step], Outcome]
    version: int = 1
    seconds: float = 1.0


def tally(checks: Iterable[Check]) -> tuple[tuple[ClaimSource, int, int], ...]:
    """For each source that there is, how many checks hold and how many there are."""
    counts = []
    by_source = list(checks)
    for source in ClaimSource:
        mine = [check for check in by_source if check.source == source]
        if mine:
            counts.append((source, sum(check.holds for check in mine), len(mine)))
    return tuple(counts)


def figure_tables(figure: Figure) -> tuple[PrintedTable, ...]:
    """The numbers of a figure, a table for each panel: the points down, the series across."""
    return tuple(
        _panel_table(f"{figure.name}-{place}", panel)
        for place, panel in enumerate(figure.panels, start=1)
    )


def _panel_table(name: str, panel: Panel) -> PrintedTable:
    points = sorted({x for series in panel.series for x in series.x})
    known = [dict(zip(series.x, series.y, strict=True)) for series in panel.series]
    return PrintedTable(
        name,
        (panel.x_label, *(series.label for series in panel.series)),
        tuple((x, *(values.get(x) for values in known)) for x in points),
        f"{panel.title}: {panel.y_label}" if panel.title else panel.y_label,
    )


def _table(data: dict[str, Any]) -> PrintedTable:
    rows = tuple(tuple(row) for row in data["rows"])
    return PrintedTable(**{**data, "columns": tuple(data["columns"]), "rows": rows})


def _figure(data: dict[str, Any]) -> Figure:
    return Figure(**{**data, "panels": tuple(_panel(one) for one in data["panels"])})


def _panel(data: dict[str, Any]) -> Panel:
    series = tuple(
        Series(**{**one, "x": tuple(one["x"]), "y": tuple(one["y"])}) for one in data["series"]
    )
    return Panel(**{**data, "series": series})
