"""The comparison that README.md shows, written there by a command, with versions and cells."""

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.peers import NEEDS
from benchmarks.real_columns.asked import Statistic
from benchmarks.real_columns.cells import STEP, Cell
from benchmarks.real_columns.report import MUCH, much_worse

BEGIN, END = "<!-- begin: python -m benchmarks real_columns --readme -->", "<!-- end -->"
_BY_HAND = ("rank exponential", "exponential", "Laplace, from the middle", "Laplace")
_Cells = Sequence[Cell]


def write(cells: _Cells, page: Path) -> None:
    """Put the comparison between its marks."""
    text = page.read_text(encoding="utf-8")
    marked = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not marked.search(text):
        raise SystemExit(f"{page} has no place for the comparison: {BEGIN} … {END}")
    page.write_text(marked.sub(lambda _: f"{BEGIN}\n{comparison(cells)}\n{END}", text), "utf-8")


def comparison(cells: _Cells) -> str:
    """Everything between the marks."""
    blocks = [
        _block(cells, name, belongs)
        for name, belongs in (
            ("real columns, public number of rows", _public),
            ("real columns, private number of rows", _private),
            ("independent records, public number of rows", _iid),
        )
    ]
    heading = "| | " + " | ".join(one.name.lower() for one in Statistic) + " |"
    rule = "| --- |" + " --- |" * len(Statistic)
    return "\n".join(["", heading, rule, *blocks, "", _losses(cells), ""])


def _is_iid(cell: Cell) -> bool:
    return cell.column.startswith("iid")


def _public(cell: Cell) -> bool:
    return cell.asked.size_is_public and not _is_iid(cell)


def _private(cell: Cell) -> bool:
    return not cell.asked.size_is_public and not _is_iid(cell)


def _iid(cell: Cell) -> bool:
    return cell.asked.size_is_public and _is_iid(cell)


def _block(cells: _Cells, name: str, belongs: Callable[[Cell], bool]) -> str:
    here = [cell for cell in cells if belongs(cell)]
    told = {tool: _figures(here, error) for tool, error in TOOLS.items()}
    least = [min(known) for known in zip(*told.values(), strict=True)]
    lines = [f"| *{name}* |" + " |" * len(Statistic)]
    for tool, figures in told.items():
        shown = (
            "–"
            if figure == math.inf
            else f"**{figure:.2f}**"
            if figure == best
            else f"{figure:.2f}"
            for figure, best in zip(figures, least, strict=True)
        )
        lines.append(f"| {tool} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _figures(cells: _Cells, error: "Callable[[Cell], float | None]") -> list[float]:
    """For each statistic the geometric mean, to two digits; infinite where there is none."""
    figures = []
    for statistic in Statistic:
        here = [(error(cell), _least(cell)) for cell in cells if cell.asked.statistic is statistic]
        logs = [np.log((one + STEP) / (least + STEP)) for one, least in here if one is not None]
        figures.append(round(float(np.exp(np.mean(logs))), 2) if logs else math.inf)
    return figures


def _least(cell: Cell) -> float:
    """What the best of all errs by, in hindsight, ours among them."""
    return min(cell.error, *cell.others.values())


def _opendp(cell: Cell) -> float | None:
    return _first(cell, "OpenDP", "Laplace, from 0", "Laplace")


def _diffprivlib(cell: Cell) -> float | None:
    return _first(cell, "diffprivlib", "Laplace")


def _by_hand(cell: Cell) -> float | None:
    return _first(cell, *_BY_HAND)


def _first(cell: Cell, *names: str) -> float | None:
    return next((cell.others[name] for name in names if name in cell.others), None)


def _version_of(package: str) -> str:
    return next(need.partition("==")[2] for need in NEEDS["libraries"] if package in need)


TOOLS: dict[str, Callable[[Cell], float | None]] = {
    f"discreet {version('discreet')}, as it comes": lambda cell: cell.error,
    f"OpenDP {_version_of('opendp')}": _opendp,
    f"diffprivlib {_version_of('diffprivlib')}": _diffprivlib,
    "by hand: rank exponential, Laplace": _by_hand,
}


def _losses(cells: _Cells) -> str:
    """Where we lose, in a few sentences."""
    real = [cell for cell in cells if not _is_iid(cell)]
    worst = max(real, key=lambda cell: cell.ratio)
    asked, best = worst.asked, worst.others[worst.best]
    by_statistic = {
        statistic: [cell for cell in real if cell.asked.statistic is statistic]
        for statistic in Statistic
    }
    most = max(by_statistic, key=lambda one: much_worse(by_statistic[one]))
    return textwrap.fill(
        f"{len(real):,} cells of real columns and {len(cells) - len(real):,} of independent "
        f"records. The best of the others beat us by more than {MUCH:g} × in "
        f"{much_worse(real):.1%} of the real ones, most often in a {most.name.lower()} "
        f"({much_worse(by_statistic[most]):.1%}); at worst, for the {asked.statistic.name.lower()} "
        f"of {asked.rows:,} rows of `{worst.column}` at ε = {asked.epsilon}, we erred by "
        f"{worst.error:.3g} steps and {worst.best} by {best:.3g}.",
        width=100,
    )
