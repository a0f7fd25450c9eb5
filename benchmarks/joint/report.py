"""The table of all questions, printed; names choose among the kinds."""

import importlib
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.joint import coverage
from benchmarks.joint.line import Line

KINDS = ("counts", "moments", "workloads", "quantiles")
"""A module each, with `lines()`."""
_NO_NEIGHBOURS = (
    "diffprivlib has no word for neighbours: its histograms (cells, running totals, marginals) are "
    "for rows that come or go, and where one changes they cost twice the ε that is given here"
)


def main(chosen: list[str]) -> int:
    """Print the lines of the kinds that were named, or of all."""
    if chosen == ["coverage"]:
        return coverage.main()
    for name in chosen:
        if name not in KINDS:
            print(f"there is no kind {name}; there are {', '.join(KINDS)}", file=sys.stderr)
            return 2
    table = Table(title="errors of whole questions, ε = 0.5 unless said")
    for heading in ("question", "each by itself", "now", "gain", "wanted", "95 %", "others"):
        table.add_column(heading, justify="left" if heading in ("question", "others") else "right")
    missed, remarks = 0, []
    for kind in chosen or KINDS:
        for line in importlib.import_module(f"benchmarks.joint.{kind}").lines():
            table.add_row(*_cells(line))
            missed += not line.reached
            remarks += [f"{line.question}: {line.remark}"] if line.remark else []
            print(".", end="", file=sys.stderr, flush=True)
        table.add_section()
    print(file=sys.stderr)
    remarks.append(_NO_NEIGHBOURS)
    screen = Console(width=None if sys.stdout.isatty() else 140)
    screen.print(table)
    for remark in dict.fromkeys(remarks):
        screen.print(remark, markup=False, highlight=False)
    return int(missed > 0)


def _cells(line: Line) -> tuple[str, ...]:
    mark = "✓" if line.reached else "✗"
    return (
        line.question,
        "" if line.apart is None else f"{line.apart:.2f}",
        f"{line.now:.2f}" + ("" if line.exact else " (drawn)"),
        "" if line.apart is None else f"{line.apart / max(line.now, 1e-9):.2f}×",
        f"{line.wanted:.2f} {mark}",
        "" if line.within is None else f"{line.within[0]} ({line.within[1]})",
        ", ".join(f"{name} {error:.2f}" for name, error in line.peers.items()),
    )
