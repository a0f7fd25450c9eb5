"""What any rays must cost at given prices, and which rays say so (docs/proofs/rays.md)."""

import math

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.goal import Distances, GoalOnALine
from discreet.designer.rays.pricing import UNIT, least_rays, least_rays_with_levels

MOST_LEVELS = 6_000
"""On longer lines rays that are no intervals are not looked for."""

_MOST_AT_A_TIME = 600
_CELLS = 2_000_000


def bound_at(goal: GoalOnALine, prices: Floats) -> float:
    """A bound on what any rays cost."""
    least, _ = least_of_outputs(goal, prices)
    return _bound(goal, prices, least)


def bound_and_rays(goal: GoalOnALine, prices: Floats, small: float) -> tuple[float, Indices]:
    """The bound, and levels of the rays that would have to be added to raise it."""
    least, outputs = least_of_outputs(goal, prices)
    bound = _bound(goal, prices, least)
    nothing = np.zeros((0, goal.line.size), dtype=np.int64)
    if goal.line.size > MOST_LEVELS:
        return bound, nothing
    wanting = np.flatnonzero(least < -small / (2 * goal.outputs))
    worst = wanting[np.argsort(least[wanting], kind="stable")][:_MOST_AT_A_TIME]
    beside = max(1, goal.line.steps // 12) * np.arange(-2, 3)
    around = np.unique(worst[:, None] + beside)
    around = around[(around >= 0) & (around < len(outputs))]
    return bound, _levels_of(goal, prices, outputs[around]) if len(worst) else nothing


def least_of_outputs(goal: GoalOnALine, prices: Floats) -> tuple[Floats, Indices]:
    """A bound on the cheapest ray of each output; of the mirrored half, where distances count.

    Outputs that see nothing but one and the same price far and wide have the same cheapest ray.
    """
    line, reach = goal.line, _reach(goal, prices)
    outputs = np.arange(goal.outputs)
    if isinstance(goal, Distances):
        outputs = outputs[: (goal.outputs + 1) // 2]
    alike = _all_alike(prices, outputs, reach) if isinstance(goal, Distances) else outputs[:0]
    single = np.setdiff1d(outputs, alike[1:], assume_unique=True) if len(alike) else outputs
    parts = 1 + len(single) * max(reach, 1) // _CELLS
    least = np.concatenate(
        [
            least_rays(goal.windows(prices, some, reach), line.steps, line.alpha)
            for some in np.array_split(single, parts)
            if len(some)
        ]
    )
    if not len(alike):
        return least, outputs
    every = np.zeros(len(outputs))
    every[single] = least
    every[alike] = every[alike[0]]
    return every, outputs


def _all_alike(prices: Floats, outputs: Indices, reach: int) -> Indices:
    """Outputs around which every price within reach is the same, in the middle of the line."""
    middle = len(prices) // 2
    differs = np.flatnonzero(prices != prices[middle])
    before = differs[differs < middle].max(initial=-1) + reach + 1
    after = differs[differs > middle].min(initial=len(prices)) - reach - 1
    return outputs[max(before, reach) : min(after, len(prices) - 1 - reach) + 1]


def _bound(goal: GoalOnALine, prices: Floats, least: Floats) -> float:
    """Σ y + Σ_i min(0, v_i), rounded down."""
    lacking = np.minimum(least, 0.0)
    total = math.fsum(lacking)
    if isinstance(goal, Distances):
        total = 2 * total - (lacking[-1] if goal.outputs % 2 else 0.0)
    raised = math.fsum(prices)
    return raised + total - 4 * UNIT * (abs(raised) + abs(total))


def _reach(goal: GoalOnALine, prices: Floats) -> int:
    """How far to look: further away every answer costs more than its price, and rays are low."""
    line = goal.line
    if not isinstance(goal, Distances):
        return line.size - 1
    highest = max(float(prices.max()), 1.0)
    positive = math.ceil(math.sqrt(highest) if goal.power == 2 else highest) + 1
    low = math.ceil(45 / -math.log(line.alpha)) * line.steps
    return min(line.size - 1, positive + low)


def _levels_of(goal: GoalOnALine, prices: Floats, outputs: Indices) -> Indices:
    line, reach = goal.line, goal.line.size - 1
    anchors = outputs if isinstance(goal, Distances) else goal.anchors[outputs]
    found = []
    for some in np.array_split(np.arange(len(outputs)), 1 + len(outputs) * reach // _CELLS):
        if not len(some):
            continue
        windows = goal.windows(prices, outputs[some], reach)
        _, right, left = least_rays_with_levels(windows, line.steps, line.alpha)
        levels = np.zeros((len(some), line.size), dtype=np.int64)
        apart = np.arange(line.size) - anchors[some, None]
        rows = np.arange(len(some))[:, None]
        if reach:
            levels = np.where(apart > 0, right[rows, np.maximum(apart - 1, 0)], levels)
            levels = np.where(apart < 0, left[rows, np.maximum(-apart - 1, 0)], levels)
        found.append(levels)
    return np.concatenate(found)
