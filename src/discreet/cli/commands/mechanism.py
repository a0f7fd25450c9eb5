"""`discreet mechanism NAME …`: build a classic family, certify it; show, save or draw."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet mechanism laplace --range 1 5 --epsilon 1",
        "discreet mechanism geometric --range 0 10 --neighbours 1 --epsilon 0.5 --save count.json",
        "discreet mechanism randomized-response --labels no,yes --epsilon 'log 3' --draw yes",
        "discreet mechanism randomized-response --labels no,yes --epsilon 1 --save coins.json",
        "discreet mechanism staircase --range 0 40 --epsilon 1 --outputs scaled:5 --plot m.svg",
        "discreet mechanism list",
    )
)
def mechanism(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A family, such as laplace; list lists them.")
    ],
    *,
    between: options.Range = None,
    step: options.Step = None,
    numbers: options.Numbers = None,
    labels: options.Labels = None,
    neighbours: options.Neighbours = "all",
    outputs: options.Outputs = "same",
    epsilon: options.Epsilon = None,
    settings: options.Settings = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show", help="Print the matrix (the default without --save, --draw and --plot)."
        ),
    ] = False,
    save: options.Save = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="ANSWER", help="Draw outputs for this true answer, one per line."),
    ] = None,
    times: options.Times = "1",
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Build a mechanism from a family, prove it private, and show, save or draw from it."""
    if name.strip().lower() == "list":
        from discreet.cli.commands.mechanisms import mechanisms

        mechanisms(json=json)
        return
    from discreet.cli.parsing.draws import drawn, times_of
    from discreet.cli.parsing.families import built, family_of, setting_of, space_of
    from discreet.cli.rendering.description import written
    from discreet.cli.rendering.mechanism import ShownMechanism
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.plots import suffix_of
    from discreet.requests import read_epsilon

    family = family_of(name)
    privacy = read_epsilon(epsilon)
    space = space_of(neighbours, between, step=step, numbers=numbers, labels=labels)
    setting = setting_of(space, outputs, privacy, settings)
    count = times_of(times)
    if plot is not None:
        suffix_of(plot)
    certified = built(family, setting)
    draws = None if draw is None else drawn(certified, draw, count)
    title = f"{family.name}, {certified.guarantee}"
    shown = ShownMechanism(
        family=family,
        certified=certified,
        draws=draws,
        files=written(certified.mechanism, save=save, plot=plot, title=title),
        prints_matrix=show or (save is None and draw is None and plot is None),
    )
    if json:
        say_json(shown.document())
        return
    screen = console()
    if shown.prints_matrix:
        say(screen, *shown.lines(screen))
    if draws is not None:
        print(draws.lines())
    for line in shown.file_lines():
        screen.print(line, soft_wrap=True)
