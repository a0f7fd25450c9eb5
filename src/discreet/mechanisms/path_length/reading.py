"""A histogram of records over ordered values, checked once."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.exact import show

Lengths: TypeAlias = npt.NDArray[np.int64]
Histogram: TypeAlias = Sequence[int] | npt.NDArray[np.int64]
"""How many records have each value, in the order of the values."""

MOST_RECORDS = 10**9


def read_histogram(histogram: Histogram) -> Lengths:
    """The counts as integers; the message says nothing of them, since they may be private.

    >>> read_histogram([2, 0, 1])
    array([2, 0, 1])
    """
    counts = np.asarray(histogram)
    whole = counts.ndim == 1 and len(counts) > 0 and counts.dtype.kind in "iu"
    if not whole or int(counts.min()) < 0 or int(counts.max()) > MOST_RECORDS:
        raise InvalidInput(
            f"a histogram must be a list of whole numbers from 0 to {MOST_RECORDS:,}: how many "
            "records have each value"
        )
    checked = counts.astype(np.int64)
    if float(checked.sum(dtype=np.float64)) > MOST_RECORDS:
        raise InvalidInput(f"a histogram can hold at most {MOST_RECORDS:,} records")
    return checked


def check_place(place: int | None, size: int, what: str) -> int | None:
    """An index of an answer, or None."""
    whole = isinstance(place, int) and not isinstance(place, bool)
    if place is None or (whole and 0 <= place < size):
        return place
    raise InvalidInput(f"{what} must be the index of one of {size:,} answers, got {show(place)}")
