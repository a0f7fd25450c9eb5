"""Whole numbers in memory that nobody can write to any more."""

from typing import Any

import numpy as np
import numpy.typing as npt


def sealed(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy of the cells that stays as it is, whoever else holds the array it was made from.

    Machine words go into a bytes object, so even `setflags` cannot open them again. Python integers
    cannot: they become a view that refuses it.

    >>> sealed(np.array([1, 2])).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if cells.dtype == object:
        own = np.array(cells)
        own.setflags(write=False)
        return own.view()
    return np.ndarray(cells.shape, dtype=cells.dtype, buffer=cells.tobytes())
