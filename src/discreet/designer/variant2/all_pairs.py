"""Fair mechanisms when all answers are neighbours, in closed form (docs/proofs/band.md).

Every cell lies between the diagonal weight and e^(−ε) times it. Each column gives the full weight
to its own output and to the A nearest others, the least to the rest; the same A for all columns,
and only whole A need to be compared.
"""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import Floats
from discreet.designer.request import Request

_SAME = 1e-12
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class Nearest:
    """The best fair mechanism: how many outputs beside the own one have the full weight."""

    others: int
    diagonal: float
    sums: Floats
    """What stands above the diagonal in each column."""
    lower_bound: float


def loss_by_distance(request: Request) -> tuple[Floats, float] | None:
    """The loss at 0, 1, 2… places from the truth, and how far that may put the value off.

    None when the loss depends on more than the distance, but for rounding.
    """
    loss = request.loss
    by_distance = np.minimum.accumulate(loss[::-1, 0])[::-1]
    places = np.arange(len(loss))
    off = np.abs(loss - by_distance[np.abs(places[:, None] - places)]).max(axis=0)
    if off.max() > _SAME * loss.max():
        return None
    return by_distance, float(off @ request.prior)


def nearest_others(by_distance: Floats, prior: Floats, shrink: float) -> Nearest:
    """The best number of others, for any prior and any loss that grows with distance.

    `shrink` is e^(−ε), rounded down. The value is the proven bound, but for rounding.

    >>> best = nearest_others(np.arange(5.0), np.full(5, 0.2), np.exp(-1))
    >>> best.others, round(5 * best.lower_bound, 4), round(best.diagonal, 3)
    (1, 5.7596, 0.322)
    """
    last = len(by_distance) - 1
    full = np.concatenate([[0.0], np.cumsum(by_distance[_ranks(last)] @ prior)])
    count = np.arange(last + 1)
    weight = 1 + shrink * last + (1 - shrink) * count
    values = (by_distance[0] + shrink * full[-1] + (1 - shrink) * full) / weight
    best = int(values.argmin())
    diagonal = 1 / float(weight[best])
    columns = np.arange(last + 1)
    above = np.clip(best / 2, best - (last - columns), columns)
    sums = diagonal * (shrink * columns + (1 - shrink) * above)
    rounding = 8 * len(by_distance) * _UNIT
    return Nearest(best, diagonal, sums, float(values[best]) * (1 - rounding))


def _ranks(last: int) -> Floats:
    """How far the a-th nearest other output is (rows, a = 1…) from each answer (columns)."""
    nearest = np.arange(1, last + 1)[:, None]
    answer = np.arange(last + 1)
    to_end = np.minimum(answer, last - answer)
    return np.where(nearest <= 2 * to_end, (nearest + 1) // 2, nearest - to_end)
