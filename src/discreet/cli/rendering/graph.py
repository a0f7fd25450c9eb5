"""What `discreet graph` does once its words are understood."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from discreet.certifier import Certified
from discreet.cli.parsing.files import save as save_file
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.scores import plain_table
from discreet.cli.rendering.side_by_side import bar
from discreet.cli.rendering.terminal import console, progress_line, say, say_json
from discreet.designer.request import Progress, patience
from discreet.errors import InvalidInput
from discreet.exact import Epsilon
from discreet.graphs import (
    Comparison,
    CostLine,
    DatabaseGraph,
    ImplicitClosedForm,
    LargeHistograms,
    TightHistograms,
    compare,
    compare_large,
    compare_symmetric,
    load_graph,
)
from discreet.graphs.named import AnyGraph, named_graph
from discreet.measures import PropertyVerdict
from discreet.plots import save_picture, suffix_of
from discreet.text import label, one_line

if TYPE_CHECKING:
    from rich.table import Table


def graph_of(words: Sequence[str]) -> AnyGraph:
    """A family by its name and numbers, or the one file that was named."""
    return load_graph(words[0]) if _is_file(words) else named_graph(words)


def _is_file(words: Sequence[str]) -> bool:
    return len(words) == 1 and any(mark in words[0] for mark in "./\\")


def compare_and_say(
    graph: AnyGraph,
    epsilon: Epsilon,
    save: str | None,
    plot: str | None,
    *,
    seconds: float,
    as_json: bool,
) -> None:
    """Compare, save, picture and print; when time is up, with the best so far."""
    if plot is not None:
        suffix_of(plot)
    shown = graph if isinstance(graph, DatabaseGraph) else None
    with (
        patience(seconds, gently=True),
        progress_line(f"solving the programs of {graph.name}") as report,
    ):
        found = _compared(graph, epsilon, report)
    saved = None if save is None else save_file(_best(found).mechanism, save)
    picture = None
    if plot is not None:
        from discreet.plots.graphs import graph_picture

        picture = str(save_picture(graph_picture(found, shown), plot))
    if as_json:
        say_json(
            found.to_dict() | {"certificate": _certificate(found), "saved": saved, "plot": picture}
        )
        return
    rows = _rows(found)
    rows += [(kind, path) for kind, path in (("saved", saved), ("picture", picture)) if path]
    say(console(), describe.facts_table(rows), "", _table(found))


def _compared(graph: AnyGraph, epsilon: Epsilon, report: Callable[[Progress], None]) -> Comparison:
    if isinstance(graph, DatabaseGraph):
        return compare(graph, epsilon, report)
    if isinstance(graph, LargeHistograms):
        return compare_large(graph, epsilon)
    return compare_symmetric(graph, epsilon)


def _best(found: Comparison) -> Certified:
    if found.best is None or isinstance(found.best, ImplicitClosedForm | TightHistograms):
        raise InvalidInput(
            f"{found.name} has {_many(found.nodes)} nodes, too many for a matrix to save; use a "
            "smaller graph"
        )
    return found.best.certified


def _certificate(found: Comparison) -> dict[str, Any] | None:
    if found.best is None:
        return None
    certificate = found.best.certified.certificate
    return {**certificate.to_dict(), "digest": certificate.digest}


def _rows(found: Comparison) -> list[tuple[str, str]]:
    rows = [
        ("graph", f"{label(found.name)}: {_many(found.nodes)} nodes, diameter {found.layers - 1}"),
        ("transitive", _verdict(found.conditions.transitive)),
        ("regular layers", _verdict(found.conditions.regular_layers)),
        ("Theorem 1", "exp(-ε d) is optimal" if found.conditions.hold else "does not apply"),
    ]
    bound = found.line("LP[1]").lower_bound
    if bound is not None:
        rows.append(("proven lower bound", f"{bound:.9g}"))
    if found.best is not None:
        rows.append(("certified", f"✓ {found.best.certified.guarantee}"))
        rows.append(("certificate", found.best.certified.certificate.digest))
    return rows


def _many(nodes: int) -> str:
    return f"{nodes:,}" if nodes < 10**15 else f"about 2^{nodes.bit_length() - 1}"


def _verdict(verdict: PropertyVerdict) -> str:
    return "✓ yes" if verdict else f"✗ no: {one_line(verdict.counterexample or '')}"


_BAR = 12


def _table(found: Comparison) -> "Table":
    """A row for each line: its cost, a bar, how many times the best it is, what it keeps."""
    from rich.text import Text

    best = found.line("LP[1]").value
    largest = max(line.value for line in found.lines if math.isfinite(line.value)) or 1.0
    table = plain_table("mean cost", "exchanges", "÷ LP[1]", "keeps ε")
    for column in table.columns:
        column.min_width = len("1.458085")
    table.add_column("", no_wrap=True, min_width=_BAR)
    table.add_column("what it is", overflow="fold")
    for line in found.lines:
        known = math.isfinite(line.value)
        comparable = known and math.isfinite(best) and best > 0
        table.add_row(
            Text(line.name, style="bold" if line.name == "LP[1]" else ""),
            _number(line.value, 6) if known else "not solved",
            _number(line.value / best, 4) if comparable else "",
            "" if line.keeps is None else f"{line.keeps:.6f}",
            Text(bar(line.value / largest, width=_BAR) if known else "", style="blue"),
            Text(_what(line)),
        )
    return table


def _number(value: float, decimals: int) -> str:
    """So many decimals where they tell something, else a power of ten."""
    plain = value == 0 or 10.0**-decimals * 100 <= value < 10.0**6
    return f"{value:.{decimals}f}" if plain else f"{value:.{decimals - 1}e}"


def _what(line: CostLine) -> str:
    return one_line(": ".join(part for part in (line.kind, line.note) if part))
