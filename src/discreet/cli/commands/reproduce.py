"""`discreet reproduce [NAME…]`: the papers' tables, figures and claims beside ours."""

import sys
from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet reproduce --list",
        "discreet reproduce 003/table-3",
        "discreet reproduce 003 --out croft",
        "discreet reproduce all",
    )
)
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[all|NAME...]",
            help="all, a table, figure or example such as 003/table-2, or a prefix such as 003.",
        ),
    ] = None,
    *,
    listed: Annotated[
        bool, typer.Option("--list", help="List what can be reproduced; compute nothing.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(metavar="DIR", help="Where the report, the figures and the numbers go."),
    ] = "reproduced",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute again what was computed before.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Compute the tables and figures of the papers again, and test what the papers claim.

    Writes one page of HTML with everything, every figure as SVG and every number as CSV. What was
    computed is kept: a run that is stopped goes on where it was, and a second run is instant.
    """
    from discreet.cli.failures import BUG
    from discreet.cli.rendering import reproduction as rendering
    from discreet.cli.rendering.paper_files import made_folder, written
    from discreet.cli.rendering.paper_pictures import drawn
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.errors import InvalidInput
    from discreet.papers import Shelf, chosen, run_items
    from discreet.text import one_line

    if listed:
        items = chosen(names or [])
        if json:
            say_json(rendering.listing(items))
        else:
            say(console(), rendering.list_table(items))
        return
    if not names:
        raise InvalidInput(
            "a NAME is required: all, or a name that discreet reproduce --list shows"
        )
    items, folder, shelf = chosen(names), made_folder(out), Shelf.default()
    rans = []
    with rendering.watched(items) as watch:
        for ran in run_items(items, shelf=shelf, fresh=fresh, watch=watch):
            watch(ran.item, 1.0, "")
            rans.append(ran)
    pictures = drawn(rans, shelf)
    files = written(folder, rans, pictures)
    if json:
        say_json(rendering.document(rans, files))
    else:
        say(console(), *rendering.lines(rans, files, pictures))
    failed = [ran for ran in rans if ran.outcome is None]
    if failed:
        problems = "; ".join(f"{ran.item.id}: {ran.problem}" for ran in failed)
        print(f"error: not computed: {one_line(problems)}", file=sys.stderr)
        raise typer.Exit(BUG)
