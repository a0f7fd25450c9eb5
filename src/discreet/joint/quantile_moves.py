"""Weights of all ways to several quantiles and on from them, in floats, of many tables at once.

The tables lie one after the other on one line, so far apart that none matters to another: then one
search finds where a surplus lies among the cells of its own table, and one running sum goes over
all of them. States are the ends of cells, and surpluses that a cell has left as they were
(docs/proofs/quantiles-together.md, Claim 7); a surplus that some cell has moved is met no more.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.joint.magnitudes import Integers

Floats = npt.NDArray[np.float64]

LONGEST = 1 << 61
"""Lines are no longer than this: a step further leaves machine words nowhere."""
_NOTHING = 750.0
"""e to the minus this is 0 in floats."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CellLine:
    """The cells of several tables, one after the other."""

    lower: Integers
    """Where each cell starts; last, what no surplus comes up to."""
    upper: Integers
    """First what every surplus is above, then where each cell ends."""
    ways: Floats
    """How many values each cell stands for."""
    tables: Integers
    """Which table each cell is of."""
    firsts: Integers
    """The first cell of each table."""
    step: float
    """What a part of a row costs."""

    @classmethod
    def of(cls, points: Sequence[Integers], ways: Floats, step: float) -> "CellLine":
        """Tables by where their cells start and, last, end; each starts at 0."""
        many = np.array([len(one) - 1 for one in points])
        widest = max(int(one[-1]) for one in points)
        apart = own_room(widest, step)
        starts = apart * np.arange(len(points))
        lower = np.concatenate([one[:-1] + at for one, at in zip(points, starts, strict=True)])
        upper = np.concatenate([one[1:] + at for one, at in zip(points, starts, strict=True)])
        beyond = 3 * (widest + 1)
        return cls(
            lower=np.append(lower, upper[-1] + beyond),
            upper=np.append(-beyond, upper),
            ways=ways,
            tables=np.repeat(np.arange(len(points)), many),
            firsts=np.cumsum(many) - many,
            step=step,
        )

    @property
    def starts(self) -> Integers:
        """Where each table starts."""
        return self.lower[self.firsts]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.tables)

    @cached_property
    def up(self) -> "_Running":
        """Sums over cells that are reached at their upper ends."""
        return _Running.of(self.upper[1:], self._longest, self.step)

    @cached_property
    def down(self) -> "_Running":
        """Sums over cells that are reached at their lower ends."""
        return _Running.of(self.lower[:-1], self._longest, self.step)

    @property
    def _longest(self) -> int:
        return int(np.diff(np.append(self.firsts, self.cells)).max())

    def decay(self, far: npt.ArrayLike) -> Floats:
        """What a surplus that moves so far counts for."""
        return np.exp(-self.step * np.asarray(far))


def own_room(widest: int, step: float) -> int:
    """How far apart tables of so many parts of a row start, so that none matters to another."""
    return 4 * (widest + 1) + math.ceil(_NOTHING / step)


@dataclass(frozen=True, eq=False)
class _Running:
    """Sums along a line that decay by the distance from each place to the next."""

    factors: list[Floats]
    """For every power of 2, what is left of a sum that many places further."""

    @classmethod
    def of(cls, positions: Integers, longest: int, step: float) -> "_Running":
        """For positions of which no more than so many matter to one another."""
        factors, far = [np.exp(-step * np.diff(positions))], 1
        while 2 * far < longest and factors[-1].any():
            factors.append(factors[-1][far:] * factors[-1][:-far])
            far *= 2
        return cls(factors)

    def on(self, line: Floats) -> Floats:
        """From the start of the line to each place."""
        sums = line.copy()
        for bit, factor in enumerate(self.factors):
            far = 1 << bit
            sums[far:] += factor * sums[:-far]
        return sums

    def back(self, line: Floats) -> Floats:
        """From each place to the end of the line."""
        sums = line.copy()
        for bit, factor in enumerate(self.factors):
            far = 1 << bit
            sums[:-far] += factor * sums[far:]
        return sums


