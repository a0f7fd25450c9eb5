"""Numbers in columns where the screen is wide enough, else below one another; never cut."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

_PADDING = (0, 2, 0, 1)
_GAP = 3
_LEAST = 20


@dataclass(frozen=True)
class Column:
    """The head of a column, and how its cells stand."""

    name: str
    right: bool = False
    style: str = ""
    wraps: bool = False
    """Whether its cells may go on below, where there is little room."""


@dataclass(frozen=True)
class Row:
    """The cells of a line."""

    cells: tuple[str, ...]
    style: str = ""


@dataclass(frozen=True)
class Beside:
    """Rows below one another; the first columns name a row, the others are told about it."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    names: int

    def fits(self, width: int) -> bool:
        """Whether every head is on one line, and every cell that does not wrap."""
        return self._taken(self._widths(short=False)) <= width

    def __rich_console__(self, _screen: "Console", options: "ConsoleOptions") -> "RenderResult":
        """A table, if need be with its heads on several lines; else what it says as a list."""
        for widths in (self._widths(short=False), self._widths(short=True)):
            if self._taken(widths) <= options.max_width:
                yield self._table(widths)
                return
        for row in self.rows:
            yield from self._listed(row)

    def _widths(self, *, short: bool) -> list[int]:
        from rich.cells import cell_len

        found = []
        for place, column in enumerate(self.columns):
            heads = column.name.split() if short else [column.name]
            texts = [*heads, *(row.cells[place] for row in self.rows)]
            found.append(max(map(cell_len, texts), default=0))
        return found

    def _taken(self, widths: list[int]) -> int:
        needed = (
            min(width, _LEAST) if column.wraps else width
            for column, width in zip(self.columns, widths, strict=True)
        )
        return sum(needed) + _GAP * len(self.columns)

    def _table(self, widths: list[int]) -> "Table":
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=_PADDING, header_style="dim")
        for column, width in zip(self.columns, widths, strict=True):
            table.add_column(
                column.name,
                justify="right" if column.right else "left",
                style=column.style,
                width=None if column.wraps else width,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*(Text(cell, style=row.style) for cell in row.cells))
        return table

    def _listed(self, row: Row) -> "list[RenderableType]":
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        told = zip(self.columns[self.names :], row.cells[self.names :], strict=True)
        for column, cell in told:
            grid.add_row(column.name, Text(cell, style=row.style or column.style))
        names = "  ".join(cell for cell in row.cells[: self.names] if cell)
        return [
            Padding(Text(names, style=row.style), (0, 0, 0, 1)),
            Padding(grid, (0, 0, 0, 3)),
        ]
