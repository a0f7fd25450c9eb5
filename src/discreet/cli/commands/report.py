"""`discreet report`: the answers of a dataset as a page, a document and a data file."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet report survey.toml",
        "discreet report survey.toml --receipt q-039850d9ab2e --out table-1",
        "discreet report survey.toml --verify survey-report.json",
    )
)
def report(
    file: options.DatasetFile,
    *,
    receipt: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="An answer to report; may be repeated (default: all)."),
    ] = None,
    analyst: Annotated[
        str | None, typer.Option(metavar="NAME", help="Report this analyst's answers alone.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What the files are called (default: survey-report)."),
    ] = None,
    verify: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Compare a report's data file with the ledger instead."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Hand in what was answered: a page that prints well, Markdown, and the numbers.

    Everything in a report was released before or is declared; no row is read and nothing is spent.
    """
    from discreet.cli.failures import DISAGREES
    from discreet.cli.rendering import report as rendering
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.reports import differences
    from discreet.reports.check import receipts_of

    if verify is None:
        made = rendering.report_made(file, receipt or [], analyst)
        paths = rendering.written(made, file, out)
        if json:
            say_json({"files": [str(path) for path in paths], "report": made.to_dict()})
            return
        say(console(), *rendering.lines(made, paths))
        return
    data = rendering.data_in(verify)
    made = rendering.report_made(file, receipts_of(data), None)
    mismatches = differences(data, made)
    if json:
        say_json(
            {"agrees": not mismatches, "answers": len(made.answers), "differences": mismatches}
        )
    else:
        say(console(), *rendering.verdict(made, verify, mismatches))
    if mismatches:
        raise typer.Exit(DISAGREES)
