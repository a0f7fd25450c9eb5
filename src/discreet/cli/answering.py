"""An answer for people: the values with their intervals, the cost, and the budget as a bar."""

from typing import TYPE_CHECKING

from discreet.budget import Balance
from discreet.cli.booking import account_line
from discreet.curator import Answer, Result
from discreet.curator.answer import number_text
from discreet.planning import rows_off_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def lines(answer: Answer, total: Balance) -> "list[RenderableType]":
    """The answer below its question."""
    from rich.text import Text

    cost = "free: this answer was stored" if answer.free else f"ε = {answer.epsilon} spent"
    return [
        Text(answer.asked, style="bold"),
        _results(answer),
        *(Text(f" {remark}", style="dim") for remark in _remarks(answer)),
        Text(f" {cost}; receipt {answer.receipt}", style="dim"),
        account_line("total", total),
    ]


def _remarks(answer: Answer) -> list[str]:
    """What an interval rests on, and what holds whatever the rows are."""
    supposed = any(result.supposed and result.interval for result in answer.results)
    told = ["* if rows are spread as the prior supposes"] if supposed else []
    if answer.rows_off is not None:
        sure = f"{float(100 * answer.confidence):g} %"
        told.append(f"{sure}: {rows_off_text(answer.rows_off)}")
    return told


def _results(answer: Answer) -> "Table":
    from rich.table import Table

    grouped = any(result.group is not None for result in answer.results)
    table = Table(box=None, padding=(0, 2, 0, 1), header_style="dim")
    for name in (["group"] if grouped else []) + ["statistic"]:
        table.add_column(name)
    table.add_column("answer", justify="right", style="bold green")
    table.add_column(f"{float(100 * answer.confidence):g} % interval", justify="right")
    table.add_column("expected error", justify="right")
    table.add_column("mechanism", style="dim")
    for result in answer.results:
        table.add_row(*_cells(result, grouped))
    return table


def _cells(result: Result, grouped: bool) -> "list[RenderableType]":
    from rich.text import Text

    interval = "–"
    if result.interval is not None:
        interval = " … ".join(number_text(end) for end in result.interval)
        interval += " *" if result.supposed else ""
    cells = [
        result.label, result.text, interval, f"{result.expected_error:.4g}", result.mechanism,
    ]  # fmt: skip
    return [Text(cell) for cell in ([result.group or ""] if grouped else []) + cells]
