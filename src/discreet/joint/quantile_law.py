"""How likely each value is to be told for each of several quantiles, in floats: for figures alone.

Many imagined tables at once. Weights of all ways to go on are summed backwards, as for the draw,
and weights of all ways to get there forwards (docs/proofs/quantiles-together.md, Claim 7). What is
too small for floats does not matter here: the truth weighs 1.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from discreet.joint.magnitudes import Booleans, Integers
from discreet.joint.quantile_recursion import Steps
from discreet.joint.quantile_score import Ahead, ahead
from discreet.joint.quantiles import QuantileChoice

Floats = npt.NDArray[np.float64]

_CELLS = 1 << 17
"""So many states are worked on at once."""
_UNSEEN = 45.0
"""What has a chance of less than e to the minus this is not seen in floats."""


def chances(
    choice: QuantileChoice, tables: Sequence[Integers], ways: Integers | None = None
) -> Floats:
    """By quantile, table and run: how likely the run is to be told.

    Args:
        choice: What is drawn.
        tables: The counts of rows, by value.
        ways: Where tables have cells instead of runs, how many runs each has: one, or several
            without rows. Two quantiles in one of these count as if they might be out of order.
    """
    each = np.ones(choice.runs) if ways is None else ways.astype(np.float64)
    told = len(choice.score.shares)
    lists = told * math.log(each.sum())  # not fewer than there are, by its logarithm
    far = (_UNSEEN + lists) / (2 * float(choice.step))
    near = [_Near.of(choice.steps(counts), each, far) for counts in tables]
    found = np.zeros((told, len(tables), len(each)))
    at_once = max(1, _CELLS // (max(len(one.ways) for one in near) * (told + 2)))
    for first in range(0, len(near), at_once):
        block = near[first : first + at_once]
        likely = _Law.of(block, float(choice.step)).marginals()
        for place, one in enumerate(block):
            found[:, first + place, one.starts] = likely[:, place, : len(one.starts)]
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class _Near:
    """One table, where all values that are hardly ever told are put together with their neighbours.

    A list with a value that lies x parts of a row from its target weighs at most e^(−2·step·x), and
    the true one weighs 1: all lists with a value beyond `far` together are too few to be seen.
    """

    starts: Integers
    """Where each of its cells starts."""
    points: Integers
    targets: tuple[int, ...]
    ways: Floats
    truth: Ahead

    @classmethod
    def of(cls, steps: Steps, ways: Floats, far: float) -> "_Near":
        points = steps.points
        sides = (np.maximum(points[:-1] - one, one - points[1:]) for one in steps.targets)
        near = np.minimum.reduce(list(sides)) <= far
        starts = np.flatnonzero(near | np.append(True, near[:-1]))
        cut = np.append(points[starts], points[-1])
        return cls(
            starts=starts,
            points=cut,
            targets=steps.targets,
            ways=np.add.reduceat(ways, starts),
            truth=ahead(cut, steps.targets),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Law:
    """Tables as lines of points and targets, and what a part of a row costs."""

    points: Integers
    targets: Integers
    step: float
    ways: Floats
    truths: tuple[Ahead, ...]

    @classmethod
    def of(cls, tables: Sequence[_Near], step: float) -> "_Law":
        """Lines of one length: shorter ones end in cells that no value is in."""
        most = max(len(one.ways) for one in tables)
        return cls(
            points=np.array(
                [np.pad(one.points, (0, most - len(one.ways)), "edge") for one in tables]
            ),
            targets=np.array([one.targets for one in tables]).T[:, :, None],
            step=step,
            ways=np.array([np.pad(one.ways, (0, most - len(one.ways))) for one in tables]),
            truths=tuple(one.truth for one in tables),
        )

    def marginals(self) -> Floats:
        """The chances of all runs, quantile by quantile."""
        moves = list(self._moves())
        after = [np.exp(-self.step * np.abs(moves[-1].surplus))]
        for move in reversed(moves[1:]):
            after.append(move.backwards(after[-1] * self._ways(move)))
        after.reverse()
        found, before = [], np.ones((len(self.points), 1))
        truths, besides = self._truths()
        for move, weights, places in zip(moves, after, truths.T, strict=True):
            before = move.forwards(before) * self._ways(move)
            likely = move.by_value(before * weights) * (1 - besides)[:, None]
            likely[np.arange(len(likely)), places] += besides
            found.append(likely / likely.sum(axis=1, keepdims=True))
        return np.array(found)

    def _truths(self) -> tuple[Integers, Floats]:
        """The places of the true ones of each table, and what they weigh besides."""
        rows = np.array([one.rows for one in self.truths])
        return np.array([one.places for one in self.truths]), -np.expm1(-2 * self.step * rows)

    def _ways(self, move: "_Move") -> Floats:
        """How many values each state after a move stands for."""
        return np.take_along_axis(self.ways, move.values, axis=1)

    def _moves(self) -> Iterator["_Move"]:
        """From the start to the first quantile, and from each to the next."""
        nothing = np.zeros((len(self.points), 1), dtype=np.int64)
        surplus, values = nothing, nothing
        for target in self.targets:
            move = _Move(self, target, surplus, values)
            yield move
            surplus, values = move.surplus, move.values


@dataclass(frozen=True, eq=False)
class _Move:
    """All states before a quantile, and where each leads when it is told."""

    law: _Law
    target: Integers
    from_surplus: Integers
    from_values: Integers

    @cached_property
    def surplus(self) -> Integers:
        """Of every state after it: upper ends, lower ends, what was carried."""
        points = self.law.points - self.target
        return np.concatenate([points[:, 1:], points[:, :-1], self._carried], axis=1)

    @cached_property
    def values(self) -> Integers:
        """The value of every state after it; of what was carried, the one that holds it."""
        places = np.broadcast_to(np.arange(self.runs), (len(self.law.points), self.runs))
        held = self._count(self.law.points, self._carried + self.target, "left") - 1
        return np.concatenate([places, places, np.clip(held, 0, self.runs - 1)], axis=1)

    @property
    def runs(self) -> int:
        """How many values there are."""
        return int(self.law.points.shape[1]) - 1

    @cached_property
    def _carried(self) -> Integers:
        """What the states before it leave: carried ones first, then the ends, each once."""
        lower, runs = self.from_surplus[:, self.runs : 2 * self.runs], self.runs
        if self.from_surplus.shape[1] == 1:
            return self.from_surplus
        last = self.from_surplus[:, runs - 1 : runs]
        return np.concatenate([self.from_surplus[:, 2 * runs :], lower, last], axis=1)

    @cached_property
    def _carried_places(self) -> Integers:
        """For every state before it, its surplus among the carried ones."""
        states, runs = self.from_surplus.shape[1], self.runs
        if states == 1:
            return np.zeros(1, dtype=np.int64)
        lower = states - 2 * runs + np.arange(runs)
        return np.concatenate([lower + 1, lower, np.arange(states - 2 * runs)])

    def _count(
        self, points: Integers, reached: Integers, side: Literal["left", "right"]
    ) -> Integers:
        """How many points of its own table lie below each."""
        pairs = zip(points, reached, strict=True)
        return np.array([own.searchsorted(at, side=side) for own, at in pairs], dtype=np.int64)

    @cached_property
    def _reached(self) -> Integers:
        return np.asarray(self.from_surplus + self.target)

    @cached_property
    def _first(self) -> Integers:
        """The first value that ends above."""
        return self._count(self.law.points[:, 1:], self._reached, "right")

    @cached_property
    def _inside(self) -> Booleans:
        return np.asarray((self._first < self.runs) & (self._point(self._first) < self._reached))

    @cached_property
    def _above(self) -> Integers:
        return np.asarray(self._first + self._inside)

    def _point(self, places: Integers) -> Integers:
        return np.take_along_axis(self.law.points, places, axis=1)

    def _decay(self, far: Integers, kept: Booleans) -> Floats:
        return np.where(kept, np.exp(-self.law.step * np.where(kept, far, 0)), 0.0)

    @cached_property
    def _ends_below(self) -> tuple[Floats, Floats]:
        """What sums up to the last value below, and up to those before the own, count for."""
        some = self._first > self.from_values
        last = self._decay(self._reached - self._point(self._first), some)
        before = self._decay(
            self._reached - self._point(self.from_values), some & (self.from_values > 0)
        )
        return last, before

    @cached_property
    def _starts_above(self) -> Floats:
        return self._decay(self._point(self._above) - self._reached, self._above < self.runs)

    def backwards(self, weights: Floats) -> Floats:
        """The weights of states before it, from those after it."""
        runs = self.runs
        sums = _scanned(weights[:, :runs], self.law.points[:, 1:], self.law.step)
        rests = _scanned(
            weights[:, 2 * runs - 1 : runs - 1 : -1], -self.law.points[:, -2::-1], self.law.step
        )[:, ::-1]
        last, before = self._ends_below
        low = last * np.take_along_axis(sums, np.maximum(self._first - 1, 0), axis=1)
        low -= before * np.take_along_axis(sums, np.maximum(self.from_values - 1, 0), axis=1)
        high = self._starts_above * np.take_along_axis(
            rests, np.minimum(self._above, runs - 1), axis=1
        )
        stays = self._inside * weights[:, 2 * runs + self._carried_places]
        return np.asarray(np.maximum(low, 0.0) + high + stays)

    def forwards(self, weights: Floats) -> Floats:
        """The weights of states after it, from those before it: the same sums the other way."""
        runs, step = self.runs, self.law.step
        last, before = self._ends_below
        ends = self._gathered(np.maximum(self._first - 1, 0), weights * last)
        ends -= self._gathered(np.maximum(self.from_values - 1, 0), weights * before)
        upper = _scanned(ends[:, ::-1], -self.law.points[:, :0:-1], step)[:, ::-1]
        starts = self._gathered(np.minimum(self._above, runs - 1), weights * self._starts_above)
        lower = _scanned(starts, self.law.points[:, :-1], step)
        carried = np.zeros_like(self._carried, dtype=np.float64)
        for some in (slice(0, runs), slice(runs, 2 * runs), slice(2 * runs, None)):
            carried[:, self._carried_places[some]] += (weights * self._inside)[:, some]
        return np.concatenate([np.maximum(upper, 0.0), lower, carried], axis=1)

    def by_value(self, weights: Floats) -> Floats:
        """Summed over the states of each value."""
        return self._gathered(self.values, weights)

    def _gathered(self, places: Integers, weights: Floats) -> Floats:
        tables = len(self.law.points)
        flat = (places + self.runs * np.arange(tables)[:, None]).ravel()
        found = np.bincount(flat, weights.ravel(), minlength=tables * self.runs)
        return np.asarray(found.reshape(tables, self.runs), dtype=np.float64)


def _scanned(line: Floats, positions: Integers, step: float) -> Floats:
    """Running sums that decay by the distance from each place to the next."""
    found, far = line, 1
    while far < line.shape[1]:
        decay = np.exp(-step * (positions[:, far:] - positions[:, :-far]))
        found = np.concatenate([found[:, :far], found[:, far:] + decay * found[:, :-far]], axis=1)
        far *= 2
    return found
