"""The best weighted rays on a line: interval rays first, others as pricing finds them.

Every round weighs the rays at hand, prices the answers, and asks which ray is missing most: among
intervals by running sums, among all rays by dynamic programming, which also proves the bound.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.design.local_basis import LocalBasis
from discreet.design.pricing import UNIT, Windows, least_rays, least_rays_with_levels
from discreet.design.program import Floats, Indices
from discreet.design.ray_program import RayProgram, Way, Weighing
from discreet.design.rays_goal import Distances, GoalOnALine, Line, Table

TOLERANCE = 1e-10
"""The relative gap at which a search ends."""

MOST_ROUNDS = 250
MOST_LEVELS = 2_500
"""On longer lines only interval rays are added."""

LONG = 200
"""On lines longer than this interval rays are preferred: they need not be written out."""

_LONG_TOLERANCE = 1e-7
_ALL_INTERVALS = 12_000
_INTERIOR_ROWS = 1_200
_SMOOTH = 0.6
_AT_ONCE = 3_000_000


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays on a line by their levels: 0 where a ray is highest, 1 where it has fallen by e^−ε, …"""

    levels: Indices
    weight: Floats
    output: Indices


@dataclass(frozen=True, eq=False)
class Found:
    """Weighted rays, what they cost, and a bound on what any rays cost; in the goal's units.

    `others` are rays that are no intervals. With a symmetric goal each ray stands for itself and
    its mirror image, with half of the weight each.
    """

    first: Indices
    last: Indices
    weight: Floats
    output: Indices
    cost: Floats
    others: Rays
    value: float
    bound: float
    prices: Floats


@dataclass
class _Pool:
    """The rays at hand, in the order in which the program has them."""

    goal: GoalOnALine
    program: RayProgram
    basis: LocalBasis
    first: list[Indices] = field(default_factory=list)
    last: list[Indices] = field(default_factory=list)
    told: list[Indices] = field(default_factory=list)
    cost: list[Floats] = field(default_factory=list)
    levels: list[Indices | None] = field(default_factory=list)
    seen: set[bytes] = field(default_factory=set)

    def add_intervals(self, first: Indices, last: Indices) -> None:
        """Add rays that are flat on [first, last]."""
        cost, told = self.goal.interval_costs(first, last)
        self.program.add(self.basis.interval_columns(first, last), cost)
        self._note(first, last, told, cost, None)

    def add_levels(self, levels: Indices) -> int:
        """Add rays by their levels, those that are new, and say how many they are."""
        levels = levels - levels.min(axis=1, keepdims=True)
        new = [k for k, row in enumerate(levels) if self._is_new(row)]
        if new:
            levels = levels[new]
            cost, told = self.goal.losses(self.goal.line.alpha ** levels.astype(float))
            self.program.add(self.basis.ray_columns(levels), cost)
            ends = np.zeros(len(new), dtype=np.int64)
            self._note(ends, ends - 1, told, cost, levels)
        return len(new)

    def _is_new(self, row: Indices) -> bool:
        key = row.astype(np.int16).tobytes()
        mirror = row[::-1].astype(np.int16).tobytes() if self.basis.symmetric else key
        known = key in self.seen or mirror in self.seen
        self.seen.add(key)
        return not known

    def _note(
        self, first: Indices, last: Indices, told: Indices, cost: Floats, levels: Indices | None
    ) -> None:
        self.first.append(first)
        self.last.append(last)
        self.told.append(told)
        self.cost.append(cost)
        self.levels.append(levels)


Report = Callable[[float, float], None]


def best_rays(goal: GoalOnALine, report: Report, tolerance: float = TOLERANCE) -> Found:
    """The best weighted rays for a goal on a line, with a proven bound on all mechanisms."""
    found = _searched(goal, report, tolerance, 1.0)
    usual = goal.line.size
    if found.value - found.bound > tolerance * found.value > 0 and found.value < 0.1 * usual:
        again = _searched(goal, report, tolerance, usual / found.value)
        if again.value - again.bound < found.value - found.bound:
            return again
    return found


