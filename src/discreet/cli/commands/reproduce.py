"""`discreet reproduce [NAME…]`: the papers' tables, figures and claims beside ours."""

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
    from discreet.cli.rendering.reproduction import list_and_say, reproduce_and_say
    from discreet.errors import InvalidInput

    if listed:
        list_and_say(names or [], as_json=json)
        return
    if not names:
        raise InvalidInput(
            "a NAME is required: all, or a name that discreet reproduce --list shows"
        )
    reproduce_and_say(names, out, fresh=fresh, as_json=json)
