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
        bool, typer.Option("--show", help="Print the matrix: so it is unless you save or draw.")
    ] = False,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Save the mechanism as JSON.")
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="ANSWER", help="Draw outputs for this true answer, one a line."),
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
    from discreet.cli.parsing import spaces as reading
    from discreet.cli.parsing.families import Setting, family_of
    from discreet.cli.rendering.mechanism import Wanted, build_and_say

    family = family_of(name)
    privacy = reading.epsilon_of(epsilon)
    answers = reading.answers_of(between, step, numbers, labels)
    setting = Setting(
        answers,
        reading.outputs_of(outputs, answers),
        reading.neighbours_of(neighbours, answers),
        privacy,
        reading.settings_of(settings),
    )
    matrix = show or (save is None and draw is None and plot is None)
    wanted = Wanted(matrix, save, draw, reading.times_of(times), plot)
    build_and_say(family, setting, wanted, as_json=json)
