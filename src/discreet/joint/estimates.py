"""Sums of cells estimated from other sums, in exact numbers (docs/proofs/workloads.md, Claim 3).

Least squares are found in floats, as weights of the measurements; these are then rounded to parts
of 2^40, and all that follows is exact. What rounding leaves of other cells is bounded for every
table, and makes intervals wider.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.joint.inversion import WeightedNoises, inverted_reach, mean_size, rounding_reach
from discreet.joint.strategies import Strategy, Whole, Workload
from discreet.joint.tables import TableNoise
from discreet.sampling.laplace import can_be_drawn

_PARTS = 1 << 40
_MOST_LAWS = 64
_STEP = Fraction(1, 1 << 30)
"""Weights are rounded to such steps for intervals, which are wider by what that may lose."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """What is told of a strategy's measurements, for a table of at most so many rows.

    Where the strategy's noises cancel, all its cells sum to `rows`: those that are told, and the
    rest.
    """

    strategy: Strategy
    workload: Workload
    rows: int

    @property
    def name(self) -> str:
        """What it is called."""
        return self.strategy.name

    @property
    def tables(self) -> tuple[TableNoise, ...]:
        """The noise of every table that is measured; sums that overlap are no table."""
        noises = (one.noise for one in self.strategy.layers)
        return tuple(one for one in noises if isinstance(one, TableNoise))

    @property
    def digest(self) -> str:
        """That of its certificate; where there are several, of the first."""
        return self.strategy.layers[0].noise.digest

    @property
    def drawable(self) -> bool:
        """Whether noise of these rates can be drawn."""
        return all(can_be_drawn(one.noise.rate) for one in self.strategy.layers)

    @cached_property
    def errors(self) -> list[float]:
        """The mean absolute error of each sum, whatever the table is, or hardly more; where that
        would take long, the root of its mean squared error, which is not less."""
        known: dict[tuple[bytes, ...], float | None] = {}
        errors = []
        for place, variance in enumerate(self.variances):
            noises = [self._noises(place, layer) for layer in range(len(self.strategy.layers))]
            key = tuple(np.sort(np.abs(one.weights)).tobytes() for one in noises)
            if key not in known:
                known[key] = mean_size(noises) if len(known) < _MOST_LAWS else None
            root = math.sqrt(variance)
            errors.append(root if known[key] is None else min(root, known[key] or 0.0))
        return errors

    @property
    def rmse(self) -> float:
        """The root of the mean squared error of all sums."""
        return float(np.sqrt(np.mean(self.variances)))

    @cached_property
    def variances(self) -> list[float]:
        """The variance of each sum, whatever the table is."""
        return [max(0.0, one) for one in self.strategy.variances(self.workload).tolist()]

    @cached_property
    def _asked(self) -> Whole:
        return self.workload.over(self.strategy.cells).rows

    @cached_property
    def _weights(self) -> list[Whole]:
        """For each layer, how many parts of each measurement an answer takes."""
        spread = self._asked @ self.strategy.covariance
        return [
            np.rint(_PARTS * one.weight * (spread @ one.matrix.T)).astype(np.int64)
            for one in self.strategy.layers
        ]

    @cached_property
    def _left_over(self) -> list[Fraction]:
        """How far rounding can lead an answer off, for tables of so many rows."""
        left = -_PARTS * self._asked
        for weights, layer in zip(self._weights, self.strategy.layers, strict=True):
            left = left + weights @ layer.matrix
        if self.strategy.total_is_public:
            most = left.max(axis=1) - left.min(axis=1)
        else:
            most = np.abs(left).max(axis=1)
        return [Fraction(int(one) * self.rows, _PARTS) for one in most]

    def reaches(self, confidence: Fraction) -> list[Fraction]:
        """How far each sum is off at most, at a confidence, for every table."""
        if confidence not in self._known:
            self._known[confidence] = self._reaches(confidence)
        return self._known[confidence]

    @cached_property
    def _known(self) -> dict[Fraction, list[Fraction]]:
        return {}

    def _reaches(self, confidence: Fraction) -> list[Fraction]:
        known: dict[tuple[bytes, ...], Fraction] = {}
        reaches = []
        for place, left in enumerate(self._left_over):
            noises = [self._noises(place, layer) for layer in range(len(self.strategy.layers))]
            key = tuple(np.sort(np.abs(one.weights)).tobytes() for one in noises)
            if key not in known:
                known[key] = inverted_reach(noises, confidence) + rounding_reach(noises, _STEP)
            reaches.append(known[key] + left)
        return reaches

    def _noises(self, place: int, which: int) -> WeightedNoises:
        """With which weights the noises of a layer enter an answer; nearly equal ones are one.

        What that leaves out is far below what an interval is told to.
        """
        noise = self.strategy.layers[which].noise
        weights = self._weights[which][place] / _PARTS
        if noise.cancelling is not None:
            weights = weights - weights.mean()
        near = np.rint(weights / float(_STEP)) * float(_STEP)
        return WeightedNoises(near, noise.rate, noise.cancelling is not None)

    def truths(self, counts: Whole) -> list[Whole]:
        """What is measured, before noise: all that depends on the rows."""
        cells = counts
        if self.strategy.cells > len(counts):
            cells = np.append(counts, self.rows - counts.sum())
        return [one.matrix @ cells for one in self.strategy.layers]

    def measure(self, truths: Sequence[Whole]) -> list[Whole]:
        """What is measured, with noise: to be called under a charge."""
        layers = zip(truths, self.strategy.layers, strict=True)
        return [true + one.noise.draw() for true, one in layers]

    def read(self, measured: Sequence[Whole]) -> list[Fraction]:
        """What is told of the measurements, exactly: some may be below 0."""
        start = np.zeros(self.strategy.cells, dtype=np.int64)
        if self.strategy.total_is_public:
            start[-1] = self.rows
        parts = (_PARTS * (self._asked @ start)).astype(object)
        for weights, sums, layer in zip(self._weights, measured, self.strategy.layers, strict=True):
            parts = parts + weights.astype(object) @ (sums - layer.matrix @ start).astype(object)
        return [Fraction(int(one), _PARTS) for one in parts]