def _searched(goal: GoalOnALine, report: Report, tolerance: float, scale: float) -> Found:
    line = goal.line
    first, last = intervals(line, goal.symmetric)
    differenced = line.steps > 6
    basis = LocalBasis(line, goal.symmetric, differenced)
    pool = _Pool(goal, RayProgram(basis, scale), basis)
    few = _first_choice(line, goal, first, last)
    pool.add_intervals(first[few], last[few])
    way: Way = "interior" if basis.rows > _INTERIOR_ROWS else "dual"
    costs = None if few.all() else goal.interval_costs(first, last)[0]
    weighing = _with_intervals(pool, way, (first, last, costs, few), report)
    of_intervals = weighing
    best, anchor = -np.inf, weighing.prices
    for _ in range(MOST_ROUNDS):
        added = 0
        for share in (0.0, _SMOOTH):
            prices = share * anchor + (1 - share) * weighing.prices
            bound, levels = _priced(goal, prices, tolerance * weighing.value)
            if bound > best:
                best, anchor = bound, prices
            if levels is not None and weighing.value - best > tolerance * weighing.value:
                added += pool.add_levels(levels)
        report(weighing.value, best)
        if weighing.value - best <= tolerance * weighing.value or not added:
            break
        weighing = pool.program.solve("primal")
    loses = of_intervals.value - weighing.value
    if line.size > LONG and loses <= _LONG_TOLERANCE * weighing.value:
        weighing = of_intervals
    return _found(pool, weighing, best)


