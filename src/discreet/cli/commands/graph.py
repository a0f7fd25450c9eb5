"""`discreet graph NAME…|FILE`: what is optimal on a graph of databases (paper 002)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.designer import Progress
    from discreet.exact import Epsilon
    from discreet.graphs import Comparison
    from discreet.graphs.named import AnyGraph


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
    from discreet.cli.parsing.files import save as save_file
    from discreet.cli.parsing.files import seconds_of
    from discreet.cli.parsing.graphs import graph_of
    from discreet.cli.rendering import graph as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.designer.request import patience as stopping_after
    from discreet.graphs import DatabaseGraph
    from discreet.plots import save_picture, suffix_of
    from discreet.requests import read_epsilon

    seconds = seconds_of(patience)
    chosen, privacy = graph_of(words), read_epsilon(epsilon)
    if plot is not None:
        suffix_of(plot)
    with (
        stopping_after(seconds, gently=True),
        progress_line(f"solving the programs of {chosen.name}") as report,
    ):
        comparison = _compared(chosen, privacy, report)
    saved = None if save is None else save_file(rendering.matrix_of(comparison), save)
    picture = None
    if plot is not None:
        from discreet.plots.graphs import graph_picture

        shown = chosen if isinstance(chosen, DatabaseGraph) else None
        picture = str(save_picture(graph_picture(comparison, shown), plot))
    if json:
        say_json(rendering.document(comparison) | {"saved": saved, "plot": picture})
        return
    say(console(), *rendering.lines(comparison, {"saved": saved, "picture": picture}))


def _compared(
    graph: "AnyGraph", epsilon: "Epsilon", report: "Callable[[Progress], None]"
) -> "Comparison":
    from discreet.graphs import (
        DatabaseGraph,
        LargeHistograms,
        compare,
        compare_large,
        compare_symmetric,
    )

    if isinstance(graph, DatabaseGraph):
        return compare(graph, epsilon, report)
    if isinstance(graph, LargeHistograms):
        return compare_large(graph, epsilon)
    return compare_symmetric(graph, epsilon)
