"""Measures as tables: one mechanism in full."""

from typing import TYPE_CHECKING, Any

from discreet.measures import Measures, Properties, TestingBounds, testing_bounds
from discreet.requests import read_epsilon
from discreet.text import label

if TYPE_CHECKING:
    from rich.table import Table


def losses_table(measures: Measures) -> "Table":
    """Each loss at face value, for the worst answer, and for a Bayesian reader."""
    table = plain_table("loss", "expected", "worst answer", "after the Bayes remap")
    for name, loss in measures.losses.items():
        table.add_row(name, *(f"{x:.4f}" for x in (loss.expected, loss.worst_case, loss.bayes)))
    return table


def properties_table(properties: Properties) -> "Table":
    """Each property, yes or no, and the first counterexample."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("property", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    table.add_column("counterexample", overflow="fold")
    for name, verdict in properties.items():
        mark = Text("✓ yes", style="green") if verdict else Text("✗ no", style="red")
        table.add_row(name, mark, Text(verdict.counterexample or ""))
    return table


def quantile_rows(measures: Measures) -> list[tuple[str, str]]:
    """The error that is not exceeded with some probability."""
    return [
        (
            f"error, {float(entry.confidence):.0%} of the time",
            f"within {label(entry.within)}, and within {label(entry.worst)} for every answer",
        )
        for entry in measures.error_quantiles
    ]


def information_rows(measures: Measures) -> list[tuple[str, str]]:
    """What an output tells."""
    bounds = bounds_of(measures)
    rows = [
        ("tight ε", f"{measures.tight_epsilon:.9g}"),
        ("best test between neighbours", f"errs {float(measures.least_test_errors):.4f} in sum"),
    ]
    if bounds is not None:
        rows.append(("  floor from ε alone", f"{bounds.tight:.4f} (Pinsker: {bounds.pinsker:.4f})"))
    rows.append(("mutual information", f"{measures.mutual_information:.4f} bits"))
    rows.append(("min-entropy leakage", f"{measures.min_entropy_leakage:.4f} bits"))
    return rows


def bounds_of(measures: Measures) -> TestingBounds | None:
    """The floors of 001 Prop. 2 at the tight ε; none where no sensible ε is kept."""
    if not 1e-9 <= measures.tight_epsilon <= 100:
        return None
    return testing_bounds(read_epsilon(measures.tight_epsilon))


def testing_facts(measures: Measures) -> dict[str, Any] | None:
    """The same floors as JSON values."""
    bounds = bounds_of(measures)
    return None if bounds is None else {"pinsker": bounds.pinsker, "tight": bounds.tight}


def plain_table(first: str, *others: str) -> "Table":
    """A table of names and right-aligned numbers."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first, no_wrap=True)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table
