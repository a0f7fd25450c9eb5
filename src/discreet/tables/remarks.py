"""What a custodian is told of cells, bounds and steps: read off the rows, and for nobody else."""

from discreet.exact import show
from discreet.tables.columns import GAP, CategoryColumn, Column
from discreet.tables.facts import Dataset
from discreet.tables.looseness import Looseness, loose_columns
from discreet.tables.stock import Stock, take_stock
from discreet.text import decimal_text, label, percent, plural

_PRIVATE = "this line is for the custodian"
_MANY = 0.05


Remark = tuple[str, str]
"""The name of a column, and what is to be said of it."""


def stock_remarks(dataset: Dataset) -> list[Remark]:
    """Cells that are not as declared: a misspelling or a bound that is too tight shows here."""
    stock = zip(dataset.columns, take_stock(dataset), strict=True)
    some = dataset.unit.id_column is not None  # rows may be left out, but not of what is counted
    remarks = [
        (column.name, "; ".join(_stock(column, one, " of all rows" * some)))
        for column, one in stock
    ]
    return [remark for remark in remarks if remark[1]]


def stock_notes(dataset: Dataset) -> list[str]:
    """The same, a line for each column."""
    return [f"{name}: {remark}; {_PRIVATE}" for name, remark in stock_remarks(dataset)]


def gaps_text(column: Column) -> str:
    """What becomes of gaps."""
    if column.missing is None:
        return "skipped"
    counted = f"counted as {label(column.missing_text)}"
    return f"{counted} though gaps = false says there are none" if column.complete else counted


def _stock(column: Column, stock: Stock, of_rows: str) -> list[str]:
    def share(cells: int) -> str:
        return f" ({percent(float(f'{cells / max(stock.rows, 1):.2g}'))} %{of_rows})"

    remarks = []
    if stock.gaps:
        remarks.append(f"{plural(stock.gaps, 'gap')}{share(stock.gaps)}, {gaps_text(column)}")
    if isinstance(column, CategoryColumn) and stock.others:
        named = ", ".join(map(show, stock.words))
        remarks.append(
            f"{stock.others:,}{share(stock.others)} not declared ({named}), {_others_text(column)}"
        )
    if stock.clamped:
        wider = "; widen the bounds, if you know wider ones without the rows"
        remarks.append(
            f"{stock.clamped:,}{share(stock.clamped)} out of bounds, counted as the nearer "
            f"bound{wider * (stock.clamped >= _MANY * stock.rows)}"
        )
    return remarks


def _others_text(column: CategoryColumn) -> str:
    """What becomes of words that are not declared."""
    place = column.other_index
    return "skipped" if place == GAP else f"counted as {label(column.labels.names[place])}"


def loose_remarks(dataset: Dataset) -> list[Remark]:
    """A sentence for each column whose range is too wide or whose step is too coarse."""
    return [(one.column.name, note) for one in loose_columns(dataset) for note in _notes(one)]


def loose_notes(dataset: Dataset) -> list[str]:
    """The same, a line for each."""
    return [f"{name}: {remark}; {_PRIVATE}" for name, remark in loose_remarks(dataset)]


def _notes(one: Looseness) -> list[str]:
    grid = one.column.grid
    notes = []
    if one.is_wide:
        used = percent(float(f"{max(one.used, 0.001):.1g}"))
        notes.append(
            f"98 % of cells lie within {used} % of the range from {decimal_text(grid.start)} to "
            f"{decimal_text(grid.last)}, and the wider the range, the less accurate the means; "
            "narrow low and high, if you know better bounds without the rows"
        )
    if one.is_coarse:
        notes.append(
            f"{percent(round(one.rounded_away, 2))} % of cells are rounded by more than "
            f"half their value to step = {decimal_text(grid.step)}; declare a smaller step, and a "
            "narrower range if there are then too many values"
        )
    if one.is_rough:
        notes.append(
            f"{percent(round(one.rounded, 2))} % of cells lie between the steps and count as the "
            f"nearest: step = {decimal_text(grid.step)}; declare a smaller step if single values "
            "matter"
        )
    return notes
