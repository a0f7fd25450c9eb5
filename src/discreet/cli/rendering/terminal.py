"""Where output goes: tables and colours for people, JSON for programs, progress for whoever waits;
and what a person is asked there.

Standard output says so when it cannot be written: a full disk is no bug of ours.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TextIO, cast

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

    from discreet.designer import Progress

_PADDING = (0, 2, 0, 1)
_GAP = 3
_LEAST = 20


class OutputLost(Exception):  # noqa: N818
    """What was said could not be written; the message says why, and what to do."""


class _Guarded:
    """A text stream whose failures are known for what they are."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _losses_told():
            return self._stream.write(text)

    def flush(self) -> None:
        with _losses_told():
            self._stream.flush()


@contextmanager
def _losses_told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise OutputLost(f"the output could not be written: {why}") from None


@contextmanager
def guarded() -> Iterator[None]:
    """Standard output, guarded meanwhile; where it is closed there is nothing to guard."""
    plain = sys.stdout
    if plain is not None:
        sys.stdout = cast("TextIO", _Guarded(plain))
    try:
        yield
        if plain is not None:
            sys.stdout.flush()
    finally:
        sys.stdout = plain


@contextmanager
def or_else(advice: str) -> Iterator[None]:
    """Write out what is said inside, now; if it is lost, the advice is told too."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OutputLost as problem:
        raise OutputLost(f"{problem}; {advice}") from None


@contextmanager
def progress_line(title: str) -> "Iterator[Callable[[Progress], None]]":
    """A spinner with the method, the stage and the gap, on a terminal only."""
    from rich.console import Console

    screen = Console(stderr=True, highlight=False)
    if not screen.is_terminal:
        yield lambda _: None
        return
    with screen.status(title) as status:

        def report(progress: "Progress") -> None:
            gap = "" if progress.gap is None else f", gap {progress.gap:.1e}"
            status.update(f"{title}: {progress.method}, {progress.stage}{gap}")

        yield report


def somebody_is_there() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def confirm(question: str, *, yes: bool, otherwise: str = "nothing was changed") -> None:
    """Ask on a terminal; elsewhere, what lasts for good needs --yes. A no is told to be one."""
    import typer

    if yes:
        return
    if not somebody_is_there():
        raise InvalidInput("not confirmed: answer the prompt, or add --yes")
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort:
        print(file=sys.stderr)
        agreed = False
    if not agreed:
        print(otherwise, file=sys.stderr)
        raise typer.Abort


PIPED_WIDTH = 160
_RULE = 88


def console() -> "Console":
    """A console on today's standard output: colours only where a person looks at a terminal."""
    from rich.console import Console

    plain = Console(highlight=False, markup=False, emoji=False)
    if plain.is_terminal or "COLUMNS" in plain._environ:
        return plain
    return Console(highlight=False, markup=False, emoji=False, width=PIPED_WIDTH)


def say(screen: "Console", *parts: "RenderableType") -> None:
    """Print parts below one another; off a terminal, without the blanks that fill up lines."""
    if screen.is_terminal:
        for part in parts:
            screen.print(part)
        return
    with screen.capture() as captured:
        for part in parts:
            screen.print(part)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()), file=screen.file)


@dataclass(frozen=True)
class Heading:
    """A line that opens a part of a longer report, as wide as the screen at most."""

    title: str

    def __rich_console__(self, _screen: "Console", options: "ConsoleOptions") -> "RenderResult":
        """The title with a rule behind it; one that is too long goes on below."""
        from rich.cells import cell_len
        from rich.text import Text

        words = f"── {self.title} "
        rule = "─" * (min(_RULE, options.max_width) - cell_len(words))
        yield Text(words.rstrip() if not rule else words + rule, style="bold")


def heading(title: str) -> Heading:
    """A line that opens a part of a longer report."""
    return Heading(title)


def say_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; an infinite or undefined number becomes null."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    print(json.dumps(plain(document), indent=2, ensure_ascii=encoding != "utf8", allow_nan=False))


def plain(value: Any) -> Any:
    """Any of our values as JSON knows them: a whole fraction as a number, others as text.

    >>> plain({"error": Fraction(5, 2), "size": Fraction(3), "epsilon": float("inf")})
    {'error': '5/2', 'size': 3, 'epsilon': None}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True)
class Column:
    """The head of a column, and how its cells stand."""

    name: str
    _: KW_ONLY
    right: bool = False
    style: str = ""
    wraps: bool = False
    """Whether its cells may go on below, where there is little room."""
    least: int = _LEAST
    """How wide it is at least, if they do."""


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

    def fits(self, width: int, *, wrapped: bool = True) -> bool:
        """Whether every head is on one line, and every cell that does not wrap.

        Args:
            width: How many characters a line has.
            wrapped: Whether cells that may go on below do.
        """
        widths = self._widths(short=False)
        taken = self._taken(widths) if wrapped else sum(widths) + _GAP * len(widths)
        return taken <= width

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

        widths = []
        for place, column in enumerate(self.columns):
            heads = column.name.split() if short else [column.name]
            texts = [*heads, *(row.cells[place] for row in self.rows)]
            widths.append(max(map(cell_len, texts), default=0))
        return widths

    def _taken(self, widths: list[int]) -> int:
        needed = (
            min(width, column.least) if column.wraps else width
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
        cells = zip(self.columns[self.names :], row.cells[self.names :], strict=True)
        for column, cell in cells:
            grid.add_row(column.name, Text(cell, style=row.style or column.style))
        names = "  ".join(cell for cell in row.cells[: self.names] if cell)
        return [
            Padding(Text(names, style=row.style), (0, 0, 0, 1)),
            Padding(grid, (0, 0, 0, 3)),
        ]
