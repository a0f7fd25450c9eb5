"""`discreet sorted FILE|--counts …`: the largest counts of a table, privately (002 §6)."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    name="sorted",
    epilog=options.examples(
        "discreet sorted --counts 40,30,7 --top 3 --epsilon 1",
        "discreet sorted names.csv --top 10 --epsilon 0.5 --neighbours add-or-remove",
        "discreet sorted names.csv --top 10 --epsilon 0.5 --dry-run",
        "discreet sorted --counts 9,4,3,1,1 --top 5 --values 5 --epsilon 1 --method partitions",
    ),
)
def release_sorted(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A file of counts: a JSON list, or lines that end in a count (a CSV file).",
        ),
    ] = None,
    *,
    counts: Annotated[
        str | None, typer.Option(metavar="40,30,7", help="The counts themselves, in any order.")
    ] = None,
    top: Annotated[
        str | None, typer.Option(metavar="R", help="How many of the largest counts to release.")
    ] = None,
    epsilon: options.Epsilon = None,
    neighbours: Annotated[
        str,
        typer.Option(
            metavar="change|add-or-remove",
            help="change: one record may change its value, and the sum is public. add-or-remove: "
            "one record may be added or removed, and the sum is private.",
        ),
    ] = "change",
    values: Annotated[
        str | None,
        typer.Option(metavar="T", help="How many values there are, if that is public."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="auto|laplace|partitions",
            help="Noise on each count, a draw among all sorted lists of the total, or whichever "
            "does better on random tables.",
        ),
    ] = "auto",
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Release the largest counts of a table privately, sorted, and with the right total.

    The values themselves are not released. The expected error is shown first, from public facts.
    Each run spends ε again; no ledger keeps track of it.
    """
    from discreet.cli.parsing.counts import read_counts
    from discreet.cli.rendering import largest_counts as rendering
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.requests import read_epsilon
    from discreet.sorting import LAPLACE

    request = read_counts(
        file,
        counts,
        top=top,
        neighbours=neighbours,
        values=values,
        method=method,
        epsilon=read_epsilon(epsilon),
    )
    trials = request.trials()
    chosen = trials[0].method if request.method == "auto" and trials else request.method
    chosen = LAPLACE if chosen == "auto" else chosen
    facts = rendering.document(request, chosen, trials)
    screen = console()
    if not json:
        say(screen, rendering.expected(facts))
    released = None if dry_run else request.released(chosen)
    if json:
        say_json(facts | {"released": released})
    elif released is not None:
        say(screen, "", rendering.released_table(released))
