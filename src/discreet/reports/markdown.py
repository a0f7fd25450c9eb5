"""A release report as Markdown, for documents and repositories."""

from discreet.curator.crossed import CrossedTable
from discreet.questions.words import protection_words, size_words
from discreet.reports.release import ReleaseReport, ReportedAnswer
from discreet.reports.rows import Cells, columns_table, crossed_of, remarks, results_table
from discreet.reports.telling import Teller
from discreet.reports.words import OTHERS, board, commands
from discreet.tables import Dataset
from discreet.text import Amount, blanked, capital, markdown_table, markdown_words, moment


def report_markdown(report: ReleaseReport, dataset_file: str, data_file: str) -> str:
    """The report as Markdown.

    Args:
        report: What is reported.
        dataset_file: What the dataset file is called, for the commands.
        data_file: What the data file beside it is called.

    Returns:
        The text of a file.
    """
    parts = [
        f"# Release report: {markdown_words(report.dataset.name)}",
        f"Made {moment(report.made)} by discreet {report.version}. "
        f"These answers cost ε = {report.epsilon}; all questions so far ε = "
        f"{Amount(report.total.spent)}.",
        "## Answers",
        *(_answer(place, one, report.dataset) for place, one in enumerate(report.answers, start=1)),
        *_others(report),
        "## In plain words",
        *(f"**{heading}.** {markdown_words(words)}" for heading, words in board(report)),
        "## Declared facts",
        markdown_words(
            f"{capital(size_words(report.dataset))}. {protection_words(report.dataset)}"
        ),
        markdown_table(*columns_table(report.dataset)),
        "## Verify this report",
        f"Ledger: {report.entries} entries, newest hash `{report.head}`. Anyone who has the "
        "ledger can run:",
        *(f"- `{line}` {what}" for line, what in commands(dataset_file, data_file)),
    ]
    return "\n\n".join(parts) + "\n"


def _others(report: ReleaseReport) -> list[str]:
    lines = "\n".join(f"- {markdown_words(one.sentence)}" for one in report.others)
    return [f"### {OTHERS}", lines] if lines else []


def _answer(place: int, one: ReportedAnswer, dataset: Dataset) -> str:
    answer = one.answer
    teller = Teller(answer, one.question, dataset)
    crossed = crossed_of(one, teller, dataset)
    table = results_table(answer, teller) if crossed is None else _crossed(crossed)
    return "\n\n".join(
        [
            f"### {place}. {markdown_words(one.words)}",
            f"```sql\n{blanked(answer.asked)}\n```",
            markdown_table(*table),
            f"ε = {answer.epsilon}, receipt `{blanked(answer.receipt)}`, {moment(one.at)}",
            "\n".join(f"- {markdown_words(line)}" for line in remarks(answer)),
        ]
    )


def _crossed(table: CrossedTable) -> tuple[Cells, list[Cells]]:
    """A cell holds a value and, in brackets, what is known of the true one."""
    rows = [
        (side.name, *(f"{one.text} ({one.below})" if one.below else one.text for one in cells))
        for side, cells in table.rows
    ]
    return (table.corner, *(one.name for one in table.columns)), rows
