"""What a goal makes of rays on a line: the cost of interval rays, and windows for pricing.

Two kinds: distances (a uniform prior, |i − j| or its square, every answer an output), which need no
table; and tables of costs q_j·ℓ(i, j) for everything else.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.designer.programs.program import Floats, Indices

LOWERED = 2.0**-48
"""Costs are lowered and prices raised by this share: more than all the roundings of a bound."""
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Windows:
    """What lies around the anchors of n outputs, in costs minus prices, rounded down.

    centre[i] is the anchor's own; sides[k, i] belongs to the answer k + 1 steps to the right of
    anchor i, and sides[k, n + i] to the one k + 1 steps to the left. Zero beyond the ends.
    """

    centre: Floats
    sides: Floats


@dataclass(frozen=True, eq=False)
class Line:
    """Answers on a line, neighbours within `steps`; for each of them a ray falls by e^−ε."""

    size: int
    steps: int
    alpha: float

    def tails(self, values: Floats) -> Floats:
        """Σ_{j<a} v_j·α^⌈(a−j)/Δ⌉ for every place a, along the last axis."""
        before = np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], -1)
        sums = np.zeros(values.shape)
        for start in range(0, self.size, self.steps):
            stop = min(start + self.steps, self.size)
            if start == 0:
                sums[..., :stop] = self.alpha * before[..., :stop]
                continue
            back = slice(start - self.steps, stop - self.steps)
            inside = before[..., start:stop] - before[..., back]
            sums[..., start:stop] = self.alpha * (sums[..., back] + inside)
        return sums

    def inside(self, values: Floats, first: Indices, last: Indices) -> Floats:
        """⟨v, x⟩ for the rays that are flat on [first, last], along the last axis of v."""
        before = np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], -1)
        left = self.tails(values)
        right = self.tails(values[..., ::-1])[..., ::-1]
        middle: Floats = before[..., last + 1] - before[..., first]
        return left[..., first] + middle + right[..., last]


@dataclass(frozen=True, eq=False)
class Distances:
    """A uniform prior and |i − j|^power, in steps of the grid and not yet divided by its size."""

    line: Line
    power: int

    symmetric = True

    @property
    def outputs(self) -> int:
        """As many as there are answers."""
        return self.line.size

    @cached_property
    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Σ_{d=1}^{t} d^k·α^⌈d/Δ⌉ for k = 0, 1, 2 and every t."""
        apart = np.arange(self.line.size)
        height = self.line.alpha ** -(-apart // self.line.steps)
        height[0] = 0.0
        mass, first, second = (np.cumsum(height * apart.astype(float) ** k) for k in range(3))
        return mass, first, second

    def interval_costs(self, first: Indices, last: Indices) -> tuple[Floats, Indices]:
        """The least cost of each interval ray, and the answer that is then told."""
        outputs = self._medians(first, last) if self.power == 1 else self._means(first, last)
        return self.costs_at(first, last, outputs), outputs

    def costs_at(self, first: Indices, last: Indices, outputs: Indices) -> Floats:
        """What each interval ray costs when these answers are told."""
        if self.power == 2:
            total, once, twice = self._sums(first, last)
            offset = (outputs - first).astype(float)
            return np.maximum(twice - 2 * offset * once + offset**2 * total, 0.0)
        mass, moment, _ = self._moments
        left, right = first, self.line.size - 1 - last
        before, after = (np.maximum(gap, 0) for gap in (outputs - first, last - outputs))
        past, ahead = (np.maximum(gap, 0) for gap in (outputs - last, first - outputs))
        before, after = before - past, after - ahead
        flat = (
            before * (before + 1) / 2
            + after * (after + 1) / 2
            + (past + ahead) * (last - first + 1.0)
        )
        near_left = moment[left] + mass[left] * (outputs - first)
        near_right = moment[right] + mass[right] * (last - outputs)
        within = 2 * (past * mass[past] - moment[past] + ahead * mass[ahead] - moment[ahead])
        costs: Floats = flat + near_left + near_right + within
        return costs

    def constants(self, outputs: Indices) -> Floats:
        """The cost of always telling one answer."""
        below, above = outputs.astype(float), (self.line.size - 1 - outputs).astype(float)
        both = np.stack([below, above])
        sums = both * (both + 1) / 2
        if self.power == 2:
            sums *= (2 * both + 1) / 3
        losses: Floats = sums.sum(axis=0)
        return losses

    def _medians(self, first: Indices, last: Indices) -> Indices:
        mass, length = self._moments[0], last - first + 1
        left, right = mass[first], mass[self.line.size - 1 - last]
        half = (left + right + length) / 2
        medians = first + np.clip(np.ceil(half - left).astype(np.int64) - 1, 0, length - 1)
        past = np.clip(np.searchsorted(mass, half - left - length), 1, self.line.size - 1)
        ahead = np.clip(np.searchsorted(mass, half - right - length), 1, self.line.size - 1)
        medians = np.where(right > half, np.minimum(last + past, self.line.size - 1), medians)
        return np.where(left > half, np.maximum(first - ahead, 0), medians)

    def _means(self, first: Indices, last: Indices) -> Indices:
        total, once, _ = self._sums(first, last)
        means = np.rint(first + once / total).astype(np.int64)
        return np.clip(means, 0, self.line.size - 1)

    def _sums(self, first: Indices, last: Indices) -> tuple[Floats, Floats, Floats]:
        """Mass, first and second moment of each ray, seen from where its flat part begins."""
        mass, moment, second = self._moments
        left, right, long = first, self.line.size - 1 - last, (last - first).astype(float)
        once = -moment[left] + long * (long + 1) / 2 + moment[right] + long * mass[right]
        twice = (
            second[left]
            + long * (long + 1) * (2 * long + 1) / 6
            + long**2 * mass[right]
            + 2 * long * moment[right]
            + second[right]
        )
        return mass[left] + mass[right] + long + 1, once, twice

    def windows(self, prices: Floats, outputs: Indices, reach: int) -> Windows:
        """What lies within reach of these outputs, rounded down."""
        size = self.line.size
        raised = prices + LOWERED * np.abs(prices)
        padded = np.concatenate([np.zeros(reach), raised, np.zeros(reach)])
        apart = np.arange(1, reach + 1)[:, None]
        far = apart.astype(float) ** self.power * (1 - LOWERED)
        begin, end = int(outputs[0]), int(outputs[-1]) + 1
        if end - begin == len(outputs):
            seen = np.lib.stride_tricks.sliding_window_view(padded, end - begin)
            right = far - seen[begin + reach + 1 : begin + 2 * reach + 1]
            left = far - seen[begin : begin + reach][::-1]
        else:
            right, left = (
                far - padded[outputs + reach + apart],
                far - padded[outputs + reach - apart],
            )
        if end + reach > size:
            right[outputs + apart >= size] = 0.0
        if begin < reach:
            left[outputs - apart < 0] = 0.0
        return Windows(-raised[outputs], np.concatenate([right, left], axis=1))

    def losses(self, levels: Floats) -> tuple[Floats, Indices]:
        """The least cost of any rays, given by their heights, and what is then told.

        By sums from the left: all outputs at once, without a table of distances.
        """
        places = np.arange(self.line.size, dtype=float)
        until = np.cumsum(levels, axis=1)
        mass, once = until[:, -1:], np.cumsum(levels * places, axis=1)
        if self.power == 1:
            every = places * (2 * until - mass) + (once[:, -1:] - 2 * once)
        else:
            every = places**2 * mass - 2 * places * once[:, -1:]
        outputs = every.argmin(axis=1)
        apart = np.abs(outputs[:, None] - places) ** self.power
        return (levels * apart).sum(axis=1), outputs


@dataclass(frozen=True, eq=False)
class LossTable:
    """Costs q_j·ℓ(i, j) of every output i and answer j, and an anchor for each output."""

    line: Line
    costs: Floats
    anchors: Indices
    symmetric: bool

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return len(self.costs)

    def interval_costs(self, first: Indices, last: Indices) -> tuple[Floats, Indices]:
        """The least cost of each interval ray, and the output that is then told."""
        cost, outputs = np.zeros(len(first)), np.zeros(len(first), dtype=np.int64)
        for some in np.array_split(
            np.arange(len(first)), 1 + cost.size * len(self.costs) // _AT_ONCE
        ):
            every = self.line.inside(self.costs, first[some], last[some])
            outputs[some] = every.argmin(axis=0)
            cost[some] = np.maximum(every.min(axis=0), 0.0)
        return cost, outputs

    def windows(self, prices: Floats, outputs: Indices, reach: int) -> Windows:
        """What lies within reach of these outputs' anchors, rounded down."""
        net = self.costs * (1 - LOWERED) - (prices + LOWERED * np.abs(prices))
        padded = np.concatenate([net, np.zeros((len(net), 1))], axis=1)
        apart, anchor = np.arange(1, reach + 1)[:, None], self.anchors[outputs]
        right = np.minimum(anchor + apart, self.line.size)
        left = np.where(anchor - apart >= 0, anchor - apart, self.line.size)
        sides = np.concatenate([padded[outputs, right], padded[outputs, left]], axis=1)
        return Windows(net[outputs, anchor], sides)

    def losses(self, levels: Floats) -> tuple[Floats, Indices]:
        """The least cost of any rays, given by their heights, and what is then told."""
        return _least(self.costs, levels)


GoalOnALine = Distances | LossTable


def _least(table: Floats, heights: Floats) -> tuple[Floats, Indices]:
    every = table @ heights.T
    return every.min(axis=0), every.argmin(axis=0)
