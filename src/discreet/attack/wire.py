"""A plan's own draw code, run with choices that are scripted instead of random.

What draws is left as it is; what it asks for chance is answered from a script, so that running it
along every script tells the law of what comes out. Two kinds of chance are met:

* a choice among finitely many outcomes (a column of a matrix, permute-and-flip, the next quantile),
  each with the chance that the very table or weights in use give it, in whole numbers;
* noise that is added to true numbers. It is drawn as 0 and carries a mark, and sums and multiples
  keep the mark: every number that comes out says which truth it is and which noise hides it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from discreet.attack.finite import Chances, of_flips, of_table, of_weights
from discreet.attack.rates import rate_of
from discreet.attack.steps import of_stepped
from discreet.joint import quantiles
from discreet.joint.cells import CellNoise
from discreet.joint.counts import CountNoise
from discreet.joint.estimates import Estimates
from discreet.joint.levels import Levels, OneRadius
from discreet.joint.marginals import MarginalNoise
from discreet.joint.moment_groups import GroupedMoments
from discreet.joint.moments import MomentNoise
from discreet.joint.remapped import RemappedCells
from discreet.joint.spread import SpreadNoise
from discreet.joint.spread_moments import SpreadMoments
from discreet.planning.releases.quantile_cells import CellReading
from discreet.sampling import Flips, LazyTable, NoiseTables, Stepped

Gauge: TypeAlias = Callable[[Sequence[int]], int]


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseDraw:
    """One draw of noise on several numbers: weights e^(−rate·gauge)."""

    dimension: int
    gauge: Gauge
    rate: Fraction
    equations: tuple[tuple[tuple[int, int], ...], ...]
    """Sums of (place, entry) that are 0 for every noise."""
    stated: bool
    """Whether rate and gauge are what the release says, or were read off the sampler's tables."""
    kind: str
    """What makes two draws of different runs the same."""


Mark: TypeAlias = tuple[int, int]
"""Which draw of a run, and which of its noises."""


class Marked(int):
    """A whole number that noise was added to, with how much of which noise."""

    marks: dict[Mark, int]
    __array_ufunc__ = None

    @classmethod
    def of(cls, value: int, marks: dict[Mark, int]) -> "Marked":
        """A number with its marks."""
        marked = cls(value)
        marked.marks = marks
        return marked

    def __add__(self, other: int) -> "Marked":
        return _plus(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: int) -> "Marked":
        return _plus(self, other, -1)

    def __rsub__(self, other: int) -> "Marked":
        return _plus(-self, other, 1)

    def __neg__(self) -> "Marked":
        return self * -1

    def __mul__(self, other: int) -> "Marked":
        times = int(other)
        return Marked.of(int(self) * times, {mark: n * times for mark, n in self.marks.items()})

    __rmul__ = __mul__

    def __hash__(self) -> int:
        return int.__hash__(self)


def _plus(one: Marked, other: int, times: int) -> Marked:
    marks = dict(one.marks)
    for mark, entry in getattr(other, "marks", {}).items():
        marks[mark] = marks.get(mark, 0) + times * entry
    return Marked.of(int(one) + times * int(other), marks)


@dataclass(eq=False)
class Script:
    """What chance says in one run: the choices so far, then the first outcome of each."""

    chosen: list[int]
    met: list[Chances] = field(default_factory=list)
    noises: list[NoiseDraw] = field(default_factory=list)
    tapped: list[Any] = field(default_factory=list)
    """Noisy numbers that are worked on before they come out."""

    def choose(self, chances: Chances) -> int:
        """The next choice."""
        place = len(self.met)
        self.met.append(chances)
        if place == len(self.chosen):
            self.chosen.append(0)
        return self.chosen[place]

    def noise(self, noise: NoiseDraw) -> list[Marked]:
        """One draw of noise."""
        self.noises.append(noise)
        draw = len(self.noises) - 1
        return [Marked.of(0, {(draw, place): 1}) for place in range(noise.dimension)]

    def next(self) -> list[int] | None:
        """The choices of the run after this one; None after the last."""
        chosen = self.chosen[: len(self.met)]
        while chosen:
            if chosen[-1] + 1 < len(self.met[len(chosen) - 1].low):
                return [*chosen[:-1], chosen[-1] + 1]
            chosen.pop()
        return None


def _gauged(noise: Any, kind: str) -> NoiseDraw:
    """Noise by the gauge that its certificate is about: its own forms, worked out here."""
    stated = noise.certified.mechanism
    return NoiseDraw(
        dimension=stated.dimension,
        gauge=partial(_largest_forms, stated.summands),
        rate=stated.rate,
        equations=stated.equations,
        stated=True,
        kind=f"{kind} {stated.digest}",
    )


def _largest_forms(summands: Sequence[Sequence[Sequence[tuple[int, int]]]], at: Any) -> int:
    return sum(
        max(sum(entry * at[place] for place, entry in form) for form in forms) for forms in summands
    )


def _sum_of_sizes(at: Sequence[int]) -> int:
    return sum(map(abs, at))


def _half_of_all(at: Sequence[int]) -> int:
    return sum(map(abs, at)) // 2


def _plain(tables: NoiseTables, many: int) -> NoiseDraw:
    rate = rate_of(tables)
    return NoiseDraw(
        dimension=many,
        gauge=_sum_of_sizes,
        rate=rate,
        equations=(),
        stated=False,
        kind=f"plain {many} {rate}",
    )


def _spans(noise: MarginalNoise) -> list[tuple[int, int]]:
    return list(
        pairwise(
            accumulate((part.dimension for part in noise.certified.mechanism.parts), initial=0)
        )
    )


