"""`discreet graph NAME…|FILE`: what is optimal on a graph of databases (paper 002)."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet graph path 12 --epsilon 0.5",
        "discreet graph hypercube 20 --epsilon 1",
        "discreet graph histograms 6 3 --epsilon 1 --plot histograms.svg",
        "discreet graph sorted-histograms 10 10 3 --epsilon 1",
        "discreet graph edges.csv --epsilon 0.5 --save best.json --json",
    )
)
def graph(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...|FILE",
            help="path K, cycle K, complete K, hypercube N, databases N T, histograms N T, "
            "histograms-up-to N T (add or remove one record), sorted-histograms N T [R], or a "
            "file of edges (.csv, .graphml).",
        ),
    ],
    *,
    epsilon: options.Epsilon = None,
    patience: options.Patience = None,
    save: options.Save = None,
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Compare the best mechanism on a graph of databases with the exponential ones.

    Nodes are databases, edges join neighbours, and the loss is how many records must be exchanged
    to lead from the output to the truth. Where the graph looks the same from every node, exp(-ε d)
    is proven best; elsewhere two exact linear solves find the tight-constraints mechanism and test
    whether anything is better. Where something may be, a linear program finds it.
    """
    from discreet.cli.parsing.files import seconds_of
    from discreet.cli.rendering.graph import compare_and_say, graph_of
    from discreet.requests import read_epsilon

    seconds = seconds_of(patience)
    chosen = graph_of(words)
    compare_and_say(chosen, read_epsilon(epsilon), save, plot, seconds=seconds, as_json=json)
