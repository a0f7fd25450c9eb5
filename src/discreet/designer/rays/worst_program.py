"""The worst case on a line as a program over rays: a row more for each answer, what it errs.

Rays and what is told of each have weights that add up to 1 in every column; no answer errs more
than t, and t is least. The multipliers of what answers err are a prior under which nothing errs
much less: that is the bound. What answers err is written in the local basis applied twice, which
leaves few entries to a ray: docs/proofs/worst-case.md.
"""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.rays.bound import bound_and_rays, bound_at
from discreet.designer.rays.errors import ErrorBasis, FlatRays
from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.integers import WeightedRays
from discreet.designer.rays.pool import Rays, Report, intervals, usual_length
from discreet.designer.rays.program import LocalBasis
from discreet.designer.request import out_of_time, relative_gap

TOLERANCE = 1e-8
"""The relative gap at which a search ends."""
_MOST_ROUNDS = 60
_MOST_OTHERS = 1_000
"""On longer lines rays that are no intervals are not looked for: they are written out."""
_LEAST_WEIGHT = 1e-14
_SUM_ROUNDING = 1 + 2.0**-40


@dataclass(frozen=True, eq=False)
class WorstFound:
    """Weighted rays on both sides, those that are no intervals apart, and a bound, in steps."""

    rays: WeightedRays
    others: Rays
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """How far the worst answer may err above the least, as a share."""
        return relative_gap(self.value, self.bound)


