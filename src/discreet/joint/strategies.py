"""Many sums of cells from one charge: prefixes, ranges, roll-ups (docs/proofs/workloads.md).

A strategy measures other sums than those that are asked, and works these out by least squares. All
its errors are known before anything is drawn, and hold for every table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.certifier.strategies import certify_strategy
from discreet.exact import Epsilon, spendable
from discreet.joint.p_identity import p_identity
from discreet.joint.sums import sum_variance, weighted_reach
from discreet.joint.tables import TableNoise
from discreet.model import Relation
from discreet.model.strategies import StrategyNoise
from discreet.sampling import noise_tables

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Workload:
    """Sums of cells that are asked: a row of whole weights for each."""

    rows: Whole

    @cached_property
    def gram(self) -> Floats:
        """WᵀW, for the sum of all squared errors."""
        rows = self.rows.astype(np.float64)
        return np.asarray(rows.T @ rows)

    def over(self, cells: int) -> "Workload":
        """The same over more cells, which are in no answer."""
        missing = cells - self.rows.shape[1]
        return self if missing == 0 else Workload(np.pad(self.rows, ((0, 0), (0, missing))))


def prefixes(cells: int) -> Workload:
    """Running totals: the first cell, the first two, …, all."""
    return Workload(np.tril(np.ones((cells, cells), dtype=np.int64)))


def ranges(cells: int) -> Workload:
    """All sums of neighbouring cells."""
    firsts, lasts = np.triu_indices(cells)
    places = np.arange(cells)
    inside = (places >= firsts[:, None]) & (places <= lasts[:, None])
    return Workload(inside.astype(np.int64))


class SumsNoise(Protocol):
    """Noise on the sums of one layer."""

    @property
    def rate(self) -> Fraction:
        """Every noise is z with weight e^(−rate·|z|)."""

    @property
    def cancelling(self) -> int | None:
        """How many noises cancel; None where they are independent."""

    @property
    def variance(self) -> float:
        """The variance of one."""

    @property
    def digest(self) -> str:
        """That of its certificate."""

    def draw(self) -> Whole:
        """One noise for every sum."""


@dataclass(frozen=True)
class PlainSums:
    """Independent noise on sums that overlap, certified by adding up."""

    certified: Certified[StrategyNoise]
    cancelling: None = None

    @classmethod
    def of(
        cls, matrix: Whole, epsilon: Epsilon, relation: Relation, *, rows_per_unit: int = 1
    ) -> "PlainSums":
        """Noise for the sums of these rows, as small as the matrix allows."""
        columns = tuple(
            tuple((int(place), int(column[place])) for place in np.flatnonzero(column))
            for column in matrix.T
        )
        width = rows_per_unit * norm(matrix, relation)
        noise = StrategyNoise(
            sums=len(matrix),
            columns=columns,
            relation=relation,
            width=width,
            rows_per_unit=rows_per_unit,
            rate=spendable(epsilon) / width,
        )
        return cls(certify_strategy(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """Every noise is z with weight e^(−rate·|z|)."""
        return self.certified.mechanism.rate

    @property
    def variance(self) -> float:
        """The variance of one."""
        return sum_variance(1, self.rate)

    @property
    def digest(self) -> str:
        """That of its certificate."""
        return self.certified.certificate.digest

    def draw(self) -> Whole:
        """One noise for every sum."""
        return noise_tables(self.rate).draw_many(self.certified.mechanism.sums)


def norm(matrix: Whole, relation: Relation) -> int:
    """How much one row moves all sums together, at most."""
    added = int(np.abs(matrix).sum(axis=0).max())
    if relation == Relation.ADD_OR_REMOVE:
        return added
    moved = max(int(np.abs(matrix - column[:, None]).sum(axis=0).max()) for column in matrix.T)
    return moved if relation == Relation.CHANGE else max(moved, added)


@dataclass(frozen=True, eq=False)
class Layer:
    """Sums of cells that are measured, and their noise."""

    matrix: Whole
    noise: SumsNoise

    @property
    def weight(self) -> float:
        """How much a squared residual counts: one by the variance, per degree of freedom."""
        many = self.noise.cancelling
        return (1 if many is None else (many - 1) / many) / max(self.noise.variance, _LEAST)

    @property
    def gram(self) -> Floats:
        """weight·AᵀA."""
        matrix = self.matrix.astype(np.float64)
        return np.asarray(self.weight * matrix.T @ matrix)


@dataclass(frozen=True, eq=False)
class Strategy:
    """What is measured, and how answers follow from it.

    Where noises cancel, the cells sum to a public number, "the rest" among them.
    """

    name: str
    layers: tuple[Layer, ...]

    @property
    def cells(self) -> int:
        """How many cells there are, with the rest."""
        return int(self.layers[0].matrix.shape[1])

    @property
    def total_is_public(self) -> bool:
        """Whether all cells sum to a public number."""
        return self.layers[0].noise.cancelling is not None

    @cached_property
    def covariance(self) -> Floats:
        """That of the estimated cells, whatever the table is: (Σ weight·AᵀA)⁻¹, on Σx = n."""
        inverse = np.linalg.inv(sum(one.gram for one in self.layers))
        if self.total_is_public:
            ones = inverse.sum(axis=1)
            inverse = inverse - np.outer(ones, ones) / ones.sum()
        return np.asarray(inverse)

    def rmse(self, workload: Workload) -> float:
        """The root of the mean squared error of all answers."""
        asked = workload.over(self.cells)
        return float(np.sqrt(np.vdot(self.covariance, asked.gram) / len(asked.rows)))

    def variances(self, workload: Workload) -> Floats:
        """The variance of each answer."""
        rows = workload.over(self.cells).rows.astype(np.float64)
        return np.asarray(((rows @ self.covariance) * rows).sum(axis=1))

    def reaches(self, workload: Workload, confidence: Fraction) -> list[Fraction]:
        """How far each answer is off at most, at a confidence, for every table."""
        rows = workload.over(self.cells).rows
        return [weighted_reach(self._noises(one), confidence) for one in rows]

    def measure(self, counts: Whole) -> tuple[Whole, ...]:
        """What is measured of these counts of all cells: to be called under a charge."""
        return tuple(one.matrix @ counts + one.noise.draw() for one in self.layers)

    def estimate(self, measured: Sequence[Whole], total: int = 0) -> Floats:
        """The cells, by least squares; some may be below 0. `total` is that of all, if public."""
        start = np.full(self.cells, total / self.cells if self.total_is_public else 0.0)
        pulled = sum(
            one.weight * one.matrix.T @ (sums - one.matrix @ start)
            for one, sums in zip(self.layers, measured, strict=True)
        )
        return np.asarray(start + self.covariance @ pulled)

    def _noises(self, answer: Whole) -> list[tuple[Floats, Fraction]]:
        """With which weights the noises enter an answer; where they cancel, only differences do."""
        noises = []
        for one in self.layers:
            weights = one.weight * (one.matrix @ (self.covariance @ answer))
            centred = weights if one.noise.cancelling is None else weights - weights.mean()
            noises.append((centred, one.noise.rate))
        return noises


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a strategy is designed for."""

    cells: int
    epsilon: Epsilon
    relation: Relation
    rows_per_unit: int = 1
    total_is_public: bool = False

    def strategies(self, workload: Workload) -> Iterator[Strategy]:
        """Every strategy that is tried."""
        if self.relation == Relation.CHANGE:
            yield self._levels(1, Fraction(0))
            if self.cells >= _FEW:
                for block in _BLOCKS:
                    for share in _SHARES:
                        yield self._levels(block, share)
            return
        yield self._plain("cells", np.eye(self.cells, dtype=np.int64))
        for fold, weights in _TREES:
            if fold ** (len(weights) - 1) < self.cells:
                yield self._plain("tree", tree(self.cells, fold, weights))
        if _FEW // 2 <= self.cells <= _MOST_DESCENDED:
            matrix = p_identity(workload.gram, max(1, self.cells // _FEW))
            if matrix is not None:
                yield self._plain("p-identity", matrix)

    def best(self, workload: Workload) -> Strategy:
        """The strategy of least root mean square error for a workload."""
        return min(self.strategies(workload), key=lambda one: one.rmse(workload))

    def _plain(self, name: str, matrix: Whole) -> Strategy:
        noise = PlainSums.of(matrix, self.epsilon, self.relation, rows_per_unit=self.rows_per_unit)
        return Strategy(name, (Layer(matrix, noise),))

    def _levels(self, block: int, share: Fraction) -> Strategy:
        """Cells, and blocks of neighbouring ones for a share of ε; each level cancels."""
        every = self.cells if self.total_is_public else self.cells + 1
        blocks = Epsilon(int(share * self.epsilon.billionths)) if share else None
        left = self.epsilon if blocks is None else _less(self.epsilon, blocks)
        layers = [self._level(np.eye(every, dtype=np.int64), left)]
        if blocks is not None:
            layers.append(self._level(tree(every, block, (0, 1)), blocks))
        return Strategy("cells" if blocks is None else "two levels", tuple(layers))

    def _level(self, matrix: Whole, epsilon: Epsilon) -> Layer:
        noise = TableNoise.of(
            len(matrix),
            epsilon,
            self.relation,
            rows_per_unit=self.rows_per_unit,
            total_is_public=True,
        )
        return Layer(matrix, noise)


_FEW = 16
_LEAST = 1e-9
"""The least variance that noise is taken to have, where ε leaves hardly any."""
_MOST_DESCENDED = 64
_BLOCKS = (4, 6, 8, 12, 16)
_SHARES = (Fraction(3, 10), Fraction(2, 5), Fraction(9, 20))
_TREES = (
    *((fold, weights) for fold in (8, 12, 16, 20, 24) for weights in ((1, 1), (3, 2), (5, 4))),
    *((fold, weights) for fold in (8, 10) for weights in ((1, 1, 1), (4, 3, 3))),
)
"""How many children a node has, and the weights of the levels, the cells' first."""


def tree(cells: int, fold: int, weights: Sequence[int]) -> Whole:
    """Sums of 1, fold, fold², … neighbouring cells, each level with a weight; 0 leaves it out."""
    places, rows = np.arange(cells), []
    for level, weight in enumerate(weights):
        blocks = places // fold**level
        if weight:
            rows.append(weight * (blocks == np.unique(blocks)[:, None]))
    return np.vstack(rows).astype(np.int64)


def _less(epsilon: Epsilon, taken: Epsilon) -> Epsilon:
    return Epsilon(epsilon.billionths - taken.billionths)
