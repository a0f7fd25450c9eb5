"""An answer as people draw tables: two columns crossed, or one with a column for each statistic."""

from dataclasses import dataclass

from discreet.curator import Answer, Result
from discreet.planning.grouping import ALL
from discreet.questions import Question
from discreet.questions.words import counts_years
from discreet.reports.pictures import items_of, maybe_empty, statistic_names
from discreet.statistics import Mode, Rank
from discreet.tables import Dataset
from discreet.text import grouped_digits

_MOST_ACROSS = 12
"""Wider tables are told line by line alone."""
ROWS = "rows"
"""What the column of drawn numbers of rows is called."""
MAYBE_NONE = "may be none"
"""What is said of a group that cannot be told from an empty one."""


class Teller:
    """How the values of an answer are written: with one separator, and none in years."""

    def __init__(self, answer: Answer, question: Question | None, dataset: Dataset) -> None:
        self._items = items_of(question, answer)
        self._names = statistic_names(question, answer, dataset)
        self._years = {
            label
            for label, item in self._items.items()
            if isinstance(item.statistic, Rank | Mode)
            and item.column is not None
            and counts_years(dataset.column(item.column))
        }

    def name(self, result: Result) -> str:
        """What a statistic is called, in words."""
        return self._names.get(result.label, result.label)

    def written(self, result: Result, text: str) -> str:
        """A text of a result, with separators where its numbers are no years."""
        return text if result.label in self._years else grouped_digits(text)

    def faint(self, result: Result) -> str:
        """What is said of a group that may be empty; nothing of any other."""
        return MAYBE_NONE if maybe_empty(result, self._items.get(result.label)) else ""


@dataclass(frozen=True)
class Side:
    """A row or a column of such a table, by its name."""

    name: str
    is_total: bool


@dataclass(frozen=True)
class Cell:
    """A value, and below it what is known of the true one."""

    text: str = ""
    bound: str = ""
    faint: str = ""

    @property
    def below(self) -> str:
        """What is said below the value."""
        return self.faint or self.bound


@dataclass(frozen=True)
class CrossedTable:
    """Names down and across, totals at the ends, and a cell for each pair."""

    corner: str
    columns: tuple[Side, ...]
    rows: tuple[tuple[Side, tuple[Cell, ...]], ...]


def crossed_table(
    answer: Answer, heads: list[str], teller: Teller, *, totals: bool
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
    if len(heads) == 1 and len(labels) > 1:
        named = [
            ((*one.group_cells, teller.name(one)), _cell(one, teller)) for one in answer.results
        ]
        named += [
            ((*one.group_cells, ROWS), rows) for one in answer.results if (rows := _rows(one))
        ]
        corner = heads[0]
    elif len(heads) == 2 and len(labels) == 1:
        named = [(one.group_cells, _cell(one, teller)) for one in answer.results]
        corner = " × ".join(heads)
    else:
        return None
    told = dict(named)
    down, across = (list(dict.fromkeys(cells[side] for cells in told)) for side in (0, 1))
    differ = any(told[cells] != cell for cells, cell in named)
    if len(across) > _MOST_ACROSS or len(down) < 2 or differ:
        return None

    def side(name: str) -> Side:
        return Side(name, totals and name == ALL)

    return CrossedTable(
        corner,
        tuple(map(side, across)),
        tuple((side(row), tuple(told.get((row, one), Cell()) for one in across)) for row in down),
    )


def _rows(result: Result) -> Cell | None:
    """How many rows a group has, where a count was drawn for its values."""
    if result.rows_about is None:
        return None
    about, _, within = grouped_digits(result.rows_text).partition(" (")
    return Cell(about, within.removesuffix(")"))


def _cell(result: Result, teller: Teller) -> Cell:
    bound = "" if result.too_few_rows else teller.written(result, result.bound)
    return Cell(teller.written(result, result.text), bound, teller.faint(result))
