"""The rays at hand while the best ones are searched for, and what a search finds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.bound import Flags
from discreet.designer.rays.goal import Distances, GoalOnALine, Line
from discreet.designer.rays.program import LocalBasis, RayProgram, Way, Weighing
from discreet.designer.request import out_of_time

Report = Callable[[float, float], None]
"""Is told the value of the rays at hand and the best bound, as a search goes on."""

MOST_ROUNDS = 250

_NEAREST = 3
NEAREST_BOXED = 5
"""In a box each round is dear: with more intervals to begin with there are fewer of them."""

_ALL_INTERVALS = 45_000
_NEAR_AN_END = 6
"""Further from the ends, in windows of Δ, hardly any but the usual length is ever used."""
_WIDE_STEPS = 12
_INTERIOR_ROWS = 1_100
_INTERIOR_LOCAL_ROWS = 2_500
_MOST_ANEW = 200
"""Answers of a line that costs next to nothing to solve from nothing."""


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays on a line by their levels: 0 where a ray is highest, 1 where it has fallen by e^−ε, …"""

    levels: Indices
    weight: Floats
    output: Indices


@dataclass(frozen=True, eq=False, kw_only=True)
class RayOptimum:
    """Weighted rays, what they cost, and a bound on what any rays cost; in the goal's units.

    `others` are rays that are no intervals; `prices` are those that prove the bound. Where the rays
    are `one_sided`, each stands for itself and its mirror image, with half of the weight each.
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
    one_sided: bool

    @property
    def gap(self) -> float:
        """How far the value may lie above the least, as a share of the value."""
        return (self.value - self.bound) / self.value if self.value > 0 else 0.0


class Pool:
    """Rays in a program over rays: intervals, taken from all there are, and others by levels."""

    def __init__(self, goal: GoalOnALine, scale: float = 1.0) -> None:
        line = goal.line
        differenced = line.steps > 6 and line.size <= 150 * line.steps
        self.goal = goal
        self.basis = LocalBasis(line, goal.symmetric, differenced)
        self.program = RayProgram(self.basis, scale)
        self.first, self.last = intervals(line, goal.symmetric)
        self.cost, self.told = goal.interval_costs(self.first, self.last)
        self.held = np.zeros(len(self.first), dtype=bool)
        self._parts: list[tuple[int, Indices | Rays]] = []
        self._seen: set[bytes] = set()
        self._began_anew = False

    @property
    def way(self) -> Way:
        """How a program of this size is best solved from nothing."""
        most = _INTERIOR_ROWS if self.basis.differenced else _INTERIOR_LOCAL_ROWS
        return "interior" if self.basis.rows > most else "dual"

    def hold(self, which: Indices) -> None:
        """Add some of the intervals."""
        self.held[which] = True
        columns = self.basis.interval_columns(self.first[which], self.last[which])
        self._parts.append((self.program.add(columns, self.cost[which]), which))

    def hold_missing(self, prices: Floats, value: float) -> int:
        """Add the intervals that these prices ask for, the worst of each end, and count them."""
        if self.held.all():
            return 0
        reduced = self.cost - self.goal.line.inside(prices, self.first, self.last)
        wanted = np.flatnonzero((reduced < -1e-9 * value / self.goal.line.size) & ~self.held)
        if not len(wanted):
            return 0
        worst = wanted[np.argsort(reduced[wanted], kind="stable")]
        per_first = worst[np.unique(self.first[worst], return_index=True)[1]]
        per_last = worst[np.unique(self.last[worst], return_index=True)[1]]
        chosen = np.union1d(per_first, per_last)
        self.hold(chosen)
        return len(chosen)

    def begin_anew(self) -> bool:
        """Let the solver begin from nothing, once and on short lines: it may have ended before its
        own tolerance, with rays at hand that its prices ask for. Whether that is to be tried."""
        if self._began_anew or self.goal.line.size > _MOST_ANEW:
            return False
        self._began_anew = True
        self.program.forget()
        return True

    def hold_levels(self, levels: Indices) -> int:
        """Add rays by their levels, those that are new, and say how many they are."""
        if not len(levels):
            return 0
        levels = levels - levels.min(axis=1, keepdims=True)
        which = self._which_intervals(levels)
        missing = np.unique(which[which >= 0])
        missing = missing[~self.held[missing]]
        if len(missing):
            self.hold(missing)
        return len(missing) + self._hold_others(levels[which < 0])

    def _hold_others(self, levels: Indices) -> int:
        new = [k for k, row in enumerate(levels) if self._is_new(row)]
        if new:
            cost, outputs = self.goal.losses(self.goal.line.alpha ** levels[new].astype(float))
            begin = self.program.add(self.basis.ray_columns(levels[new]), cost)
            self._parts.append((begin, Rays(levels[new], cost, outputs)))
        return len(new)

    def only_intervals(self, prices: Floats) -> "Pool":
        """A pool of the intervals that are here and those nearest to being worth their price."""
        pool = Pool(self.goal)
        pool.hold_nearest(prices, NEAREST_BOXED, besides=self.held)
        return pool

    def hold_nearest(
        self, prices: Floats, many: int = _NEAREST, besides: Flags | None = None
    ) -> None:
        """Add the intervals that are nearest to being worth their price, some for each answer."""
        reduced = self.cost - self.goal.line.inside(prices, self.first, self.last)
        few = min(len(reduced), many * self.goal.line.size)
        chosen = np.zeros(len(reduced), dtype=bool)
        chosen[np.argpartition(reduced, few - 1)[:few]] = True
        self.hold(np.flatnonzero(chosen if besides is None else chosen | besides))

    def found(self, weighing: Weighing, bound: float, prices: Floats) -> RayOptimum:
        """The rays that have weight."""
        nothing = np.zeros(0, dtype=np.int64)
        used, weights = [nothing], [np.zeros(0)]
        others = [Rays(np.zeros((0, self.goal.line.size), dtype=np.int64), np.zeros(0), nothing)]
        for begin, part in self._parts:
            size = len(part.output) if isinstance(part, Rays) else len(part)
            weight = weighing.weights[begin : begin + size]
            some = np.flatnonzero(weight > 0)
            if isinstance(part, Rays):
                others.append(Rays(part.levels[some], weight[some], part.output[some]))
            else:
                used.append(part[some])
                weights.append(weight[some])
        which, weight = np.concatenate(used), np.concatenate(weights)
        order = np.argsort(self.first[which], kind="stable")
        which, weight = which[order], weight[order]
        return RayOptimum(
            first=self.first[which],
            last=self.last[which],
            weight=weight,
            output=self.told[which],
            cost=self.cost[which],
            others=Rays(
                np.concatenate([rays.levels for rays in others]),
                np.concatenate([rays.weight for rays in others]),
                np.concatenate([rays.output for rays in others]),
            ),
            value=weighing.value,
            bound=bound,
            prices=prices,
            one_sided=self.goal.symmetric,
        )

    def _which_intervals(self, levels: Indices) -> Indices:
        """Which of all intervals each of these is, or −1."""
        line, places = self.goal.line, np.arange(self.goal.line.size)
        first = (levels == 0).argmax(axis=1)
        last = line.size - 1 - (levels[:, ::-1] == 0).argmax(axis=1)
        away = np.maximum(np.maximum(first[:, None] - places, places - last[:, None]), 0)
        same = (levels == -(-away // line.steps)).all(axis=1) & (last - first < 2 * line.steps)
        mirrored = line.size - 1 - last
        left = np.minimum(first, mirrored) if self.basis.symmetric else first
        room = line.size - np.arange(1, min(2 * line.steps, line.size) + 1)
        many = room // 2 + 1 if self.basis.symmetric else room + 1
        begin = np.concatenate([[0], np.cumsum(many)])
        return np.where(same, begin[np.where(same, last - first, 0)] + left, -1)

    def _is_new(self, row: Indices) -> bool:
        key = row.astype(np.int16).tobytes()
        mirror = row[::-1].astype(np.int16).tobytes() if self.basis.symmetric else key
        known = key in self._seen or mirror in self._seen
        self._seen.add(key)
        return not known


def with_intervals(
    pool: Pool, report: Report, enough: float = -np.inf, way: Way | None = None
) -> Weighing:
    """The best weights of interval rays, added to the pool as the prices ask for them.

    Weights that cost no more than `enough` are good enough. The way is the pool's unless given.
    """
    if not pool.held.any():
        pool.hold(np.flatnonzero(_first_choice(pool)))
    way = pool.way if way is None else way
    again = way
    is_long = pool.goal.line.size > 80 * pool.goal.line.steps
    rough = 1e-7 if way == "interior" and not (is_long or pool.held.all()) else 1e-10
    weighing = _first_weights(pool, way, rough)
    if way == "dual":
        again = "primal"
    for _ in range(MOST_ROUNDS):
        report(weighing.value, -np.inf)
        is_enough = weighing.value <= enough
        if is_enough:
            break
        if not pool.hold_missing(weighing.prices, weighing.value):
            if rough <= 1e-10 or out_of_time():
                break
            rough = 1e-10
        if out_of_time():
            break
        weighing = pool.program.solve(again, rough)
    return weighing


def _first_weights(pool: Pool, way: Way, rough: float) -> Weighing:
    """Weights of the intervals at hand, and of a sample of all where those add up to 1 nowhere."""
    chosen = pool.held | _first_choice(pool)
    if chosen.sum() == pool.held.sum():
        return pool.program.solve(way, rough)
    weighing = pool.program.attempt("interior", rough)
    if weighing is None:
        pool.hold(np.flatnonzero(chosen & ~pool.held))
    if weighing is None or way != "interior":
        pool.program.forget()
        weighing = pool.program.solve(way, rough)
    return weighing


def intervals(line: Line, symmetric: bool) -> tuple[Indices, Indices]:
    """All intervals of at most 2Δ answers; of two that mirror one another only the left one."""
    firsts, lasts = [], []
    for length in range(1, min(2 * line.steps, line.size) + 1):
        room = line.size - length
        first = np.arange(room // 2 + 1 if symmetric else room + 1)
        firsts.append(first)
        lasts.append(first + length - 1)
    return np.concatenate(firsts), np.concatenate(lasts)


def _first_choice(pool: Pool) -> Flags:
    """Which intervals to begin with: all when they are few, else a sample that has a solution.

    Far from the ends of a long line hardly any but the usual length is ever used.
    """
    line, first, last = pool.goal.line, pool.first, pool.last
    length, grain = last - first + 1, max(1, line.steps // 9)
    if is_long_and_wide(pool.goal):
        near_an_end = np.minimum(first, line.size - 1 - last) < _NEAR_AN_END * line.steps
        return np.asarray(near_an_end | (np.abs(length - usual_length(line)) <= 1))
    if len(first) <= _ALL_INTERVALS:
        return np.ones(len(first), dtype=bool)
    sample = (length % grain == 0) & (first % grain == 0)
    if line.size > 80 * line.steps:
        near_an_end = np.minimum(first, line.size - 1 - last) < 40 * line.steps
        sample &= near_an_end
    usual = np.abs(length - usual_length(line)) <= 1
    at_the_end = (first == 0) | (last == line.size - 1)
    return np.asarray(sample | usual | (at_the_end & (length % 2 == 0)))


def is_long_and_wide(goal: GoalOnALine) -> bool:
    """Whether most intervals lie far from the ends, and many are at each place."""
    line = goal.line
    wide = line.steps > _WIDE_STEPS and line.size > 4 * _NEAR_AN_END * line.steps
    return wide and isinstance(goal, Distances) and goal.power == 1


def usual_length(line: Line, power: int = 1) -> int:
    """The length of an interval that costs least for its mass, far from the ends."""
    wide = Line(60 * line.steps + 1, line.steps, line.alpha)
    length = np.arange(1, 2 * line.steps + 1)
    first = (wide.size - length) // 2
    cost = Distances(wide, power).interval_costs(first, first + length - 1)[0]
    mass = wide.inside(np.ones(wide.size), first, first + length - 1)
    return int(length[np.argmin(cost / mass)])
