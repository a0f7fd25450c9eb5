"""`discreet synthesize`: whole synthetic rows of declared columns, with a report."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.curator import Curator
    from discreet.planning.synthesis import SyntheticPlan


@app.command(
    epilog=options.examples(
        "discreet synthesize survey.toml --columns clinic,smokes --epsilon 1 --out synthetic.csv",
        "discreet synthesize survey.toml --columns 'clinic, BIN(age, 10)' --epsilon 1 --plan",
    )
)
def synthesize(
    file: options.DatasetFile,
    *,
    columns: Annotated[
        str,
        typer.Option(
            metavar="A,B,C",
            help="The columns of the table; numbers in bins as in 'clinic, BIN(age, 10)'.",
        ),
    ],
    epsilon: options.Epsilon = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the rows: a .csv or .parquet file with 'synthetic' in its name "
            "(default: NAME-synthetic.csv). The report is written beside it.",
        ),
    ] = None,
    marginal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns whose counts must be right together; may be given again (default: every "
            "column and every pair).",
        ),
    ] = None,
    confidence: options.Confidence = "95%",
    name: options.Id = None,
    analyst: options.Asker = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what is measured and how well; spend nothing.")
    ] = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Write a synthetic table: whole rows made from noisy counts, and how far off they may be."""
    from discreet.cli.rendering.synthesis import plan_lines, table_lines
    from discreet.cli.rendering.terminal import console, or_else, say, say_json
    from discreet.curator import Curator
    from discreet.curator.synthesis import Synthesis, planned, stored, synthesized
    from discreet.curator.synthetic_files import MARK, checked_place
    from discreet.requests import read_columns, read_epsilon

    with Curator(file, analyst) as curator:
        wanted = Synthesis.of(
            read_columns(columns, curator.dataset),
            epsilon=read_epsilon(epsilon),
            confidence=confidence,
            marginals=None if not marginal else [_names(one, curator) for one in marginal],
        )
        made = planned(curator, wanted)
        screen = console()
        if plan:
            if json:
                say_json({"dataset": curator.dataset.name, **made.to_dict()})
            else:
                say(screen, *plan_lines(made))
            return
        place = checked_place(out or f"{curator.path.stem}-{MARK}.csv")
        curator.check_ready()
        known = None if name is None else stored(curator, wanted, name, curator.analyst)
        if known is None:
            _check_new(place)
            _confirm(curator, made, yes=yes)
            known = synthesized(curator, wanted, plan=made, question_id=name)
        with or_else(
            f"the table is stored: run this again with --id {quote(known.receipt)} to write it, "
            "free of charge"
        ):
            report = known.save(place)
            if json:
                say_json({**known.to_dict(), "file": str(place), "report": str(report)})
            else:
                say(screen, *table_lines(known, place, report))


def _names(text: str, curator: "Curator") -> list[str]:
    from discreet.requests import read_columns

    return [one.column for one in read_columns(text, curator.dataset)]


def _check_new(place: Path) -> None:
    """Refuse to write over a file, before anything is spent."""
    from discreet.errors import FileError
    from discreet.exact import show

    if place.exists():
        raise FileError(f"{show(str(place))} exists already; name another file with --out")


def _confirm(curator: "Curator", made: "SyntheticPlan", *, yes: bool) -> None:
    """Show the plan on standard error and ask; where nobody can be asked, --yes is needed."""
    from discreet.cli.rendering.synthesis import plan_lines
    from discreet.cli.rendering.terminal import confirm, say, somebody_is_there
    from discreet.text import Amount

    if not yes and somebody_is_there():
        from rich.console import Console

        say(Console(stderr=True, highlight=False, markup=False), *plan_lines(made))
    cost, left = Amount(made.cost.total), Amount(curator.left())
    confirm(
        f"This spends ε = {cost} of the {left} left. Continue?",
        yes=yes,
        otherwise="nothing was spent",
    )
