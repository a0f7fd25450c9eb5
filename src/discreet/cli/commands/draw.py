"""`discreet draw FILE ANSWER --epsilon E`: outputs of a saved matrix."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    # A true answer may be negative: -2 is no option.
    context_settings={"ignore_unknown_options": True},
    epilog=options.examples(
        "discreet draw count.json 7 --epsilon 0.5",
        "discreet draw count.json 7 --epsilon 0.5 --times 1000 --json",
    ),
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
    from discreet.certifier import certify as prove
    from discreet.cli.parsing.draws import drawn, times_of
    from discreet.cli.rendering.draws import document
    from discreet.cli.rendering.terminal import say_json
    from discreet.model import load_mechanism
    from discreet.requests import read_epsilon

    wanted, count = read_epsilon(epsilon), times_of(times)
    certified = prove(load_mechanism(file), wanted)
    draws = drawn(certified, answer, count)
    if json:
        say_json(document(draws))
    else:
        print(draws.lines())
