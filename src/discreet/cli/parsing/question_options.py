"""The words that `discreet plan` and `discreet ask` share, and what they come to."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from discreet.requests import Order
    from discreet.tables import Dataset

PANEL = "What a good answer is"

File = Annotated[str, typer.Argument(metavar="FILE", help="A dataset file, such as survey.toml.")]
Sql = Annotated[
    str, typer.Argument(metavar="QUESTION", help="One SELECT, such as 'SELECT MEDIAN(mood)'.")
]
Within = Annotated[
    str | None,
    typer.Option(metavar="T", help="Instead of ε: how far off the answer may be."),
]
Confidence = Annotated[
    str, typer.Option(metavar="P", help="How sure intervals and --within are, such as 95%.")
]
Loss = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="absolute, squared or zero-one.", rich_help_panel=PANEL),
]
Prior = Annotated[
    str,
    typer.Option(
        metavar="uniform|databases|FILE|0.2,0.8",
        help="How likely each answer (or, with databases, each table) is held to be.",
        rich_help_panel=PANEL,
    ),
]
WorstCase = Annotated[
    bool,
    typer.Option("--worst-case", help="Judge by the worst true answer.", rich_help_panel=PANEL),
]
Require = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="fair, symmetric, column-monotone, …, or all.", rich_help_panel=PANEL
    ),
]
Unbiased = Annotated[
    bool,
    typer.Option(
        "--unbiased", help="Right on average; answers may leave the range.", rich_help_panel=PANEL
    ),
]
Remap = Annotated[
    str | None,
    typer.Option(
        metavar="PRIOR", help="Reply as a reader with this prior would.", rich_help_panel=PANEL
    ),
]
Consistent = Annotated[
    bool,
    typer.Option(
        "--consistent", help="Counts by group add up to a public size.", rich_help_panel=PANEL
    ),
]


def order_of(dataset: "Dataset", sql: str, **words: Any) -> "Order":
    """The order that a command line describes; a prior may stand in a file."""
    from discreet.cli.parsing.files import prior_of
    from discreet.requests import read_order

    for name in ("prior", "remap"):
        if words[name] is not None:
            words[name] = prior_of(words[name], "databases")
    return read_order(sql, dataset, **words)
