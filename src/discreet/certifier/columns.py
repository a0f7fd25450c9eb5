"""R.3 and R.2: every column is a distribution, and the categories hold every true answer.

Both are checked anew, on the cells that will be drawn from.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.errors import MechanismError
from discreet.exact import show
from discreet.model import (
    AllPairs,
    DenseMechanism,
    Graph,
    Grid,
    Integers,
    Labels,
    Listed,
    Mechanism,
    Numbers,
    RayMechanism,
    Within,
    edges,
)
from discreet.model.mechanism import sealed

M = TypeVar("M", bound=Mechanism)


def with_own_cells(mechanism: M) -> M:
    """The mechanism, if it is made of known parts, with cells that only it can reach.

    What is checked must be what is drawn from: a stranger's subclass may answer every question
    anew, and whoever kept the array that a matrix was made from could change it afterwards.
    """
    if type(mechanism) not in (DenseMechanism, RayMechanism):
        raise MechanismError(f"only a mechanism can be certified, got {show(mechanism)}")
    spaces = (type(mechanism.answers), type(mechanism.outputs))
    if not {*spaces} <= {Grid, Listed, Labels}:
        raise MechanismError(f"{mechanism!r} has a space of no known kind; use Mechanism.of")
    if type(mechanism.neighbours) not in (Within, AllPairs, Graph):
        raise MechanismError(f"{mechanism!r} has neighbours of no known kind; use Mechanism.of")
    if type(mechanism.total) is not int:
        raise MechanismError(
            f"the total of a mechanism is an integer, got {show(mechanism.total)}; use Mechanism.of"
        )
    if not isinstance(mechanism, DenseMechanism):
        return mechanism
    cells = mechanism.weights
    if type(cells) is not np.ndarray:
        raise MechanismError(f"the cells of {mechanism!r} are no plain array; use Mechanism.of")
    if cells.shape != mechanism.shape:
        raise MechanismError(f"{mechanism!r} has cells of another shape; use Mechanism.of")
    if cells.flags.writeable:
        raise MechanismError(f"the cells of {mechanism!r} can still change; use Mechanism.of")
    return mechanism if is_sealed(cells) else replace(mechanism, weights=sealed(cells))


def check_columns(mechanism: Mechanism) -> None:
    """Raise MechanismError unless the cells are whole numbers and each column sums to the total.

    `Mechanism.of` sees to all of this; the certifier does not believe that it was asked.
    """
    weights = mechanism.weights
    if not _whole(weights) or (weights < 0).any():
        raise MechanismError(f"{mechanism!r} has cells that are no weights; use Mechanism.of")
    sums = weights.astype(object).sum(axis=0)
    if not mechanism.total > 0 or (sums != mechanism.total).any():
        raise MechanismError(f"{mechanism!r} has columns with another sum; use Mechanism.of")


def is_sealed(cells: npt.NDArray[Any]) -> bool:
    """Whether the cells are machine words inside a bytes object, which nothing can change."""
    if type(cells) is not np.ndarray or cells.dtype != np.int64:
        return False
    base: object = cells
    while type(base) is np.ndarray:
        base = base.base
    return type(base) is bytes


def _whole(weights: Integers) -> bool:
    return weights.dtype == np.int64 or (
        weights.dtype == object and all(type(cell) is int for cell in weights.flat)
    )


def uncovered_answer(mechanism: Mechanism) -> int | None:
    """The first answer that no output's category holds; None when all are covered.

    Categories are disjoint and finite by construction (they meet half way between outputs), so
    only coverage can fail: it is a fact about the range, not about privacy.
    """
    outputs, answers = mechanism.outputs, mechanism.answers
    if isinstance(outputs, Labels) or isinstance(answers, Labels):
        known = set(outputs.values())
        return next((j for j, name in enumerate(answers.values()) if name not in known), None)
    low, high = _outer_edges(outputs)
    if low <= answers.value(0) and answers.value(len(answers) - 1) <= high:
        return None
    return next((j for j, f in enumerate(answers.values()) if not low <= f <= high), None)


def _outer_edges(outputs: Numbers) -> tuple[Fraction, Fraction]:
    """The ends of the outermost categories, without writing out the ones between."""
    last = len(outputs) - 1
    if last == 0:
        low, high = edges(outputs)
        return low, high
    first_two = Listed((outputs.value(0), outputs.value(1)))
    last_two = Listed((outputs.value(last - 1), outputs.value(last)))
    return edges(first_two)[0], edges(last_two)[-1]
