"""Several mechanisms side by side: numbers, properties, and bars in the terminal."""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING

from discreet.cli.rendering.scores import plain_table
from discreet.measures import Measures
from discreet.model import LossName
from discreet.text import label

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_BLOCKS = " ▏▎▍▌▋▊▉█"
_BAR_WIDTH = 36

Panels = Mapping[str, Sequence[float]]


def panels_of(measures: Sequence[Measures]) -> Panels:
    """The losses to compare: four of 003 and the worst answer's, or wrong answers for labels."""
    if all(LossName.ABSOLUTE in entry.losses for entry in measures):
        return {
            LossName.ABSOLUTE: [entry.losses[LossName.ABSOLUTE].expected for entry in measures],
            LossName.SQUARED: [entry.losses[LossName.SQUARED].expected for entry in measures],
            "absolute, Bayes": [entry.losses[LossName.ABSOLUTE].bayes for entry in measures],
            "squared, Bayes": [entry.losses[LossName.SQUARED].bayes for entry in measures],
            "absolute, worst": [entry.losses[LossName.ABSOLUTE].worst_case for entry in measures],
        }
    return {
        "wrong": [entry.losses[LossName.ZERO_ONE].expected for entry in measures],
        "wrong, Bayes": [entry.losses[LossName.ZERO_ONE].bayes for entry in measures],
        "wrong, worst": [entry.losses[LossName.ZERO_ONE].worst_case for entry in measures],
    }


def is_best(number: float, numbers: Sequence[float]) -> bool:
    """Whether a loss is the smallest, up to the rounding of floats."""
    return isclose(number, min(numbers), rel_tol=1e-9, abs_tol=1e-15)


def losses_beside(names: Sequence[str], panels: Panels) -> "Table":
    """A row for each mechanism, a column for each loss; the smallest are starred."""
    from rich.text import Text

    table = plain_table("loss (* is best)", *panels)
    for place, name in enumerate(names):
        cells = []
        for numbers in panels.values():
            best = is_best(numbers[place], numbers)
            cells.append(
                Text(
                    f"{numbers[place]:.4f}{'*' if best else ' '}",
                    style="bold green" if best else "",
                )
            )
        table.add_row(label(name), *cells)
    return table


def properties_beside(names: Sequence[str], measures: Sequence[Measures]) -> "Table":
    """A row for each mechanism, a column for each property."""
    from rich.text import Text

    table = plain_table("property", *(name for name, _ in measures[0].properties.items()))
    for name, entry in zip(names, measures, strict=True):
        marks = [
            Text("✓ yes", style="green") if verdict else Text("✗ no", style="red")
            for _, verdict in entry.properties.items()
        ]
        table.add_row(label(name), *marks)
    return table


def bars(names: Sequence[str], numbers: Sequence[float], what: str) -> list["Text"]:
    """A bar for each mechanism, with its number; the smallest is called best."""
    from rich.text import Text

    longest = max(len(label(name)) for name in names)
    largest = max(numbers) or 1.0
    lines = [Text(what, style="dim")]
    for name, number in zip(names, numbers, strict=True):
        best = is_best(number, numbers)
        line = Text(f"{label(name):>{longest}} ")
        line.append(bar(number / largest), style="green" if best else "blue")
        line.append(f" {number:.4f}{' best' if best else ''}", style="bold" if best else "")
        lines.append(line)
    return lines


def bar(share: float, width: int = _BAR_WIDTH) -> str:
    """A bar in eighths of a character.

    >>> bar(0.5, width=3)
    '█▌'
    """
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()
