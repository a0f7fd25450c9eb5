"""Smooth sensitivity of an order statistic (Nissim, Raskhodnikova & Smith 2007, §3.1)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import show
from discreet.statistics import MAXIMUM, MEDIAN, MINIMUM

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_RANKS = {rank.name: rank for rank in (MINIMUM, MEDIAN, MAXIMUM)}
STATISTICS = tuple(_RANKS)


def rank_of(statistic: str, records: int) -> int:
    """Which record in order the statistic is, from 1; of an even number the median is the lower.

    >>> [rank_of(statistic, 10) for statistic in STATISTICS]
    [1, 5, 10]
    """
    if statistic not in _RANKS:
        raise GoalError(f"the statistic must be one of {', '.join(_RANKS)}, got {show(statistic)}")
    return _RANKS[statistic].of(records)


@dataclass(frozen=True)
class SmoothBound:
    """gap·e^(−β·changes): that many records away, one more can move the statistic by `gap`."""

    gap: int
    changes: int

    def at(self, beta: float) -> float:
        """The smooth sensitivity as a float."""
        return self.gap * math.exp(-beta * self.changes)


def smooth_bound(
    records: Sequence[int], rank: int, low: int, high: int, beta: float
) -> SmoothBound:
    """The smooth sensitivity max_k e^(−βk)·(local sensitivity k changes away), in O(n log n).

    It is the largest (x_j − x_i)·e^(−β(j−i−1)) over i ≤ rank ≤ j, i < j, where the sorted records
    have `low` before them and `high` after (docs/proofs/smooth-sensitivity.md). As i grows the best
    j never falls, so the search is divided and conquered.

    >>> smooth_bound([0, 1, 4], 2, 0, 4, 0.5), smooth_bound([1, 1, 1], 2, 0, 4, 0.5)
    (SmoothBound(gap=3, changes=0), SmoothBound(gap=3, changes=1))
    """
    ordered = np.array([low, *sorted(records), high], dtype=np.int64)
    left, right = _useful(ordered, rank)
    best, pair = -math.inf, (0, len(ordered) - 1)
    waiting = [(0, len(left), 0, len(right))]
    while waiting:
        first, after, lowest, highest = waiting.pop()
        if first == after:
            continue
        middle = (first + after) // 2
        terms = _log_terms(ordered, left[middle], right[lowest:highest], beta)
        peak = int(terms.argmax())
        if terms[peak] > best:
            best, pair = float(terms[peak]), (int(left[middle]), int(right[lowest + peak]))
        waiting.append((first, middle, lowest, lowest + peak + 1))
        waiting.append((middle + 1, after, lowest + peak, highest))
    i, j = pair
    return SmoothBound(int(ordered[j] - ordered[i]), j - i - 1)


def _useful(ordered: Places, rank: int) -> tuple[Places, Places]:
    """The last place of each value up to the rank, the first place of each value from it on."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    left = np.append(changes[changes < rank], rank)
    right = np.append(rank, changes[changes >= rank] + 1)
    return left, right


def _log_terms(ordered: Places, i: np.int64, places: Places, beta: float) -> Floats:
    """log of (x_j − x_i)·e^(−β(j−i−1)) for each j; −∞ where the gap is 0."""
    with np.errstate(divide="ignore"):
        terms: Floats = np.log((ordered[places] - ordered[i]).astype(np.float64))
    return terms - beta * (places - i - 1)
