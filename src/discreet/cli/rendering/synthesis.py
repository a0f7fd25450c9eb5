"""A synthetic table for people: what is measured and how well, then where the rows are."""

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.rendering.terminal import Beside, Column, Row, heading
from discreet.curator.synthetic_table import WARNING, SyntheticTable
from discreet.planning.synthesis import SyntheticPlan
from discreet.text import Amount, brief, capital, percent, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_NOISE = (
    "the noise moves more rows than there are: put numbers into wider bins, name fewer columns, "
    "or spend more"
)


def plan_lines(made: SyntheticPlan) -> "list[RenderableType]":
    """The plan: a line for each marginal, the cost below."""
    from rich.text import Text

    columns = (
        Column("marginal"),
        Column("counts", right=True),
        Column("misplaced rows", right=True),
        Column(f"{percent(made.confidence)} % within", right=True),
    )
    rows = tuple(
        Row((" × ".join(one.columns), str(one.counts), brief(one.expected), str(one.within)))
        for one in made.marginals
    )
    blocks: list[RenderableType] = [
        heading(f"synthetic table of {', '.join(made.columns)}"),
        Beside(columns, rows, 1),
        Text(f" measured: {made.title}; figures are those of the measurement, for every table"),
    ]
    if made.mostly_noise:
        blocks.append(Text(f"! {_NOISE}", style="yellow"))
    return [*blocks, f"costs ε = {Amount(made.cost.total)}, once"]


def table_lines(table: SyntheticTable, place: Path, report: Path) -> "list[RenderableType]":
    """Where the rows are, how far off their counts may be, and what they cost."""
    from rich.text import Text

    cost = "free of charge: this table was stored" if table.free else f"ε = {table.epsilon} spent"
    sure = f"at {percent(table.confidence)} % confidence for each count"
    return [
        Text(f"{plural(table.size, 'synthetic row')} in {place}", style="bold"),
        *(Text(f" {line}, {sure}") for line in table.sentences),
        Text(f" {capital(WARNING)}.", style="yellow"),
        Text(f" report: {report}", style="dim"),
        Text(f" {cost}, {table.left} left; receipt {table.receipt}", style="dim"),
    ]
