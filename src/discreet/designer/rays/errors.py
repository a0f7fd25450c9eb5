"""What answers err by weighted rays, in a basis in which a ray touches few rows.

docs/proofs/worst-case.md, Claim 5.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.goal import Distances, Line
from discreet.designer.rays.pool import Rays

_NOTHING = 1e-12
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class FlatRays:
    """Rays that are flat on [first, last], and what is told of each; a mirror image goes with it.

    The left half of a line is enough: an optimum may be averaged with its mirror image.
    """

    first: Indices
    last: Indices
    output: Indices

    def __len__(self) -> int:
        return len(self.first)

    def joined(self, more: "FlatRays") -> "FlatRays":
        """These and more."""
        return FlatRays(
            np.concatenate([self.first, more.first]),
            np.concatenate([self.last, more.last]),
            np.concatenate([self.output, more.output]),
        )

    def only(self, which: Indices) -> "FlatRays":
        """Some of them."""
        return FlatRays(self.first[which], self.last[which], self.output[which])

    def keys(self, size: int) -> Indices:
        """A number for each that no other has."""
        keys: Indices = (self.first * size + self.last) * size + self.output
        return keys


@dataclass(frozen=True, eq=False)
class ErrorBasis:
    """B = T·D·T on a line, symmetric and regular, with D = 1 − α² where T has one neighbour.

    Beyond its interval and its output a ray errs like (linear) × (geometric); T leaves a multiple
    of the ray itself, larger by 1/(1 − α²) near the ends, and T·D then leaves nothing.
    """

    goal: Distances

    @property
    def line(self) -> Line:
        """The answers."""
        return self.goal.line

    def times(self, values: Floats) -> Floats:
        """B·v."""
        places = np.arange(self.line.size)
        return self._once(self._damping(places) * self._once(values))

    def errors(self, rays: FlatRays) -> tuple[Indices, Indices, Floats]:
        """B·(x_j·|o − j|^p) of each ray: its number, the row, the entry."""
        line = self.line
        low, high = np.minimum(rays.first, rays.output), np.maximum(rays.last, rays.output)
        beside = 2 * line.steps
        if self.goal.power > 1:
            beside += line.steps * int(np.ceil(34 / -np.log(line.alpha)))
        width = int((high - low).max(initial=0)) + 2 * beside + 1
        parts = []
        for some in np.array_split(np.arange(len(rays)), 1 + len(rays) * width // _AT_ONCE):
            one = rays.only(some)
            places = (low[some] - beside)[:, None] + np.arange(width)
            values = self._of_errors(one, places)
            number, place = np.nonzero(np.abs(values) > _NOTHING)
            parts.append((some[number], places[number, place], values[number, place]))
        number, row, value = (np.concatenate(part) for part in zip(*parts, strict=True))
        return number, row, value

    def errors_of_others(self, others: Rays) -> tuple[Indices, Indices, Floats]:
        """The same of rays of any shape."""
        places = np.arange(self.line.size)
        height = self.line.alpha ** others.levels.astype(float)
        error = np.abs(others.output[:, None] - places).astype(float) ** self.goal.power
        made = self.times(height * error)
        number, row = np.nonzero(np.abs(made) > _NOTHING)
        return number, row, made[number, row]

    @cached_property
    def entries(self) -> tuple[Indices, Indices, Floats]:
        """B itself: row, column, entry. Combs of far teeth show all columns in a few products."""
        size, apart = self.line.size, 4 * self.line.steps + 1
        rows, columns, values = [], [], []
        for start in range(min(apart, size)):
            comb = np.zeros(size)
            comb[start::apart] = 1.0
            made = self.times(comb)
            row = np.flatnonzero(np.abs(made) > _NOTHING)
            tooth = start + apart * np.rint((row - start) / apart).astype(np.int64)
            rows.append(row)
            columns.append(np.clip(tooth, start, start + (size - 1 - start) // apart * apart))
            values.append(made[row])
        return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)

    def _once(self, values: Floats) -> Floats:
        steps, alpha = self.line.steps, self.line.alpha
        result: Floats = self._diagonal(np.arange(self.line.size)) * values
        result[..., :-steps] -= alpha * values[..., steps:]
        result[..., steps:] -= alpha * values[..., :-steps]
        return result / (1 - alpha)

    def _of_errors(self, rays: FlatRays, places: Indices) -> Floats:
        line, alpha = self.line, self.line.alpha
        first, last, output = rays.first[:, None], rays.last[:, None], rays.output[:, None]

        def erring(at: Indices) -> Floats:
            away = np.maximum(np.maximum(first - at, at - last), 0)
            height = alpha ** (-(-away // line.steps)).astype(float)
            error = np.abs(output - at).astype(float) ** self.goal.power
            return np.where((at >= 0) & (at < line.size), height * error, 0.0)

        def once(at: Indices) -> Floats:
            sides = erring(at - line.steps) + erring(at + line.steps)
            return (self._diagonal(at) * erring(at) - alpha * sides) / (1 - alpha)

        def damped(at: Indices) -> Floats:
            inside = (at >= 0) & (at < line.size)
            return np.where(inside, self._damping(at) * once(at), 0.0)

        sides = damped(places - line.steps) + damped(places + line.steps)
        twice = (self._diagonal(places) * damped(places) - alpha * sides) / (1 - alpha)
        return np.where((places >= 0) & (places < line.size), twice, 0.0)

    def _inner(self, places: Indices) -> Indices:
        steps = self.line.steps
        return np.asarray((places >= steps) & (places + steps < self.line.size))

    def _diagonal(self, places: Indices) -> Floats:
        return np.where(self._inner(places), 1 + self.line.alpha**2, 1.0)

    def _damping(self, places: Indices) -> Floats:
        return np.where(self._inner(places), 1.0, 1 - self.line.alpha**2)
