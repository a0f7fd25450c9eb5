"""Every number as CSV: the tables of an item, the numbers of its figures, its checks."""

from collections.abc import Iterator

from discreet import text
from discreet.papers.item import PrintedTable, figure_tables
from discreet.papers.running import Ran

_CHECKS = ("claim", "source", "printed", "ours", "difference", "holds", "note")


def csvs_of(ran: Ran) -> Iterator[tuple[str, str]]:
    """File names and contents for an item that was run."""
    if ran.outcome is None:
        return
    start = ran.item.id.replace("/", "-")
    for table in ran.outcome.tables:
        yield f"{start}-{_word(table.name)}.csv", csv_text(table)
    for figure in ran.outcome.figures:
        for table in figure_tables(figure):
            yield f"{start}-{_word(table.name)}-numbers.csv", csv_text(table)
    rows = tuple(
        (
            one.claim,
            one.source.value,
            one.printed,
            one.ours,
            one.difference,
            "yes" if one.holds else "no",
            one.note,
        )
        for one in ran.outcome.checks
    )
    if rows:
        yield f"{start}-checks.csv", csv_text(PrintedTable("checks", _CHECKS, rows))


def csv_text(table: PrintedTable) -> str:
    r"""A table as CSV; floats in full, nothing where there is nothing.

    >>> csv_text(PrintedTable("t", ("ε", "loss"), ((0.5, None), (1, 0.1))))
    'ε,loss\n0.5,\n1,0.1\n'
    """
    rows = (["" if cell is None else str(cell) for cell in row] for row in table.rows)
    return text.csv_text([table.columns, *rows])


def _word(name: str) -> str:
    return "".join(mark if mark.isalnum() else "-" for mark in name.lower()).strip("-")
