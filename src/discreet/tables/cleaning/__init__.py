"""Total functions from whatever a row holds to the index of a declared value, as SQL.

They never raise and look at one row alone, so no row can make an answer fail or change what another
row means. What they are is data (`grammar`) and a few expressions; what engines say in their own
way is in `leaves`. A cell keeps its type on the way in where that says what the column wants to
know, and is text otherwise.
"""

from collections.abc import Sequence

from discreet.tables.cleaning import dates, numbers, words
from discreet.tables.cleaning.forms import ColumnForm, Kind, takes, with_columns
from discreet.tables.cleaning.grammar import BLANKS, CLEANING, GAPS
from discreet.tables.cleaning.leaves import DUCKDB, Leaves, quoted
from discreet.tables.columns import CategoryColumn, DateColumn, NumberColumn

__all__ = [
    "BLANKS",
    "CLEANING",
    "DUCKDB",
    "GAPS",
    "ColumnForm",
    "Leaves",
    "cells_of",
    "clean",
    "is_blank",
    "is_gap",
    "is_other",
    "is_outside",
    "quoted",
    "takes",
]

is_blank = words.is_blank


def cells_of(origin: str, forms: Sequence[ColumnForm]) -> str:
    """Where cells are cleaned from: a FROM with the cells, and what texts say, worked out once."""
    texts = [one for one in forms if one.kind is Kind.TEXT]
    numbered = [(one, one.column) for one in texts if isinstance(one.column, NumberColumn)]
    dated = [(one, one.column) for one in texts if isinstance(one.column, DateColumn)]
    read = [
        numbers.value_of(one, column)
        for one, column in numbered
        if not isinstance(column, DateColumn)
    ]
    matched = [told for one, column in dated for told in dates.matches_of(one, column)]
    pieces = [told for one, column in dated for told in dates.pieces_of(one, column)]
    fence = forms[0].leaves.fence if forms else ""
    said = with_columns(origin, [*read, *matched], "said", fence)
    return with_columns(said, pieces, "pieces", fence)


def clean(form: ColumnForm) -> str:
    """The index of the declared value that a cell stands for; to be selected from `cells_of`."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.index(form, column)
    if isinstance(column, CategoryColumn):
        return words.index(form, column)
    return numbers.index(form, column)


def is_gap(form: ColumnForm) -> str:
    """Whether a cell holds nothing that could be a value: it is skipped, or goes to `missing`."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.is_gap(form, column)
    if isinstance(column, CategoryColumn):
        return words.is_gap(form, column)
    return numbers.is_gap(form)


def is_other(form: ColumnForm) -> str:
    """Whether a cell holds a word that is not declared."""
    column = form.column
    return words.is_other(form, column) if isinstance(column, CategoryColumn) else "FALSE"


def is_outside(form: ColumnForm) -> str:
    """Whether a cell is a number, or a moment, beyond the bounds, so that it is clamped."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.is_outside(form, column)
    return numbers.is_outside(form, column) if isinstance(column, NumberColumn) else "FALSE"
