"""Which method errs less, tried out on random tables: public facts only, nothing is spent."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.sorting.largest import LargestCounts
from discreet.sorting.partitions import (
    MOST_RECORDS,
    PartitionMechanism,
    PartitionTables,
    uniform_partition,
)

LAPLACE, PARTITIONS = "laplace", "partitions"
_MOST_CELLS = 6_000_000


@dataclass(frozen=True)
class SimulatedError:
    """The mean total error (L₁) of a method over simulated tables, and its standard error."""

    method: str
    error: float
    standard_error: float


def try_methods(
    laplace: LargestCounts, records: int, trials: int | None = None
) -> tuple[SimulatedError, ...]:
    """Both methods on sorted lists of the public total, every list as likely as any other.

    The better one comes first. Nothing is tried where the total is private or too large for
    partitions. Unless given, the number of trials is what a second or two allows, at most 60.

    >>> sorted(trial.method for trial in try_methods(LargestCounts.of(30, 1), 30, trials=5))
    ['laplace', 'partitions']
    """
    if not laplace.public_total or not 1 <= records <= MOST_RECORDS:
        return ()
    partitions = PartitionMechanism.of(records, laplace.epsilon, laplace.values)
    entries, random = partitions.entries, np.random.default_rng()
    every = PartitionTables(records, entries, lambda place, count: 1)
    times = _affordable(records) if trials is None else trials
    truths = [uniform_partition(every, entries) for _ in range(times)]
    by_noise = [_noise_error(laplace, truth, records, random) for truth in truths]
    by_lists = [_list_error(partitions, laplace.largest, truth, random) for truth in truths]
    both = (_trial(LAPLACE, by_noise), _trial(PARTITIONS, by_lists))
    return tuple(sorted(both, key=lambda trial: trial.error))


def _affordable(records: int) -> int:
    cells = records**2 * (1 + math.log(records))
    return max(8, min(60, int(_MOST_CELLS / cells)))


def _noise_error(
    laplace: LargestCounts, truth: Sequence[int], records: int, random: np.random.Generator
) -> float:
    heads = 1 - math.exp(-float(laplace.rate))
    sizes = random.geometric(heads, (2, laplace.largest))
    kept = _first(truth, laplace.largest)
    noisy = [int(number) for number in kept + sizes[0] - sizes[1]]
    fitted = np.array([float(entry) for entry in laplace.fit(noisy, records)])
    return float(np.abs(fitted - kept).sum())


def _list_error(
    partitions: PartitionMechanism,
    largest: int,
    truth: Sequence[int],
    random: np.random.Generator,
) -> float:
    powers = np.exp(-float(partitions.rate) * np.arange(partitions.records + 1)).tolist()
    tables = PartitionTables(
        partitions.records, len(truth), lambda i, s: powers[abs(truth[i] - s)], 0.0
    )
    most, left, entries = partitions.records, partitions.records, []
    for place in range(len(truth)):
        running = np.array(tables.running(place, most, left))
        most = int(np.searchsorted(running, random.random() * running[-1], side="right"))
        most = min(most, len(running) - 1)
        left -= most
        entries.append(most)
    return float(np.abs(_first(entries, largest) - _first(truth, largest)).sum())


def _first(counts: Sequence[int], largest: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    kept = np.zeros(largest, dtype=np.int64)
    kept[: len(counts)] = counts[:largest]
    return kept


def _trial(method: str, errors: Sequence[float]) -> SimulatedError:
    spread = float(np.std(errors)) / math.sqrt(max(len(errors) - 1, 1))
    return SimulatedError(method, float(np.mean(errors)), spread)