def least_worst_rays(goal: Distances, report: Report) -> WorstFound:
    """Rays whose worst answer errs least, with what no mechanism can beat.

    >>> best = least_worst_rays(Distances(Line(41, 4, float(np.exp(-1))), 1), lambda *_: None)
    >>> round(best.value, 6), best.gap < 1e-9
    (3.39685, True)
    """
    basis, size = ErrorBasis(goal), goal.line.size
    every = intervals(goal.line, symmetric=True)
    held, others, bound = _first_choice(goal, *every), _no_rays(size), -np.inf
    for turn in range(_MOST_ROUNDS):
        solution = _Solved.of(basis, held, others)
        report(solution.value, bound)
        more = solution.missing(*every)
        new = np.flatnonzero(~np.isin(more.keys(size), held.keys(size)))
        if len(new) and turn < _MOST_ROUNDS - 1 and not out_of_time():
            held = held.joined(more.only(new))
            continue
        proved, wanted = solution.proved()
        bound = max(bound, proved)
        more_others = _new_rays(others, wanted)
        closed = relative_gap(solution.value, bound) <= TOLERANCE
        if closed or not len(more_others.output) or out_of_time():
            break
        others = _joined_rays(others, more_others)
    weights = np.split(solution.weights, [len(held)])
    return WorstFound(
        _both_sides(goal.line, held, weights[0]),
        _both_sides_of_others(size, others, weights[1]),
        solution.value,
        bound,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Solved:
    """Weights of rays, and the prior and the prices that their program's multipliers are."""

    goal: Distances
    value: float
    weights: Floats
    prior: Floats
    prices: Floats

    @classmethod
    def of(cls, basis: ErrorBasis, rays: FlatRays, others: Rays) -> "_Solved":
        line = basis.line
        sums = LocalBasis(line, symmetric=True, differenced=False)
        solution = solve(
            _program(basis, sums, rays, others),
            "ipm",
            crossover=False,
            presolve=False,
            tolerance=1e-10,
        )
        half = sums.rows
        weights = np.maximum(solution.x[1 + half :], 0.0)
        multipliers = np.zeros(line.size)
        multipliers[:half] = solution.duals[half:]
        prior = np.maximum(-basis.times(multipliers + multipliers[::-1]), 0.0)
        prior /= prior.sum() * _SUM_ROUNDING
        prices = sums.prices(solution.duals[:half])
        return cls(
            goal=basis.goal, value=float(solution.x[0]), weights=weights, prior=prior, prices=prices
        )

    def missing(self, first: Indices, last: Indices) -> FlatRays:
        """The rays that these prices ask for, told as this prior likes best."""
        cost, output = best_told(self.goal, self.prior, first, last)
        reduced = cost - self.goal.line.inside(self.prices, first, last)
        wanted = np.flatnonzero(reduced < -TOLERANCE * self.value / (4 * self.goal.line.size))
        worst = wanted[np.argsort(reduced[wanted], kind="stable")]
        chosen = np.union1d(
            worst[np.unique(first[worst], return_index=True)[1]],
            worst[np.unique(last[worst], return_index=True)[1]],
        )
        return FlatRays(first[chosen], last[chosen], output[chosen])

    def proved(self) -> tuple[float, Rays]:
        """What no mechanism beats under the prior, and the rays that would have to be added."""
        line, places = self.goal.line, np.arange(self.goal.line.size)
        losses = np.abs(places[:, None] - places).astype(np.float64) ** self.goal.power
        table = LossTable(line, losses * self.prior, places, symmetric=True)
        if line.size > _MOST_OTHERS:
            return bound_at(table, self.prices), _no_rays(line.size)
        bound, levels = bound_and_rays(table, self.prices, TOLERANCE * self.value)
        if not len(levels):
            return bound, _no_rays(line.size)
        levels = levels - levels.min(axis=1, keepdims=True)
        cost, output = table.losses(line.alpha ** levels.astype(float))
        return bound, Rays(levels, cost, output)


def _program(basis: ErrorBasis, sums: LocalBasis, rays: FlatRays, others: Rays) -> Program:
    """Variables: the worst error t, what each answer errs less than t, the weights of the rays."""
    size, half = basis.line.size, sums.rows
    columns = sums.interval_columns(rays.first, rays.last)
    of_sums = np.repeat(np.arange(len(rays)), np.diff(columns.starts)) + 1 + half
    even = basis.times(np.ones(size))
    row, column, value = basis.entries
    ray, place, error = basis.errors(rays)
    shaped = sums.ray_columns(others.levels)
    of_shaped = np.repeat(np.arange(len(others.output)), np.diff(shaped.starts))
    other, where, erring = basis.errors_of_others(others)
    last = 1 + half + len(rays)
    entries = [
        (columns.rows, of_sums, columns.values),
        _folded(size, np.arange(size), np.zeros(size, dtype=np.int64), -even),
        _folded(size, row, 1 + np.minimum(column, size - 1 - column), value),
        _folded(size, place, 1 + half + ray, error),
        (shaped.rows, last + of_shaped, shaped.values),
        _folded(size, where, last + other, erring),
    ]
    rows, places, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    sides = np.concatenate([sums.right_side, np.zeros(half)])
    width = last + len(others.output)
    key, of = np.unique(rows * width + places, return_inverse=True)
    added = np.bincount(of, values, minlength=len(key)).astype(np.float64)
    cost = np.zeros(width)
    cost[0] = 1.0
    block = ProgramRows(
        name="rows", row=key // width, column=key % width, value=added, lower=sides, upper=sides
    )
    return Program.of(cost, np.zeros(width), np.full(width, NO_BOUND), [block])


def _folded(
    size: int, row: Indices, column: Indices, value: Floats
) -> tuple[Indices, Indices, Floats]:
    """Each row added to its mirror image, below the rows of the sums."""
    half, mirror = (size + 1) // 2, size - 1 - row
    return half + np.minimum(row, mirror), column, value * (1 + (row == mirror))


def best_told(
    goal: Distances, prior: Floats, first: Indices, last: Indices
) -> tuple[Floats, Indices]:
    """What each ray costs under a prior when its best output is told, and which that is.

    An output left of the interval is never looked for: priors fall towards the ends of a line, and
    only its left half is asked about. This proposes; nothing is proved with it.
    """
    line, places = goal.line, np.arange(goal.line.size, dtype=float)
    moments = np.stack([prior, prior * places, prior * places**2])
    mass, once, twice = line.inside(moments, first, last)
    if goal.power == 2:
        best = np.clip(np.rint(once / np.maximum(mass, 1e-300)), 0, line.size - 1).astype(np.int64)
        return twice - 2.0 * best * once + best.astype(float) ** 2 * mass, best
    beyond = _Beyond(line, moments[:2])
    best = first.copy()
    for _ in range(line.size):
        above = beyond.at(last, best)[0]
        moving = np.flatnonzero((2 * above > mass) & (best < line.size - 1))
        if not len(moving):
            break
        best[moving] += 1
    above, moment = beyond.at(last, best)
    return best * mass - once + 2 * (moment - best * above), best


class _Beyond:
    """Σ_{j > o} v_j·x_j for rays x and outputs o that do not lie left of their intervals."""

    def __init__(self, line: Line, values: Floats) -> None:
        self._line = line
        self._until = np.cumsum(values, axis=1)
        self._tails = line.tails(values[:, ::-1])[:, ::-1]

    def at(self, last: Indices, output: Indices) -> Floats:
        """A line for each kind of value."""
        line, until = self._line, self._until
        falls = np.maximum(output - last, 0) // line.steps
        start = last + falls * line.steps
        inside = until[:, last] - until[:, np.minimum(output, last)]
        passed = until[:, np.maximum(output, start)] - until[:, start]
        beyond: Floats = self._tails[:, start] - line.alpha * passed
        return np.asarray(inside + line.alpha ** falls.astype(float) * beyond)


def _first_choice(goal: Distances, first: Indices, last: Indices) -> FlatRays:
    """Intervals near the end, told as a likely prior likes best; elsewhere the usual length."""
    line = goal.line
    grain, usual = max(1, line.steps // 5), usual_length(line, goal.power)
    places = (np.arange(line.size) + 0.5) / line.size
    likely = best_told(goal, np.sin(np.pi * places) ** 1.5, first, last)[1]
    length, middle = last - first + 1, (first + last) // 2
    near = first < 12 * line.steps * max(1.0, 1 / -np.log(line.alpha))
    sample = near & ((length % grain == 0) | (length == 1)) & ((first % grain == 0) | (first < 3))
    usually = np.abs(length - usual) <= 1
    parts = []
    for output, which in [
        (likely, sample),
        *((middle + offset, sample | usually) for offset in (0, 1)),
        *((middle + offset * grain, sample) for offset in (-1, 2, 3, 4)),
    ]:
        kept = np.flatnonzero(which & (output >= 0) & (output < line.size))
        parts.append(FlatRays(first[kept], last[kept], output[kept]))
    return FlatRays(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.output for part in parts]),
    )


