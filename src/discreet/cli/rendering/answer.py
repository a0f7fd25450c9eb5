"""An answer for people: the values with their intervals, the cost, and the budget as a bar."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.budget import Balance
from discreet.cli.rendering.question_list import LONGEST_NAME
from discreet.cli.rendering.terminal import Beside, Column, Row
from discreet.curator import Answer, Curator, Result
from discreet.curator.answer import NO_GROUP, cost_text
from discreet.curator.crossed import crossed_table
from discreet.questions import Question
from discreet.questions.words import asked_again, group_heads
from discreet.reports.telling import Teller
from discreet.tables import Dataset
from discreet.text import Amount, blanked, percent

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

_DIGITS = 12
_WIDTH = 30
_WIDE, _NARROW = 80, 9
"""So wide is a screen for crossed tables at least, and a column of them."""


def lines(answer: Answer, curator: Curator, width: int) -> "list[RenderableType]":
    """The answer below its question."""
    from rich.text import Text

    cost = cost_text(answer, "free of charge: this answer was stored")
    table, *mechanisms = _results(answer, curator.dataset, width)
    nothing = [] if answer.results else [NO_GROUP]
    remarks = [*nothing, *mechanisms, *_remarks(answer), f"{cost}; receipt {answer.receipt}"]
    return [
        Text(answer.asked, style="bold"),
        table,
        *(Text(f" {remark}", style="dim") for remark in remarks),
        account_lines(_accounts(curator)),
    ]


def _accounts(curator: Curator) -> list[tuple[str, Balance]]:
    """The total, and the analyst's own account where it has a limit."""
    own = curator.ledger.balance(curator.analyst)
    mine = [(curator.analyst, own)] if own.allowed is not None else []
    return [("total", curator.ledger.balance()), *mine]


def _remarks(answer: Answer) -> list[str]:
    """What holds whatever the rows are, and what proves it private."""
    sure = f"{percent(answer.confidence)} %"
    remarks = [f"{sure}: {line}" for line in answer.surely]
    remarks += answer.rests_on
    digests = dict.fromkeys(one.certificate for one in answer.results if one.certificate)
    if digests:
        short = ", ".join(digest[:_DIGITS] for digest in digests)
        remarks.append(f"certificate{'s' if len(digests) > 1 else ''} {short}")
    return remarks


def _results(answer: Answer, dataset: Dataset, width: int) -> "tuple[Beside, *tuple[str, ...]]":
    """The table; where it would be too wide, the mechanisms are told in lines below it."""
    teller = crossed = None
    if answer.grouped_by:
        question = asked_again(answer.asked, dataset)
        teller = Teller(answer, question, dataset)
        crossed = _crossed(answer, question, teller, dataset)
    if crossed is not None and width >= _WIDE and crossed.fits(width):
        sure = f"{percent(answer.confidence)} % confidence"
        below = (f"below each answer: what is known of the true one, {sure}", *_mechanisms(answer))
        return (crossed, *below)
    whole = _table(answer, teller, mechanism=True)
    if whole.fits(width, wrapped=len(whole.rows) == 1):
        return (whole,)
    return (_table(answer, teller, mechanism=False), *_mechanisms(answer))


def _mechanisms(answer: Answer) -> tuple[str, ...]:
    names = dict.fromkeys((result.label, result.mechanism) for result in answer.results)
    several = len({mechanism for _, mechanism in names}) > 1
    sentences = (f"{label if several else 'mechanism'}: {mechanism}" for label, mechanism in names)
    return tuple(dict.fromkeys(sentences))


def _crossed(
    answer: Answer, question: Question | None, teller: Teller, dataset: Dataset
) -> Beside | None:
    """Two sides with totals at the ends; what is known of a true answer stands below it."""
    heads = group_heads(question, answer.grouped_by, dataset)
    totals = question is not None and bool(question.totals)
    table = crossed_table(answer, heads, teller, totals=totals)
    if table is None:
        return None
    columns = (Column(one.name, right=True, wraps=True, least=_NARROW) for one in table.columns)
    rows = []
    for side, cells in table.rows:
        rows.append(Row((side.name, *(one.text for one in cells)), style="bold"))
        if any(one.below for one in cells):
            rows.append(Row(("", *(one.below for one in cells)), style="dim"))
    corner = Column(table.corner, wraps=True, least=_NARROW)
    return Beside((corner, *columns), tuple(rows), 1)


def _table(answer: Answer, teller: Teller | None, *, mechanism: bool) -> Beside:
    names = [*map(blanked, answer.grouped_by), "statistic"]
    columns = [
        *(Column(name) for name in names),
        Column("answer", right=True, style="bold green"),
        Column(f"{percent(answer.confidence)} % confidence", right=True),
        *([Column("rows", right=True)] if _tells_rows(answer) else []),
        *([Column("mechanism", style="dim", wraps=True)] if mechanism else []),
    ]
    cells_of_each = (_cells(one, teller, rows=_tells_rows(answer)) for one in answer.results)
    rows = tuple(Row(tuple(cells[: len(columns)])) for cells in cells_of_each)
    return Beside(tuple(columns), rows, len(names))


def _tells_rows(answer: Answer) -> bool:
    """Whether the number of rows was drawn for some result."""
    return any(result.rows_about is not None for result in answer.results)


def _cells(result: Result, teller: Teller | None, *, rows: bool) -> list[str]:
    """A result in words; what its bound rests on stands in the same cell."""
    many = [result.rows_text] * rows
    cells = [result.label, result.text, result.bound, *many, result.mechanism]
    return [*(result.group_cells if teller is None else teller.cells(result)), *cells]


def bar(spent: int, allowed: int, width: int = _WIDTH) -> "Text":
    """A budget as a bar: what is spent, what is left."""
    from rich.text import Text

    full = round(width * spent / allowed) if allowed else width
    style = "red" if spent > 0.9 * allowed else "yellow" if spent > 0.6 * allowed else "green"
    return Text.assemble(("█" * full, style), ("░" * (width - full), "dim"))


def account_line(name: str, balance: Balance) -> "Table":
    """One account: its bar, and the numbers."""
    return account_lines([(name, balance)])


def account_lines(balances: Iterable[tuple[str, Balance]]) -> "Table":
    """Accounts below one another: bars, and numbers."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(min_width=12, max_width=LONGEST_NAME + 2, overflow="fold")
    table.add_column(overflow="fold")
    for name, balance in balances:
        table.add_row(Padding(Text(name), (0, 0, 0, 2)), _Account(balance))
    return table


@dataclass(frozen=True)
class _Account:
    balance: Balance

    def __rich_console__(self, _screen: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.text import Text

        allowed, spent = self.balance.allowed, self.balance.spent
        if allowed is None:
            yield Text(f"{Amount(spent)} spent, no limit but the total")
            return
        left = Amount(allowed - spent)
        numbers = f" {Amount(spent)} of {Amount(allowed)} spent, {left} left"
        drawn = bar(self.balance.spent, allowed, min(_WIDTH, options.max_width))
        yield Text.assemble(drawn, numbers)
