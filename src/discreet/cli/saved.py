"""`discreet show FILE` and `discreet draw FILE ANSWER --epsilon E`: what a saved matrix is for."""

from typing import Annotated

import typer

from discreet.cli import options
from discreet.cli.app import app


@app.command(
    epilog=options.examples(
        "discreet show count.json",
        "discreet show count.json --plot count.svg",
    )
)
def show(file: options.File, plot: options.Plot = None, json: options.Json = False) -> None:
    """Print a saved mechanism as a table, with a heat map where the terminal has colours."""
    from discreet.cli import describe
    from discreet.cli.matrix import matrix
    from discreet.cli.pictures import save_heat_map
    from discreet.cli.terminal import console, say_json
    from discreet.model import load_mechanism

    mechanism = load_mechanism(file)
    saved = None if plot is None else save_heat_map(mechanism, plot)
    if json:
        say_json({
            "mechanism": describe.mechanism_facts(mechanism),
            "probabilities": mechanism.probabilities().tolist(),
            "plot": saved,
        })  # fmt: skip
        return
    screen = console()
    rows = describe.mechanism_rows(mechanism)
    if saved is not None:
        rows.append(("picture", saved))
    screen.print(describe.facts_table(rows), "")
    screen.print(*matrix(mechanism, screen), sep="\n")


@app.command(
    epilog=options.examples(
        "discreet draw count.json 7 --epsilon 0.5",
        "discreet draw count.json 7 --epsilon 0.5 --times 1000 --json",
    )
)
def draw(
    file: options.File,
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The true answer, one of the space.")
    ],
    epsilon: options.Epsilon = None,
    times: options.Times = "1",
    json: options.Json = False,
) -> None:
    """Certify a saved mechanism and draw outputs for a true answer, one on each line.

    Every draw spends ε again: draws of one true answer are for trying a mechanism out.
    """
    from discreet.certify import certify as prove
    from discreet.cli.drawing import drawn, say_draws
    from discreet.cli.reading import epsilon_of, times_of
    from discreet.model import load_mechanism

    wanted, count = epsilon_of(epsilon), times_of(times)
    certified = prove(load_mechanism(file), wanted)
    say_draws(drawn(certified, answer, count), as_json=json)