def _no_rays(size: int) -> Rays:
    nothing = np.zeros(0, dtype=np.int64)
    return Rays(np.zeros((0, size), dtype=np.int64), np.zeros(0), nothing)


def _joined_rays(rays: Rays, more: Rays) -> Rays:
    return Rays(
        np.concatenate([rays.levels, more.levels]),
        np.concatenate([rays.weight, more.weight]),
        np.concatenate([rays.output, more.output]),
    )


def _new_rays(rays: Rays, more: Rays) -> Rays:
    """Those of more that are not at hand yet, each once."""
    known = {_key(levels, output) for levels, output in zip(rays.levels, rays.output, strict=True)}
    new = []
    for number, (levels, output) in enumerate(zip(more.levels, more.output, strict=True)):
        if _key(levels, output) not in known:
            known.add(_key(levels, output))
            new.append(number)
    return Rays(more.levels[new], more.weight[new], more.output[new])


def _key(levels: Indices, output: Indices) -> bytes:
    return levels.astype(np.int16).tobytes() + int(output).to_bytes(4, "big")


def _both_sides_of_others(size: int, others: Rays, weights: Floats) -> Rays:
    used = np.flatnonzero(weights > _LEAST_WEIGHT)
    levels, output, half = others.levels[used], others.output[used], weights[used] / 2
    return Rays(
        np.concatenate([levels, levels[:, ::-1]]),
        np.concatenate([half, half]),
        np.concatenate([output, size - 1 - output]),
    )


def _both_sides(line: Line, rays: FlatRays, weights: Floats) -> WeightedRays:
    """Each ray and its mirror image with half of the weight; those with none are left out."""
    used = np.flatnonzero(weights > _LEAST_WEIGHT)
    used = used[np.lexsort((rays.last[used], rays.first[used]))]
    one, half, end = rays.only(used), weights[used] / 2, line.size - 1
    return WeightedRays(
        np.concatenate([one.first, end - one.last[::-1]]),
        np.concatenate([one.last, end - one.first[::-1]]),
        np.concatenate([half, half[::-1]]),
        np.concatenate([one.output, end - one.output[::-1]]),
    )
