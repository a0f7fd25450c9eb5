"""An answer as people draw tables: two columns crossed, or one with a column for each statistic."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Protocol

from discreet.planning.grouping import ALL
from discreet.text import blanked, grouped_digits, too_few_text

if TYPE_CHECKING:
    from discreet.curator.answer import Answer
    from discreet.curator.result import Result

_MOST_ACROSS = 12
"""Wider tables are told line by line alone."""
ROWS = "rows"
"""What the column of drawn numbers of rows is called."""
_SHORT = 18
"""So many characters: 'about 1,234', '1,200 … 1,300'."""
_KEPT = ' style="white-space: nowrap"'


class Tells(Protocol):
    """How the values of an answer are written."""

    def name(self, result: "Result") -> str:
        """What a statistic is called."""

    def value(self, result: "Result") -> str:
        """The value of a result."""

    def bound(self, result: "Result") -> str:
        """What is known of the true one."""

    def faint(self, result: "Result") -> str:
        """What is said of a group that may be empty; nothing of any other."""

    def cells(self, result: "Result") -> tuple[str, ...]:
        """What its group is called."""


class Plainly:
    """As the answer itself says it, where nothing is known of its columns."""

    def name(self, result: "Result") -> str:
        """Its label."""
        return result.label

    def value(self, result: "Result") -> str:
        """The value as it is: it may be a year."""
        return result.text

    def bound(self, result: "Result") -> str:
        """The bound as it is."""
        return result.bound

    def faint(self, result: "Result") -> str:
        """Nothing."""
        return ""

    def cells(self, result: "Result") -> tuple[str, ...]:
        """The group as it is stored."""
        return result.group_cells


@dataclass(frozen=True)
class Side:
    """A row or a column of such a table, by its name."""

    name: str
    is_total: bool

    @property
    def is_short(self) -> bool:
        """Whether its name stays on its line: '2021 Q2'."""
        return len(self.name) <= _SHORT


@dataclass(frozen=True)
class PivotCell:
    """A value, and below it what is known of the true one."""

    text: str = ""
    bound: str = ""
    faint: str = ""

    @property
    def below(self) -> str:
        """What is said below the value: from 0 on, a bound says itself that there may be none.

        >>> PivotCell("15", "0 … 40", "may be none").below
        '0 … 40'
        """
        return self.bound or self.faint

    @property
    def is_short(self) -> bool:
        """Whether it stays on its lines: a number, and between which two the true one lies.

        >>> bounds = ("1,341 … 1,525", "at most 61 rows off")
        >>> [PivotCell("about 1,433", one).is_short for one in bounds]
        [True, False]
        """
        return max(len(self.text), len(self.below)) <= _SHORT


@dataclass(frozen=True)
class CrossedTable:
    """Names down and across, totals at the ends, and a cell for each pair."""

    corner: str
    columns: tuple[Side, ...]
    rows: tuple[tuple[Side, tuple[PivotCell, ...]], ...]

    def to_html(self, caption: str) -> str:
        """The table as HTML: below each value, what is known of the true one."""
        heads = "".join(
            f'<th scope="col" class="number{_total(one)}">{_text(one.name)}</th>'
            for one in self.columns
        )
        body = "\n".join(
            f'<tr class="row{_total(side)}"><th scope="row"{_KEPT if side.is_short else ""}>'
            f"{_text(side.name)}</th>"
            + "".join(
                f'<td class="number{_total(at)}"{_KEPT if one.is_short else ""}>{_text(one.text)}'
                + (f"<br><small>{_text(one.below)}</small></td>" if one.below else "</td>")
                for at, one in zip(self.columns, cells, strict=True)
            )
            + "</tr>"
            for side, cells in self.rows
        )
        return (
            f'<table class="crossed"><caption>{caption}</caption>'
            f'<thead><tr><th scope="col">{_text(self.corner)}</th>{heads}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table>"
        )


def _total(side: Side) -> str:
    return " total" if side.is_total else ""


def _text(words: str) -> str:
    return escape(blanked(words))


def crossed_table(
    answer: "Answer", heads: Sequence[str], teller: Tells, *, totals: bool
) -> CrossedTable | None:
    """An answer as a table of two sides; None where lines say it better.

    Args:
        answer: What was answered.
        heads: What the columns that rows are grouped by are called.
        teller: How values are written.
        totals: Whether totals were asked for.

    Returns:
        Two columns crossed; or one, with a column of the table for each statistic, and one for the
        number of rows where that was drawn.
    """
    labels = dict.fromkeys(one.label for one in answer.results)
    if any(len(one.group_cells) != len(heads) for one in answer.results):
        return None
    if len(heads) == 1 and len(labels) > 1:
        named = [
            ((*teller.cells(one), teller.name(one)), _cell(one, teller, counted=True))
            for one in answer.results
        ]
        named += [
            ((*teller.cells(one), ROWS), rows) for one in answer.results if (rows := _rows(one))
        ]
        corner = heads[0]
    elif len(heads) == 2 and len(labels) == 1:
        named = [(teller.cells(one), _cell(one, teller)) for one in answer.results]
        corner = " × ".join(heads)
    else:
        return None
    by_cells = dict(named)
    down, across = (list(dict.fromkeys(cells[side] for cells in by_cells)) for side in (0, 1))
    differ = any(by_cells[cells] != cell for cells, cell in named)
    if len(across) > _MOST_ACROSS or len(down) < 2 or differ:
        return None

    def side(name: str) -> Side:
        return Side(name, totals and name == ALL)

    return CrossedTable(
        corner,
        tuple(map(side, across)),
        tuple(
            (side(row), tuple(by_cells.get((row, one), PivotCell()) for one in across))
            for row in down
        ),
    )


def _rows(result: "Result") -> PivotCell | None:
    """How many rows a group has, where a count was drawn for its values."""
    if result.rows_about is None:
        return None
    about, _, within = grouped_digits(result.rows_text).partition(" (")
    return PivotCell(about, within.removesuffix(")"))


def _cell(result: "Result", teller: Tells, *, counted: bool = False) -> PivotCell:
    """A result; where a column has the number of rows, its cells do not tell it again."""
    if counted and result.too_few_rows:
        return PivotCell(too_few_text(None))
    bound = "" if result.too_few_rows else teller.bound(result)
    return PivotCell(teller.value(result), bound, teller.faint(result))
