"""What is optimal on a graph: as a table, and as JSON values."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from discreet.cli.rendering import description as describe
from discreet.cli.rendering.scores import plain_table
from discreet.cli.rendering.side_by_side import bar
from discreet.errors import InvalidInput
from discreet.graphs import Comparison, CostLine, ImplicitClosedForm, TightHistograms
from discreet.measures import PropertyVerdict
from discreet.model import Mechanism
from discreet.text import label, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def matrix_of(comparison: Comparison) -> Mechanism:
    """The best mechanism as a matrix, to be saved."""
    if comparison.best is None or isinstance(comparison.best, ImplicitClosedForm | TightHistograms):
        raise InvalidInput(
            f"{comparison.name} has {_many(comparison.nodes)} nodes, too many for a matrix to save"
            "; use a smaller graph"
        )
    return comparison.best.certified.mechanism


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON values."""
    return comparison.to_dict() | {"certificate": _certificate(comparison)}


def lines(comparison: Comparison, written: Mapping[str, str | None]) -> "Iterator[RenderableType]":
    """What is known of the graph, what was written, and a row for each mechanism."""
    rows = _rows(comparison) + [(kind, path) for kind, path in written.items() if path]
    yield from (describe.facts_table(rows), "", _table(comparison))


def _certificate(comparison: Comparison) -> dict[str, Any] | None:
    if comparison.best is None:
        return None
    certificate = comparison.best.certified.certificate
    return {**certificate.to_dict(), "digest": certificate.digest}


def _rows(comparison: Comparison) -> list[tuple[str, str]]:
    size = f"{_many(comparison.nodes)} nodes, diameter {comparison.layers - 1}"
    rows = [
        ("graph", f"{label(comparison.name)}: {size}"),
        ("transitive", _verdict(comparison.conditions.transitive)),
        ("regular layers", _verdict(comparison.conditions.regular_layers)),
        ("Theorem 1", "exp(-ε d) is optimal" if comparison.conditions.hold else "does not apply"),
    ]
    bound = comparison.line("LP[1]").lower_bound
    if bound is not None:
        rows.append(("proven lower bound", f"{bound:.9g}"))
    if comparison.best is not None:
        rows.append(("certified", f"✓ {comparison.best.certified.guarantee}"))
        rows.append(("certificate", comparison.best.certified.certificate.digest))
    return rows


def _many(nodes: int) -> str:
    return f"{nodes:,}" if nodes < 10**15 else f"about 2^{nodes.bit_length() - 1}"


def _verdict(verdict: PropertyVerdict) -> str:
    return "✓ yes" if verdict else f"✗ no: {one_line(verdict.counterexample or '')}"


_BAR = 12


def _table(comparison: Comparison) -> "Table":
    """A row for each line: its cost, a bar, how many times the best it is, what it keeps."""
    from rich.text import Text

    best = comparison.line("LP[1]").value
    largest = max(line.value for line in comparison.lines if math.isfinite(line.value)) or 1.0
    table = plain_table("mean cost", "exchanges", "÷ LP[1]", "keeps ε")
    for column in table.columns:
        column.min_width = len("1.458085")
    table.add_column("", no_wrap=True, min_width=_BAR)
    table.add_column("what it is", overflow="fold")
    for line in comparison.lines:
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
