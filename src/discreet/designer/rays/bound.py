"""What any rays must cost at given prices, and which rays say so (docs/proofs/rays.md).

A row of a private matrix is a sum of rays x_j = α^{z_j} whose levels z differ by at most 1 between
answers within Δ steps. For prices y of the answers, each output's ray with the least ⟨c − y, x⟩ is
found by dynamic programming, walking away from one answer, its anchor, to both sides. Everything is
rounded down, so that what is said to be the least is a bound for all rays.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.goal import Distances, GoalOnALine, Line, Windows

Flags = npt.NDArray[np.bool_]

_UNIT = 2.0**-53
MOST_LEVELS = 6_000
"""On longer lines rays that are no intervals are not looked for."""

_MOST_AT_A_TIME = 600
_CELLS = 2_000_000
_LOW = 32
"""Where a ray has fallen below e^−32 nothing is looked at any more."""
_MOST_LOWERED, _LONGEST_LOWERED = 300, 20_000
_COVERED = 1 + 2.0**-30
"""More than all the roundings while prices are lowered."""


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
    """Σ y, lowered until no output has a ray that costs less than its price; rounded down."""
    lacking = np.maximum(-least, 0.0)
    if isinstance(goal, Distances):
        lacking = np.concatenate([lacking, lacking[: goal.outputs // 2][::-1]])
        anchors = np.arange(goal.outputs)
    else:
        anchors = goal.anchors
    lowered = math.fsum(lowering(goal.line, anchors, lacking)) * _COVERED
    raised = math.fsum(prices)
    return raised - lowered - 4 * _UNIT * (abs(raised) + lowered)


def lowering(line: Line, anchors: Indices, lacking: Floats) -> Floats:
    """By how much to lower each answer's price, so that every output gains what it lacks.

    A ray that is 1 at its anchor is at least α^⌈d/Δ⌉ at a distance d: a price that is lowered at
    one answer helps all outputs around. The neediest anchor comes first; each is met once at most.
    """
    lowered = np.zeros(line.size)
    if lacking.any() and np.isfinite(lacking).all() and len(lacking) <= _LONGEST_LOWERED:
        shape = line.alpha ** (-(-np.arange(line.size) // line.steps)).astype(float)
        for _ in range(_MOST_LOWERED):
            neediest = int(lacking.argmax())
            most = float(lacking[neediest])
            if most <= 0:
                break
            lowered[anchors[neediest]] += most
            lacking = np.maximum(lacking - most * shape[np.abs(anchors - anchors[neediest])], 0.0)
    at_anchors = np.zeros(line.size)
    np.maximum.at(at_anchors, anchors, lacking)
    return lowered + at_anchors


def _reach(goal: GoalOnALine, prices: Floats) -> int:
    """How far to look: further away every answer costs more than its price, and rays are low."""
    line = goal.line
    if not isinstance(goal, Distances):
        return line.size - 1
    highest = max(float(prices.max()), 1.0)
    positive = math.ceil(math.sqrt(highest) if goal.power == 2 else highest) + 1
    low = math.ceil(_LOW / -math.log(line.alpha)) * line.steps
    return min(line.size - 1, positive + low)


def _levels_of(goal: GoalOnALine, prices: Floats, outputs: Indices) -> Indices:
    line, reach = goal.line, goal.line.size - 1
    anchors = outputs if isinstance(goal, Distances) else goal.anchors[outputs]
    parts = []
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
        parts.append(levels)
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class _Walks:
    """What is ahead of each step away from the anchor.

    ahead[k, s] is the least that can follow from step k on, in units of the ray's present height,
    when its next change is to go down (s = 0) or up (s = 1) one level; where a choice was asked to
    be kept, `changes` says that the level changes there and `waits` that the same kind of change
    follows it next, at the earliest Δ steps on.
    """

    ahead: Floats
    changes: Flags | None
    waits: Flags | None


def least_rays(windows: Windows, steps: int, alpha: float) -> Floats:
    """For each output, a bound from below on ⟨c − y, x⟩ over all rays with x = 1 at the anchor."""
    return _joined(windows, _walks(windows.sides, steps, alpha, keep=False), steps)[0]


def least_rays_with_levels(
    windows: Windows, steps: int, alpha: float
) -> tuple[Floats, Indices, Indices]:
    """The same, with the levels of the rays that reach it: at each anchor's sides, and 0 there.

    Returns the bounds, and levels to the right and to the left of the anchor (output, distance).
    """
    walks = _walks(windows.sides, steps, alpha, keep=True)
    least, runs, kinds = _joined(windows, walks, steps)
    levels = _levels(walks, runs, kinds, steps)
    count = len(windows.centre)
    return least, levels[:, :count].T, levels[:, count:].T


def _walks(sides: Floats, steps: int, alpha: float, *, keep: bool) -> _Walks:
    """Walk from the far ends to the anchors, all outputs and both sides at once."""
    reach, width = sides.shape
    ring = reach + steps + 1 if keep else steps + 1
    ahead = np.zeros((ring, 2, width))
    changes = np.zeros((reach, 2, width), dtype=bool) if keep else None
    waits = np.zeros((reach, 2, width), dtype=bool) if keep else None
    factor = np.array([[alpha], [1 / alpha]])
    spans = _spans(sides, steps)
    for k in range(reach - 1, -1, -1):
        stay = sides[k] + ahead[(k + 1) % ring]
        later, turned = spans[k] + ahead[(k + steps) % ring], stay[::-1]
        changed = np.minimum(later, turned) * factor
        least = np.minimum(stay, changed)
        if changes is not None and waits is not None:
            changes[k], waits[k] = changed < stay, later < turned
        ahead[k % ring] = least - (8 * _UNIT) * np.abs(least)
    return _Walks(ahead, changes, waits)


def _spans(sides: Floats, steps: int) -> Floats:
    """The sum of `steps` entries from each place on, by doubling; what lies beyond counts zero."""
    sums = np.zeros_like(sides)
    doubled, offset, left, power = sides, 0, steps, 1
    while left:
        if left & 1:
            sums[: len(sums) - offset or None] += doubled[offset:]
            offset += power
            if offset >= len(sums):
                break
        left >>= 1
        if left and power < len(sums):
            longer = doubled.copy()
            longer[:-power] += doubled[power:]
            doubled = longer
        power *= 2
    return sums


def _joined(windows: Windows, walks: _Walks, steps: int) -> tuple[Floats, Indices, Indices]:
    """The least at the anchors, how far the first run reaches on either side, and what ends it.

    Both sides may change in the same direction at any time; in opposite directions only when the
    run between them is at least Δ long.
    """
    count = len(windows.centre)
    right, left = windows.sides[:, :count], windows.sides[:, count:]
    ahead_right, ahead_left = walks.ahead[:, :, :count], walks.ahead[:, :, count:]
    least = np.full(count, np.inf)
    runs = np.zeros((2, count), dtype=np.int64)
    kinds = np.zeros((2, count), dtype=np.int64)

    def offer(middle: Floats, on_right: int, on_left: int, kind: tuple[int, int]) -> None:
        far, near = ahead_right[on_right, kind[0]], ahead_left[on_left, kind[1]]
        sums = middle + far + near
        sums -= (16 * _UNIT) * (np.abs(middle) + np.abs(far) + np.abs(near))
        better = sums < least
        least[better] = sums[better]
        runs[:, better] = [[on_right], [on_left]]
        kinds[:, better] = [[kind[0]], [kind[1]]]

    for same in (0, 1):
        offer(windows.centre, 0, 0, (same, same))
    before = [windows.centre + part for part in _prefixes(left, steps)]
    after = _prefixes(right, steps)
    for on_left in range(steps):
        on_right = steps - 1 - on_left
        middle = before[on_left] + after[on_right]
        for kind in ((0, 1), (1, 0)):
            offer(middle, on_right, on_left, kind)
    return least, runs, kinds


def _prefixes(side: Floats, count: int) -> list[Floats]:
    """The sums of the first 0, 1, … count − 1 entries."""
    sums = [np.zeros(side.shape[1])]
    for k in range(count - 1):
        sums.append(sums[-1] + side[k] if k < len(side) else sums[-1])
    return sums


def _levels(walks: _Walks, runs: Indices, kinds: Indices, steps: int) -> Indices:
    """Follow the choices away from the anchors: the level at every step, on both sides."""
    assert walks.changes is not None
    assert walks.waits is not None
    reach, _, width = walks.changes.shape
    turn, kind = runs.ravel().copy(), kinds.ravel().copy()
    level, column = np.zeros(width, dtype=np.int64), np.arange(width)
    levels = np.zeros((reach, width), dtype=np.int64)
    for k in range(reach):
        due = turn == k
        changes = due & walks.changes[k, kind, column]
        waits = changes & walks.waits[k, kind, column]
        level += np.where(changes, np.where(kind == 0, 1, -1), 0)
        turn = np.where(due, np.where(waits, k + steps, k + 1), turn)
        kind = np.where(changes & ~waits, 1 - kind, kind)
        levels[k] = level
    return levels
