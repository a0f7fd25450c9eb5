"""`discreet curve STATISTIC …`: error against ε or against size, for several mechanisms."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet curve mean --n 10 --range 0 4 --epsilons 0.1,0.2,0.5,1,2",
        "discreet curve max best variant-2 laplace --range 0 9 --epsilons 0.1,1,2 --plot max.svg",
        "discreet curve mean --sizes 5,10,20 --range 0 4 --epsilon 0.5 --measure bayes-absolute",
    )
)
def curve(
    statistic: Annotated[
        str,
        typer.Argument(metavar="STATISTIC", help="count, sum, mean, min, max, median or quantile."),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]",
            help="best (003's Variant 1), variant-2, worst-case, or families of "
            "`discreet mechanisms` (default: best, variant-2, laplace, staircase, uniform).",
        ),
    ] = None,
    *,
    n: options.Records = None,
    between: options.Range = None,
    step: options.Step = None,
    share: options.Share = None,
    epsilon: options.Epsilon = None,
    epsilons: Annotated[
        str | None,
        typer.Option(metavar="E,E,…", help="Plot against ε, at these values."),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="N,N,…", help="Plot against the number of records, at --epsilon."),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="absolute, squared, bayes-absolute, bayes-squared (003 (23)–(26)), or worst: "
            "the worst answer's absolute error.",
        ),
    ] = "absolute",
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Plot how the error falls with ε or with the number of records, for several mechanisms."""
    from discreet.cli.parsing.curves import makers_of, measure_of, points_of
    from discreet.cli.rendering import curves as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.designer import Progress
    from discreet.plots import suffix_of

    points = points_of(
        statistic,
        n=n,
        between=between,
        step=step,
        share=share,
        epsilon=epsilon,
        epsilons=epsilons,
        sizes=sizes,
    )
    measured = measure_of(measure)
    if plot is not None:
        suffix_of(plot)
    makers = makers_of(names or [])
    curves: dict[str, list[float]] = {name: [] for name in makers}
    with progress_line(f"drawing {points.statistic}") as report:
        for point in points.places:
            for name, make in makers.items():
                report(Progress(name, f"{points.axis} = {point.at:g}"))
                curves[name].append(measured(make(point)))
    saved = None if plot is None else rendering.picture(points, curves, measure, plot)
    if json:
        say_json(rendering.document(points, curves, measure) | {"plot": saved})
        return
    say(console(), *rendering.lines(points, curves, measure))
    if saved is not None:
        console().print(f"✓ picture {saved}", soft_wrap=True)
