"""R.3: every column is a distribution, checked anew on the cells that will be drawn from."""

import numpy as np

from discreet.errors import MechanismError
from discreet.exact import show
from discreet.model import AllPairs, Graph, Integers, Mechanism, RayMechanism, Within


def check_columns(mechanism: Mechanism) -> None:
    """Raise MechanismError unless the cells are frozen whole numbers and each column sums to total.

    `Mechanism.of` sees to all of this; the certifier does not believe that it was asked.
    """
    # A draw asks the mechanism for its column, which a stranger's subclass may answer at will.
    if type(mechanism) not in (Mechanism, RayMechanism):
        raise MechanismError(f"only a mechanism can be certified, got {show(mechanism)}")
    if type(mechanism.neighbours) not in (Within, AllPairs, Graph):
        raise MechanismError(f"{mechanism!r} has neighbours of no known kind; use Mechanism.of")
    weights = mechanism.weights
    if not isinstance(weights, np.ndarray) or weights.shape != mechanism.shape:
        raise MechanismError(f"{mechanism!r} has cells of another shape; use Mechanism.of")
    if weights.flags.writeable:
        raise MechanismError(f"the cells of {mechanism!r} can still change; use Mechanism.of")
    if not _whole(weights) or (weights < 0).any():
        raise MechanismError(f"{mechanism!r} has cells that are no weights; use Mechanism.of")
    sums = weights.astype(object).sum(axis=0)
    if not mechanism.total > 0 or (sums != mechanism.total).any():
        raise MechanismError(f"{mechanism!r} has columns with another sum; use Mechanism.of")


def _whole(weights: Integers) -> bool:
    return weights.dtype == np.int64 or (
        weights.dtype == object and all(type(cell) is int for cell in weights.flat)
    )
