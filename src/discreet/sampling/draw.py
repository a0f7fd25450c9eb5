"""Draws from a certified matrix: one uniform integer and a binary search."""

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import cast

import numpy as np
import numpy.typing as npt

from discreet.certify import Certified
from discreet.errors import MechanismError
from discreet.exact import show, uniform_below, uniform_below_many

_WORD = 2**64


def draw(certified: Certified, answer: int) -> int:
    """The index of an output, drawn exactly for the true answer of this index."""
    cumulative = _cumulative(_checked(certified), _index(certified, answer))
    return bisect_right(cumulative, uniform_below(cumulative[-1]))


def draw_many(certified: Certified, answer: int, count: int) -> npt.NDArray[np.int64]:
    """`count` independent draws for one true answer, as indices of outputs."""
    cumulative = _cumulative(_checked(certified), _index(certified, answer))
    total = cumulative[-1]
    if total <= _WORD:
        bounds = np.array([bound - 1 for bound in cumulative], dtype=np.uint64)
        found = np.searchsorted(bounds, uniform_below_many(total, count), side="left")
        return cast("npt.NDArray[np.int64]", found.astype(np.int64))
    singly = (bisect_right(cumulative, uniform_below(total)) for _ in range(count))
    return np.fromiter(singly, dtype=np.int64, count=count)


def _checked(certified: Certified) -> Certified:
    if not isinstance(certified, Certified):
        raise MechanismError(
            f"only a certified mechanism can be drawn from, got {show(certified)}; "
            "pass it through certify first"
        )
    return certified


def _index(certified: Certified, answer: int) -> int:
    size = len(certified.mechanism.answers)
    if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)):
        raise MechanismError(f"the true answer is given by its index, got {show(answer)}")
    if not 0 <= answer < size:
        raise MechanismError(f"the index of the true answer is 0 to {size - 1}, got {answer}")
    return int(answer)


@lru_cache(maxsize=1024)
def _cumulative(certified: Certified, answer: int) -> tuple[int, ...]:
    """Running sums of a column; output i owns the integers from sum i − 1 up to sum i."""
    return tuple(accumulate(certified.mechanism.column(answer).tolist()))
