"""Numbers in cells: read by one small grammar where they are texts, clamped, put onto the grid."""

from fractions import Fraction

from discreet.tables.cleaning.forms import Clamped, ColumnForm, Kind
from discreet.tables.cleaning.grammar import (
    BELOW,
    BELOW_ALL,
    FAR,
    INFINITE,
    LONGEST_NUMBER,
    NOUGHT,
    PLAIN,
    THOUSANDS,
)
from discreet.tables.cleaning.leaves import Leaves, listed
from discreet.tables.columns import DateColumn, NumberColumn

_EXACT = 2**53
"""Up to here whole numbers and doubles are the same."""


def value_of(form: ColumnForm, column: NumberColumn) -> str:
    """What a text says as a double, NULL where it is no number; selected under `form.value`."""
    return f"{_read(form.cell, column, form.leaves)} AS {form.value}"


def _read(text: str, column: NumberColumn, leaves: Leaves) -> str:
    if column.comma:
        text = f"({_with_point(text, leaves)})"
    none, endless, below = map(leaves.double, (0.0, float("inf"), float("-inf")))
    return (
        f"CASE WHEN length({text}) > {LONGEST_NUMBER} THEN NULL "
        f"WHEN {leaves.matches(text, PLAIN)} THEN {leaves.parsed(text)} "
        f"WHEN {leaves.matches(text, FAR)} THEN CASE "
        f"WHEN {leaves.matches(text, NOUGHT)} THEN {none} "
        f"WHEN {leaves.matches(text, BELOW)} THEN {below} ELSE {endless} END "
        f"WHEN {leaves.folded(text)} IN ({listed(INFINITE, leaves)}) THEN {endless} "
        f"WHEN {leaves.folded(text)} IN ({listed(BELOW_ALL, leaves)}) THEN {below} END"
    )


def _with_point(text: str, leaves: Leaves) -> str:
    """A number with a decimal comma as one with a point; points may only part thousands."""
    bare = leaves.replaced(text, ".", "")
    return (
        f"CASE WHEN {leaves.matches(text, THOUSANDS)} THEN {leaves.replaced(bare, ',', '.')} "
        f"WHEN {bare} = {text} THEN {leaves.replaced(text, ',', '.')} END"
    )


def index(form: ColumnForm, column: NumberColumn) -> str:
    """The index of the declared value that a cell stands for, or where gaps go."""
    placed = (_whole_place if _is_exact(form, column) else _place)(form, column)
    return form.leaves.index(placed.index(is_gap(form), column.gap_index), column.size)


def is_gap(form: ColumnForm) -> str:
    """Whether a cell holds no number."""
    nothing = f"{_double(form)} IS NULL" if form.kind is Kind.TEXT else f"{form.cell} IS NULL"
    if form.kind is not Kind.DOUBLE:
        return nothing
    return f"{nothing} OR {form.leaves.is_nan(form.cell)}"


def is_outside(form: ColumnForm, column: NumberColumn) -> str:
    """Whether a cell is a number beyond the bounds, so that it is clamped."""
    number, low, high = _double(form), *_bounds(form, column)
    return f"(NOT ({is_gap(form)}) AND ({number} < {low} OR {number} > {high}))"


def _double(form: ColumnForm) -> str:
    """A cell as a double, NULL where it is no number, or no number itself."""
    if form.kind is Kind.TEXT:
        return form.value
    return form.leaves.as_double(form.cell) if form.kind is Kind.WHOLE else form.cell


def _bounds(form: ColumnForm, column: NumberColumn) -> tuple[str, str]:
    low, high, _ = map(float, _ends(column))
    return form.leaves.double(low), form.leaves.double(high)


def _place(form: ColumnForm, column: NumberColumn) -> Clamped:
    """Whole steps from the first value to the nearest one, upwards from half way."""
    leaves, low, high, step = form.leaves, *map(float, _ends(column))
    first, last = _bounds(form, column)
    above = f"{_double(form)} - {first}" if low else _double(form)
    far = f"{leaves.ratio(above, step)} + {leaves.double(0.5)}"
    steps = leaves.floor(far, column.size - 1)
    share = (high - low) / step if step else float("inf")
    beyond = column.size - 1 if share > column.size else int(min(share + 0.5, column.size - 1))
    return Clamped(count=_double(form), first=first, last=last, place=steps, beyond=beyond)


def _is_exact(form: ColumnForm, column: NumberColumn) -> bool:
    """Whether whole numbers are put onto a grid of whole numbers that doubles can tell apart."""
    return form.kind is Kind.WHOLE and all(
        one.denominator == 1 and abs(one) < _EXACT for one in _ends(column)
    )


def _ends(column: NumberColumn) -> tuple[Fraction, Fraction, Fraction]:
    return column.grid.start, column.grid.last, column.grid.step


def whole_bounds(
    form: ColumnForm, column: NumberColumn, first: int, last: int
) -> tuple[int | None, int | None] | None:
    """Between which whole numbers cells lie whose indices do, None for an end that is open.

    None at all where cells are not whole numbers on a grid of whole numbers.
    """
    if isinstance(column, DateColumn) or not _is_exact(form, column):
        return None
    low, _, step = map(int, _ends(column))
    least, beyond = (low + step * place - step // 2 for place in (first, last + 1))
    return least if first else None, beyond - 1 if last < column.size - 1 else None


def _whole_place(form: ColumnForm, column: NumberColumn) -> Clamped:
    """The same in whole numbers."""
    low, high, step = map(int, _ends(column))
    count = form.leaves.whole(form.cell)
    far = f"{count} - ({low})" if low else count
    steps = far if step == 1 else form.leaves.halves(f"2 * ({far}) + {step}", 2 * step)
    return Clamped(count=count, first=low, last=high, place=steps, beyond=column.size - 1)