def _largest(noise: MarginalNoise) -> NoiseDraw:
    """Noise by the largest of the gauges of several tables."""
    spans = _spans(noise)

    def gauge(at: Sequence[int]) -> int:
        return max(_half_of_all(at[first:last]) for first, last in spans)

    cancelling = tuple(tuple((place, 1) for place in range(*span)) for span in spans)
    return NoiseDraw(
        dimension=spans[-1][1],
        gauge=gauge,
        rate=noise.rate,
        equations=cancelling,
        stated=True,
        kind=f"largest {noise.digest}",
    )


def _spread(noise: SpreadNoise) -> NoiseDraw:
    """Noise on groups in each of which a person has at most one row: max(c·max, Σ), both ways."""

    def gauge(at: Sequence[int]) -> int:
        sides = [[max(sign * one, 0) for one in at] for sign in (1, -1)]
        return sum(max(noise.most * max(side), sum(side)) for side in sides)

    return NoiseDraw(
        dimension=noise.cells,
        gauge=gauge,
        rate=noise.rate,
        equations=(),
        stated=True,
        kind=f"spread {noise.cells} {noise.most} {noise.rate}",
    )


def _objects(noises: Sequence[Any]) -> npt.NDArray[Any]:
    objects = np.empty(len(noises), dtype=object)
    objects[:] = noises
    return objects


def _by_group(
    noise: GroupedMoments | SpreadMoments, draw: Callable[[NoiseDraw], list[Marked]]
) -> list[tuple[Marked, ...]]:
    marked, each = draw(_gauged(noise, "groups")), len(noise.shape.reaches)
    return [tuple(marked[at * each : (at + 1) * each]) for at in range(noise.groups)]


def _by_table(
    noise: MarginalNoise, draw: Callable[[NoiseDraw], list[Marked]]
) -> list[npt.NDArray[Any]]:
    marked = draw(_largest(noise))
    return [_objects(marked[first:last]) for first, last in _spans(noise)]


class ScriptedWire:
    """While it is open, everything that is drawn is drawn by its script."""

    def __init__(self) -> None:
        self.script = Script([])

    @contextmanager
    def open(self) -> Iterator["ScriptedWire"]:
        """Put it in place of chance; nothing may be told of what is drawn meanwhile."""
        with ExitStack() as stack:
            for owner, name, replacement in self._replaced():
                stack.enter_context(patch.object(owner, name, replacement))
            yield self

    def _replaced(self) -> list[tuple[Any, str, Any]]:
        return [
            *self._choices(),
            (NoiseTables, "draw", lambda tables: self._noise(_plain(tables, 1))[0]),
            (NoiseTables, "draw_many", lambda tables, count: self._many(_plain(tables, count))),
            (NoiseTables, "draw_few", lambda tables, count: self._noise(_plain(tables, count))),
            (CellNoise, "draw", lambda noise: self._many(_gauged(noise, "cells"))),
            (SpreadNoise, "draw", lambda noise: self._many(_spread(noise))),
            (CountNoise, "draw", lambda noise: self._noise(_gauged(noise, "counts"))),
            (MomentNoise, "draw", lambda noise: tuple(self._noise(_gauged(noise, "moments")))),
            (GroupedMoments, "draw", lambda noise: _by_group(noise, self._noise)),
            (SpreadMoments, "draw", lambda noise: _by_group(noise, self._noise)),
            (MarginalNoise, "draw", lambda noise: _by_table(noise, self._noise)),
            *(
                (owner, "measure", self._measuring(owner.measure))
                for owner in (Levels, OneRadius, Estimates)
            ),
            (CellReading, "read", self._reading(CellReading.read)),
            (RemappedCells, "reply", self._replying(RemappedCells.reply)),
        ]

    def _choices(self) -> list[tuple[Any, str, Any]]:
        def one(table: LazyTable) -> int:
            return self.script.choose(of_table(table))

        def many(table: LazyTable, count: int) -> npt.NDArray[np.int64]:
            return np.array([one(table) for _ in range(count)], dtype=np.int64)

        def by_weights(low: Any, slack: int, balls: Any) -> int:
            return self.script.choose(of_weights(low, slack))

        return [
            (LazyTable, "draw", one),
            (LazyTable, "draw_evenly", one),
            (LazyTable, "draw_many", many),
            (LazyTable, "draw_few", lambda table, count: [one(table) for _ in range(count)]),
            (Flips, "draw", lambda flips: self.script.choose(of_flips(flips.weights))),
            (Stepped, "draw", lambda stepped: self.script.choose(of_stepped(stepped))),
            (quantiles, "choose_once", by_weights),
        ]

    def _noise(self, noise: NoiseDraw) -> list[Marked]:
        return self.script.noise(noise)

    def _many(self, noise: NoiseDraw) -> npt.NDArray[Any]:
        return _objects(self.script.noise(noise))

    def _measuring(self, measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(levels: Any, truths: Any) -> list[npt.NDArray[np.int64]]:
            lines = measure(levels, truths)
            self.script.tapped.extend(one for line in lines for one in line.tolist())
            return [np.array([int(one) for one in line], dtype=np.int64) for line in lines]

        return measured

    def _reading(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(cells: CellReading, noisy: Sequence[int]) -> Any:
            self.script.tapped.extend(noisy)
            return read(cells, [int(one) for one in noisy])

        return reading

    def _replying(self, reply: Callable[..., Any]) -> Callable[..., Any]:
        """A reply to a noisy table is post-processing: what is attacked is the table."""

        def replying(cells: RemappedCells, noisy: npt.NDArray[Any]) -> Any:
            self.script.tapped.extend(noisy.tolist())
            return reply(cells, np.array([int(one) for one in noisy.tolist()], dtype=np.int64))

        return replying
