"""Curves: as a table, as JSON values, as a picture."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.curves import Points
from discreet.cli.rendering.scores import plain_table
from discreet.model import LossName
from discreet.plots import curves_picture, save_picture

if TYPE_CHECKING:
    from rich.console import RenderableType

_TITLES = {
    LossName.ABSOLUTE: "expected absolute error",
    LossName.SQUARED: "expected squared error",
    "bayes-absolute": "expected absolute error after the Bayes remap",
    "bayes-squared": "expected squared error after the Bayes remap",
    "worst": "expected absolute error of the worst answer",
}

Curves = Mapping[str, Sequence[float]]
"""For each mechanism its error at each point."""


def picture(points: Points, curves: Curves, measure: str, place: str) -> str:
    """Draw the curves; where the picture is."""
    made = curves_picture(_at(points), curves, axis=points.axis, title=_title(points, measure))
    return str(save_picture(made, place))


def document(points: Points, curves: Curves, measure: str) -> dict[str, Any]:
    """The curves as JSON values."""
    facts = {"statistic": points.statistic, "measure": measure, "axis": points.axis}
    return facts | {"at": _at(points), "curves": curves}


def lines(points: Points, curves: Curves, measure: str) -> "Iterator[RenderableType]":
    """The curves as a table; the best at each point has a star."""
    table = plain_table(points.axis, *curves)
    for place, number in enumerate(_at(points)):
        row = [curve[place] for curve in curves.values()]
        best = min(row)
        table.add_row(f"{number:g}", *(_cell(value, best) for value in row))
    yield from (f"{_title(points, measure)} (* is best)", "", table)


def _at(points: Points) -> list[float]:
    return [point.at for point in points.places]


def _title(points: Points, measure: str) -> str:
    return f"{points.statistic}: {_TITLES[measure]}"


def _cell(value: float, best: float) -> str:
    return f"{value:.4f}{'*' if value <= best * (1 + 1e-9) else ' '}"
