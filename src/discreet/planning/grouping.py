"""The groups of a question: those that the declared values and its condition allow."""

from dataclasses import dataclass

import numpy as np

from discreet.questions import AllOf, Condition, Question
from discreet.questions.conditions import columns_of, pushed, rows_where
from discreet.tables import GAP, CategoryColumn, Column, Dataset, NumberColumn, skips_gaps

MOST_VALUES = 1 << 20
"""Of finer columns every group is told, whatever the condition says."""
MISSING = "(missing)"
"""The group of rows whose cell is a gap."""


@dataclass(frozen=True)
class Grouping:
    """The groups that are told, and which they are of all that the column has."""

    names: tuple[str, ...]
    """In order; one without a name where there are no groups."""
    places: tuple[int, ...]
    every: int
    """How many the column has."""


def group_names(question: Question, dataset: Dataset) -> tuple[str, ...]:
    """The groups of a question by name, in order; one without a name when there are none."""
    return grouping_of(question, dataset).names


def grouping_of(question: Question, dataset: Dataset) -> Grouping:
    """The groups of a question, without those that its condition leaves no row in.

    Where the column may have gaps, the last one is theirs. Public facts decide: the declared values
    and the condition, not the rows.
    """
    if question.group_by is None:
        return Grouping(("",), (0,), 1)
    column, width = dataset.column(question.group_by.column), question.group_by.width
    names = column.labels.names if isinstance(column, CategoryColumn) else _bins(column, width)
    if skips_gaps(column):
        names = (*names, _unlike(names))
    places = _possible(question.where, column, width, len(names)) or tuple(range(len(names)))
    return Grouping(tuple(names[place] for place in places), places, len(names))


def _possible(where: Condition, column: Column, width: int, groups: int) -> tuple[int, ...]:
    """The groups that rows can be in by what the condition says of this column alone."""
    if column.size > MOST_VALUES:
        return tuple(range(groups))
    cells = np.arange(GAP if skips_gaps(column) else 0, column.size, dtype=np.intp)
    met = np.ones(len(cells), dtype=np.bool_)
    plain = pushed(where)
    for part in plain.parts if isinstance(plain, AllOf) else (plain,):
        if columns_of(part) == {column.name}:
            met &= rows_where(part, {column.name: cells})
    found = np.where(cells == GAP, groups - 1, cells // width)
    return tuple(np.unique(found[met]).tolist())


def _unlike(names: tuple[str, ...]) -> str:
    """What the group of gaps is called, none of the words being called so."""
    name = MISSING
    while name in names:
        name = f"({name})"
    return name


def _bins(column: NumberColumn, width: int) -> tuple[str, ...]:
    names = []
    for first in range(0, column.size, width):
        last = min(first + width, column.size) - 1
        low, high = column.grid.value(first), column.grid.value(last)
        names.append(_number(low) if first == last else f"{_number(low)} to {_number(high)}")
    return tuple(names)


def _number(value: object) -> str:
    text = str(value)
    return text if "/" not in text else f"{float(value):g}"  # type: ignore[arg-type]
