"""`discreet compare NAME NAME …`: several mechanisms on one space."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet compare laplace staircase explicit-fair --range 1 5 --epsilon 1",
        "discreet compare all --range 0 10 --neighbours 1 --epsilon 0.5 --plot all.svg",
        "discreet compare count.json laplace --epsilon 0.5",
        "discreet compare geometric laplace --range 0 10 --neighbours 1 --epsilon 1 --simulates",
    )
)
def compare(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Families, mechanism files (.json), or all."),
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
    prior: options.Prior = "uniform",
    simulates: Annotated[
        bool,
        typer.Option(
            "--simulates",
            help="For two: whether what each tells can be made of what the other tells, in both "
            "directions, and which has its mass nearer to the truth (003 §3.1, Definition 7).",
        ),
    ] = False,
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Put mechanisms side by side: losses, properties, and a picture. All are certified first.

    Without a space, the first file's answers and neighbours are taken.
    """
    from discreet.cli.parsing.contest import contest, is_file, two_of
    from discreet.cli.parsing.families import setting_of, space_of
    from discreet.cli.parsing.files import prior_of
    from discreet.cli.rendering.comparison import SideBySide
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.measures import measure
    from discreet.model import load_mechanism
    from discreet.plots import suffix_of
    from discreet.requests import read_epsilon, read_prior

    privacy = read_epsilon(epsilon)
    if (between, numbers, labels) == (None, None, None) and is_file(names[0]):
        first = load_mechanism(names[0])
        space = first.answers, first.neighbours
    else:
        space = space_of(neighbours, between, step=step, numbers=numbers, labels=labels)
    setting = setting_of(space, outputs, privacy, settings)
    if simulates:
        from discreet.cli.rendering import sufficiency

        directions = two_of(contest(names, setting))
        if json:
            say_json(sufficiency.document(directions))
            return
        say(console(), *sufficiency.lines(directions, setting))
        return
    known = read_prior(prior_of(prior))
    if plot is not None:
        suffix_of(plot)
    held = contest(names, setting)
    measures = [measure(entry.mechanism, known) for entry in held.entries.values()]
    beside = SideBySide(contest=held, setting=setting, prior=known, found=measures)
    saved = None if plot is None else beside.picture(plot)
    if json:
        say_json(beside.document() | {"plot": saved})
        return
    say(console(), *beside.lines(saved))
