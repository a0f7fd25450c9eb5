"""`python -m benchmarks` prints one table; names choose among the modules.

A module with a `main` has a report of its own, and runs when it is named first.
"""

import importlib
import pkgutil
import sys
from inspect import signature

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.timing import Row


def main(chosen: list[str]) -> int:
    modules = [
        found.name
        for found in pkgutil.iter_modules(benchmarks.__path__)
        if not found.name.startswith("_")
    ]
    loaded = {name: importlib.import_module(f"benchmarks.{name}") for name in modules}
    known = {name: module for name, module in loaded.items() if hasattr(module, "rows")}
    alone = {name: module for name, module in loaded.items() if hasattr(module, "main")}
    if chosen and chosen[0] in alone:
        report = alone[chosen[0]].main
        return int((report(chosen[1:]) if signature(report).parameters else report()) or 0)
    for name in chosen:
        if name not in known:
            there = ", ".join((*known, *alone))
            print(f"there is no benchmark {name}; there are {there}", file=sys.stderr)
            return 2
    table = Table(title="ours beside others, processor time unless said, best of several turns")
    for heading in ("work", "ours", "peer", "theirs", "ratio", "wanted"):
        table.add_column(heading, justify="left" if heading in ("work", "peer") else "right")
    for name in chosen or known:
        for row in known[name].rows():
            table.add_row(*_cells(row))
            print(".", end="", file=sys.stderr, flush=True)
        table.add_section()
    print(file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0


def _cells(row: Row) -> tuple[str, ...]:
    wanted = ""
    if row.wanted_seconds is not None:
        wanted = f"< {row.wanted_seconds:g} s"
    elif row.wanted_ratio is not None:
        wanted = f"{row.wanted_ratio:g}×"
    mark = {True: " ✓", False: " ✗", None: ""}[row.reached]
    return (
        row.work,
        _amount(row.seconds, row.count),
        row.peer,
        "" if row.peer_seconds is None else _amount(row.peer_seconds, row.count),
        ""
        if row.ratio is None
        else f"{row.ratio:,.1f}×"
        if row.ratio < 100
        else f"{row.ratio:,.0f}×",
        wanted + mark,
    )


def _amount(seconds: float, count: int) -> str:
    if count > 1:
        return f"{count / seconds:,.0f}/s"
    return f"{seconds:.3g} s"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
