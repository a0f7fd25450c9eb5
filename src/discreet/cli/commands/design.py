"""`discreet design STATISTIC …`: the best mechanism for a question, with its proof."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet design mean --n 10 --range 0 4 --epsilon 0.5",
        "discreet design max --range 0 9 --epsilon 1 --require all",
        "discreet design count --n 10 --epsilon 0.5 --save count.json",
        "discreet design median --range 1 5 --epsilon 1 --loss squared --plot median.svg",
        "discreet design count --n 20 --epsilon 1 --worst-case",
        "discreet design mean --n 10 --range 0 4 --epsilon 1 --situations all",
        "discreet design custom --range 0 12 --neighbours 3 --epsilon 1 --outputs scaled:2",
        "discreet design median --n 10 --range 1 5 --epsilon 1 --by database",
        "discreet design median,max --n 5 --range 1 4 --epsilon 1 --by database",
    )
)
def design(
    statistic: Annotated[
        str,
        typer.Argument(
            metavar="STATISTIC",
            help="count, sum, mean, min, max, median, quantile, or custom (any space); by database "
            "also mode, range and count-above, and several at once (median,max).",
        ),
    ],
    *,
    by: Annotated[
        str,
        typer.Option(
            metavar="answer|database",
            help="What the mechanism may use: the true answer alone, or the whole (small) table.",
        ),
    ] = "answer",
    n: options.Records = None,
    between: options.Range = None,
    step: options.Step = None,
    share: options.Share = None,
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
    neighbours: options.DesignNeighbours = None,
    outputs: options.Outputs = "same",
    epsilon: options.Epsilon = None,
    delta: options.Delta = "0",
    loss: options.DesignLoss = "absolute",
    prior: options.DesignPrior = "uniform",
    worst_case: options.DesignWorstCase = False,
    situations: options.Situations = None,
    minimax: options.Minimax = None,
    require: options.DesignRequire = "none",
    patience: options.Patience = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse a design from the cache on disk.")
    ] = True,
    save: options.Save = None,
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Find the most accurate private mechanism for a question, with a proof.

    The result is certified in exact integers, and comes with a proven lower bound on the loss of
    every private mechanism.
    """
    from discreet.cli.parsing.files import request_of, seconds_of
    from discreet.cli.rendering import database_design
    from discreet.cli.rendering.description import facts_table, shown_design, written
    from discreet.cli.rendering.matrix import matrix
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.designer.request import patience as within
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
        situations=situations,
        minimax=minimax,
        require=require,
    )
    if plot is not None:
        suffix_of(plot)
    with (
        within(seconds_of(patience), gently=True),
        progress_line(f"designing {request.title}") as report,
    ):
        if isinstance(request, DatabaseRequest):
            shown = database_design.shown(request, request.design(progress=report))
        else:
            made = request.design(cache="default" if cache else None, progress=report)
            shown = shown_design(request, made)
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