@dataclass(frozen=True, eq=False)
class StateWeights:
    """Of the states after a quantile: cells at their upper ends, at their lower ends, and surpluses
    that were carried through the cells that hold them, by who left them."""

    upper: Floats
    lower: Floats
    carried: list[Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Look:
    """Where surpluses lie among the cells of the next quantile."""

    first: Integers
    """The first cell that ends above; those before are reached at their upper ends."""
    above: Integers
    """The first cell that is reached at its lower end."""
    low: Floats
    """What the sum over cells below counts for."""
    high: Floats
    inside: Integers
    """Which of the surpluses lie inside a cell."""
    cells: Integers
    """In which one each of them does: the first that ends above."""

    @classmethod
    def of(cls, line: CellLine, reached: Integers) -> "_Look":
        first = line.upper[1:].searchsorted(reached, "right")
        inside = line.lower.take(first) < reached
        above, held = first + inside, np.flatnonzero(inside)
        return cls(
            first=first,
            above=above,
            low=line.decay(reached - line.upper.take(first)),
            high=line.decay(line.lower.take(above) - reached),
            inside=held,
            cells=first.take(held),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Carried:
    """Surpluses that were left by one quantile, or are 0, on their way to a later one."""

    positions: Integers
    """Points of the line, at which they were left."""
    tables: Integers
    left: Integers
    """The target of that quantile, table by table."""
    look: _Look
    told: tuple[Integers, Floats] | None = None
    """The cell that was told last, before which none follows, and what the sum over those before it
    counts for; None where nothing was told."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Ends:
    """The ends of all cells on the way from one quantile to the next.

    Each is the upper end of a cell, the lower end of the one after it, or both.
    """

    positions: Integers
    tables: Integers
    left: Integers
    look: _Look
    of_upper: Integers
    """For every cell, its upper end among these."""
    of_lower: Integers
    passed_upper: Floats
    """What the sum over cells before the one told counts for, where that is at its upper end."""
    passed_lower: Floats

    @classmethod
    def of(cls, line: CellLine, left: Integers, more: Integers) -> "_Ends":
        """From this target of each table to one so much further."""
        many = np.diff(np.append(line.firsts, line.cells))
        of_lower = np.arange(line.cells) + line.tables
        positions = np.empty(line.cells + len(many), dtype=np.int64)
        positions[of_lower], positions[of_lower + 1] = line.lower[:-1], line.upper[1:]
        tables = np.repeat(np.arange(len(many)), many + 1)
        before, each = line.upper[:-1], more[line.tables]
        return cls(
            positions=positions,
            tables=tables,
            left=left,
            look=_Look.of(line, positions + more[tables]),
            of_upper=of_lower + 1,
            of_lower=of_lower,
            passed_upper=line.decay(each + line.upper[1:] - before),
            passed_lower=line.decay(each + line.lower[:-1] - before),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Move:
    """All states before a quantile, and where each leads when it is told."""

    line: CellLine
    target: Integers
    """Of each table."""
    carried: list[_Carried]
    ends: _Ends | None = None
    """None before the first quantile."""

    @classmethod
    def first(cls, line: CellLine, target: Integers) -> "Move":
        """From a surplus of 0."""
        many = len(line.firsts)
        nothing = _Carried(
            positions=line.starts,
            tables=np.arange(many),
            left=np.zeros(many, dtype=np.int64),
            look=_Look.of(line, line.starts + target),
        )
        return cls(line=line, target=target, carried=[nothing])

    def next(self, target: Integers) -> "Move":
        """From the states that this one leads to."""
        more = target - self.target
        return Move(
            line=self.line,
            target=target,
            carried=[self._on(one, target) for one in self._sources],
            ends=_Ends.of(self.line, self.target, more),
        )

    @property
    def _sources(self) -> "list[_Carried | _Ends]":
        return [*self.carried, *([] if self.ends is None else [self.ends])]

    def _on(self, one: "_Carried | _Ends", target: Integers) -> _Carried:
        """Those that a cell holds, on their way to the next target."""
        kept = one.look.inside
        positions, tables = one.positions[kept], one.tables[kept]
        more = self.line.decay(target - self.target)
        return _Carried(
            positions=positions,
            tables=tables,
            left=one.left,
            look=_Look.of(self.line, positions + (target - one.left)[tables]),
            told=(one.look.cells, one.look.low[kept] * more[tables]),
        )

    def start(self) -> StateWeights:
        """The only state before the first quantile."""
        none = np.zeros(self.line.cells)
        return StateWeights(none, none, [np.ones(len(self.line.firsts))])

    def last(self) -> StateWeights:
        """After the last quantile the surplus goes back to 0."""
        line, carried = self.line, []
        targets = (line.starts + self.target)[line.tables]
        for one in self._sources:
            kept = one.look.inside
            away = one.positions[kept] - (line.starts + one.left)[one.tables[kept]]
            carried.append(line.decay(np.abs(away)))
        upper, lower = line.upper[1:] - targets, line.lower[:-1] - targets
        return StateWeights(line.decay(np.abs(upper)), line.decay(np.abs(lower)), carried)

    def backwards(self, after: StateWeights) -> StateWeights:
        """The weights of states before it, from those after it."""
        line = self.line
        below = np.append(0.0, line.up.on(after.upper * line.ways))
        above = np.append(line.down.back(after.lower * line.ways), 0.0)

        def far(look: _Look, stay: Floats) -> tuple[Floats, Floats]:
            rests = look.high * above.take(look.above)
            rests[look.inside] += stay * line.ways.take(look.cells)
            return look.low * below.take(look.first), rests

        carried = []
        for one, stay in zip(self.carried, after.carried, strict=False):
            lows, rests = far(one.look, stay)
            if one.told is not None:
                cells, passed = one.told
                lows = np.maximum(lows - passed * below.take(cells), 0.0)
            carried.append(lows + rests)
        if self.ends is None:
            return StateWeights(after.upper, after.lower, carried)
        lows, rests = far(self.ends.look, after.carried[-1])
        upper = lows.take(self.ends.of_upper) - self.ends.passed_upper * below[:-1]
        lower = lows.take(self.ends.of_lower) - self.ends.passed_lower * below[:-1]
        return StateWeights(
            np.maximum(upper, 0.0) + rests.take(self.ends.of_upper),
            np.maximum(lower, 0.0) + rests.take(self.ends.of_lower),
            carried,
        )

    def forwards(self, before: StateWeights) -> StateWeights:
        """The weights of states after it, from those before it: the same sums the other way."""
        line, carried = self.line, []
        ends, starts = np.zeros(line.cells + 1), np.zeros(line.cells + 1)

        def lead(look: _Look, weights: Floats) -> None:
            ends.__iadd__(np.bincount(look.first, weights * look.low, len(ends)))
            starts.__iadd__(np.bincount(look.above, weights * look.high, len(ends)))
            carried.append(weights.take(look.inside) * line.ways.take(look.cells))

        for one, weights in zip(self.carried, before.carried, strict=True):
            lead(one.look, weights)
            if one.told is not None:
                cells, passed = one.told
                ends -= np.bincount(cells, weights * passed, len(ends))
        if self.ends is not None:
            both = np.zeros(len(self.ends.positions))
            both[self.ends.of_upper] = before.upper
            both[self.ends.of_lower] += before.lower
            lead(self.ends.look, both)
            ends[:-1] -= before.upper * self.ends.passed_upper
            ends[:-1] -= before.lower * self.ends.passed_lower
        upper = np.maximum(line.up.back(ends[1:]), 0.0) * line.ways
        return StateWeights(upper, line.down.on(starts[:-1]) * line.ways, carried)

    def by_cell(self, one: StateWeights, other: StateWeights) -> Floats:
        """Products of the weights of the states after it, summed over those of each cell."""
        products = one.upper * other.upper + one.lower * other.lower
        for source, ours, theirs in zip(self._sources, one.carried, other.carried, strict=True):
            products += np.bincount(source.look.cells, ours * theirs, len(products))
        return products
