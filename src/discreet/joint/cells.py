"""Counts of cells that exclude each other: a row that changes leaves one cell and enters another.

Noise on all cells together cancels: P(z) is in proportion to e^(−rate·½Σ|z|) on Σz = 0. One row
moves the table by 1, where noise on each cell by itself must allow for 2 (docs/proofs/cells.md).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.exact import Epsilon, enclosed, working_precision
from discreet.joint.sums import sum_chances
from discreet.model import Relation
from discreet.model.gauges import GaugeNoise
from discreet.sampling import noise_tables
from discreet.sampling.laplace import can_be_drawn, size_of, sizes

Counts = npt.NDArray[np.int64]

CANCELLING = "½ Σ |z|, Σ z = 0"
"""The gauge of noise on all cells together, as people write it."""
_MOST_WORK = 30_000
"""Up to so much work the reach of a cell is exact; beyond, a bound that is nearly as good."""
_SPARE_BITS = 128
_MOST_ONE_BY_ONE = 12
"""Up to so many random words for a try, one after another is quicker than several at once."""
_MOST_AT_ONCE = 2048
"""How many numbers are drawn at once, to be tried."""


@dataclass(frozen=True)
class CellNoise:
    """Noise on `cells` counts that sum to a public number, for whom a person has so many rows."""

    cells: int
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls, cells: int, epsilon: Epsilon, *, rate: Fraction, rows_per_unit: int = 1
    ) -> "CellNoise":
        """The noise of a rate at most ε over the rows of a person, certified."""
        noise = GaugeNoise(
            dimension=cells,
            summands=tuple((((place, 1),), ()) for place in range(cells)),
            equations=(tuple((place, 1) for place in range(cells)),),
            row=(tuple(((place, 1),) for place in range(cells)),),
            relation=Relation.CHANGE,
            width=rows_per_unit,
            rows_per_unit=rows_per_unit,
            rate=rate / rows_per_unit,
        )
        return cls(cells, certify_gauge(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.rate

    @property
    def gauge(self) -> str:
        """The gauge, as people write it."""
        return CANCELLING

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.rate / 2)

    def draw(self) -> Counts:
        """One noise for all cells: whole numbers that cancel.

        Two-sided geometric noise of half the rate on all cells but the last, which makes up for
        them, is kept with probability e^(−rate·|last|/2): that many coins in a row. Of few
        cells one try follows another; of many several are made at once, and the first that is
        kept counts. How many there are depends on chance alone.
        """
        tables, tries, cells = noise_tables(self._half), self._tries, self.cells
        while cells * tables.width <= _MOST_ONE_BY_ONE:
            few = tables.draw_few(cells)
            makes_up = few[-1] - sum(few)
            if size_of(few[-1]) >= abs(makes_up):
                return np.array([*few[:-1], makes_up], dtype=np.int64)
        while True:
            drawn = tables.draw_many(tries * cells).reshape(cells, tries)
            last = drawn[-1]
            coins = sizes(last)
            last -= np.add.reduce(drawn)
            kept = coins >= np.abs(last)
            first = kept.argmax()
            if kept[first]:
                return np.asarray(drawn[:, first])

    @cached_property
    def _half(self) -> Fraction:
        """The rate of each cell's own noise; its tables are kept elsewhere, as plans are sent."""
        return self.rate / 2

    @cached_property
    def _tries(self) -> int:
        """How many are tried at once: about √cells are thrown away for each that is kept."""
        return max(1, min(3 + 2 * math.isqrt(self.cells), _MOST_AT_ONCE // self.cells))

    @cached_property
    def misplaced(self) -> float:
        """How many rows the noise puts into another cell, on average: E ½Σ|z|."""
        many, alpha = self.cells - 1, math.exp(-self.rate)
        logs = np.array(
            [2 * _log_binomial(many, i) - float(self.rate) * i for i in range(many + 1)]
        )
        weights = np.exp(logs - logs.max())
        return float(weights @ np.arange(many + 1) / weights.sum() + many * alpha / (1 - alpha))

    @property
    def error(self) -> float:
        """The mean absolute noise of one cell."""
        return 2 * self.misplaced / self.cells

    @cached_property
    def chances(self) -> npt.NDArray[np.float64]:
        """P(z of a cell = t) for t = 0, 1, …, for figures; very long ones are of plain noise."""
        return sum_chances(1, self.rate / 2, of=self.cells)

    def reach(self, confidence: Fraction) -> int:
        """A t with P(|z of a cell| ≤ t) at least the confidence: the least, or a little more."""
        return _reach(self.cells, self.rate, confidence)


@lru_cache(maxsize=1024)
def _reach(cells: int, rate: Fraction, confidence: Fraction) -> int:
    bound = _plain_reach(rate / 2, confidence)
    if cells * bound * (1 + cells / 100) > _MOST_WORK:
        return bound
    with working_precision(_SPARE_BITS + 8 * cells):
        within, wanted = flint.arb(0), enclosed(confidence)
        for far, chance in enumerate(_law(cells, rate)):
            within += chance if far == 0 else 2 * chance
            if far >= bound or within >= wanted:
                return far
    return bound


def _plain_reach(rate: Fraction, confidence: Fraction) -> int:
    """The same for two-sided geometric noise of a rate, which reaches farther than a cell's."""
    failure = 1 - float(confidence)
    slope = float(rate)
    needed = (math.log(2 / failure) - math.log1p(math.exp(-slope))) / slope
    return max(math.ceil(needed * (1 + 1e-12) + 1e-12) - 1, 0)


def _law(cells: int, rate: Fraction) -> Iterator[Any]:
    """P(z of a cell = t) for t = 0, 1, 2, …, in balls."""
    alpha = (-enclosed(rate)).exp()
    whole = sum((math.comb(cells - 1, i) ** 2 * alpha**i for i in range(cells)), flint.arb(0))
    factor, place = (1 - alpha) / whole, 0
    while True:
        yield factor * alpha**place * _ways(cells - 1, place, alpha)
        place += 1


def _ways(many: int, away: int, alpha: Any) -> Any:
    """Σ over i < m of C(m−1+t, t)·(1−m)_i (t+1−m)_i/((t+1)_i i!)·α^i, rising factorials."""
    term, total = flint.arb(math.comb(many - 1 + away, away)), flint.arb(0)
    for i in range(many):
        total += term
        term = term * (1 - many + i) * (away + 1 - many + i) / ((away + 1 + i) * (i + 1)) * alpha
    return total


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
