"""Neighbouring values put together, so that databases become few enough to be listed."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ValueRuns:
    """Values 0 … T − 1 cut into runs: where each starts, and the value that stands for it."""

    starts: tuple[int, ...]
    told: tuple[int, ...]
    values: int

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each run has."""
        ends = (*self.starts[1:], self.values)
        return tuple(end - start for start, end in zip(self.starts, ends, strict=True))

    def block_of(self) -> npt.NDArray[np.int64]:
        """The run of every value."""
        return np.repeat(np.arange(len(self)), self.sizes)


def best_blocks(weights: tuple[float, ...], blocks: int) -> ValueRuns:
    """The cut into runs with the least expected distance to the value that stands for a run.

    >>> best_blocks((0.0, 0.0, 0.0, 0.5, 0.5), 2)
    ValueRuns(starts=(0, 4), told=(3, 4), values=5)
    """
    return _best_blocks(weights, min(blocks, len(weights)))


@lru_cache(maxsize=256)
def _best_blocks(weights: tuple[float, ...], blocks: int) -> ValueRuns:
    values = len(weights)
    share = np.array(weights) + 1e-6 / values
    costs, medians = _runs(share)
    best = np.full((blocks + 1, values + 1), np.inf)
    cut = np.zeros((blocks + 1, values + 1), dtype=np.int64)
    best[0, 0] = 0.0
    for many in range(1, blocks + 1):
        for end in range(many, values + 1):
            options = best[many - 1, :end] + costs[:end, end]
            cut[many, end] = int(options.argmin())
            best[many, end] = options[cut[many, end]]
    starts: list[int] = []
    end = values
    for many in range(blocks, 0, -1):
        start = int(cut[many, end])
        starts.insert(0, start)
        end = start
    ends = [*starts[1:], values]
    middles = tuple(int(medians[start, end]) for start, end in zip(starts, ends, strict=True))
    return ValueRuns(tuple(starts), middles, values)


def _runs(share: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """At [start, end]: what the run start … end − 1 costs, and its weighted median."""
    values = len(share)
    costs = np.full((values + 1, values + 1), np.inf)
    medians = np.zeros((values + 1, values + 1), dtype=np.int64)
    places = np.arange(values)
    for start in range(values):
        sums = np.cumsum(share[start:])
        for end in range(start + 1, values + 1):
            half = sums[end - start - 1] / 2
            middle = start + int(np.searchsorted(sums[: end - start], half * (1 - 1e-12)))
            medians[start, end] = middle
            away = np.abs(places[start:end] - middle)
            costs[start, end] = float(share[start:end] @ away)
    return costs, medians
