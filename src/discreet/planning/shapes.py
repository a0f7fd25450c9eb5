"""Public shapes of tables: a choice is judged on all of them, so that it rests on no one prior.

Real columns lean to one side, bunch up, have heavy tails and bounds that are far too loose; this
family has some of each. It knows the declared values alone (docs/proofs/safe-rule.md).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

TABLES_PER_SHAPE = 4
MOST_VALUES = 1_001
"""On finer grids rows have one of so many evenly spaced values."""
_FINER = 8
_MEANS = (0.04, 0.12, 0.3, 0.5, 0.7, 0.88, 0.96)
_CONCENTRATIONS = (3, 15, 80)
_SCALES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_SCALED_WEIGHT = 0.6
_LEAST_VALUES_OF_SCALES = 12
_SEED = 20_260_611


@dataclass(frozen=True, eq=False)
class Shapes:
    """How rows may be spread over the values: a law for each shape, and what it counts for."""

    laws: Floats
    weights: Floats

    def tables(self, rows: int, each: int = TABLES_PER_SHAPE) -> Counts:
        """So many tables of each shape, shape by shape, a line of counts each; always the same."""
        dice = np.random.default_rng(_SEED)
        return np.concatenate([dice.multinomial(rows, law, size=each) for law in self.laws])

    def averages(self, by_table: Floats) -> Floats:
        """The average over the tables of each shape."""
        return np.asarray(by_table.reshape(len(self.weights), -1).mean(axis=1))


@lru_cache(maxsize=64)
def shapes(values: int, *, from_zero: bool) -> Shapes:
    """The shapes for so many values; where the lowest is 0, most of them have a small scale.

    >>> len(shapes(5, from_zero=True).weights), len(shapes(101, from_zero=True).weights)
    (25, 43)
    """
    neutral = list(_neutral(values))
    weights = np.full(len(neutral), 1 / len(neutral))
    if not from_zero or values < _LEAST_VALUES_OF_SCALES:
        return Shapes(np.array(neutral), weights)
    scaled = list(_scaled(values))
    shares = np.full(len(scaled), _SCALED_WEIGHT / len(scaled))
    return Shapes(
        np.array(neutral + scaled), np.concatenate([(1 - _SCALED_WEIGHT) * weights, shares])
    )


def _neutral(values: int) -> Iterator[Floats]:
    """Leaning either way, narrow or wide, even, at both ends, and half of the rows at one end."""
    for mean in _MEANS:
        for concentration in _CONCENTRATIONS:
            yield _beta(values, mean, concentration)
    yield np.full(values, 1 / values)
    yield _beta(values, 0.5, 0.6)
    for mean, end in ((0.15, 0), (0.85, values - 1)):
        law = _beta(values, mean, 6) / 2
        law[end] += 0.5
        yield law


def _scaled(values: int) -> Iterator[Floats]:
    """Values that take up some share of the range, as where bounds are loose."""
    x = _points(values)
    for scale in _SCALES:
        yield _law(-0.5 * ((x - scale) / (scale / 4)) ** 2)
        yield _law(0.2 * np.log(x) - x * 1.2 / (0.8 * scale))
        yield _law(-np.log(x) - 0.5 * (np.log(x / scale) / 0.9) ** 2)


def _beta(values: int, mean: float, concentration: float) -> Floats:
    a, b, x = mean * concentration, (1 - mean) * concentration, _points(values)
    return _law((a - 1) * np.log(x) + (b - 1) * np.log1p(-x))


def _points(values: int) -> Floats:
    """Where a density on 0 … 1 is taken: at a few points for each value."""
    return np.asarray((np.arange(values * _FINER) + 0.5) / (values * _FINER))


def _law(log_density: Floats) -> Floats:
    """A density at all points as chances of evenly spaced values."""
    chances = np.exp(log_density - log_density.max()).reshape(-1, _FINER).sum(axis=1)
    return np.asarray(chances / math.fsum(chances))
