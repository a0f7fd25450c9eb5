"""The options that several commands share, each said once."""

from typing import Annotated

import typer

SPACE_PANEL = "The space of answers"

Range = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--range",
        metavar="LOW HIGH",
        help="The answers are LOW, LOW + step, …, HIGH.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Step = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="The distance between answers of a range; 1 unless said.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Numbers = Annotated[
    str | None,
    typer.Option(
        metavar="0,1,2.5",
        help="The answers are these numbers, in increasing order.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The answers are these names.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Neighbours = Annotated[
    str,
    typer.Option(
        metavar="all|STEPS",
        help="How far one record can move the true answer: to any other (all, the safe choice), "
        "or by so many steps (1 for a count).",
        rich_help_panel=SPACE_PANEL,
    ),
]
Outputs = Annotated[
    str,
    typer.Option(
        metavar="same|scaled:K|extended:PERCENT",
        help="What may be answered: the answers themselves, categories K steps wide, or a range "
        "of PERCENT of the answers' width.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Epsilon = Annotated[
    str | None,
    typer.Option(
        metavar="E",
        help="The privacy parameter ε, always said: 0.5, 1/3 or 'log 3'.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the family; `discreet mechanisms` lists them. Repeat for several.",
    ),
]
Prior = Annotated[
    str,
    typer.Option(
        metavar="uniform|FILE|0.2,0.8",
        help="How likely each true answer is held to be: it weighs losses, never privacy.",
    ),
]
Times = Annotated[
    str,
    typer.Option(metavar="N", help="How many independent draws."),
]
Plot = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Save a picture as .png, .svg or .pdf."),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document instead."),
]
File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A mechanism file, as --save writes it."),
]


def examples(*lines: str) -> str:
    """The end of a help page: lines to copy, each on its own."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"$ {line}" for line in lines)])
