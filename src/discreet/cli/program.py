"""The command `discreet`: every command lives in a file of its own and is gathered here."""

from typing import Annotated

import typer

from discreet.cli.group import Application, Commands
from discreet.cli.parsing.options import examples

app = Application(
    name="discreet",
    cls=Commands,
    help="The most accurate answer that differential privacy allows, proved in exact integers.",
    epilog=examples(
        "discreet demo",
        "discreet init survey.csv",
        "discreet check survey.toml",
        "discreet plan survey.toml 'SELECT MEDIAN(mood)' --epsilon 0.5",
        "discreet ask survey.toml 'SELECT MEDIAN(mood)' --epsilon 0.5",
        "discreet mechanism geometric --range 0 10 --neighbours 1 --epsilon 0.5 --save count.json",
        "discreet certify count.json --epsilon 0.5",
        "discreet compare laplace geometric explicit-fair --range 1 5 --epsilon 1",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        from discreet import __version__

        typer.echo(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """The most accurate answer that differential privacy allows, proved in exact integers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line."""
    app()
