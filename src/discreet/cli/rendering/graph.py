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


def matrix_of(found: Comparison) -> Mechanism:
    """The best mechanism as a matrix, to be saved."""
    if found.best is None or isinstance(found.best, ImplicitClosedForm | TightHistograms):
        raise InvalidInput(
            f"{found.name} has {_many(found.nodes)} nodes, too many for a matrix to save; use a "
            "smaller graph"
        )
    return found.best.certified.mechanism


def document(found: Comparison) -> dict[str, Any]:
    """The comparison as JSON values."""
    return found.to_dict() | {"certificate": _certificate(found)}


def lines(found: Comparison, written: Mapping[str, str | None]) -> "Iterator[RenderableType]":
    """What is known of the graph, what was written, and a row for each mechanism."""
    rows = _rows(found) + [(kind, path) for kind, path in written.items() if path]
    yield from (describe.facts_table(rows), "", _table(found))


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