def intervals(line: Line, symmetric: bool) -> tuple[Indices, Indices]:
    """All intervals of at most 2Δ answers; of two that mirror one another only the left one."""
    firsts, lasts = [], []
    for length in range(1, min(2 * line.steps, line.size) + 1):
        room = line.size - length
        first = np.arange(room // 2 + 1 if symmetric else room + 1)
        firsts.append(first)
        lasts.append(first + length - 1)
    return np.concatenate(firsts), np.concatenate(lasts)


def _first_choice(
    line: Line, goal: GoalOnALine, first: Indices, last: Indices
) -> npt.NDArray[np.bool_]:
    """Which intervals to begin with: all when they are few, else a sample that has a solution."""
    if len(first) <= _ALL_INTERVALS:
        return np.ones(len(first), dtype=bool)
    length = last - first + 1
    grain = max(2, line.steps // 11)
    usual = np.abs(length - _usual_length(line)) <= 1
    spread = (length % grain == 0) & (first % grain == 0)
    at_the_end = (first == 0) & (length % 2 == 0)
    return np.asarray(usual | spread | at_the_end | (length == 1) & ~np.bool_(goal.symmetric))


def _usual_length(line: Line) -> int:
    """The length of an interval that costs least for its mass, far from the ends."""
    wide = Line(60 * line.steps + 1, line.steps, line.alpha)
    length = np.arange(1, 2 * line.steps + 1)
    first = (wide.size - length) // 2
    cost = Distances(wide, 1).interval_costs(first, first + length - 1)[0]
    mass = wide.inside(np.ones(wide.size), first, first + length - 1)
    return int(length[np.argmin(cost / mass)])


_Candidates = tuple[Indices, Indices, Floats | None, npt.NDArray[np.bool_]]


def _with_intervals(pool: _Pool, way: Way, all_of_them: _Candidates, report: Report) -> Weighing:
    """Add the intervals that the prices ask for, until none is missing."""
    first, last, costs, held = all_of_them
    rough = 1e-7 if way == "interior" else 1e-10
    weighing = pool.program.solve(way, rough)
    if costs is None:
        return weighing
    again: Way = "interior" if way == "interior" else "primal"
    for _ in range(MOST_ROUNDS):
        report(weighing.value, -np.inf)
        reduced = costs - pool.goal.line.inside(weighing.prices, first, last)
        missing = np.flatnonzero((reduced < -1e-9 * weighing.value / len(weighing.prices)) & ~held)
        if not len(missing):
            if rough == 1e-10:
                break
            rough = 1e-10
        else:
            worst = missing[np.argsort(reduced[missing], kind="stable")]
            per_first = worst[np.unique(first[worst], return_index=True)[1]]
            per_last = worst[np.unique(last[worst], return_index=True)[1]]
            chosen = np.union1d(per_first, per_last)
            held[chosen] = True
            pool.add_intervals(first[chosen], last[chosen])
        weighing = pool.program.solve(again, rough)
    return weighing


def _priced(goal: GoalOnALine, prices: Floats, small: float) -> tuple[float, Indices | None]:
    """A bound on what any rays cost, and rays that would have to be added to raise it."""
    least, outputs = least_of_outputs(goal, prices)
    bound = lower_bound(goal, prices, least)
    if goal.line.size > MOST_LEVELS:
        return bound, None
    wanting = outputs[least < -small / (2 * goal.outputs)]
    if not len(wanting):
        return bound, None
    return bound, _levels_of(goal, prices, wanting)


def lower_bound(goal: GoalOnALine, prices: Floats, least: Floats) -> float:
    """Σ y + Σ_i min(0, v_i), rounded down: no rays cost less (docs/proofs/rays.md)."""
    lacking = np.minimum(least, 0.0)
    total = math.fsum(lacking)
    if isinstance(goal, Distances):
        total = 2 * total - (lacking[-1] if goal.outputs % 2 else 0.0)
    raised = math.fsum(prices)
    return raised + total - 4 * UNIT * (abs(raised) + abs(total))


def least_of_outputs(goal: GoalOnALine, prices: Floats) -> tuple[Floats, Indices]:
    """A bound on the cheapest ray of each output; of the mirrored half, where distances count."""
    line = goal.line
    outputs = np.arange((goal.outputs + 1) // 2 if isinstance(goal, Distances) else goal.outputs)
    reach = _reach(goal, prices)
    parts = 1 + len(outputs) * max(reach, 1) // _AT_ONCE
    least = [
        least_rays(goal.windows(prices, some, reach), line.steps, line.alpha)
        for some in np.array_split(outputs, parts)
        if len(some)
    ]
    return np.concatenate(least), outputs


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
    line = goal.line
    reach = line.size - 1
    anchors = outputs if isinstance(goal, Distances) else goal.anchors[outputs]
    found = []
    for some in np.array_split(np.arange(len(outputs)), 1 + len(outputs) * reach // _AT_ONCE):
        windows = _each_window(goal, prices, outputs[some], reach)
        _, right, left = least_rays_with_levels(windows, line.steps, line.alpha)
        anchor = anchors[some]
        levels = np.zeros((len(some), line.size), dtype=np.int64)
        apart = np.arange(line.size) - anchor[:, None]
        rows = np.arange(len(some))[:, None]
        if reach:
            levels = np.where(apart > 0, right[rows, np.maximum(apart - 1, 0)], levels)
            levels = np.where(apart < 0, left[rows, np.maximum(-apart - 1, 0)], levels)
        found.append(levels)
    return np.concatenate(found)


def _each_window(goal: GoalOnALine, prices: Floats, outputs: Indices, reach: int) -> Windows:
    """Windows of outputs that need not follow one another."""
    if isinstance(goal, Table):
        return goal.windows(prices, outputs, reach)
    every = goal.windows(prices, np.arange(goal.outputs), reach)
    both = np.concatenate([outputs, outputs + goal.outputs])
    return Windows(every.centre[outputs], every.sides[:, both])


def _found(pool: _Pool, weighing: Weighing, bound: float) -> Found:
    sizes = [len(part) for part in pool.cost]
    weight = np.zeros(sum(sizes))
    weight[: len(weighing.weights)] = weighing.weights
    is_interval = np.repeat([levels is None for levels in pool.levels], sizes)
    first, last, told = (
        np.concatenate(parts).astype(np.int64) for parts in (pool.first, pool.last, pool.told)
    )
    other = ~is_interval & (weight > 0)
    written = [levels for levels in pool.levels if levels is not None]
    levels = np.concatenate([np.zeros((0, pool.goal.line.size), dtype=np.int64), *written])
    rays = Rays(levels[weight[~is_interval] > 0], weight[other], told[other])
    kept = np.flatnonzero(is_interval & (weight > 0))
    kept = kept[np.argsort(first[kept], kind="stable")]
    return Found(
        first[kept], last[kept], weight[kept], told[kept], np.concatenate(pool.cost)[kept], rays,
        weighing.value, bound, weighing.prices,
    )  # fmt: skip
