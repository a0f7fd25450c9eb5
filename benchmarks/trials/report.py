"""The tables of the trials."""

import sys

from rich.console import Console
from rich.table import Table

from benchmarks.trials.cells import Cell
from benchmarks.trials.quoted import ANSWERS, CONSTANTS, QUOTED, clamped_geometric
from benchmarks.trials.sampled import Sampled
from benchmarks.trials.theirs import SCRIPTS

WIDTH = 132


def _print(table: Table) -> None:
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title)
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "chosen" else "right")
    return table


def _shown(figure: Sampled | None) -> str:
    return "–" if figure is None else str(figure)


def side_by_side(found: list[Cell], many: int, versions: dict[str, str]) -> None:
    """Everything that was drawn, on the same tables, with the goal's prior matching the trial."""
    tools = [f"{tool} {versions.get(tool, '')}".strip() for tool in SCRIPTS]
    table = _table(
        f"mean absolute error, n = 10, {many:,} answers a cell (± 95 %); goal matching the trial",
        "trial", "ε", "ours, exact", "ours, drawn", "chosen", "constant", *tools, "bound", "",
    )  # fmt: skip
    for cell in found:
        table.add_row(
            cell.trial.name, cell.epsilon, f"{cell.matched.exact:.4f}", str(cell.matched.sampled),
            cell.matched.name, f"{cell.matched.constant:.4f}",
            *(_shown(cell.rerun.get(tool)) for tool in SCRIPTS),
            "" if cell.bound is None else f"{cell.bound:.4f}", cell.mark,
        )  # fmt: skip
    _print(table)


def quoted_earlier(found: list[Cell]) -> None:
    """The figures of an earlier measurement, with the intervals they leave."""
    table = _table(
        f"quoted: measured earlier with {ANSWERS:,} answers a cell (± 95 %), not drawn anew",
        "trial", "ε", "ours, exact", "constant", *QUOTED, "below ours",
    )  # fmt: skip
    for cell in found:
        below = [name for name, figure in cell.quoted.items() if figure in cell.below]
        table.add_row(
            cell.trial.name, cell.epsilon, f"{cell.matched.exact:.4f}",
            f"{CONSTANTS[cell.trial.name]:.2f}",
            *(_shown(cell.quoted.get(tool)) for tool in QUOTED), ", ".join(below),
        )  # fmt: skip
    _print(table)
    mean, deviation = clamped_geometric("1")
    spread = Sampled(mean, deviation, ANSWERS)
    print(
        f"A uniform count with clamped geometric noise at ε = 1 errs by {mean:.4f} exactly, the "
        f"optimum; the mean of {ANSWERS:,} such answers falls into {mean - spread.half:.3f} to "
        f"{mean + spread.half:.3f} in 95 of 100 measurements. Tumult's intervals are those of the "
        "geometric noise for its count, and elsewhere the widest that any errors in the range can "
        "have. The quoted median, and its constant, are of the mean of the two records in the "
        "middle: see the next table."
    )


def by_middles(found: list[Cell]) -> None:
    """The median again, judged by the mean of the two records in the middle."""
    medians = [cell for cell in found if cell.by_middles]
    table = _table(
        "median: errors from the mean of the two records in the middle; ours is made for the lower",
        "ε", "ours, drawn", *SCRIPTS, "Tumult, quoted", "constant 4.5, quoted",
    )  # fmt: skip
    for cell in medians:
        table.add_row(
            cell.epsilon, *(_shown(cell.by_middles.get(tool)) for tool in ("ours", *SCRIPTS)),
            _shown(cell.quoted.get("Tumult")), f"{CONSTANTS['median']:.2f}",
        )  # fmt: skip
    _print(table)


def default_goal(found: list[Cell], many: int) -> None:
    """The same trials, planned without saying anything about the goal."""
    table = _table(
        f"the default goal (answers uniform) in the same trials, {many:,} answers a cell (± 95 %)",
        "trial", "ε", "ours, exact", "ours, drawn", "chosen", "constant", "better",
        "plan says so", "best rerun", "seconds",
    )  # fmt: skip
    for cell in found:
        default = cell.default
        best = min(cell.rerun.items(), key=lambda pair: pair[1].mean, default=None)
        table.add_row(
            cell.trial.name, cell.epsilon, f"{default.exact:.4f}", str(default.sampled),
            default.name, f"{default.constant:.4f}", "yes" if default.constant_is_better else "",
            ("yes" if default.notes else "NO") if default.constant_is_better else "",
            "–" if best is None else f"{best[1].mean:.3f} {best[0]}", f"{default.seconds:.2f}",
        )  # fmt: skip
    _print(table)


def words(found: list[Cell]) -> None:
    """What the plans say of constants, word for word."""
    print("What the plans say where a constant does as well or better:")
    for cell in found:
        place = f"{cell.trial.name}, ε = {cell.epsilon}"
        if cell.matched.part.note is not None:
            print(f"  {place}, matching goal: {cell.matched.part.note}")
        if cell.default.constant_is_better:
            for note in cell.default.notes:
                print(f"  {place}, default goal: {note}")
