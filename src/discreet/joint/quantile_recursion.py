"""The weights of all ways to go on from a quantile (docs/proofs/quantiles-together.md).

A state is the value that was told last and the surplus of rows there. The weight of a state is the
sum, over all values that may follow, of the ratio to the power of how far the surplus moves, times
the weight of the state that this leads to. Which states there are, and how many, follows from the
numbers of values and of quantiles alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from discreet.joint.decayed_sums import Suffixes, SummedBlocks
from discreet.joint.magnitudes import Arithmetic, Booleans, Integers, Numbers
from discreet.joint.quantile_score import Ahead, ahead


@dataclass(frozen=True, eq=False)
class Steps:
    """Where rows are cut by the values, and the targets, all in parts of a row."""

    points: Integers
    """The rows below each value and, last, all of them."""
    targets: tuple[int, ...]

    @property
    def values(self) -> int:
        """How many values there are."""
        return len(self.points) - 1

    def carries(self, level: int) -> int:
        """How many surpluses earlier quantiles may have left."""
        return 1 + level * len(self.points)

    def carried(self, level: int) -> Integers:
        """The surpluses that earlier quantiles may have left: 0, and their ends at each value."""
        ends = [self.points - target for target in self.targets[:level]]
        return np.concatenate([np.zeros(1, dtype=np.int64), *ends])


@dataclass(frozen=True, eq=False)
class Following:
    """For surpluses, how the values that may follow lie around each of them."""

    reached: Integers
    """The rows that it means at the next quantile, in parts of a row."""
    first: Integers
    """The first value that ends above it; those before are reached at their upper ends."""
    inside: Booleans
    """Whether that value starts below it, and so leaves it as it is."""

    @classmethod
    def of(cls, steps: Steps, target: int, surplus: Integers) -> "Following":
        """At a quantile with this target."""
        reached = surplus + target
        first = steps.points[1:].searchsorted(reached, "right")
        starts = steps.points.take(np.minimum(first, steps.values - 1))
        return cls(reached, first, (first < steps.values) & (starts < reached))

    @property
    def above(self) -> Integers:
        """The first of the values that are reached at their lower ends."""
        return self.first + self.inside


@dataclass(frozen=True, eq=False)
class Level(Generic[Numbers]):
    """The weights of all states after one of the quantiles was told."""

    upper: Numbers
    """Of each value, with the surplus at its upper end."""
    lower: Numbers
    """Of each value, with the surplus at its lower end."""
    carried: Numbers
    """Of each surplus that was carried, with the value that leaves it as it is."""


@dataclass(frozen=True, eq=False)
class Recursion(Generic[Numbers]):
    """Weights backwards from the last quantile, in some arithmetic."""

    steps: Steps
    numbers: Arithmetic[Numbers]

    @cached_property
    def _upper(self) -> SummedBlocks[Numbers]:
        return SummedBlocks.of(self.numbers, self.steps.points[1:])

    @cached_property
    def _lower(self) -> Suffixes[Numbers]:
        return Suffixes.of(self.numbers, self.steps.points[:-1])

    def levels(self) -> list[Level[Numbers]]:
        """The weights after each of the quantiles, first to last."""
        last = len(self.steps.targets) - 1
        surplus, _ = self._states(last)
        levels = [self._level(last, self.numbers.powers(np.abs(surplus)))]
        for level in reversed(range(last)):
            levels.append(self._level(level, self._before(level, levels[-1])))
        return levels[::-1]

    def _states(self, level: int) -> tuple[Integers, Integers]:
        """The surplus and the value of each state: upper ends, lower ends, carried ones."""
        points, target = self.steps.points, self.steps.targets[level]
        carried, values = self.steps.carried(level), np.arange(self.steps.values)
        holding = points.searchsorted(carried + target, "left") - 1
        return (
            np.concatenate([points[1:] - target, points[:-1] - target, carried]),
            np.concatenate([values, values, np.clip(holding, 0, self.steps.values - 1)]),
        )

    def _level(self, level: int, weights: Numbers) -> Level[Numbers]:
        values, carried = self.steps.values, self.steps.carries(level)
        places = np.arange(2 * values + carried)
        parts = (places[:values], places[values : 2 * values], places[2 * values :])
        return Level(*(self.numbers.picked(weights, one) for one in parts))

    def _before(self, level: int, after: Level[Numbers]) -> Numbers:
        """The weights of the states after one quantile, from those after the next."""
        surplus, values = self._states(level)
        following = Following.of(self.steps, self.steps.targets[level + 1], surplus)
        numbers, points = self.numbers, self.steps.points
        low = self._upper.sums(after.upper, values, following.first - 1, following.reached)
        stays = numbers.picked(after.carried, self._carried_places(level), following.inside)
        above, kept = following.above, following.above < self.steps.values
        place = np.minimum(above, self.steps.values - 1)
        rests = numbers.picked(self._lower.sums(after.lower), place, kept)
        far = np.where(kept, points.take(place) - following.reached, 0)
        return numbers.added(numbers.added(low, stays), numbers.decayed(rests, far))

    def _carried_places(self, level: int) -> Integers:
        """Where each state's surplus is found among those carried to the next quantile."""
        values, before = self.steps.values, self.steps.carries(level)
        lower = before + np.arange(values)
        return np.concatenate([lower + 1, lower, np.arange(before)])

    @cached_property
    def ahead(self) -> Ahead:
        """The true quantiles, and how far ahead of all others they are."""
        return ahead(self.steps.points, self.steps.targets)

    def next(self, level: int, after: Level[Numbers], state: "State") -> Numbers:
        """Of each value that may be told next; before the first, what the true ones have besides.

        That comes last. There all are over the weight of the true ones, which is the largest.
        """
        weights = self.weights(level, after, state)
        if level > 0:
            return weights
        steps = 2 * self.ahead.rows
        fewer = self.numbers.decayed(weights, np.full(self.steps.values, steps))
        return self.numbers.joined([fewer, self.numbers.rest(steps)])

    def weights(self, level: int, after: Level[Numbers], state: "State") -> Numbers:
        """Of each value that may be told next, by what it makes of the surplus."""
        points, numbers, many = self.steps.points, self.numbers, self.steps.values
        lower, upper, places = points[:-1], points[1:], np.arange(many)
        reached = state.surplus + self.steps.targets[level]
        below, allowed = upper <= reached, places >= state.value
        inside = ~below & (lower < reached)
        ends = numbers.joined([after.lower, after.upper])
        moved = numbers.picked(ends, places + many * below, allowed & ~inside)
        far = np.where(inside, 0, np.abs(np.where(below, upper, lower) - reached))
        stays = numbers.picked(after.carried, np.full(many, state.place), allowed & inside)
        return numbers.added(numbers.decayed(moved, far), stays)


@dataclass(frozen=True)
class State:
    """Where the quantiles told so far have led."""

    place: int
    """Where the surplus is found among those carried to the next quantile."""
    surplus: int
    value: int
    """The value told last."""

    def told(self, steps: Steps, level: int, value: int) -> "State":
        """After one more quantile was told: the surplus has moved the least way it can."""
        target, before = steps.targets[level], steps.carries(level)
        start, end = (int(point) - target for point in steps.points[value : value + 2])
        if end <= self.surplus:
            return State(before + value + 1, end, value)
        if start >= self.surplus:
            return State(before + value, start, value)
        return State(self.place, self.surplus, value)


START = State(0, 0, 0)
"""Before the first quantile nothing is surplus."""
