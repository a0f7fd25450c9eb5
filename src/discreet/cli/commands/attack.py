"""`discreet attack`: does a plan keep its promise? By exact law, over small tables."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet attack survey.toml --question 'SELECT MEDIAN(satisfaction)' --epsilon 0.5",
        "discreet attack survey.toml --question 'SELECT COUNT(*) GROUP BY clinic' --epsilon 1 "
        "--size 20 --rows 5",
    )
)
def attack(
    file: options.DatasetFile,
    *,
    question: Annotated[str, typer.Option(metavar="SELECT", help="The question to attack.")],
    epsilon: options.Epsilon = None,
    within: options.Within = None,
    rows: Annotated[
        int | None, typer.Option(metavar="N", help="How many rows vary (default: 4).", min=1)
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", help="Plan as if this many rows were declared.", min=1),
    ] = None,
    json: options.Json = False,
) -> None:
    """Try to break a plan: every small table, every neighbour, every outcome.

    The plan is made from the declared facts, and its own draw code is followed along everything
    that chance may say. No row of the table is read and nothing is spent.
    """
    from discreet.attack.attack import attack as attacked
    from discreet.cli.failures import UNUSABLE
    from discreet.cli.rendering import attack as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.requests import read_order
    from discreet.tables import read_dataset

    dataset = read_dataset(file)
    order = read_order(question, dataset, epsilon=epsilon, within=within)
    with progress_line("attacking"):
        result = attacked(order, dataset, rows=rows, size=size)
    if json:
        say_json(rendering.document(result, dataset))
    else:
        say(console(), *rendering.lines(result, dataset))
    if not result.holds:
        raise typer.Exit(UNUSABLE)
