"""What `discreet compare A B --simulates` does: which of two mechanisms tells more, with proof."""

from collections.abc import Sequence
from typing import Any

from discreet.certifier import Certified
from discreet.cli.parsing.contest import contest
from discreet.cli.parsing.families import FamilySetting
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.designer.sufficiency import Simulation, simulation, smaller
from discreet.errors import InvalidInput
from discreet.measures import PropertyVerdict
from discreet.model import Labels
from discreet.text import one_line


def simulate_and_say(words: Sequence[str], setting: FamilySetting, *, as_json: bool) -> None:
    """Build and certify both, and decide in both directions."""
    held = contest(words, setting)
    if len(held.entries) != 2:
        left = "".join(f"; {name}: {reason}" for name, reason in held.left_out.items())
        raise InvalidInput(
            f"--simulates compares two mechanisms, got {len(held.entries)}{one_line(left)}"
        )
    names, entries = list(held.entries), list(held.entries.values())
    pairs = [(0, 1), (1, 0)]
    found = [simulation(entries[a].mechanism, entries[b].mechanism) for a, b in pairs]
    orders = [_order(entries[a], entries[b]) for a, b in pairs]
    if as_json:
        say_json(
            {
                "mechanisms": names,
                "directions": [
                    _facts(names[a], names[b], one, order)
                    for (a, b), one, order in zip(pairs, found, orders, strict=True)
                ],
            }
        )
        return
    rows = [("answers", describe.space_line(setting.answers))]
    for (a, b), one, order in zip(pairs, found, orders, strict=True):
        rows.append((f"{names[a]} simulates {names[b]}", _said(one)))
        if order is not None:
            nearer = "✓ yes" if order else f"✗ no: {one_line(order.counterexample or '')}"
            rows.append((f"{names[a]} is nearer to the truth", nearer))
    say(console(), describe.facts_table(rows))


def _order(one: Certified, other: Certified) -> PropertyVerdict | None:
    spaces = (one.mechanism.answers, one.mechanism.outputs, other.mechanism.outputs)
    if any(isinstance(space, Labels) for space in spaces):
        return None
    return smaller(one.mechanism, other.mechanism)


def _said(found: Simulation) -> str:
    if found.simulates:
        return f"✓ yes, within a total variation of {float(found.most):.1e}"
    if found.simulates is None:
        return f"open: between {float(found.least):.1e} and {float(found.most):.1e} off"
    return f"✗ no: off by a total variation of {float(found.least):.6g} or more, proved"


def _facts(
    one: str, other: str, found: Simulation, order: PropertyVerdict | None
) -> dict[str, Any]:
    return {
        "from": one,
        "to": other,
        "simulates": found.simulates,
        "least_variation": str(found.least),
        "most_variation": str(found.most),
        "function": [[int(part) for part in row] for row in found.function],
        "nearer_to_the_truth": None if order is None else order.holds,
        "counterexample": None if order is None else order.counterexample,
    }
