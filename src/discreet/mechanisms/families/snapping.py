"""Boundary-snapping: what falls outside the range is answered by the nearest end (003 Def. 4).

Theorems 1 and 2 of 003, in our words: docs/proofs/snapping.md.
"""

import numpy as np
import numpy.typing as npt

from discreet.exact import Epsilon, EpsilonLike
from discreet.mechanisms.discretisation import Density, Noise, category_masses
from discreet.model import (
    Integers,
    Mechanism,
    Neighbours,
    Space,
    category_of,
    numbers_of,
)
from discreet.repair import integer_mechanism


def snapped(mechanism: Mechanism, outputs: Space | None = None) -> Mechanism:
    """The mechanism that answers with the nearest of `outputs` (by default, of its answers).

    Rows are added, exactly: a post-processing (001 Prop. 1), so every ε it keeps is kept.

    >>> from discreet.model import Grid, Within
    >>> answers, wide = Grid.between(0, 1), Grid.between(-1, 2)
    >>> snapped(Mechanism.of(answers, wide, Within(1), [[2, 1], [4, 2], [2, 4], [1, 2]])).weights
    array([[6, 3],
           [3, 6]])
    """
    target = numbers_of(outputs or mechanism.answers, "snapping")
    nearest = category_of(target, numbers_of(mechanism.outputs, "snapping"))
    weights: Integers = np.zeros((len(target), len(mechanism.answers)), mechanism.weights.dtype)
    np.add.at(weights, np.array(nearest), mechanism.weights)
    return Mechanism.of(
        mechanism.answers,
        target,
        mechanism.neighbours,
        weights,
        name=mechanism.name,
        notes={**mechanism.notes, "snapped": True},
    )


def snapped_density(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    law: Density | Noise,
    *,
    outputs: Space | None = None,
    name: str = "density",
) -> Mechanism:
    """The boundary-snapping matrix of a density (003 Def. 4, formula 16)."""
    columns, rows = numbers_of(answers, name), numbers_of(outputs or answers, name)

    def propose(at: float) -> npt.NDArray[np.float64]:
        return category_masses(law, rows, columns, at, snap=True)

    return integer_mechanism(columns, rows, neighbours, propose, Epsilon.of(epsilon), name=name)
