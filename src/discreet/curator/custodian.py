"""What a custodian is told of cells, bounds and steps: read off the rows, and for nobody else."""

from fractions import Fraction

from discreet.exact import show
from discreet.planning.candidates.by_rank import MOST_RANKED
from discreet.tables import (
    GAP,
    CategoryColumn,
    Column,
    Dataset,
    Looseness,
    NumberColumn,
    Stock,
    loose_columns,
    take_stock,
)
from discreet.text import decimal_text, label, percent, plural

_PRIVATE = "this line is for the custodian"
_MANY = 0.05


def stock_notes(dataset: Dataset, rows: int | None) -> list[str]:
    """Cells that are not as declared: a misspelling or a bound that is too tight shows here."""
    notes = []
    for column, found in zip(dataset.columns, take_stock(dataset), strict=True):
        if told := _stock(column, found, rows or 1):
            notes.append(f"{column.name}: {'; '.join(told)}; {_PRIVATE}")
    return notes


def gaps_text(column: Column) -> str:
    """What becomes of gaps."""
    if column.missing is None:
        return "skipped"
    counted = f"counted as {label(column.missing_text)}"
    return f"{counted} though gaps = false says there are none" if column.complete else counted


def _stock(column: Column, found: Stock, rows: int) -> list[str]:
    told = []
    if found.gaps:
        told.append(f"{plural(found.gaps, 'gap')}{_share(found.gaps, rows)}, {gaps_text(column)}")
    if isinstance(column, CategoryColumn) and found.others:
        named = ", ".join(map(show, found.words))
        told.append(
            f"{found.others:,}{_share(found.others, rows)} not declared ({named}), "
            f"{_others_text(column)}"
        )
    if found.clamped:
        wider = "; widen the bounds, if you know wider ones without the rows"
        told.append(
            f"{found.clamped:,}{_share(found.clamped, rows)} out of bounds, counted as the nearer "
            f"bound{wider * (found.clamped >= _MANY * rows)}"
        )
    return told


def _others_text(column: CategoryColumn) -> str:
    """What becomes of words that are not declared."""
    place = column.other_index
    return "skipped" if place == GAP else f"counted as {label(column.labels.names[place])}"


def _share(cells: int, rows: int) -> str:
    return f" ({percent(float(f'{cells / rows:.2g}'))} %)"


def loose_notes(dataset: Dataset) -> list[str]:
    """A sentence for each column whose range is too wide or whose step is too coarse."""
    told = [note for one in loose_columns(dataset) for note in _notes(one)]
    return [f"{note}; {_PRIVATE}" for note in told]


def crowded_notes(dataset: Dataset) -> list[str]:
    """A sentence for each column with too many values for medians: a public fact."""
    return [
        f"{column.name}: {column.size:,} values are too many for medians and quantiles, at most "
        f"{MOST_RANKED:,}; declare a larger step, such as {decimal_text(_larger(column))}"
        for column in dataset.columns
        if isinstance(column, NumberColumn) and column.size > MOST_RANKED
    ]


def _notes(one: Looseness) -> list[str]:
    name, grid = one.column.name, one.column.grid
    notes = []
    if one.is_wide:
        used = percent(float(f"{max(one.used, 0.001):.1g}"))
        notes.append(
            f"{name}: 98 % of cells lie within {used} % of the range from "
            f"{decimal_text(grid.start)} to {decimal_text(grid.last)}, and means are as vague as "
            "the range is wide; narrow low and high, if you know better ones without the rows"
        )
    if one.is_coarse:
        notes.append(
            f"{name}: {percent(round(one.rounded_away, 2))} % of cells are rounded by more than "
            f"half their value to step = {decimal_text(grid.step)}; declare a smaller step, and a "
            "narrower range if there are then too many values"
        )
    return notes


def _larger(column: NumberColumn) -> Fraction:
    """A round multiple of the step with which medians can be told."""
    times, wanted = 1, Fraction(column.size - 1, MOST_RANKED - 1)
    while times < wanted:
        digit = int(str(times)[0])
        times = times // digit * {1: 2, 2: 5, 5: 10}[digit]
    return column.grid.step * times
