"""What a custodian is told of bounds and steps that spoil answers, and what to change."""

from fractions import Fraction

from discreet.planning.candidates.selection import MOST_VALUES
from discreet.tables import Dataset, Looseness, NumberColumn, loose_columns
from discreet.text import decimal_text, percent

_PRIVATE = "this line is for the custodian"


def loose_notes(dataset: Dataset) -> list[str]:
    """A sentence for each column whose range is too wide or whose step is too coarse."""
    told = [note for one in loose_columns(dataset) for note in _notes(one)]
    return [f"{note}; {_PRIVATE}" for note in told]


def crowded_notes(dataset: Dataset) -> list[str]:
    """A sentence for each column with too many values for medians: a public fact."""
    return [
        f"{column.name}: {column.size:,} values are too many for medians and quantiles, at most "
        f"{MOST_VALUES:,}; declare a larger step, such as {decimal_text(_larger(column))}"
        for column in dataset.columns
        if isinstance(column, NumberColumn) and column.size > MOST_VALUES
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
    times, wanted = 1, Fraction(column.size - 1, MOST_VALUES - 1)
    while times < wanted:
        digit = int(str(times)[0])
        times = times // digit * {1: 2, 2: 5, 5: 10}[digit]
    return column.grid.step * times
