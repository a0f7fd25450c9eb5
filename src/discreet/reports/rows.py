"""The tables of a report, as cells: shared by all its forms."""

from discreet.curator import Answer
from discreet.curator.crossed import ROWS, CrossedTable, crossed_table
from discreet.questions.words import (
    column_kind,
    column_missing,
    column_range,
    column_title,
    group_heads,
)
from discreet.reports.release import ReportedAnswer
from discreet.reports.telling import Teller
from discreet.tables import Dataset
from discreet.text import grouped_digits, percent

Cells = tuple[str, ...]
VALUE = "answer"
"""What the column of told values is called."""


def results_table(answer: Answer, teller: Teller) -> tuple[Cells, list[Cells]]:
    """The head and the rows of an answer: its groups, values, and what is known of the truth."""
    apart = not answer.grouped_by or len({one.label for one in answer.results}) > 1
    rows = any(one.rows_about is not None for one in answer.results)
    head = (
        *answer.grouped_by,
        *(("statistic",) if apart else ()),
        VALUE,
        f"{percent(answer.confidence)} % confidence",
        *((ROWS,) if rows else ()),
    )
    cells = [
        (
            *teller.cells(one),
            *((one.label,) if apart else ()),
            teller.value(one),
            teller.bound(one),
            *((grouped_digits(one.rows_text),) if rows else ()),
        )
        for one in answer.results
    ]
    return head, cells


def crossed_of(one: ReportedAnswer, teller: Teller, dataset: Dataset) -> CrossedTable | None:
    """The answer as a table of two sides, where it is one."""
    heads = group_heads(one.question, one.answer.grouped_by, dataset)
    totals = one.question is not None and bool(one.question.totals)
    return crossed_table(one.answer, heads, teller, totals=totals)


def columns_table(dataset: Dataset) -> tuple[Cells, list[Cells]]:
    """The declared facts of each column."""
    head = ("column", "kind", "values", "gaps")
    rows: list[Cells] = [
        (column_title(one), column_kind(one), column_range(one), column_missing(one))
        for one in dataset.every_column
    ]
    return head, rows


def remarks(answer: Answer) -> list[str]:
    """What also holds of an answer, what it rests on, and what proves it private."""
    sure = f"at {percent(answer.confidence)} % confidence"
    lines = [f"{line}, {sure}" for line in answer.surely] + answer.rests_on
    mechanisms = list(dict.fromkeys(one.mechanism for one in answer.results))
    digests = list(dict.fromkeys(one.certificate for one in answer.results if one.certificate))
    lines.append(f"mechanism: {'; '.join(mechanisms)}")
    proof = ", ".join(digests) if digests else "none: an exact sampler with a written proof"
    lines.append(f"certificate: {proof}")
    return lines
