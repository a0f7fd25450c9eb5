"""The tables: what must hold, the ratios by statistic, size and relation, and the worst cells."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.real_columns.asked import SIZES, Asked, Rows, Statistic
from benchmarks.real_columns.cells import Cell
from benchmarks.real_columns.ours import Planned
from discreet.model import Relation

WIDTH = 132
MUCH = 1.25
PLAN_SECONDS, PLAN_ROWS = 0.3, 600


@dataclass(frozen=True, kw_only=True)
class Target:
    """What must hold of some cells."""

    name: str
    holds_for: Callable[[Cell], bool]
    mean: float
    """The largest geometric mean of the ratios."""
    much_worse: float
    """The largest share of cells that are more than 1.25 times the best of the others."""
    worst: float | None = None


def _ranks(cell: Cell) -> bool:
    return cell.asked.statistic.share is not None


TARGETS = (
    Target(
        name="order statistics, public size, up to 100 rows",
        holds_for=lambda cell: (
            _ranks(cell) and cell.asked.size_is_public and cell.asked.rows <= 100
        ),
        mean=0.65,
        much_worse=0.01,
        worst=2,
    ),
    Target(
        name="order statistics, public size",
        holds_for=lambda cell: _ranks(cell) and cell.asked.size_is_public,
        mean=0.75,
        much_worse=0.01,
        worst=2,
    ),
    Target(
        name="order statistics, private size",
        holds_for=lambda cell: _ranks(cell) and not cell.asked.size_is_public,
        mean=0.95,
        much_worse=0.02,
    ),
    Target(
        name="means",
        holds_for=lambda cell: cell.asked.statistic is Statistic.MEAN,
        mean=1.02,
        much_worse=0,
        worst=MUCH,
    ),
    Target(
        name="modes",
        holds_for=lambda cell: cell.asked.statistic is Statistic.MODE,
        mean=1.02,
        much_worse=0,
        worst=MUCH,
    ),
)


def show(cells: Sequence[Cell]) -> bool:
    """Print everything, and say whether every target is met."""
    met = _targets(cells)
    _by_statistic_and_size(cells)
    _by_mechanism(cells)
    _worst(cells)
    return _plan_times(cells) and met


def _print(table: Table) -> None:
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left")
    return table


def geometric_mean(cells: Sequence[Cell]) -> float:
    """Of the ratios."""
    return float(np.exp(np.mean(np.log([cell.ratio for cell in cells]))))


def much_worse(cells: Sequence[Cell]) -> float:
    """The share of cells that are more than 1.25 times the best of the others."""
    return float(np.mean([cell.ratio > MUCH for cell in cells]))


def _targets(cells: Sequence[Cell]) -> bool:
    table = _table(
        "our error / the least of the others' in hindsight, both + ¼ step",
        "cells", "how many", "geometric mean", "> 1.25×", "worst", "wanted", "",
    )  # fmt: skip
    met = True
    for target in TARGETS:
        found = [cell for cell in cells if target.holds_for(cell)]
        if not found:
            continue
        mean, much, worst = geometric_mean(found), much_worse(found), max(c.ratio for c in found)
        holds = mean <= target.mean and much <= target.much_worse
        holds = holds and (target.worst is None or worst <= target.worst)
        met = met and holds
        wanted = f"≤ {target.mean:g}, ≤ {target.much_worse:.0%}"
        wanted += "" if target.worst is None else f", ≤ {target.worst:g}"
        table.add_row(
            target.name, f"{len(found):,}", f"{mean:.3f}", f"{much:.2%}", f"{worst:.2f}", wanted,
            "✓" if holds else "✗",
        )  # fmt: skip
    _print(table)
    return met


SIDES: tuple[tuple[str, Callable[[Cell], bool]], ...] = (
    ("change, whole: public size", lambda cell: cell.asked.size_is_public),
    *(
        (
            f"{relation.value}, {selected.name.lower()}: private size",
            lambda cell, relation=relation, selected=selected: (
                not cell.asked.size_is_public
                and cell.asked.relation == relation
                and cell.asked.selected is selected
            ),
        )
        for relation in (Relation.CHANGE, Relation.ADD_OR_REMOVE)
        for selected in Rows
    ),
)


def _by_statistic_and_size(cells: Sequence[Cell]) -> None:
    for name, belongs in SIDES:
        here = [cell for cell in cells if belongs(cell)]
        if not here:
            continue
        title = f"{name}; geometric mean, cells > 1.25×, worst"
        table = _table(title, "rows", *(f"{size:,}" for size in SIZES), "all")
        for statistic in Statistic:
            these = [cell for cell in here if cell.asked.statistic is statistic]
            by_size = [[cell for cell in these if cell.asked.rows == size] for size in SIZES]
            table.add_row(statistic.name.lower(), *map(summary, by_size), summary(these))
        _print(table)


def summary(cells: Sequence[Cell]) -> str:
    """Geometric mean, share of much worse cells and worst, in a few characters."""
    if not cells:
        return "–"
    worst = max(cell.ratio for cell in cells)
    return f"{geometric_mean(cells):.2f} {100 * much_worse(cells):.0f}% {worst:.3g}"


def _by_mechanism(cells: Sequence[Cell]) -> None:
    table = _table("by what was chosen", "chosen", "cells", "mean, > 1.25×, worst")
    for name in sorted({cell.chosen for cell in cells}):
        here = [cell for cell in cells if cell.chosen == name]
        table.add_row(name, f"{len(here):,}", summary(here))
    _print(table)


def _worst(cells: Sequence[Cell], many: int = 20) -> None:
    table = _table(
        "the worst cells, in steps", "column", "values", "rows", "asked", "ε", "chosen", "error",
        "best other", "error", "ratio",
    )  # fmt: skip
    for cell in sorted(cells, key=lambda cell: -cell.ratio)[:many]:
        asked = cell.asked
        table.add_row(
            cell.column[-36:], f"{asked.values}", f"{asked.rows:,}",
            f"{asked.statistic.name} {asked.selected.name} {asked.relation.value}", asked.epsilon,
            cell.chosen, f"{cell.error:.3g}", cell.best, f"{cell.others[cell.best]:.3g}",
            f"{cell.ratio:.2f}",
        )  # fmt: skip
    _print(table)


def _plan_times(cells: Sequence[Cell]) -> bool:
    """What plans took, and what they take however many rows are declared."""
    by_rows = {rows: _times(rows) for rows in (PLAN_ROWS, 10**4 * PLAN_ROWS)}
    table = _table("seconds for a plan on 0 … 100", "rows", *(one.name for one in Statistic))
    for rows, took in by_rows.items():
        table.add_row(f"{rows:,}", *(f"{seconds:.2f}" for seconds in took))
    _print(table)
    plans = {cell.asked: cell.seconds for cell in cells}
    small = [took for asked, took in plans.items() if asked.table_rows <= PLAN_ROWS]
    large = [took for asked, took in plans.items() if asked.table_rows > PLAN_ROWS]
    for name, took in (("up to 600 rows", small), ("more", large)):
        if took:
            middle, most, longest = np.quantile(took, (0.5, 0.95, 1))
            print(
                f"{len(took):,} plans, tables of {name}: {middle:.2f} s (median), {most:.2f} s "
                f"(95 %), {longest:.2f} s (longest) of processor time; wanted at most "
                f"{PLAN_SECONDS} s up to {PLAN_ROWS} rows"
            )
    return max([*small, *by_rows[PLAN_ROWS]]) <= PLAN_SECONDS


def _times(rows: int) -> list[float]:
    """Seconds of processor time for a plan of each statistic, of a table of so many rows."""
    return [
        Planned.of(
            Asked(
                values=101,
                from_zero=True,
                words=False,
                rows=rows,
                statistic=statistic,
                selected=Rows.WHOLE,
                relation=Relation.CHANGE,
                epsilon="1",
            )
        ).seconds
        for statistic in Statistic
    ]
