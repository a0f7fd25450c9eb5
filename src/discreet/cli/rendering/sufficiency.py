"""Which of two mechanisms reveals more, with proof: `discreet compare A B --simulates`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.contest import Direction
from discreet.cli.parsing.families import FamilySetting
from discreet.cli.rendering import description as describe
from discreet.designer.sufficiency import Simulation
from discreet.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType


def document(directions: Sequence[Direction]) -> dict[str, Any]:
    """Both directions as JSON values."""
    return {
        "mechanisms": [one.name for one in directions],
        "directions": [_facts(one) for one in directions],
    }


def lines(directions: Sequence[Direction], setting: FamilySetting) -> "Iterator[RenderableType]":
    """Both directions for people."""
    rows = [("answers", describe.space_line(setting.answers))]
    for one in directions:
        rows.append((f"{one.name} simulates {one.other}", _said(one.found)))
        if one.order is not None:
            nearer = "✓ yes" if one.order else f"✗ no: {one_line(one.order.counterexample or '')}"
            rows.append((f"{one.name} is nearer to the truth", nearer))
    yield describe.facts_table(rows)


def _said(simulation: Simulation) -> str:
    if simulation.simulates:
        return f"✓ yes, within a total variation of {float(simulation.most):.1e}"
    if simulation.simulates is None:
        return f"open: between {float(simulation.least):.1e} and {float(simulation.most):.1e} off"
    return f"✗ no: off by a total variation of {float(simulation.least):.6g} or more, proved"


def _facts(one: Direction) -> dict[str, Any]:
    simulation, order = one.found, one.order
    return {
        "from": one.name,
        "to": one.other,
        "simulates": simulation.simulates,
        "least_variation": str(simulation.least),
        "most_variation": str(simulation.most),
        "function": [[int(part) for part in row] for row in simulation.function],
        "nearer_to_the_truth": None if order is None else order.holds,
        "counterexample": None if order is None else order.counterexample,
    }
