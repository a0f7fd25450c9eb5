"""`discreet design STATISTIC …`: the best mechanism for a question, with its proof."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

GOAL_PANEL = "What best means"


@app.command(
    epilog=options.examples(
        "discreet design mean --n 10 --range 0 4 --epsilon 0.5",
        "discreet design max --range 0 9 --epsilon 1 --require all",
        "discreet design count --n 5 --epsilon 0.5 --save count.json",
        "discreet design median --range 1 5 --epsilon 1 --loss squared --plot median.svg",
        "discreet design count --n 20 --epsilon 1 --worst-case",
        "discreet design custom --range 0 12 --neighbours 3 --epsilon 1 --outputs scaled:2",
        "discreet design median --n 10 --range 1 5 --epsilon 1 --by database",
    )
)
def design(
    statistic: Annotated[
        str,
        typer.Argument(
            metavar="STATISTIC",
            help="count, sum, mean, min, max, median, quantile, or custom (any space); by database "
            "also mode, range and count-above.",
        ),
    ],
    *,
    by: Annotated[
        str,
        typer.Option(
            metavar="answer|database",
            help="Let the mechanism see the true answer alone, or the whole (small) table.",
        ),
    ] = "answer",
    n: Annotated[
        str | None,
        typer.Option(
            "--n",
            metavar="N",
            help="How many records there are: for count, sum and mean, and by database.",
            rich_help_panel=options.SPACE_PANEL,
        ),
    ] = None,
    between: options.Range = None,
    step: options.Step = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="Which quantile: 0.9 is the value nine in ten do not exceed.",
            rich_help_panel=options.SPACE_PANEL,
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="For count-above: what a record's value must exceed.",
            rich_help_panel=options.SPACE_PANEL,
        ),
    ] = None,
    numbers: options.Numbers = None,
    labels: options.Labels = None,
    neighbours: Annotated[
        str | None,
        typer.Option(
            metavar="all|STEPS|change|add-or-remove",
            help="For custom: how far one record can move the true answer. By database: whether "
            "one record may change (unless said), or come and go.",
            rich_help_panel=options.SPACE_PANEL,
        ),
    ] = None,
    outputs: options.Outputs = "same",
    epsilon: options.Epsilon = None,
    delta: Annotated[
        str, typer.Option(metavar="D", help="Allow (ε, δ) privacy; small sizes only.")
    ] = "0",
    loss: Annotated[
        str,
        typer.Option(
            metavar="absolute|squared|zero-one|FILE",
            help="What an error costs; a file holds a table, a row for each output.",
            rich_help_panel=GOAL_PANEL,
        ),
    ] = "absolute",
    prior: Annotated[
        str,
        typer.Option(
            metavar="uniform|FILE|0.2,0.8",
            help="How likely each true answer is held to be: it weighs losses, never privacy. By "
            "database: answers (unless said), databases, histograms, or a number for each.",
            rich_help_panel=GOAL_PANEL,
        ),
    ] = "uniform",
    worst_case: Annotated[
        bool,
        typer.Option(
            "--worst-case",
            help="Make the worst true answer's loss small, whatever the prior.",
            rich_help_panel=GOAL_PANEL,
        ),
    ] = False,
    require: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="column-monotone, row-monotone, symmetric, fair, every-output, or all (003's "
            "Variant 2); separated by commas.",
            rich_help_panel=GOAL_PANEL,
        ),
    ] = "none",
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Look for the design on disk first.")
    ] = True,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Save the mechanism as JSON.")
    ] = None,
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Find the most accurate private mechanism for a question, and prove it.

    The result is certified in exact integers, and comes with a bound that no private mechanism
    can beat.
    """
    from discreet.cli.parsing.design import request_of
    from discreet.cli.rendering import database_design
    from discreet.cli.rendering import design as by_answer
    from discreet.cli.rendering.description import facts_table
    from discreet.cli.rendering.matrix import matrix
    from discreet.cli.rendering.progress import progress_line
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.cli.rendering.written import written
    from discreet.plots import suffix_of
    from discreet.requests import DatabaseRequest

    request = request_of(
        by,
        statistic=statistic,
        n=n,
        between=between,
        step=step,
        share=share,
        threshold=threshold,
        numbers=numbers,
        labels=labels,
        neighbours=neighbours,
        outputs=outputs,
        epsilon=epsilon,
        delta=delta,
        loss=loss,
        prior=prior,
        worst_case=worst_case,
        require=require,
    )
    if plot is not None:
        suffix_of(plot)
    with progress_line(f"designing {request.title}") as report:
        if isinstance(request, DatabaseRequest):
            shown = database_design.shown(request, request.design(progress=report))
        else:
            found = request.design(cache="default" if cache else None, progress=report)
            shown = by_answer.shown(request, found)
    certified = shown.certified
    title = f"best {request.title}, {certified.guarantee}"
    files = written(certified.mechanism, save=save, plot=plot, title=title)
    if json:
        say_json(shown.document | files.facts())
        return
    screen = console()
    say(screen, facts_table(shown.rows + files.rows()))
    if shown.prints_matrix:
        say(screen, "", *matrix(certified.mechanism, screen))
